"""A chapter for any paper: its headlines, and every number in a table, as they are declared."""

from __future__ import annotations

from collections.abc import Iterator

from askew.papers import paper_named
from askew.report.document import Chapter, Headline, Section, Table
from askew.report.evidence import Evidence
from askew.report.tables import Items, Line, Slice, Value, table
from askew.report.tables import items_cell as items_cell
from askew.schema import Paper
from askew.statistics.tables import OVERALL
from askew.untrusted import one_line


def chapter(evidence: Evidence) -> Chapter:
    """Headline numbers as the paper declares them, and every number in a table."""
    paper = paper_named(evidence.task)
    if paper is None:
        raise ValueError(f"task {evidence.task!r} is none of askew's")
    return Chapter(
        task=paper.task,
        title=paper.name,
        question=paper.question,
        reference=paper.reference,
        headlines=tuple(_headlines(evidence, paper)),
        sections=(numbers(evidence),),
    )


def numbers(evidence: Evidence, shown: frozenset[str] = frozenset()) -> Section:
    """Every number that was measured, one table a metric.

    Args:
        evidence: the task's numbers.
        shown: metrics that stand in other tables already.
    """
    return Section(
        f"{evidence.task}-numbers",
        "All numbers",
        ("One table a metric: as measured at every level, and over all of them.",),
        tuple(_tables(evidence, shown)),
    )


def _headlines(evidence: Evidence, paper: Paper) -> Iterator[Headline]:
    known = set(evidence.rows["metric"])
    for model in evidence.models:
        for name in (m for m in paper.headlines if m in known):
            declared = paper.metric(name)
            yield Headline(
                task=paper.task,
                title=paper.name,
                model=model,
                metric=name,
                label=declared.label or name.replace("_", " "),
                estimate=evidence.estimate(name, model, *[OVERALL] * len(evidence.levels)),
                unit=declared.unit,
                scale=declared.bounds,
                sentence=f"{declared.meaning.capitalize() or declared.label}, over all subsets.",
            )


def _tables(evidence: Evidence, shown: frozenset[str]) -> Iterator[Table]:
    metrics = [m for m in dict.fromkeys(map(str, evidence.rows["metric"])) if m not in shown]
    for number, metric in enumerate(metrics):
        declared = evidence.paper.metric(metric)
        yield table(
            evidence,
            f"{evidence.task}-metric-{number}",
            one_line(declared.label or metric.replace("_", " ")),
            [Value(metric, declared.unit.name or "value"), Items(metric)],
            [
                Slice(model.marked, lines=tuple(_places(evidence, metric, model.label, model.kind)))
                for model in evidence.models
            ],
            printed=False,
            head=", ".join(evidence.levels) or "level",
        )


def _places(evidence: Evidence, metric: str, model: str, kind: str) -> Iterator[Line]:
    """A line a place of the metric table that has the metric."""
    rows = evidence.rows
    mine = rows[(rows["metric"] == metric) & (rows["model"] == model)]
    for place in mine[list(evidence.levels)].astype(str).itertuples(index=False, name=None):
        at = dict(zip(evidence.levels, place, strict=True))
        named = (evidence.label(level, value) for level, value in at.items() if value != OVERALL)
        yield Line(
            ", ".join(named) or OVERALL,
            model,
            "simulated" if kind == "simulated" else "measured",
            at,
        )

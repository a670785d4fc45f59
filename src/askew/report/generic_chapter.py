"""A chapter for any task: its metric rows as tables, one a metric."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from askew.papers import paper_named
from askew.report.document import (
    Cell,
    Chapter,
    Column,
    Estimate,
    Group,
    Headline,
    Row,
    Section,
    Table,
)
from askew.report.evidence import Evidence
from askew.schema import NUMBER, Paper
from askew.untrusted import one_line

_OVERALL = "all"


def chapter(evidence: Evidence) -> Chapter:
    """Headline numbers as the paper declares them, and every number in a table."""
    paper = paper_named(evidence.task)
    if paper is None:
        raise ValueError(f"task {evidence.task!r} is none of askew's")
    tables = tuple(_tables(evidence))
    return Chapter(
        task=evidence.task,
        title=paper.title.partition(":")[0],
        question=paper.title.partition(": ")[2] or paper.title,
        reference=paper.reference,
        headlines=tuple(_headlines(evidence, paper)),
        sections=(
            Section(f"{evidence.task}-numbers", "All numbers", ("One table a metric.",), tables),
        ),
    )


def _headlines(evidence: Evidence, paper: Paper) -> Iterator[Headline]:
    levels = [_OVERALL] * len(evidence.levels)
    known = set(evidence.rows["metric"])
    for model in evidence.models:
        for metric in (m for m in paper.headlines if m in known):
            yield Headline(
                task=evidence.task,
                title=paper.title.partition(":")[0],
                model=model,
                metric=metric,
                label=metric.replace("_", " "),
                estimate=evidence.estimate(metric, model, *levels),
                unit=NUMBER,
                scale=None,
                sentence=f"{metric.replace('_', ' ')} over all subsets.",
            )


def _tables(evidence: Evidence) -> Iterator[Table]:
    kinds = {m.label: m for m in evidence.models}
    for number, (metric, part) in enumerate(evidence.rows.groupby("metric", sort=False)):
        groups = []
        for label, rows in part.groupby("model", sort=False):
            model = kinds[str(label)]
            lines = [
                Row(_level_words(row, evidence.levels), _cells(row), model.kind)
                for _, row in rows.iterrows()
            ]
            groups.append(Group(lines, model.marked))
        yield Table(
            id=f"{evidence.task}-metric-{number}",
            caption=one_line(str(metric).replace("_", " ")),
            head=", ".join(evidence.levels) or "level",
            columns=[Column("value"), Column("items")],
            groups=groups,
        )


def _level_words(row: pd.Series, levels: tuple[str, ...]) -> str:
    return one_line(", ".join(str(row[c]) for c in levels)) or _OVERALL


def _cells(row: pd.Series) -> list[Cell]:
    estimate = Estimate(
        float(row["value"]),
        float(row["low"]),
        float(row["high"]),
        int(row["n_items"]),
        int(row["n_dropped"]),
        str(row["reason"]),
    )
    return [Cell(estimate=estimate, unit=NUMBER), items_cell(estimate)]


def items_cell(estimate: Estimate) -> Cell:
    """How many items a number rests on, and how many were left out."""
    dropped = f" ({estimate.n_dropped} dropped)" if estimate.n_dropped else ""
    return Cell(f"{estimate.n_items}{dropped}")

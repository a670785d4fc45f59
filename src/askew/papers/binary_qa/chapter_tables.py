"""Binary QA's tables: the paper's Tables 1 to 6 with the models under test on top."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from askew.metrics import random_guesser
from askew.papers.binary_qa.chapter_words import (
    CONSISTENCIES,
    FRACTION,
    METRIC_MEANINGS,
    METRIC_NAMES,
    SCORE,
    domain_name,
    domains_of,
    published_estimate,
    published_models,
    unit_of,
)
from askew.papers.binary_qa.printed import BY_DEFINITION, CONTRADICTED
from askew.papers.binary_qa.quantities import ALL
from askew.papers.binary_qa.score import CORE, DELTAS
from askew.report.document import Cell, Column, Estimate, Group, Model, Row, Table
from askew.report.evidence import Evidence
from askew.report.generic_chapter import items_cell
from askew.schema import MISSING

TABLE1, TABLE2 = "binary-qa-table1", "binary-qa-table2"
TABLE_OF = {
    "f1": "binary-qa-table3",
    "delta_recall": "binary-qa-table4",
    "delta_precision": "binary-qa-table4",
    "prc": "binary-qa-table5",
    "nrc": "binary-qa-table5",
    "arc": "binary-qa-table5",
    "sc": "binary-qa-table5",
}
_SOURCE = "Published rows: Khrapunova, Unified Benchmark (2025), {table}, as printed."
_SPREADS = tuple(f"stdev_{m}" for m in CORE)
_GOOD, _MEDIUM = 0.80, 0.70
# The words of Table 6, which sums up all of the paper's models: performance, bias, consistency.
_PUBLISHED_SUMMARY = {
    "reading": ("good", "slight No-bias", "good"),
    "multi_hop": ("good", "balanced", "good"),
    "numerical": ("mixed", "No-bias", "mixed"),
    "translation": ("poor", "No-bias", "medium"),
    "ethics": ("medium", "No-bias", "medium-good"),
}


def overall(evidence: Evidence) -> Table:
    """Performance, bias, consistency and MBS over all domains (Table 1)."""
    metrics = (*CORE, "mbs")
    core_only = any(evidence.estimate("mbs", m, ALL).missing for m in evidence.models)
    shown = (*metrics, "mbs_core") if core_only else metrics
    columns = [Column(METRIC_NAMES[m], METRIC_MEANINGS[m]) for m in metrics]
    if core_only:
        columns.append(Column("MBS core", "without the spread over domains, 0 to 100"))
    rows = [_measured(evidence, m, shown) for m in evidence.models]
    rows += [_guesser(evidence, shown), *_published(shown, (ALL,))]
    return Table(
        id=TABLE1,
        caption="Performance, bias and consistency over all domains, with 95% intervals",
        head="Model",
        columns=[*columns, Column("Items", "asked in all forms")],
        groups=[Group(rows)],
        source=_SOURCE.format(table="Table 1") + " The random guesser answers the questions of "
        "this run by coin flips: the mean over many guessers and the range that holds 95% of them.",
    )


def spread(evidence: Evidence) -> Table:
    """Standard deviations over domains (Table 2)."""
    rows = [_measured(evidence, m, _SPREADS) for m in evidence.models]
    return Table(
        id=TABLE2,
        caption="Standard deviation over domains, with 95% intervals",
        head="Model",
        columns=[*(Column(METRIC_NAMES[m]) for m in CORE), Column("Items")],
        groups=[Group([*rows, *_published(_SPREADS, (ALL,))])],
        source=_SOURCE.format(table="Table 2"),
    )


def _measured(evidence: Evidence, model: Model, metrics: Sequence[str]) -> Row:
    found = {m: evidence.estimate(m, model, ALL) for m in metrics}
    cells = [Cell(estimate=e, unit=unit_of(m)) for m, e in found.items()]
    whole = found.get("mbs", found[metrics[0]])
    return Row(model.short, [*cells, items_cell(whole)], model.kind)


def guesser_estimates(evidence: Evidence) -> dict[str, Estimate]:
    """What a random guesser gets on the same items, over all domains."""
    table = random_guesser(evidence.observations)
    rows = table[table["subset"] == ALL].to_dict("records")
    return {
        str(r["metric"]): Estimate(
            float(r["value"]),
            float(r["low"]),
            float(r["high"]),
            int(r["n_items"]),
            reason=str(r["reason"]),
        )
        for r in rows
    }


def _guesser(evidence: Evidence, metrics: Sequence[str]) -> Row:
    found = guesser_estimates(evidence)
    cells = [Cell(estimate=found[m], unit=unit_of(m)) for m in metrics]
    return Row("Random guesser", [*cells, items_cell(found["f1"])], "reference")


def _published(metrics: Sequence[str], subsets: Sequence[str]) -> Iterator[Row]:
    """The paper's rows: metrics over domains, or one metric by domain."""
    for model in published_models(metrics[0], subsets):
        cells = [
            Cell(
                estimate=published_estimate(model, m, s),
                unit=unit_of(m),
                mark="a" if _contradicted(model, m, s) else "",
            )
            if not published_estimate(model, m, s).missing
            else Cell(MISSING)
            for m in metrics
            for s in subsets
        ]
        yield Row(model, [*cells, Cell(MISSING)], "published")


def _contradicted(model: str, metric: str, subset: str) -> bool:
    cell = CONTRADICTED
    return (model, metric, subset) == (cell.model, cell.metric, cell.subset)


def f1_by_domain(evidence: Evidence) -> Table:
    """F1 by domain (Table 3)."""
    return _by_domain(evidence, ("f1",), "F1 by domain, with 95% intervals", 3)


def bias_by_domain(evidence: Evidence) -> Table:
    """Differences of recall and precision by domain (Table 4)."""
    caption = "Bias by domain: No minus Yes, with 95% intervals"
    return _by_domain(evidence, DELTAS, caption, 4)


def consistency_by_domain(evidence: Evidence) -> Table:
    """Consistency by domain (Table 5, which prints PRC and NRC)."""
    return _by_domain(evidence, CONSISTENCIES, "Consistency by domain, with 95% intervals", 5)


def place(metric: str) -> str:
    """What a link to a metric's rows by domain points to."""
    return f"{TABLE_OF[metric]}-{metric.replace('_', '-')}"


def _by_domain(evidence: Evidence, metrics: Sequence[str], caption: str, number: int) -> Table:
    domains = domains_of(evidence)
    groups = []
    for metric in metrics:
        rows = [_measured_by_domain(evidence, m, metric, domains) for m in evidence.models]
        rows += _published((metric,), domains)
        title = f"{METRIC_NAMES[metric]}: {METRIC_MEANINGS[metric]}"
        groups.append(Group(rows, title, place(metric)))
    marked = any(c.mark for g in groups for r in g.rows for c in r.cells)
    note = (
        f"Printed as {unit_of(CONTRADICTED.metric).write(CONTRADICTED.value)}, which contradicts "
        "the F1 and the recall difference printed for the same model and domain; by the "
        f"definition it is about {unit_of(CONTRADICTED.metric).write(BY_DEFINITION)}."
    )
    return Table(
        id=TABLE_OF[metrics[0]],
        caption=caption,
        head="Model",
        columns=[*(Column(domain_name(d)) for d in domains), Column("Items", "by domain")],
        groups=groups,
        notes={"a": note} if marked else {},
        source=_SOURCE.format(table=f"Table {number}"),
    )


def _measured_by_domain(
    evidence: Evidence, model: Model, metric: str, domains: Sequence[str]
) -> Row:
    found = [evidence.estimate(metric, model, d) for d in domains]
    cells = [Cell(estimate=e, unit=unit_of(metric)) for e in found]
    return Row(model.short, [*cells, _items_by_domain(found)], model.kind)


def _items_by_domain(found: Sequence[Estimate]) -> Cell:
    """One number where all domains rest on as many items, otherwise one each."""
    each = [items_cell(e).text for e in found]
    return Cell(each[0] if len(set(each)) == 1 else ", ".join(each))


def summary(evidence: Evidence) -> Table:
    """Performance, bias and consistency by domain in words (Table 6)."""
    groups = []
    for domain in domains_of(evidence):
        rows = [
            Row(m.short, [Cell(w) for w in _words(evidence, m, domain)], m.kind)
            for m in evidence.models
        ]
        if domain in _PUBLISHED_SUMMARY:
            cells = [Cell(w) for w in (*_PUBLISHED_SUMMARY[domain], MISSING)]
            rows.append(Row("The paper's models", cells, "published"))
        groups.append(Group(rows, domain_name(domain)))
    return Table(
        id="binary-qa-table6",
        caption="Each domain in words",
        head="Model",
        columns=[
            Column("Performance", "by F1", numeric=False),
            Column("Bias", "by recall difference", numeric=False),
            Column("Consistency", "mean of PRC, ARC and SC", numeric=False),
            Column("Items"),
        ],
        groups=groups,
        source=_SOURCE.format(table="Table 6")
        + f" The paper gives no rule for its words. Here good is from {_GOOD:.2f}, medium from "
        f"{_MEDIUM:.2f}, poor below; a bias is named where the interval excludes 0.",
    )


def _words(evidence: Evidence, model: Model, domain: str) -> tuple[str, str, str, str]:
    f1 = evidence.estimate("f1", model, domain)
    bias = evidence.estimate("delta_recall", model, domain)
    parts = [evidence.estimate(m, model, domain).value for m in ("prc", "arc", "sc")]
    return _grade(f1.value), _lean(bias), _grade(math.fsum(parts) / 3), items_cell(f1).text


def _grade(value: float) -> str:
    if math.isnan(value):
        return MISSING
    word = "good" if value >= _GOOD else "medium" if value >= _MEDIUM else "poor"
    return f"{word} ({FRACTION.write(value)})"


def _lean(bias: Estimate) -> str:
    if bias.missing:
        return MISSING
    word = "No-bias" if bias.low > 0 else "Yes-bias" if bias.high < 0 else "none shown"
    return f"{word} ({unit_of('delta_recall').write(bias.value)})"


def readings(evidence: Evidence) -> Table:
    """How often no answer could be read, and how often No was the answer."""
    rows = []
    for model in evidence.models:
        found = [evidence.estimate(m, model, ALL) for m in ("no_answer", "said_no")]
        rows.append(
            Row(
                model.short,
                [*(Cell(estimate=e, unit=FRACTION) for e in found), items_cell(found[0])],
                model.kind,
            )
        )
    return Table(
        id="binary-qa-readings",
        caption="Replies without an answer, and originals answered No, with 95% intervals",
        head="Model",
        columns=[Column("No answer", "of all replies"), Column("Said No"), Column("Items")],
        groups=[Group(rows)],
    )


def breakdown(names: Sequence[str], parts: Sequence[tuple[Row, float]]) -> Table:
    """What each metric adds to the score, in points."""
    return Table(
        id="binary-qa-parts",
        caption="What each metric adds to the score, in points",
        head="Model",
        columns=[*(Column(n) for n in names), Column("Sum")],
        groups=[
            Group(
                [
                    Row(row.head, [*row.cells, Cell(SCORE.write(total))], row.kind)
                    for row, total in parts
                ]
            )
        ],
        source=_SOURCE.format(table="Tables 1 and 2") + " Their parts are computed here.",
    )

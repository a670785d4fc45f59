"""A comparison as tables that every kind of file lays out, and as plain data."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import pandas as pd

from askew.decide.compare import Comparison
from askew.decide.verdicts import NOT_COMPARABLE, TOO_FEW
from askew.papers import metric_of
from askew.papers.format_bias.arms import Mitigation
from askew.report.document import Cell, Column, Group, Row, Table
from askew.report.top_level import OVERALL
from askew.schema import MISSING, Unit
from askew.untrusted import one_line

SCHEMA = "askew-comparison"
SCHEMA_VERSION = "1.0"
_FOLDED = "0"


def opening(comparison: Comparison) -> str:
    """What was compared, in a sentence."""
    if not comparison.models:
        return (
            f"{_name(comparison, comparison.baseline)} compared with itself, with a treatment and "
            f"without: paired on the items that were scored in every format in both."
        )
    n_compared = int(comparison.table["p_value"].notna().sum())
    return (
        f"Compared with {_name(comparison, comparison.baseline)}: differences on the samples that "
        f"both models answered, {comparison.level:.0%} intervals, p-values corrected over "
        f"{n_compared} comparisons (Holm)."
    )


def tables(comparison: Comparison) -> Iterator[Table]:
    """One table a task and model, then the mitigation verdicts."""
    for number, ((task, model), part) in enumerate(
        comparison.table.groupby(["task", "model"], sort=False)
    ):
        rows = [_row(comparison, row) for row in part.to_dict("records")]
        folded = bool((part["better_is"] == "nearer zero").any())
        yield Table(
            id=f"comparison-{number}",
            caption=f"{task}: {_name(comparison, str(model))}",
            head="metric",
            columns=[
                Column("baseline"),
                Column("model"),
                Column(f"difference ({comparison.level:.0%} interval)"),
                Column("unit", numeric=False),
                Column("p, corrected"),
                Column("items"),
                Column("verdict", numeric=False),
            ],
            groups=[Group(rows)],
            notes={_FOLDED: "the nearer to 0 the better: the difference is that of the distances"}
            if folded
            else {},
        )
    if comparison.mitigations:
        yield _mitigation_table(comparison.mitigations)


def _name(comparison: Comparison, model: str) -> str:
    mark = " (simulated)" if model in comparison.simulated else ""
    return f"{one_line(model)}{mark}"


def _row(comparison: Comparison, row: Mapping[Hashable, Any]) -> Row:
    known = metric_of(row["task"], row["metric"])
    folded = known.better == "nearer zero"
    levels = [
        f"{level}={row[level]}"
        for level in comparison.levels
        if not pd.isna(row[level]) and row[level] not in (OVERALL, "")
    ]
    head = f"{row['metric']} ({', '.join(levels)})" if levels else str(row["metric"])
    return Row(
        head,
        [
            Cell(known.unit.write(row["baseline_value"])),
            Cell(known.unit.write(row["model_value"])),
            Cell(_difference(row, known.unit), mark=_FOLDED if folded else ""),
            Cell(_unit(known.unit)),
            Cell(p_text(row["p_corrected"])),
            Cell(f"{row['n_items']:,}"),
            Cell(verdict_text(row)),
        ],
    )


def _difference(row: Mapping[Hashable, Any], unit: Unit) -> str:
    signed = Unit(unit.name, unit.factor, unit.digits, signed=True)
    text = signed.write(row["difference"])
    if math.isnan(row["low"]):
        return text
    return f"{text} ({signed.write(row['low'])} to {signed.write(row['high'])})"


def _unit(unit: Unit) -> str:
    """A difference of percentages is in points."""
    return "points" if unit.name == "%" else unit.name


def p_text(p_value: float) -> str:
    """A p-value to three digits."""
    if math.isnan(p_value):
        return MISSING
    return "<0.001" if p_value < 0.001 else f"{p_value:.3f}"


def verdict_text(row: Mapping[Hashable, Any]) -> str:
    """The verdict, with the reason or the number of items that a clear one would need."""
    said = str(row["verdict"])
    if said == TOO_FEW:
        return f"{said}: about {row['n_needed']:,} items needed"
    if said == NOT_COMPARABLE:
        return f"{said}: {one_line(row['reason'])}"
    return said


def _mitigation_table(found: tuple[Mitigation, ...]) -> Table:
    rows = [
        Row(
            f"{one_line(m.before)} -> {one_line(m.after)}",
            [
                Cell(m.verdict.category),
                Cell(_bias(m)),
                Cell(f"{m.verdict.n_items:,}"),
                Cell(one_line(str(m.verdict).partition(": ")[2], 300)),
            ],
        )
        for m in found
    ]
    return Table(
        id="mitigation",
        caption="format_bias: does the treatment mitigate the bias (BiasF falls and format "
        "following rises for every format)?",
        head="before -> after",
        columns=[
            Column("formats", numeric=False),
            Column("BiasF, squared points"),
            Column("items"),
            Column("verdict", numeric=False),
        ],
        groups=[Group(rows)],
    )


def _bias(mitigation: Mitigation) -> str:
    bias = next((c for c in mitigation.verdict.criteria if c.metric == "bias_f"), None)
    if bias is None or math.isnan(bias.change):
        return MISSING
    return f"{bias.before:.1f} to {bias.after:.1f}"


def as_data(comparison: Comparison) -> dict[str, Any]:
    """The comparison as what JSON holds; an undefined number is null, with its reason."""
    levels = comparison.levels
    return {
        "schema": SCHEMA,
        "version": SCHEMA_VERSION,
        "baseline": comparison.baseline,
        "models": list(comparison.models),
        "simulated": sorted(comparison.simulated),
        "level": comparison.level,
        "notes": list(comparison.notes),
        "comparisons": [
            {
                "levels": {c: str(row[c]) for c in levels if not pd.isna(row[c])},
                **{k: _plain(v) for k, v in row.items() if k not in levels},
            }
            for row in comparison.table.to_dict("records")
        ],
        "mitigations": [
            {
                "before": m.before,
                "after": m.after,
                "formats": m.verdict.category,
                "effective": m.verdict.effective,
                "settled": m.verdict.settled,
                "n_items": m.verdict.n_items,
                "verdict": str(m.verdict),
            }
            for m in comparison.mitigations
        ],
    }


def _plain(value: Any) -> Any:
    if isinstance(value, float) and math.isnan(value):
        return None
    return value.item() if hasattr(value, "item") else value

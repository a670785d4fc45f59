"""What was compared or gated, as documents that every writer lays out."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any
from xml.etree import ElementTree

import pandas as pd

from askew.decide.compare import Comparison
from askew.decide.gate import Gate
from askew.decide.pairing import NOT_COMPARABLE, TOO_FEW, VERDICTS
from askew.decide.policy import Check
from askew.papers import metric_of
from askew.report.ceiling import CEILING_WORDS
from askew.report.document import (
    Block,
    Cell,
    Document,
    Group,
    Notes,
    Part,
    Row,
    Section,
    Table,
    Terms,
    columns,
    simulated_note,
    text_row,
)
from askew.report.estimates import Estimate
from askew.schema import MISSING, Unit
from askew.stats.nulls import NoEffect
from askew.stats.paired import SIDES
from askew.stats.tables import NULL_COLUMNS, OVERALL
from askew.untrusted import one_line

# What XML 1.0 can't hold, however it is escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_FOLDED, _NOISE_OFF = "0", "n"
_MARKS = {
    _FOLDED: "the nearer to 0 the better: the difference is that of the distances",
    _NOISE_OFF: "noise alone moves this number one way: the difference is that of the values with "
    "their noise taken off",
}
_SENTENCE = 1_000


def _part(id: str, title: str, *blocks: Block, short: str = "") -> Part:
    return Part(id, title, [Section("", "", (), blocks)], short)


def _head(kind: str) -> dict[str, str]:
    """What tells the JSON of one kind of document from that of another."""
    return {"schema": f"askew-{kind}", "version": "1.1"}


def _named(metric: object, levels: object) -> str:
    return f"{metric} ({levels})" if levels else str(metric)


def comparison_document(comparison: Comparison) -> Document:
    """One table a task and model, then what the papers say of their treatments."""
    tables = [*_differences(comparison), *comparison.treatments]
    nothing = [] if tables else ["No task was answered by both models."]
    notes = [one_line(note, _SENTENCE) for note in comparison.notes]
    parts = [
        Part("differences", "Differences", [Section("", "", nothing, tables)]),
        *([_part("notes", "Before you trust it", Notes(notes))] if notes else []),
        _part("verdicts", "What the verdicts mean", Terms(VERDICTS)),
    ]
    return Document(
        title="Which model bends less?",
        lede=_compared(comparison),
        parts=parts,
        data=partial(_comparison_data, comparison),
        simulated=simulated_note([one_line(m) for m in sorted(comparison.simulated)]),
    )


def _compared(comparison: Comparison) -> str:
    baseline = _marked(comparison, comparison.baseline)
    if not comparison.models:
        return (
            f"{baseline} compared with itself, with a treatment and without: paired on the items "
            "that were scored in both."
        )
    n_compared = int(comparison.table["p_value"].notna().sum())
    return (
        f"Compared with {baseline}: differences on the samples that both models answered, "
        f"{comparison.level:.0%} intervals, p-values corrected over {n_compared} comparisons."
    )


def _marked(comparison: Comparison, model: str) -> str:
    mark = " (simulated)" if model in comparison.simulated else ""
    return f"{one_line(model)}{mark}"


def _differences(comparison: Comparison) -> Iterator[Table]:
    by_model = comparison.table.groupby(["task", "model"], sort=False)
    heads = columns(
        "baseline", "model", f"difference ({comparison.level:.0%} interval)", "unit",
        "p, corrected", "items", "verdict", texts=("unit", "verdict"),
    )  # fmt: skip
    for number, ((task, model), part) in enumerate(by_model):
        rows = [_difference(comparison, row) for row in part.to_dict("records")]
        used = {cell.mark for row in rows for cell in row.cells}
        yield Table(
            id=f"comparison-{number}",
            caption=f"{task}: {_marked(comparison, str(model))}",
            head="metric",
            columns=heads,
            groups=[Group(rows)],
            notes={mark: note for mark, note in _MARKS.items() if mark in used},
        )


def _difference(comparison: Comparison, row: Mapping[Hashable, Any]) -> Row:
    known = metric_of(row["task"], row["metric"])
    unit = known.unit
    signed = Unit(unit.name, unit.factor, unit.digits, signed=True)
    interval = f" ({signed.write(row['low'])} to {signed.write(row['high'])})"
    moved = signed.write(row["difference"]) + ("" if math.isnan(row["low"]) else interval)
    folded = _FOLDED if known.better == "nearer zero" else ""
    mark = _NOISE_OFF if row["noise_off"] else folded
    levels = [
        f"{level}={row[level]}"
        for level in comparison.levels
        if not pd.isna(row[level]) and row[level] not in (OVERALL, "")
    ]
    return Row(
        _named(row["metric"], ", ".join(levels)),
        [
            *(_side(row, side, unit) for side in SIDES),
            Cell(moved, mark=mark),
            # A difference of percentages is in points.
            Cell("points" if unit.name == "%" else unit.name),
            Cell(_p_value(row["p_corrected"])),
            Cell(f"{row['n_items']:,}"),
            Cell(_verdict(row)),
        ],
    )


def _side(row: Mapping[Hashable, Any], side: str, unit: Unit) -> Cell:
    """One model's number, with what noise makes of it where noise moves it one way."""
    null = NoEffect(*(row[f"{side}_{name}"] for name in NULL_COLUMNS))
    value = Estimate(row[f"{side}_value"], null=null)
    noise = value.noise(unit)
    return Cell("; ".join([unit.write(value.value), *([noise] if noise else [])]))


def _p_value(p: float) -> str:
    if math.isnan(p):
        return MISSING
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def _verdict(row: Mapping[Hashable, Any]) -> str:
    """The verdict, with the reason or the number of items that a clear one would need."""
    said = str(row["verdict"])
    if said == TOO_FEW and row["n_needed"]:
        return f"{said}: about {row['n_needed']:,} items needed"
    return f"{said}: {one_line(row['reason'])}" if said == NOT_COMPARABLE else said


def _comparison_data(comparison: Comparison) -> dict[str, Any]:
    levels = comparison.levels
    return {
        **_head("comparison"),
        "baseline": comparison.baseline,
        "models": comparison.models,
        "simulated": sorted(comparison.simulated),
        "level": comparison.level,
        "notes": comparison.notes,
        "ceilings": comparison.ceilings.records,
        "comparisons": [
            {
                "levels": {c: str(row[c]) for c in levels if not pd.isna(row[c])},
                **{str(k): v for k, v in row.items() if k not in levels},
            }
            for row in comparison.table.to_dict("records")
        ],
        "mitigations": [record for table in comparison.treatments for record in table.records],
    }


def gate_document(gate: Gate) -> Document:
    """All checks, what fails first."""
    order = {"fail": 0, "can't tell": 1, "pass": 2}
    checks = sorted(gate.checks, key=lambda check: order[check.status])
    high = ["its questions"] if any(c.ceiling for c in checks) else []
    noise = ["by noise alone"] if any(not math.isnan(c.null_p) for c in checks) else []
    table = Table(
        id="gate",
        caption="",
        head="outcome",
        columns=columns(
            "rule", "task", "model", "metric", "number", *noise, "asked", "items", *high, "why",
            texts=("rule", "task", "model", "metric", "by noise alone", "asked", *high, "why"),
        ),
        groups=[Group([_check(check, bool(noise), bool(high)) for check in checks])],
    )  # fmt: skip
    told = [one_line(note, _SENTENCE) for note in (*gate.stopped, *gate.ceilings.notes)]
    notes = [Notes(told)] if told else []
    records = [_check_record(check) for check in gate.checks]
    simulated = dict.fromkeys(one_line(c.model) for c in gate.checks if c.simulated)
    return Document(
        title="Does it pass?",
        lede="",
        parts=[_part("checks", "Every rule on every number it takes in", table, *notes)],
        data=lambda: {
            **_head("gate"), "verdict": gate.verdict, "exit_code": gate.exit_code,
            "checks": records, "ceilings": gate.ceilings.records, "stopped_early": gate.stopped,
        },
        outcome=gate.verdict,
        simulated=simulated_note(list(simulated)),
    )  # fmt: skip


def _check(check: Check, with_noise: bool, with_ceiling: bool) -> Row:
    rule = check.rule
    unit = metric_of(check.task, check.metric).unit
    noise = (
        ""
        if math.isnan(check.null_p)
        else (
            f"up to {unit.write(check.null_high)} (p = {check.null_p:.3f}); "
            f"without it {unit.write(check.without_noise)}"
        )
    )
    texts = [
        rule.title,
        check.task,
        f"{one_line(check.model)}{' (simulated)' if check.simulated else ''}",
        " ".join(filter(None, [check.metric, check.levels and f"({check.levels})"])),
        check.shown,
        *([noise] if with_noise else []),
        check.asked if rule.min is not None or rule.max is not None else "",
        f"{check.n_items:,}" if check.n_items else "",
        *([CEILING_WORDS[check.ceiling]] if with_ceiling else []),
        check.why,
    ]
    return text_row(check.status.upper(), texts)


def _check_record(check: Check) -> dict[str, Any]:
    rule = check.rule
    return {
        "status": check.status,
        "rule": rule.title,
        **{k: v for k, v in vars(check).items() if k not in ("rule", "status")},
        **{k: getattr(rule, k) for k in ("bound", "of", "min", "max", "min_items")},
    }


def junit_xml(gate: Gate) -> str:
    """One suite a task, one case a check; what can't be told is an error, not a failure."""
    root = ElementTree.Element("testsuites", {"name": "askew gate", **_counts(gate.checks)})
    for task in dict.fromkeys(c.task for c in gate.checks):
        checks = [c for c in gate.checks if c.task == task]
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": _safe(task or "policy"), **_counts(checks)}
        )
        for check in checks:
            _case(suite, check, gate.ceiling_of(check))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _counts(checks: Sequence[Check]) -> dict[str, str]:
    return {
        "tests": str(len(checks)),
        "failures": str(sum(c.status == "fail" for c in checks)),
        "errors": str(sum(c.status == "can't tell" for c in checks)),
    }


def _case(suite: ElementTree.Element, check: Check, high: str) -> None:
    about = ", ".join(filter(None, [check.metric, check.levels]))
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": _safe(".".join(filter(None, [check.task, check.model])) or "policy"),
            "name": _safe(f"{check.rule.title} [{about}]" if about else check.rule.title),
        },
    )
    if check.status != "pass":
        tag = "failure" if check.status == "fail" else "error"
        told = f"{check.shown} is {check.why}" if check.status == "fail" else check.why
        ElementTree.SubElement(case, tag, {"message": _safe(told), "type": _safe(check.status)})
    if high:
        ElementTree.SubElement(case, "system-out").text = _safe(high)


def _safe(text: str) -> str:
    return _NO_XML.sub("?", one_line(text, 300))

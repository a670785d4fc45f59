"""Pages of what was compared, gated, planned and calibrated: frames, laid out by the report."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any
from xml.etree import ElementTree

import pandas as pd

from askew.decide.calibrate import COVERAGE, HOLDS, OFF, POWER, Certificate
from askew.decide.compare import Comparison
from askew.decide.gate import Gate
from askew.decide.pairing import NOT_COMPARABLE, TOO_FEW, VERDICTS
from askew.decide.plan import MIDDLE, Expense, Plan
from askew.decide.policy import Check
from askew.decide.power import KINDS, Advice, Width
from askew.decide.workload import GRADER, TESTED
from askew.files import yaml_of
from askew.papers import metric_of
from askew.report.blocks import (
    Block,
    Cell,
    Document,
    Note,
    Part,
    Section,
    Table,
    Text,
    filled,
    simulated_note,
    table_of,
)
from askew.report.ceiling import CEILING, CEILING_WORDS, NO_CEILING
from askew.report.estimates import Estimate
from askew.schema import MISSING, Unit
from askew.stats.nulls import NoEffect
from askew.stats.paired import SIDES
from askew.stats.tables import NULL_COLUMNS, OVERALL
from askew.untrusted import one_line

_WORDS = yaml_of(__package__, "documents.yaml")
# What XML 1.0 can't hold, however it is escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SENTENCE = 1_000
_SHARE, _POINTS = Unit("%", 100.0, 0), Unit("points", 100.0)
Row = dict[str, Any]


def _part(id: str, title: str, *blocks: Block) -> Part:
    return Part(id, title, [Section("", "", (), blocks)])


def _notes(told: Sequence[str]) -> list[Block]:
    return [Note([one_line(note, _SENTENCE) for note in told])] if told else []


def _named(metric: object, levels: object) -> str:
    return f"{metric} ({levels})" if levels else str(metric)


def _simulated(model: object, is_simulated: bool) -> str:
    return f"{one_line(model)}{' (simulated)' if is_simulated else ''}"


def comparison_document(comparison: Comparison) -> Document:
    """One table a task and model, then what the papers say of their treatments."""
    words, levels = _WORDS["comparison"], comparison.levels
    tables = [*_differences(comparison), *comparison.treatments]
    shown = Section("", "", [] if tables else [words["nothing"]], tables)
    notes = [_part("notes", "Before you trust it", b) for b in _notes(comparison.notes)]
    return Document(
        title=words["title"],
        lede=filled(
            words["lede" if comparison.models else "itself"],
            baseline=_simulated(comparison.baseline, comparison.baseline in comparison.simulated),
            level=f"{comparison.level:.0%}",
            n=int(comparison.table["p_value"].notna().sum()) if comparison.models else 0,
        ),
        parts=[
            Part("differences", "Differences", [shown]),
            *notes,
            _part("verdicts", "What the verdicts mean", Text(VERDICTS)),
        ],
        data=lambda: {
            "schema": "askew-comparison",
            "version": "1.1",
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
        },
        simulated=simulated_note([one_line(m) for m in sorted(comparison.simulated)]),
    )


def _differences(comparison: Comparison) -> Iterator[Table]:
    by_model = comparison.table.groupby(["task", "model"], sort=False)
    for number, ((task, model), part) in enumerate(by_model):
        yield table_of(
            [_difference(comparison, row) for row in part.to_dict("records")],
            f"comparison-{number}",
            f"{task}: {_simulated(model, model in comparison.simulated)}",
            texts=("unit", "verdict"),
            notes=_WORDS["comparison"]["marks"],
        )


def _difference(comparison: Comparison, row: Mapping[Hashable, Any]) -> Row:
    known = metric_of(row["task"], row["metric"])
    unit, signed = known.unit, replace(known.unit, signed=True)
    interval = f" ({signed.write(row['low'])} to {signed.write(row['high'])})"
    moved = signed.write(row["difference"]) + ("" if math.isnan(row["low"]) else interval)
    levels = [
        f"{level}={row[level]}"
        for level in comparison.levels
        if not pd.isna(row[level]) and row[level] not in (OVERALL, "")
    ]
    mark = "n" if row["noise_off"] else "0" if known.better == "nearer zero" else ""
    # The verdict, with the reason or the number of items that a clear one would need.
    verdict = str(row["verdict"])
    if verdict == TOO_FEW and row["n_needed"]:
        verdict = f"{verdict}: about {row['n_needed']:,} items needed"
    elif verdict == NOT_COMPARABLE:
        verdict = f"{verdict}: {one_line(row['reason'])}"
    p = row["p_corrected"]
    return {
        "metric": _named(row["metric"], ", ".join(levels)),
        **{side: _side(row, side, unit) for side in SIDES},
        f"difference ({comparison.level:.0%} interval)": Cell(moved, mark=mark),
        # A difference of percentages is in points.
        "unit": "points" if unit.name == "%" else unit.name,
        "p, corrected": MISSING if math.isnan(p) else "<0.001" if p < 0.001 else f"{p:.3f}",
        "items": f"{row['n_items']:,}",
        "verdict": verdict,
    }


def _side(row: Mapping[Hashable, Any], side: str, unit: Unit) -> str:
    """One model's number, with what noise makes of it where noise moves it one way."""
    null = NoEffect(*(row[f"{side}_{name}"] for name in NULL_COLUMNS))
    value = Estimate(row[f"{side}_value"], null=null)
    return "; ".join(filter(None, (unit.write(value.value), value.noise(unit))))


def gate_document(gate: Gate) -> Document:
    """All checks, what fails first."""
    order = {"fail": 0, "can't tell": 1, "pass": 2}
    rows = [_check(check) for check in sorted(gate.checks, key=lambda c: order[c.status])]
    unused = [k for k in ("by noise alone", "its questions") if not any(r[k] for r in rows)]
    shown = [{k: v for k, v in row.items() if k not in unused} for row in rows]
    texts = ("rule", "task", "model", "metric", "by noise alone", "asked", "its questions", "why")
    notes = _notes([*gate.stopped, *gate.ceilings.notes])
    simulated = dict.fromkeys(one_line(c.model) for c in gate.checks if c.simulated)
    return Document(
        title=_WORDS["gate"]["title"],
        lede="",
        parts=[
            _part(
                "checks", _WORDS["gate"]["checks"], table_of(shown, "gate", "", texts=texts), *notes
            )
        ],
        data=lambda: {
            "schema": "askew-gate",
            "version": "1.1",
            "verdict": gate.verdict,
            "exit_code": gate.exit_code,
            "checks": [*map(_check_record, gate.checks)],
            "ceilings": gate.ceilings.records,
            "stopped_early": gate.stopped,
        },
        outcome=gate.verdict,
        simulated=simulated_note(list(simulated)),
    )


def _check(check: Check) -> Row:
    rule, unit = check.rule, metric_of(check.task, check.metric).unit
    noise = (
        f"up to {unit.write(check.null_high)} (p = {check.null_p:.3f}); "
        f"without it {unit.write(check.without_noise)}"
    )
    return {
        "outcome": check.status.upper(),
        "rule": rule.title,
        "task": check.task,
        "model": _simulated(check.model, check.simulated),
        "metric": " ".join(filter(None, [check.metric, check.levels and f"({check.levels})"])),
        "number": check.shown,
        "by noise alone": "" if math.isnan(check.null_p) else noise,
        "asked": check.asked if rule.min is not None or rule.max is not None else "",
        "items": f"{check.n_items:,}" if check.n_items else "",
        "its questions": CEILING_WORDS[check.ceiling],
        "why": check.why,
    }


def _check_record(check: Check) -> Row:
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
        named = {"name": _safe(task or "policy"), **_counts(checks)}
        suite = ElementTree.SubElement(root, "testsuite", named)
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
    named = {
        "classname": _safe(".".join(filter(None, [check.task, check.model])) or "policy"),
        "name": _safe(f"{check.rule.title} [{about}]" if about else check.rule.title),
    }
    case = ElementTree.SubElement(suite, "testcase", named)
    if check.status != "pass":
        failed = check.status == "fail"
        told = f"{check.shown} is {check.why}" if failed else check.why
        words = {"message": _safe(told), "type": _safe(check.status)}
        ElementTree.SubElement(case, "failure" if failed else "error", words)
    if high:
        ElementTree.SubElement(case, "system-out").text = _safe(high)


def _safe(text: str) -> str:
    return _NO_XML.sub("?", one_line(text, 300))


def certificate_document(certificate: Certificate) -> Document:
    """What was planted and measured, a group a task and respondent, and what it can't see."""
    table, words, level = certificate.table, _WORDS["certificate"], f"{certificate.level:.0%}"
    planted = table_of(
        [_measured(row, level) for row in table.to_dict("records")],
        "planted",
        "",
        texts=("unit", "verdict"),
        group="of",
    )
    verdicts = table.get("verdict", pd.Series(dtype=str))
    shown = Section("", "", (), [planted] if len(table) else [])
    return Document(
        title=words["title"],
        lede="",
        parts=[
            Part(
                "calibration",
                "Planted and measured",
                [shown],
                reference=filled(words["intro"], level=level),
            ),
            _part("limits", "What it can't see", Note([*_limits(certificate)])),
        ],
        data=lambda: {
            "schema": "askew-certificate",
            "version": "1.1",
            "level": certificate.level,
            "holds": certificate.holds,
            "uncovered": certificate.uncovered,
            "repetitions": certificate.repetitions,
            "repetitions_needed": certificate.needed,
            "seen": {str(c): certificate.sees(c) for c in (0.85, COVERAGE)},
            "smallest_gap": certificate.smallest_gap,
            "unseen": certificate.unseen,
            "never_judged": certificate.judged,
            "numbers": table.to_dict("records"),
        },
        outcome=filled(
            words["outcome"],
            held=(verdicts == HOLDS).sum(),
            off=(verdicts == OFF).sum(),
            uncovered=", ".join(certificate.uncovered),
        ),
    )


def _measured(row: Mapping[Hashable, Any], level: str) -> Row:
    unit = metric_of(row["task"], row["metric"]).unit
    ends = f"{unit.write(row['low'])} to {unit.write(row['high'])}"
    return {
        "metric": _named(row["metric"], row["levels"]),
        "of": f"{row['task']}: respondent/{row['respondent']}",
        "planted": unit.write(row["planted"]),
        "measured": unit.write(row["measured"]),
        "unit": unit.name,
        f"one {level} interval": "" if math.isnan(row["low"]) else ends,
        "coverage": f"{row['held']} of {row['given']}",
        "false alarms": f"{row['alarms']} of {row['tested']}" if row["tested"] else "",
        "noise taken off": unit.write(row["without_noise"]) if row["tested"] else "",
        "items": f"{row['n_items']:,}",
        "verdict": str(row["verdict"]),
    }


def _limits(certificate: Certificate) -> Iterator[str]:
    """How small a fault shows, and what was not looked at."""
    words, gap = _WORDS["certificate"], certificate.smallest_gap
    told = {
        "c": certificate,
        "coverage": f"{COVERAGE:.0%}",
        "power": f"{POWER:.0%}",
        "seen": f"{certificate.sees(COVERAGE):.0%}",
        "seen85": f"{certificate.sees(0.85):.0%}",
        "smallest": "none" if math.isnan(gap) else f"{certificate.level - gap:.1%} or less",
    }
    yield filled(words["sees"], **told)
    if certificate.repetitions < certificate.needed:
        yield filled(words["few"], **told)
    if len(certificate.table):
        least, most = (f"{int(f(certificate.table['n_items'])):,}" for f in (min, max))
        yield filled(words["items"], least=least, most=most)
    for task, unseen in certificate.unseen.items():
        for reason in dict.fromkeys(unseen.values()):
            metrics = ", ".join(m for m, why in unseen.items() if why == reason)
            yield filled(words["unseen"], task=task, metrics=metrics, reason=reason)
    if certificate.judged:
        yield filled(words["judged"], **told)


def plan_document(plans: Sequence[Plan]) -> Document:
    """What runs would ask, cost and show, a part a task."""
    return Document(
        title=_WORDS["plan"]["title"],
        lede="",
        parts=[_plan(number, plan) for number, plan in enumerate(plans)],
        data=lambda: {"schema": "askew-plan", "version": "1.2", "plans": [*map(_data, plans)]},
    )


def _plan(number: int, plan: Plan) -> Part:
    words, least = _WORDS["plan"], "from " if plan.at_least else ""
    several = plan.cost is not None and len(plan.expenses) > 1
    blocks: list[Block] = [
        table_of(
            [_expense(e, least) for e in plan.expenses],
            f"expenses-{number}",
            "",
            texts=("price",),
            source=f"In all: {least}{_dollars(plan.cost or 0.0)}" if several else "",
        ),
        table_of(
            [_width(w, plan) for w in plan.widths],
            f"widths-{number}",
            filled(words["widths"], p=plan),
        ),
    ]
    if plan.tiers:
        source = filled(words["tiers_source"], ceiling=_SHARE.named(CEILING))
        texts = ("tells models there apart",)
        rows = [_tier(one) for one in plan.tiers]
        blocks.append(table_of(rows, f"tiers-{number}", words["tiers"], texts=texts, source=source))
    blocks += _notes(plan.ceilings.notes)
    blocks += [_bought(f"next-{number}-{i}", a) for i, a in enumerate(plan.advice)]
    thinking = dict.fromkeys(e.model for e in plan.expenses if e.thinks)
    judged = any(e.role == GRADER for e in plan.expenses)
    assumed = [
        filled(
            text,
            p=plan,
            a=plan.assumptions,
            power=f"{POWER:.0%}",
            thinking=", ".join(thinking),
            judged=f"{plan.assumptions.judged:.0%}" if judged else "",
        )
        for text in words["assumed"]
    ]
    shown = Section("", "", [filled(words["asked"], p=plan)], blocks)
    return Part(f"plan-{number}", plan.task, [shown, Section("", "", [*filter(None, assumed)])])


def _tier(one: Any) -> Row:
    """What a tier can show: near the ceiling little is left."""
    near, middle = (
        _with_error(_POINTS, shown, math.nan) for shown in (one.at_ceiling, one.in_the_middle)
    )
    return {
        "tier": one.tier,
        "items": f"{one.n_items:,}",
        f"shown near {_SHARE.named(CEILING)}": near,
        "tells models there apart": "yes"
        if one.has_room
        else f"no: {_POINTS.named(1 - CEILING)} are left",
        f"shown near {_SHARE.named(MIDDLE)}": middle,
    }


def _expense(expense: Expense, least: str) -> Row:
    role = "" if expense.role == TESTED else f"{expense.role}: "
    return {
        "model": f"{role}{expense.model or 'not named'}",
        "calls": f"{least}{expense.load.calls:,}",
        "tokens in": f"{least}{expense.load.tokens_in:,}",
        "tokens out": f"{least}{expense.load.tokens_out:,}",
        "cost": MISSING if expense.cost is None else f"{least}{_dollars(expense.cost)}",
        "time": f"{least}{_duration(expense.minutes)}",
        "price": expense.price_from,
    }


def _dollars(cost: float) -> str:
    return f"${cost:,.2f}" if cost >= 0.01 or cost == 0 else "under $0.01"


def _duration(minutes: float) -> str:
    if minutes < 1.5:
        return f"{math.ceil(60 * minutes)} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _width(width: Width, plan: Plan) -> Row:
    unit = width.unit
    plain = Unit("points" if unit.name == "%" else unit.name, unit.factor, unit.digits)
    unknown = math.isnan(width.width)
    told = {
        f"{plan.level:.0%} interval's width": _with_error(plain, width.width, width.width_error),
        "difference shown": _with_error(plain, width.difference, width.difference_error),
        "more than noise from": _with_error(unit, width.beside_noise, width.beside_noise_error),
    }
    if unknown:
        told = dict(zip(told, (width.reason, MISSING, MISSING), strict=True))
    row = {
        "metric": width.metric,
        "items": f"{width.n_items:,}",
        "about": MISSING if unknown else unit.named(width.value),
        **told,
    }
    if any(w.wanted for w in plan.widths):
        row["items for the wanted width"] = _items(width.n_needed, width.n_needed_error, plan)
    if any(w.effect for w in plan.widths):
        row["power"] = _with_error(_SHARE, width.power, width.power_error)
        row["items for the effect"] = _items(width.n_for_effect, width.n_for_effect_error, plan)
    return row


def _with_error(unit: Unit, value: float, error: float) -> str:
    """A number with its standard error over seeds."""
    if math.isnan(value):
        return MISSING
    beside = "" if math.isnan(error) else f" ± {unit.write(error)}"
    return f"{unit.write(value)}{beside} {unit.name}".strip()


def _items(needed: int | None, error: float, plan: Plan) -> str:
    if needed is None:
        return MISSING
    beside = "" if math.isnan(error) else f" ± {math.ceil(error):,}"
    more = f" (there are {plan.n_items:,})" if needed > plan.n_items else ""
    return f"{needed:,}{beside}{more}"


def _bought(id: str, advice: Advice) -> Table:
    """What twice the replies would buy, by what is doubled."""
    points, source = Unit("points", 100.0, 2), f"None: {advice.reason}"
    rows: list[Row] = []
    for kind, error in {"": math.nan}.items() if advice.reason else advice.error.items():
        sizes = {k: f"{getattr(advice.asked, k) * (1 + (k == kind)):,}" for k in KINDS}
        these = advice.these.get(kind, math.nan)
        rows.append({
            "asked": f"twice the {kind}" if kind else "as planned",
            **(dict.fromkeys(KINDS, MISSING) if advice.reason else sizes),
            "error over these wordings": points.named(these),
            "over wordings at large": points.named(error),
        })  # fmt: skip
    if not advice.reason:
        source = filled(
            _WORDS["plan"]["best"],
            these=advice.best(advice.these),
            large=advice.best(advice.error),
            score=advice.score,
            shares=", ".join(f"{part} {share:.0%}" for part, share in advice.shares.items()),
            note=advice.note,
        )
    about = filled(_WORDS["plan"]["bought"], model=one_line(advice.model))
    return table_of(rows, id, about, source=source)


def _data(plan: Plan) -> Row:
    widths = [{**asdict(w), "unit": w.unit.name} for w in plan.widths]
    advice = [{**asdict(a), "next": a.best(a.error)} for a in plan.advice]
    tiers = [{**asdict(t), "has_room": t.has_room} for t in plan.tiers]
    told = {"widths": widths, "advice": advice, "tiers": tiers, "cost": plan.cost}
    return {**asdict(replace(plan, ceilings=NO_CEILING)), **told, "ceilings": plan.ceilings.records}

"""Pages of what was compared, gated, planned and calibrated: frames, laid out by the report.

What a page and its tables' cells say stands in `documents.yaml`.
"""

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader

from askew.decide import calibrate
from askew.decide.calibrate import COVERAGE, FAILED, OK, CalibrationReport
from askew.decide.compare import Comparison, compare
from askew.decide.gate import Gate, gate
from askew.decide.log_comparison import SIDES as LOG_SIDES
from askew.decide.log_comparison import LogComparison, compare_models, mean_scores, units_of
from askew.decide.plan import MIDDLE
from askew.decide.policy import Check, Policy
from askew.decide.simulation import KINDS, Record, best
from askew.files import yaml_of
from askew.logs.read import is_foreign
from askew.logs.scores import describe_missing, describe_replaced, read_scores
from askew.logs.tables import FOREIGN
from askew.papers import metric_of
from askew.parameters import SelectionError
from askew.report import blocks as page
from askew.report.caveats import CEILING, CEILING_WORDS
from askew.report.estimates import MOST_ITEMS, Estimate, Model, format_p_value, items_said
from askew.report.flips import MOST as MOST_FLIPS
from askew.report.flips import with_transcripts
from askew.report.study import Study
from askew.schema import GRADER, MISSING, Unit, round_robin
from askew.stats.clusters import NoEffect
from askew.stats.intervals import LEVEL
from askew.stats.p_values import POWER
from askew.stats.paired import SIDES
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, OVERALL, Interval
from askew.untrusted import one_line

_WORDS = yaml_of(__package__, "documents.yaml")
# What XML 1.0 can't hold, however it is escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_SENTENCE = 1_000


def _number(unit: Unit, value: float, error: float = math.nan) -> str:
    """A number with its standard error over seeds."""
    beside = "" if math.isnan(error) else f" ± {unit.write(error)}"
    return MISSING if math.isnan(value) else f"{unit.write(value)}{beside} {unit.name}".strip()


def _simulated_note(model: object, is_simulated: bool) -> str:
    return f"{one_line(model)}{' (simulated)' if is_simulated else ''}"


def _items(n: int | None, error: float, planned: int) -> str:
    """How many items something takes, and how many there are where that is fewer."""
    if n is None:
        return MISSING
    if n > MOST_ITEMS:
        return items_said(n)
    beside = "" if math.isnan(error) else f" ± {math.ceil(error):,}"
    return f"{n:,}{beside}{f' ({planned:,} planned)' if n > planned else ''}"


# What cells are written with.
_WRITING = {
    "ceil": math.ceil, "count": "{:,}".format, "isnan": math.isnan,
    "interval": lambda unit, of: Estimate(math.nan, of["low"], of["high"], unit=unit).interval,
    "items": _items, "items_said": items_said, "missing": MISSING, "model": _simulated_note,
    "number": _number, "one_line": one_line, "percent": Unit("%", 100.0, 0),
    "points": Unit("points", 100.0), "fine": Unit("points", 100.0, 2), "best": best,
    "ceiling": CEILING, "middle": MIDDLE, "too_easy": CEILING_WORDS, "p_said": format_p_value,
}  # fmt: skip


def _describe(text: Any, **values: Any) -> str:
    return page.fill(str(text), **_WRITING | values)


def _table(name: str, records: Iterable[Record], id: str, **values: Any) -> page.Table:
    """A table of `documents.yaml`, a row a record; `values` is what all of its cells may say."""
    return page.make_table(_WORDS["tables"][name], records, id, **_WRITING | values)


def _part(id: str, title: str, *blocks: page.Block, reference: str = "") -> page.Part:
    return page.Part(id, title, [page.Section("", "", (), blocks)], reference=reference)


def _notes(notes: Sequence[str]) -> list[page.Block]:
    return [page.Note([one_line(note, _SENTENCE) for note in notes])] if notes else []


def comparison_document(comparison: Comparison) -> page.Document:
    """One table a task and model, then what the papers say of their treatments."""
    words, levels, level = _WORDS["comparison"], comparison.levels, f"{comparison.level:.0%}"
    simulated = sorted(comparison.simulated)
    tables = [
        _table("differences", (_difference(comparison, row) for row in part.to_dict("records")),
               f"comparison-{number}", of=f"{task}: {_simulated_note(m, m in simulated)}",
               level=level)
        for number, ((task, m), part) in enumerate(
            comparison.table.groupby(["task", "model"], sort=False)
        )
    ]  # fmt: skip
    tables += comparison.mitigations
    shown = page.Section("", "", [] if tables else [words["nothing"]], tables)
    baseline = _simulated_note(comparison.baseline, comparison.baseline in simulated)
    lede = words["lede" if comparison.models else "itself"]

    def data() -> Mapping[str, Any]:
        rows = [
            {"levels": {c: str(row[c]) for c in levels if not pd.isna(row[c])}}
            | {k: v for k, v in row.items() if k not in levels}
            for row in comparison.table.to_dict("records")
        ]
        judged = [row for table in comparison.mitigations for row in table.records]
        high = comparison.ceilings.records
        found: Any = {"comparisons": rows, "mitigations": judged, "ceilings": high}
        about = {k: getattr(comparison, k) for k in ("baseline", "models", "level", "notes")}
        return page.results("compare", found, **about, simulated=simulated)

    return page.Document(
        words["title"],
        _describe(lede, baseline=baseline, level=level, n=comparison.n_comparisons),
        [page.Part("differences", "Differences", [shown]), *_before_trust(comparison.notes, words)],
        data, simulated=page.simulated_note([*map(one_line, simulated)]),
    )  # fmt: skip


def _before_trust(notes: Sequence[str], words: Mapping[str, Any]) -> list[page.Part]:
    """What ends a comparison's page: notes, and what the verdicts mean."""
    return [
        *(_part("notes", "Before you trust it", block) for block in _notes(notes)),
        _part("verdicts", "What the verdicts mean", page.Definitions(words["verdicts"])),
    ]


def _difference(comparison: Comparison, row: Mapping[Hashable, Any]) -> Record:
    known = metric_of(row["task"], row["metric"])
    levels = {c: row[c] for c in comparison.levels if not pd.isna(row[c])}
    at = ", ".join(f"{c}={value}" for c, value in levels.items() if value not in (OVERALL, ""))
    sides = {}
    for side in SIDES:
        # One model's number, with what noise makes of it where noise moves it one way.
        null = NoEffect(*(row[f"{side}_{name}"] for name in NULL_COLUMNS))
        value = Estimate(row[f"{side}_value"], null=null, unit=known.unit)
        sides[side] = "; ".join(filter(None, (value.written, value.noise)))
    mark = "n" if row["noise_off"] else "0" if known.better == "nearer zero" else ""
    signed = replace(known.unit, signed=True)
    return {"r": row, "at": at, "mark": mark, "unit": known.unit, "signed": signed, **sides}


def log_comparison_document(comparison: LogComparison) -> page.Document:
    """What differs between the sides, the scores, and samples that changed, with both replies."""
    words, (a, b) = _WORDS["logs"], map(one_line, comparison.labels)
    table = comparison.table
    settings = [{"r": row} for row in comparison.differs.to_dict("records")]
    many = len(table[["task", "model"]].drop_duplicates()) > table["task"].nunique()
    differing = _table("settings", settings, "settings", a=a, b=b, many=many) if settings else None
    limited, changed = (
        _describe(words[of], max_loss=comparison.max_loss, n=len(comparison.flips))
        for of in ("limited", "changed")
    )
    notes = [*filter(None, (limited, *comparison.notes, changed))]
    tables = {
        "score_comparisons": table, "score_flips": comparison.flips, "settings": comparison.differs
    }  # fmt: skip
    said = {"a": a, "b": b, "level": f"{comparison.level:.0%}", "n": comparison.n_compared}
    about = ("labels", "level", "max_loss", "outcome", "exit_code", "notes")
    return page.Document(
        words["title"], _describe(words["lede"], **said),
        [
            _part("settings", "What differs", differing or page.Note([words["same"]])),
            _part("differences", "Scores", *_score_tables(comparison, a, b)),
            *(_part("flips", "Samples that changed", of) for of in _sample_flips(comparison)),
            *_before_trust(notes, words),
        ],
        lambda: page.results(
            "compare", {name: of.to_dict("records") for name, of in tables.items()},
            **{k: getattr(comparison, k) for k in about},
        ),
        outcome=comparison.outcome,
    )  # fmt: skip


def _score_tables(comparison: LogComparison, a: str, b: str) -> list[page.Table]:
    """A table per task and model."""
    tables, level = [], f"{comparison.level:.0%}"
    by_run = comparison.table.groupby(["task", "model"], sort=False)
    for number, (run, part) in enumerate(by_run):
        records, percents = part.to_dict("records"), bool(part["fraction"].all())
        rows = [
            {"r": {"outcome": "", **row}, "unit": unit, "signed": signed, "percents": percents}
            for row in records for unit, signed in [units_of(row)]
        ]  # fmt: skip
        of = ", ".join(map(one_line, run)) + (", in percent and points" if percents else "")
        tables.append(_table("sides", rows, f"sides-{number}", of=of, a=a, b=b, level=level))
    return tables


def other_tasks(study: Study, level: float = LEVEL, *, quiet: bool = True) -> page.OtherTasks:
    """Scores, comparisons of models and changed samples of logs of other tasks, where there are."""
    # Of a task and model that were run under several settings nothing can be said together: a note
    # has the reason.
    words = _WORDS["others"]
    if not (study.excluded["what"] == FOREIGN).any():
        return page.OtherTasks()
    scores = read_scores(study.logs, keep=is_foreign, quiet=quiet)
    found = mean_scores(scores, level)
    notes = [*describe_missing(scores), *describe_replaced(scores)]
    if found.empty and not study.runs:
        raise SelectionError("\n  ".join(["no sample was scored:", *notes, *scores.unread]))
    rows = [{"r": row, "unit": units_of(row)[0]} for row in found.to_dict("records")]
    table = _table("scores", rows, "other-scores", level=f"{level:.0%}")
    blocks: list[page.Block] = [table] if rows else []
    compared = compare_models(scores, level)
    if compared is not None:
        blocks += _score_tables(compared, "first", "second")
        notes += [note for note in compared.notes if "without a score" not in note]
        blocks += _sample_flips(compared, "other-flips")
    notes = [*dict.fromkeys(notes)]
    blocks += _notes(notes)
    section = page.Section("", "", [_describe(words["lede"], level=f"{level:.0%}")], blocks)
    part = page.Part("others", words["title"], [section])
    comparisons = [] if compared is None else compared.table.to_dict("records")
    data = {"scores": found.to_dict("records"), "comparisons": comparisons}
    return page.OtherTasks([part], data, scores.rows, notes)


def _sample_flips(comparison: LogComparison, id: str = "flips") -> list[page.Block]:
    """Samples whose scores differ, if any; those that fell first; tasks and measures take turns."""
    key = ["task", "model", "measure"]
    apart = comparison.flips["value_b"] - comparison.flips["value_a"]
    ordered = comparison.flips.assign(apart=apart).sort_values("apart")
    pools: dict[Any, Any]
    pools = {of: rows.to_dict("records") for of, rows in ordered.groupby(key, sort=False)}
    known = comparison.table.loc[comparison.table["fraction"], key]
    fractions = {*known.itertuples(index=False, name=None)}
    flips = []
    for number, row in enumerate(islice(round_robin(pools), MOST_FLIPS), start=1):
        sides = []
        for side, label in zip(LOG_SIDES, (row["first"], row["second"]), strict=True):
            value = row[f"value_{side}"]
            # A score that is neither 0 nor 1 is neither wrong nor right.
            is_graded = tuple(row[k] for k in key) in fractions and value in (0, 1)
            sides.append(page.FlipReply(
                condition=f"{one_line(label)}: {value:g}",
                answer=one_line(row[f"answer_{side}"]) or "(the score has no answer)", outcome="ok",
                correct=value == 1 if is_graded else None, log=row[f"log_{side}"],
                sample_id=row["sample_id"], epoch=int(row["epoch"]),
            ))  # fmt: skip
        model, task, measure, item, target = (
            one_line(row[k]) for k in ("model", "task", "measure", "sample_id", "target_a")
        )
        flips.append(page.Flip(
            f"{id.removesuffix('s')}-{number}", Model(row["model"], model), item,
            f"{task}, {measure}", target, sides[0], sides[1],
        ))  # fmt: skip
    found = page.Flips(id, _WORDS["logs"]["rule"], flips, len(comparison.flips))
    return [with_transcripts(found)] if flips else []


def gate_document(gate: Gate) -> page.Document:
    """All checks, what fails first."""
    words = _WORDS["gate"]
    rows = [
        {"c": check, "rule": check.rule, "unit": metric_of(check.task, check.metric).unit}
        for check in gate.worst_first
    ]
    notes = _notes([*gate.stopped, *gate.notes, *gate.ceilings.notes])
    simulated = dict.fromkeys(one_line(c.model) for c in gate.checks if c.simulated)
    about = {"verdict": gate.verdict, "exit_code": gate.exit_code, "notes": gate.notes}
    tables = {"checks": [*map(_record, gate.checks)], "ceilings": gate.ceilings.records}
    return page.Document(
        words["title"], "",
        [_part("checks", words["checks"], _table("checks", rows, "gate"), *notes)],
        lambda: page.results("gate", tables, **about, stopped_early=gate.stopped),
        outcome=gate.verdict, simulated=page.simulated_note(list(simulated)),
    )  # fmt: skip


def _record(check: Check) -> Record:
    """A check as data, with the limits of its rule."""
    of = ("baseline", "max_loss") if check.rule.baseline else ("bound", "of", "min", "max")
    limits = {k: getattr(check.rule, k) for k in (*of, "min_items")}
    return {"status": check.status, **vars(check), "rule": check.rule.title, **limits}


def junit_xml(gate: Gate) -> str:
    """The outcome as JUnit XML, which continuous integration shows."""
    environment = Environment(
        loader=PackageLoader("askew.decide", "."), autoescape=True, trim_blocks=True,
        lstrip_blocks=True, keep_trailing_newline=True,
    )  # fmt: skip
    return environment.get_template("junit.xml.jinja").render(
        gate=gate, safe=lambda text: _NO_XML.sub("?", one_line(text, 300))
    )


def calibration_document(report: CalibrationReport) -> page.Document:
    """True and estimated values by task and simulated model, and what limits the checks."""
    table, words, level = report.table, _WORDS["calibration"], f"{report.level:.0%}"
    rows = [
        {"r": row, "unit": metric_of(str(row["task"]), str(row["metric"])).unit}
        for row in table.to_dict("records")
    ]
    verdicts = table.get("verdict", pd.Series(dtype=str))
    checks = [_table("true_values", rows, "true_values", level=level)] if rows else []
    reference = _describe(words["intro"], level=level)
    n_items = table.get("n_items", pd.Series(dtype=int))
    values = {"c": report, "coverage": COVERAGE, "power": calibrate.POWER, "n_items": n_items}
    limits = [*filter(None, (_describe(text, **values) for text in words["limits"]))]
    for task, unchecked in report.unchecked.items():
        for reason in dict.fromkeys(unchecked.values()):
            metrics = ", ".join(m for m, why in unchecked.items() if why == reason)
            limits.append(_describe(words["unchecked"], task=task, metrics=metrics, reason=reason))
    limits += [_describe(words["graded"], **values)] if report.graded else []
    fields = ("level", "passed", "without_true_values", "repetitions", "unchecked", "smallest_gap")
    return page.Document(
        words["title"], "",
        [
            _part("calibration", "True effects and estimates", *checks, reference=reference),
            _part("limits", "Limits of the checks", page.Note(limits)),
        ],
        lambda: page.results(
            "calibrate", {"numbers": table.to_dict("records")},
            **{k: getattr(report, k) for k in fields}, repetitions_needed=report.needed,
            power={str(c): report.power(c) for c in (0.85, COVERAGE)}, not_graded=report.graded,
        ),
        outcome=_describe(
            words["outcome"], passed=(verdicts == OK).sum(), failed=(verdicts == FAILED).sum(),
            without_true_values=", ".join(report.without_true_values),
        ),
    )  # fmt: skip


def plan_document(plans: Sequence[Record]) -> page.Document:
    """What runs would ask, cost and show, a part a task."""
    parts, title = [*map(_plan, range(len(plans)), plans)], _WORDS["plan"]["title"]
    return page.Document(title, "", parts, lambda: page.results("plan", _tables(plans)))


def _plan(number: int, plan: Record) -> page.Part:
    words = _WORDS["plan"]
    values = {
        "p": plan, "a": plan["assumptions"], "least": "from " if plan["at_least"] else "",
        "level": f"{plan['level']:.0%}", "power": f"{POWER:.0%}",
        "thinking": ", ".join(dict.fromkeys(e["model"] for e in plan["expenses"] if e["thinks"])),
        "grades": any(e["role"] == GRADER for e in plan["expenses"]),
    }  # fmt: skip
    records: Mapping[str, list[Record]] = {
        "expenses": [{"e": e} for e in plan["expenses"]],
        "widths": [{"w": w, "plain": _unit_of_difference(w["unit"])} for w in plan["widths"]],
        "tiers": [{"t": one} for one in plan["tiers"]],
    }
    blocks: list[page.Block] = [
        _table(name, of, f"{name}-{number}", **values) for name, of in records.items() if of
    ]
    asked = [
        _describe(words["levels" if one["difficulty"] else "no_level"], l=one)
        for one in plan["levels"]
    ]
    blocks += _notes([*plan["ceilings"].notes, *asked])
    blocks += [_bought(f"next-{number}-{i}", a) for i, a in enumerate(plan["advice"])]
    assumed = [*filter(None, (_describe(text, **values) for text in words["assumed"]))]
    shown = page.Section("", "", [_describe(words["asked"], **values)], blocks)
    return page.Part(f"plan-{number}", plan["task"], [shown, page.Section("", "", assumed)])


def _unit_of_difference(unit: Unit) -> Unit:
    """The unit of a difference: a difference of percentages is in points."""
    return replace(unit, signed=False, name="points" if unit.name == "%" else unit.name)


def _bought(id: str, advice: Record) -> page.Table:
    """What twice the replies would buy, by what is doubled."""
    rows = []
    for kind, error in (advice["error"] or {"": math.nan}).items():
        sizes = {k: getattr(advice["asked"], k) * (1 + (k == kind)) for k in KINDS}
        these = advice["these"].get(kind, math.nan)
        rows.append({"twice": kind, "asked": sizes, "these": these, "error": error})
    return _table("bought", rows, id, a=advice)


def _tables(plans: Sequence[Record]) -> Mapping[str, list[Record]]:
    """A row per plan, and in tables of their own the rows of which a plan has several."""
    tables: dict[str, list[Record]] = {"plans": []}
    for plan in plans:
        parts = {
            "expenses": plan["expenses"],
            "widths": [{**w, "unit": w["unit"].name} for w in plan["widths"]],
            "advice": [{**a, "next": best(a["error"])} for a in plan["advice"]],
            "tiers": plan["tiers"],
            "levels": plan["levels"],
            "ceilings": plan["ceilings"].records,
        }
        for name, rows in parts.items():
            tables.setdefault(name, []).extend({"task": plan["task"], **row} for row in rows)
        tables["plans"].append({k: v for k, v in plan.items() if k not in parts})
    return tables


def decide(
    study: Study, policy: Policy | None = None, baseline: str | None = None, *,
    interval: Interval = DEFAULT_INTERVAL, quiet: bool = True,
) -> page.Decision:  # fmt: skip
    """What a report says on top of the numbers of the same logs: of a policy, and a comparison."""
    how: Any = {"interval": interval, "quiet": quiet}
    if policy:
        # The report needs all numbers with their intervals: a policy is checked on the same.
        study.summary(interval)
    checked = gate(study, policy, **how) if policy else None
    compared = compare(study, baseline, **how) if baseline else None
    others = other_tasks(study, interval.level, quiet=quiet)
    return replace(summarize_decision(checked, compared), others=others)


def summarize_decision(checked: Gate | None, compared: Comparison | None) -> page.Decision:
    """What a report says of an outcome and a comparison that are there already."""
    words = _WORDS["decided"]
    checks = [
        page.CheckLine(c.task, c.model, c.status, _describe(words["check"], c=c))
        for c in (checked.worst_first if checked else ())
    ]
    parts = [replace(p, short="Policy") for p in gate_document(checked).parts] if checked else []
    if compared:
        first, *others = comparison_document(compared).parts
        sections = [replace(s, id=o.id, title=o.title) for o in others for s in o.sections]
        parts.append(replace(first, short="Comparison", sections=[*first.sections, *sections]))
    comparisons = {}
    for name, rows in compared.table.groupby("model", sort=False) if compared else ():
        n = Counter(rows["verdict"])
        counts = [(v, n[v]) for v in _WORDS["comparison"]["verdicts"] if n[v]]
        comparisons[str(name)] = _describe(words["against"], n=len(rows), counts=counts)
    return page.Decision(
        outcome=checked.verdict if checked else "", checks=checks, comparisons=comparisons,
        parts=parts,
        compared=f"Compared with {one_line(compared.baseline)}." if compared else "",
    )  # fmt: skip

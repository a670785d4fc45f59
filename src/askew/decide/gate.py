"""Pass, fail or can't tell: a policy against the numbers of a folder of logs; also as XML."""

from __future__ import annotations

import math
import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from askew.decide.pairing import fits
from askew.decide.policy import Policy, Rule
from askew.papers import metric_of
from askew.report.accounting import runs
from askew.report.evidence import models_of
from askew.report.summary import at_top, levels_of, summarize
from askew.statistics.tables import DEFAULT_INTERVAL, OVERALL, Interval
from askew.untrusted import one_line

Status = Literal["pass", "fail", "can't tell"]
PASS, FAIL, UNKNOWN = 0, 1, 2
_NAMED = 6
# What XML 1.0 can't hold, however it is escaped.
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class Check:
    """One rule on one number, or on where a number should be."""

    rule: Rule
    status: Status
    why: str
    task: str = ""
    model: str = ""
    simulated: bool = False
    metric: str = ""
    levels: str = ""
    shown: str = ""
    n_items: int = 0
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    """The number that was checked, with the interval that decides."""


@dataclass(frozen=True)
class Gate:
    """What came of a policy."""

    checks: tuple[Check, ...]

    def count(self, status: Status) -> int:
        return sum(c.status == status for c in self.checks)

    @property
    def exit_code(self) -> int:
        """0 where all hold, 1 where one fails, else 2."""
        if self.count("fail"):
            return FAIL
        return UNKNOWN if self.count("can't tell") or not self.checks else PASS

    @property
    def verdict(self) -> str:
        """The outcome in a line."""
        counts = ", ".join(
            f"{self.count(s)} {s}" for s in ("pass", "fail", "can't tell") if self.count(s)
        )
        word = {PASS: "PASS", FAIL: "FAIL", UNKNOWN: "CAN'T TELL"}[self.exit_code]
        return f"{word}: {counts or 'nothing was checked'}"


def gate(observations: pd.DataFrame, policy: Policy, interval: Interval = DEFAULT_INTERVAL) -> Gate:
    """Check every rule on every number it takes in.

    A rule that finds no number for a task and model that it is about can't be told; so can a
    number that is not defined.

    Args:
        observations: the table that `read_observations` returns.
        policy: what is asked.
        interval: how to make intervals.
    """
    tasks = [t for t in map(str, observations["task"].unique()) if _is_asked(t, policy.rules)]
    summary = summarize(observations[observations["task"].isin(tasks)], interval)
    models = {m.label: m.simulated for m in models_of(observations)}
    names = _names(observations)
    checks = [c for wanted in policy.models for c in _presence(wanted, models, names)]
    checks += _incomplete(observations, policy.max_left_out, models)
    if not policy.allow_simulated:
        checks += _simulated(models)
    for rule in policy.rules:
        checks += _checks(rule, summary, models, names)
    return Gate(tuple(checks))


def _names(observations: pd.DataFrame) -> dict[str, str]:
    """Inspect's name of every label: a pattern may fit either."""
    if "model_name" not in observations:
        return {}
    pairs = observations[["model", "model_name"]].drop_duplicates()
    return dict(pairs.itertuples(index=False, name=None))


def _presence(wanted: str, models: Mapping[str, bool], names: Mapping[str, str]) -> Iterator[Check]:
    if not any(_is_model(m, wanted, names) for m in models):
        known = ", ".join(map(one_line, models)) or "none"
        rule = Rule.model_construct(metric="model", name="models", model=wanted)
        yield Check(
            rule, "can't tell", f"no such model in the logs; there are: {known}", model=wanted
        )


def _incomplete(
    observations: pd.DataFrame, most: float, models: Mapping[str, bool]
) -> Iterator[Check]:
    """Runs of which too many samples have no score: what is left may be the easy part."""
    for run in runs(observations):
        share = max(0.0, 1 - run.scored / run.planned) if run.planned else 0.0
        if share > most:
            rule = Rule.model_construct(metric="left out", name="complete runs", max=most)
            why = f"{run.scored:,} of {run.planned:,} planned samples are scored"
            yield Check(
                rule, "can't tell", why, run.task, run.model, models.get(run.model, False),
                "left out", shown=f"{100 * share:.1f} %", value=share,
            )  # fmt: skip


def _is_asked(task: str, rules: Sequence[Rule]) -> bool:
    return any(fits(task, [rule.task]) for rule in rules)


def _simulated(models: Mapping[str, bool]) -> Iterator[Check]:
    """Simulated models pass no gate, unless a policy says that it is meant for them."""
    for model, simulated in models.items():
        if simulated:
            rule = Rule.model_construct(metric="model", name="real models", model=model)
            why = "a simulated model; allow_simulated: true takes it"
            yield Check(rule, "can't tell", why, model=model, simulated=True)


def _is_model(label: str, wanted: str, names: Mapping[str, str]) -> bool:
    return fits(label, [wanted]) or fits(names.get(label, label), [wanted])


def _checks(
    rule: Rule, summary: pd.DataFrame, models: Mapping[str, bool], names: Mapping[str, str]
) -> Iterator[Check]:
    of_task = _fitting(summary, "task", rule.task)
    rows = _fitting(of_task, "metric", rule.metric)
    wanted = [m for m in models if _is_model(m, rule.model, names)]
    if not wanted:
        yield Check(rule, "can't tell", "no model in the logs fits the rule", model=rule.model)
        return
    if not len(rows):
        yield Check(rule, "can't tell", _unmeasured(rule, of_task), rule.task)
        return
    for task, part in rows.groupby("task", sort=False):
        inside = part[_taken(rule, part.dropna(axis="columns", how="all"))]
        for model in wanted:
            found = inside[inside["model"] == model]
            if not len(found):
                yield Check(
                    rule, "can't tell", "not measured for this model, subset and levels",
                    str(task), model, models[model],
                )  # fmt: skip
            for row in found.to_dict("records"):
                yield _check(rule, row, models[model], levels_of(part))


def _fitting(table: pd.DataFrame, column: str, pattern: str) -> pd.DataFrame:
    kept = np.array([fits(str(v), [pattern]) for v in table[column]], dtype=bool)
    return table[kept]


def _unmeasured(rule: Rule, of_task: pd.DataFrame) -> str:
    if not len(of_task):
        return "the logs hold no scored sample of this task"
    known = list(dict.fromkeys(map(str, of_task["metric"])))
    near = get_close_matches(rule.metric, known, n=1)
    shown = known[:_NAMED]
    more = f" and {len(known) - _NAMED} more" if len(known) > _NAMED else ""
    told = f"did you mean {near[0]}?" if near else f"there are: {', '.join(shown)}{more}"
    return f"no metric fits {one_line(rule.metric)!r}; {told}"


def _taken(rule: Rule, part: pd.DataFrame) -> Sequence[bool]:
    """Rows of the subset and levels that the rule names; elsewhere the overall ones."""
    named = {"subset": rule.subset, **rule.levels}
    opened = [level for level in named if named[level] != OVERALL]
    kept = list(at_top(part, opened))
    for level, pattern in named.items():
        values = part[level] if level in part else [None] * len(part)
        kept = [k and fits(str(v), [pattern]) for k, v in zip(kept, values, strict=True)]
    return kept


def _check(
    rule: Rule, row: Mapping[Hashable, Any], simulated: bool, levels: Sequence[str]
) -> Check:
    number, low, high = (float(row[name]) for name in ("value", "low", "high"))
    unit = metric_of(row["task"], row["metric"]).unit
    named = [f"{c}={one_line(row[c])}" for c in levels if not pd.isna(row[c]) and row[c] != ""]
    status, why = _status(rule, (number, low, high), int(row["n_items"]), str(row["reason"]))
    shown = unit.named(number)
    if not math.isnan(low):
        shown += f" ({unit.write(low)} to {unit.write(high)})"
    return Check(
        rule,
        status,
        why,
        str(row["task"]),
        str(row["model"]),
        simulated,
        str(row["metric"]),
        ", ".join(named),
        shown,
        int(row["n_items"]),
        number,
        low,
        high,
    )


def _status(
    rule: Rule, number: tuple[float, float, float], n_items: int, reason: str
) -> tuple[Status, str]:
    """Pass where all of the interval keeps the limits, fail where none of it does.

    Args:
        rule: the limits, and whether the value alone is to keep them.
        number: value, low and high.
        n_items: what it rests on.
        reason: why there is no number, or no interval.
    """
    value, low, high = number
    if rule.bound == "value":
        low = high = value
    if math.isnan(value) or math.isnan(low) or math.isnan(high):
        return "can't tell", one_line(reason) or "no interval can be given"
    if n_items < rule.min_items:
        return "can't tell", f"{n_items} items, {rule.min_items} are asked for"
    if rule.min is not None and high < rule.min:
        return "fail", f"below {rule.min:g}"
    if rule.max is not None and low > rule.max:
        return "fail", f"above {rule.max:g}"
    if rule.min is not None and low < rule.min:
        return "can't tell", f"the interval holds {rule.min:g}"
    if rule.max is not None and high > rule.max:
        return "can't tell", f"the interval holds {rule.max:g}"
    return "pass", ""


def junit_xml(gate: Gate) -> str:
    """The outcome as JUnit XML, which CI systems read and show.

    One suite a task, one case a check; what can't be told is an error, not a failure.
    """
    root = ElementTree.Element("testsuites", {"name": "askew gate", **_counts(gate.checks)})
    for task in dict.fromkeys(c.task for c in gate.checks):
        checks = [c for c in gate.checks if c.task == task]
        suite = ElementTree.SubElement(
            root, "testsuite", {"name": _safe(task or "policy"), **_counts(checks)}
        )
        for check in checks:
            _case(suite, check)
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode", xml_declaration=False) + "\n"


def _counts(checks: Sequence[Check]) -> dict[str, str]:
    return {
        "tests": str(len(checks)),
        "failures": str(sum(c.status == "fail" for c in checks)),
        "errors": str(sum(c.status == "can't tell" for c in checks)),
    }


def _case(suite: ElementTree.Element, check: Check) -> None:
    about = ", ".join(filter(None, [check.metric, check.levels]))
    case = ElementTree.SubElement(
        suite,
        "testcase",
        {
            "classname": _safe(".".join(filter(None, [check.task, check.model])) or "policy"),
            "name": _safe(f"{check.rule.title} [{about}]" if about else check.rule.title),
        },
    )
    if check.status == "pass":
        return
    tag = "failure" if check.status == "fail" else "error"
    told = f"{check.shown} is {check.why}" if check.status == "fail" else check.why
    ElementTree.SubElement(case, tag, {"message": _safe(told), "type": _safe(check.status)})


def _safe(text: str) -> str:
    return _NO_XML.sub("?", one_line(text, 300))

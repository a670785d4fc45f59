"""Pass, fail or inconclusive: a policy against the results of a folder of logs."""

import math
import os
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from glob import glob
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from inspect_ai.log import EvalLog

from askew.decide.compare import fits
from askew.decide.log_comparison import Terms, compare_scores, only_in, units_of
from askew.decide.policy import EXIT_CODES, SIMULATED, Check, Policy, Rule, Status, overall, unmet
from askew.logs.locations import FoundLog, find_logs
from askew.logs.read import CONTRADICTION
from askew.logs.scores import read_scores
from askew.logs.tables import FOREIGN, TO_NAME
from askew.papers import get_paper, metric_of
from askew.parameters import SelectionError, name_hint, reading_progress
from askew.report.caveats import NO_CEILING, Ceilings
from askew.report.estimates import Estimate, Model
from askew.report.study import Study, at_top, levels_of, names_faulty_logs
from askew.schema import RESPONDENT_API, Metric
from askew.stats.tables import DEFAULT_INTERVAL, OVERALL, Interval, Key
from askew.untrusted import one_line

_NOTED = 20


@dataclass(frozen=True)
class Gate:
    """What came of a policy, and what to know of the numbers that were checked."""

    checks: tuple[Check, ...]
    ceilings: Ceilings = NO_CEILING
    stopped: tuple[str, ...] = ()  # runs of checked tasks that stopped early, a sentence each
    notes: tuple[str, ...] = ()  # what the logs hold beside what was checked, a sentence each

    @property
    def worst_first(self) -> list[Check]:
        """The checks, those that fail first, then the inconclusive ones."""
        return sorted(self.checks, key=lambda c: ("fail", "inconclusive", "pass").index(c.status))

    @property
    def exit_code(self) -> int:
        """0: every rule passes; 1: at least one fails; 3: inconclusive."""
        return EXIT_CODES[overall(c.status for c in self.checks)]

    @property
    def verdict(self) -> str:
        """The outcome in a line."""
        n = Counter(c.status for c in self.checks)
        counts = f"{n['pass']} passed, {n['fail']} failed, {n['inconclusive']} inconclusive"
        word = overall(n).upper()
        return f"{word}: {counts if self.checks else 'nothing was checked'}"


class Number(NamedTuple):
    """A number that a rule takes in: its row of the task's table, and the level that decides it."""

    rule: Rule
    task: str
    levels: Sequence[str]
    row: Mapping[Any, Any]
    simulated: bool
    together: int = 1  # how many numbers the rule decides
    level: float = math.nan

    @property
    def places(self) -> list[tuple[str, Key, float]]:
        """Where it, and its floor that must fail too, stand among numbers with intervals."""
        at = [self.row[name] for name in ("model", *self.levels)]
        metrics = self.row["metric"], metric_of(self.task, self.row["metric"]).floor
        return [(self.task, (metric, *at), self.level) for metric in metrics]


@names_faulty_logs
def gate(
    study: Study, policy: Policy, interval: Interval = DEFAULT_INTERVAL, *, quiet: bool = True,
) -> Gate:  # fmt: skip
    """Check every rule of a policy on every value that it selects.

    A rule without a result for its task and model is inconclusive, as is an undefined value. The k
    values of one rule are checked jointly, each at a k-th of the error (Bonferroni).

    Args:
        study: The logs, as `Study.read` returns them.
        policy: The policy, from `read_policy`.
        interval: How to compute intervals.
        quiet: No progress on stderr.

    Returns:
        The checks, and the verdict over them.
    """
    level = interval.level
    on_loss, rules = ([r for r in policy.rules if bool(r.baseline) == old] for old in (True, False))
    losses = [check_losses(study.logs, rule, policy, level, quiet) for rule in on_loss]
    others = dict.fromkeys(model for _, models, _ in losses for model in models)
    found: list[Check | Number] = [*missing_evidence(study, policy, others)]
    about = [task for task in study.by_task if any(fits(task, [rule.task]) for rule in rules)]
    # Each task's numbers, then their intervals.
    with reading_progress(2 * len(about), quiet, "checking rules") as on_done:
        tables = {}
        for name in about:  # with intervals where the study has these already
            tables[name] = study.table(name, interval if study.has(name, interval) else None)
            on_done(name)
        for rule in rules:
            models = [
                m for m in study.models if any(fits(n, [rule.model]) for n in (m.label, m.name))
            ]
            values = [*_select_values(study, rule, tables, models)]
            # All hold together (Bonferroni). Where no interval decides, nothing is corrected.
            rows = [one.row for one in values if isinstance(one, Number) and rule.bound != "value"]
            k = max(1, sum(not math.isnan(row["value"]) for row in rows))
            corrected = 1 - (1 - level) / k if k > 1 else level
            found += [
                one if isinstance(one, Check) else one._replace(together=k, level=corrected)
                for one in values
            ]
        numbers = [n for n in found if isinstance(n, Number)]
        done: dict[tuple[str, Key, float], Mapping[Any, Any]] = {}
        for name in about:  # all intervals of a task are drawn at once
            only: dict[Key, set[float]] = defaultdict(set)
            own = [n for n in numbers if n.task == name]
            for _, place, at in (place for n in own for place in n.places):
                only[place].add(at)
            if own:
                how, levels = replace(interval, only=only), ("metric", "model", *own[0].levels)
                drawn = get_paper(name).table(study.by_task[name], interval=how)
                for row in drawn.to_dict("records"):
                    done[name, tuple(row[c] for c in levels), row["confidence"]] = row
            on_done(f"{name}, intervals")
    checked = {(n.task, str(n.row["model"])) for n in numbers}
    tops = study.ceilings(interval).only(lambda *pair: pair in checked) if numbers else NO_CEILING
    checks = [
        n
        if isinstance(n, Check)
        else checked_number(n, tops, done[n.places[0]], done.get(n.places[1]))
        for n in found
    ]
    lost = [check for found, *_ in losses for check in found]
    stopped = study.early_stops({model for _, model in checked}, {task for task, _ in checked})
    notes = notes_beside(study, {check.task for check in lost})
    notes = (*notes, *(note for *_, told in losses for note in told))
    return Gate((*checks, *lost), tops, tuple(stopped), notes)


def _select_values(
    study: Study, rule: Rule, known: Mapping[str, pd.DataFrame], models: Sequence[Model]
) -> Iterator[Check | Number]:
    """The numbers that a rule takes in, and a check for each place where it finds none."""
    if not models:
        yield Check(rule, "inconclusive", "no model in the logs fits the rule", model=rule.model)
        return
    tables = {task: table for task, table in known.items() if fits(task, [rule.task])}
    known_levels = dict.fromkeys(level for table in tables.values() for level in levels_of(table))
    if tables and (unknown := [level for level in rule.levels if level not in known_levels]):
        what = f"no number of {', '.join(tables)} has a level {one_line(unknown[0])!r}"
        hint = name_hint(unknown[0], known_levels)
        raise SelectionError(f"rule {rule.title!r}: {what}. {hint}")
    rows = {t: of[[fits(str(m), [rule.metric]) for m in of["metric"]]] for t, of in tables.items()}
    if not any(map(len, rows.values())):
        known_metrics = {str(metric) for table in tables.values() for metric in table["metric"]}
        hint = f"no metric fits {one_line(rule.metric)!r}. {name_hint(rule.metric, known_metrics)}"
        why = hint if tables else "the logs have no scored sample of this task"
        yield Check(rule, "inconclusive", why, rule.task)
        return
    subset = rule.named["subset"]
    for task, part in rows.items():
        # Rows of the subset and levels that the rule names; elsewhere the overall ones.
        kept = at_top(part, [level for level, value in rule.named.items() if value != OVERALL])
        for level, pattern in rule.named.items():
            values = part.get(level, ())
            kept &= np.array([fits(str(v), [pattern]) for v in values] or False, dtype=bool)
        levels, taken = levels_of(tables[task]), part[kept]
        for model in models if len(part) else ():
            found = taken[taken["model"] == model.label]
            lost = missing_scope(study, task, model.label, subset)
            if lost or not len(found):
                why = lost or "not measured for this model, subset and levels"
                yield Check(rule, "inconclusive", why, task, model.label, model.simulated)
            # Of all subsets together there is no number where one is missing.
            if not (lost and subset == OVERALL):
                for row in found.to_dict("records"):
                    yield Number(rule, task, levels, row, model.simulated)


def checked_number(
    number: Number, tops: Ceilings, drawn: Mapping[Any, Any],
    floor: Mapping[Any, Any] | None = None,
) -> Check:  # fmt: skip
    """A rule on a number, from what its row says with an interval; and that of its floor."""
    rule, task, row = number.rule, number.task, {**number.row, **drawn}
    metric, model = metric_of(task, row["metric"]), str(row["model"])
    value, low, high = _bounds(rule, row)
    status, why = _status(rule, row, metric)
    if status == "fail" and floor and _status(rule, floor, metric)[0] != status:
        label = metric_of(task, metric.floor).label
        status, why = "inconclusive", f"{why}, but not the {label.lower()}"
    # As on the page: a variance is told without its noise, of which its interval is.
    debiased = float(row["value_debiased"]) if metric.interval == "variance" else math.nan
    shown = metric.unit.named(value if math.isnan(debiased) else debiased)
    if not math.isnan(low):
        shown += f" ({metric.unit.write(low)} to {metric.unit.write(high)})"
    if rule.of == "value" and not math.isnan(debiased):
        shown += f"; as defined {metric.unit.write(value)}"
    subset = OVERALL if pd.isna(row.get("subset", OVERALL)) else str(row["subset"])
    at = {c: row[c] for c in number.levels if not pd.isna(row[c]) and row[c] != ""}
    where = ", ".join(f"{c}={one_line(value)}" for c, value in at.items())
    return Check(
        rule, status, why, task, model, number.simulated, str(row["metric"]),
        where, shown, int(row["n_items"]), value, low, high, number.level, number.together,
        **{name: float(row[name]) for name in ("value_debiased", "null_q95", "p_value")},
        subset=subset, ceiling=tops.of(task, model, subset),
    )  # fmt: skip


def _bounds(rule: Rule, row: Mapping[Any, Any]) -> tuple[float, float, float]:
    """The number that a rule is about, with its interval."""
    value, low, high = (float(row[name]) for name in (rule.column, "low", "high"))
    # The interval is of what is there without noise, and stretched to hold what is printed.
    return value, low if math.isnan(value) else min(low, value), high


def _status(rule: Rule, row: Mapping[Any, Any], metric: Metric) -> tuple[Status, str]:
    """What a rule says of a row's number, and why where it does not pass."""
    value, low, high = _bounds(rule, row)
    if rule.bound == "value":
        low = high = value
    elif metric.interval == "none":
        return "inconclusive", "no CI for this metric (bound: value tests the value alone)"
    if math.isnan(value) and not math.isnan(float(row["value"])):
        return "inconclusive", "no noise correction for this metric"
    if math.isnan(value) or math.isnan(low) or math.isnan(high):
        missing = "not defined for what was scored" if math.isnan(value) else "no interval"
        return "inconclusive", one_line(row["reason"]) or missing
    if row["n_clusters"] < rule.min_items:
        items = f" clusters of {row['n_items']} items" * (row["n_clusters"] != row["n_items"])
        return "inconclusive", f"n = {row['n_clusters']}{items} < min_items = {rule.min_items}"
    return check_limits(rule, low, high)


def check_limits(rule: Rule, low: float, high: float) -> tuple[Status, str]:
    """Pass where all of an interval keeps a rule's limits, fail where none of it does; and why."""
    if rule.min is not None and high < rule.min:
        return "fail", f"below {rule.write(rule.min)}"
    if rule.max is not None and low > rule.max:
        return "fail", f"above {rule.write(rule.max)}"
    if rule.min is not None and low < rule.min:
        return "inconclusive", f"CI contains the limit ({rule.write(rule.min)})"
    if rule.max is not None and high > rule.max:
        return "inconclusive", f"CI contains the limit ({rule.write(rule.max)})"
    return "pass", ""


# --- What must be there before any rule means anything ------------------------------------------


def missing_evidence(study: Study, policy: Policy, others: Collection[str] = ()) -> Iterator[Check]:
    """A check for each thing that keeps the policy from being told, whatever its rules say."""
    labels = list(dict.fromkeys([*(m.label for m in study.models), *others]))
    for wanted in policy.models:
        if not any(fits(name, [wanted]) for name in (*labels, *(m.name for m in study.models))):
            known = ", ".join(map(one_line, labels)) or "none"
            yield unmet("models", f"no such model in these logs; models: {known}", model=wanted)
    excluded = study.excluded.to_dict("records")
    # What a log that says nothing would have said may be what fails.
    for of in (of for of in excluded if of["what"] == "unreadable log"):
        yield unmet("readable logs", f"{one_line(of['log'])}: {one_line(of['why'])}")
    for run in study.runs:
        for empty in run.empty:
            why = f"{empty}: it holds no samples"
            yield unmet("readable logs", why, task=run.task, model=run.model)
    for of in (of for of in excluded if of["what"] == CONTRADICTION):
        why = f"{one_line(of['log'])}: {of['why']}"
        yield unmet("consistent logs", why, task=of["task"], model=of["model"])
    simulated = [m.label for m in study.models if m.simulated]
    for run in study.runs:
        share = (run.planned - run.scored) / run.planned if run.planned else 0.0
        if share > policy.max_left_out:
            check = unmet(
                "complete runs", f"{run.scored:,} of {run.planned:,} planned samples are scored",
                task=run.task, model=run.model, simulated=run.model in simulated,
                metric="left out", shown=f"{100 * share:.1f}%", value=share,
            )  # fmt: skip
            yield replace(check, rule=check.rule.model_copy(update={"max": policy.max_left_out}))
    for model in () if policy.allow_simulated else simulated:
        yield unmet("real models", SIMULATED, model=model, simulated=True)


def notes_beside(study: Study, compared: Collection[str] = ()) -> tuple[str, ...]:
    """What no number shows of the logs: a sentence for each log or model, kind and reason."""
    # Logs of other tasks that were compared with a baseline are not named.
    of = study.excluded
    used = (of["what"] == FOREIGN) & of["task"].isin([*compared])
    rows = of[of["what"].isin(TO_NAME) & ~used].to_dict("records")
    notes = [
        f"{row['what']}: {one_line(row['log'] or row['model'] or row['task'])}: {row['why']} "
        f"({row['count']:,})"
        for row in rows
    ]
    more = [f"and {len(notes) - _NOTED:,} more notes"] if len(notes) > _NOTED else []
    return (*notes[:_NOTED], *more)


def missing_scope(study: Study, task: str, model: str, subset: str) -> str:
    """Why numbers over subsets are not over all that a rule names; empty where they are."""
    runs = [run for run in study.runs if (run.task, run.model) == (task, model)]
    if not runs:
        return ""
    data, rows = runs[0].data, study.by_task[task]
    seen = set(rows.loc[rows["model"] == model, "subset"])
    named = (s for s in get_paper(task).selection(data) if subset == OVERALL or fits(s, [subset]))
    if missing := [s for s in named if s not in seen]:
        return f"not asked, or nothing of it is scored: {', '.join(missing)}"
    chosen = dict.fromkeys(name for run in runs for name in run.subsets)
    if data == "file" and subset == OVERALL and "" not in chosen:
        return f"only asked of its file: {one_line(', '.join(chosen))}"
    return ""


# --- The loss since a baseline: logs of any Inspect task that were accepted ---------------------

_INCOMPLETE = "too many samples have no score or no pair, or a log can't be read"
_SIDES = ("the baseline", "these logs")
_ADVICE = "add logs of it to the baseline, or name the rule's task, model or score"


def check_losses(
    logs: Sequence[FoundLog], rule: Rule, policy: Policy, level: float, quiet: bool = True
) -> tuple[list[Check], list[str], list[str]]:
    """Compare logs with a rule's baseline: a check per task, model and score."""
    # Beside these the models that the logs have of its tasks, and what to know.
    place = rule.baseline
    files = [place] if "://" in place or os.path.exists(place) else sorted(glob(place))
    if not files:
        raise FileNotFoundError(f"rule {rule.title!r}: there is no file or folder {place}")
    before = find_logs(files)
    given = {os.path.realpath(log.location) for log in logs}
    if both := [log.name for log in before if os.path.realpath(log.location) in given]:
        raise SelectionError(
            f"rule {rule.title!r}: {len(both)} logs of the baseline are also to be checked "
            f"({both[0]}). Keep the baseline in a folder of its own"
        )
    models: set[str] = set()

    def is_meant(header: EvalLog, of_baseline: bool) -> bool:
        task, model = header.eval.task, header.eval.model
        if not any(fits(name, [rule.task]) for name in (task, task.rpartition("/")[2])):
            return False
        if of_baseline:
            return True
        models.add(model)
        return fits(model, [rule.model])

    lower = ["*"] if rule.lower_is_better else []
    terms = Terms([rule.score], None, rule.max_loss, lower, rule.allow_diff, level,
                  policy.max_left_out)  # fmt: skip
    how: Any = {"cluster_by": rule.cluster_by, "quiet": quiet}
    try:
        sides = [
            read_scores(of, keep=partial(is_meant, of_baseline=old), **how)
            for of, old in ((before, True), (logs, False))
        ]
        found = compare_scores(sides, _SIDES, terms)
    except SelectionError as refusal:
        why = one_line(refusal, 300)
        return [Check(rule, "inconclusive", why, rule.task, rule.model)], sorted(models), []
    checks = [
        _check_loss(rule, row, policy, level)
        for row in found.table.to_dict("records")
        # The baseline's own models are of the rule where it names them.
        if row["reason"] != only_in(_SIDES[0]) or fits(row["model"], [rule.model])
    ]
    differing = ", ".join(dict.fromkeys(found.differs["setting"]))
    notes = [*([f"settings that differ: {differing}"] if differing else []), *found.notes]
    return checks, sorted(models), [f"{rule.title}: {note}" for note in notes]


def _check_loss(rule: Rule, row: Mapping[Any, Any], policy: Policy, level: float) -> Check:
    """The rule on one score of one task and model."""
    status, why = row["outcome"], one_line(row["reason"] or "")
    if why == only_in(_SIDES[1]):
        why = f"no baseline, {why}: {_ADVICE}"
    simulated, of = f"{RESPONDENT_API}/" in row["model"], int(row["n"])
    if of and row["n_clusters"] < rule.min_items:
        status, why = "inconclusive", f"n = {row['n_clusters']:g} < min_items = {rule.min_items}"
    elif status == "pass" and simulated and not policy.allow_simulated:
        status, why = "inconclusive", SIMULATED
    elif status == "fail":
        why = f"lost more than {rule.max_loss:g}"
    elif status == "inconclusive" and not why:
        why = _INCOMPLETE if row["incomplete"] else f"the loss may exceed {rule.max_loss:g}"
    unit, signed = units_of(row)
    change = Estimate(row["difference"], row["low"], row["high"], unit=signed)
    shown = f"{unit.write(row['first'])} → {unit.named(row['second'])}, {change.written}"
    return Check(
        rule, status, why, row["task"], row["model"], simulated, row["measure"],
        shown=f"{shown} ({change.interval})" if of else "", n_items=of,
        value=change.value, low=change.low, high=change.high, level=level,
    )  # fmt: skip

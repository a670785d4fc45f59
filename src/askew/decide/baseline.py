"""Rules of a policy on the loss since a baseline: logs of any Inspect task that were accepted."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from glob import glob
from typing import Any

from inspect_ai.log import EvalLog

from askew.decide.compare import fits
from askew.decide.log_comparison import Terms, compare_scores, only_in, units_of
from askew.decide.policy import SIMULATED, Check, Policy, Rule
from askew.logs.locations import FoundLog, find_logs
from askew.logs.scores import read_scores
from askew.parameters import SelectionError
from askew.report.estimates import Estimate
from askew.schema import RESPONDENT_API
from askew.untrusted import one_line

_INCOMPLETE = "too many samples have no score or no pair, or a log can't be read"
_SIDES = ("the baseline", "these logs")
_ADVICE = "add logs of it to the baseline, or name the rule's task, model or score"


@dataclass(frozen=True)
class Losses:
    """The checks of a rule, the models that the logs have of its tasks, and what to know."""

    checks: Sequence[Check] = ()
    models: Sequence[str] = ()
    notes: Sequence[str] = ()


def check_losses(
    logs: Sequence[FoundLog], rule: Rule, policy: Policy, level: float, quiet: bool = True
) -> Losses:
    """Compare logs with a rule's baseline: a check per task, model and score."""
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
        return Losses([Check(rule, "inconclusive", why, rule.task, rule.model)], sorted(models))
    checks = [
        _check(rule, row, policy, level)
        for row in found.table.to_dict("records")
        # The baseline's own models are of the rule where it names them.
        if row["reason"] != only_in(_SIDES[0]) or fits(row["model"], [rule.model])
    ]
    differing = ", ".join(dict.fromkeys(found.differs["setting"]))
    notes = [*([f"settings that differ: {differing}"] if differing else []), *found.notes]
    return Losses(checks, sorted(models), [f"{rule.title}: {note}" for note in notes])


def _check(rule: Rule, row: Mapping[Any, Any], policy: Policy, level: float) -> Check:
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

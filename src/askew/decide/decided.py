"""A policy's outcome and a comparison, as the report tells them on its first screen."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace

from askew.decide.compare import Comparison, compare
from askew.decide.documents import comparison_document, gate_document
from askew.decide.gate import Gate, gate
from askew.decide.pairing import BETTER, NO_DIFFERENCE, WORSE
from askew.decide.policy import Check, Policy
from askew.progress import Progress
from askew.report.blocks import Decided
from askew.report.study import Study
from askew.stats.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import one_line


def decide(
    study: Study,
    policy: Policy | None = None,
    baseline: str | None = None,
    *,
    interval: Interval = DEFAULT_INTERVAL,
    quiet: bool = True,
    progress: Progress | None = None,
) -> Decided:
    """What a report says on top of the numbers of the same logs.

    Args:
        study: what was read.
        policy: what is asked of them.
        baseline: the model that the others are compared with.
        interval: how to make intervals.
        quiet: no progress on stderr.
        progress: called with steps done, steps in all, and what was done, instead.
    """
    checked = compared = None
    if policy:
        # The report needs all numbers with their intervals: a policy is checked on the same.
        study.summary(interval)
        checked = gate(study, policy, interval, quiet=quiet, progress=progress)
    if baseline:
        compared = compare(study, baseline, interval=interval, quiet=quiet, progress=progress)
    return summarize_decision(checked, compared)


def summarize_decision(checked: Gate | None, compared: Comparison | None) -> Decided:
    """What a report says of an outcome and a comparison that are there already."""
    checks = checked.checks if checked else ()
    # What fails comes before what can't be told.
    worst = [c for status in ("fail", "can't tell") for c in checks if c.status == status]
    unmet_of: dict[str, list[str]] = defaultdict(list)
    statuses: dict[tuple[str, str], list[str]] = defaultdict(list)
    for check in worst:
        unmet_of[check.model].append(_unmet(check))
    for check in checks:
        statuses[check.task, check.model].append(check.status)
    parts = []
    if checked:
        (part,) = gate_document(checked).parts
        parts.append(replace(part, short="Policy"))
    if compared:
        first, *others = comparison_document(compared).parts
        sections = [replace(s, id=o.id, title=o.title) for o in others for s in o.sections]
        parts.append(replace(first, short="Comparison", sections=[*first.sections, *sections]))
    return Decided(
        outcome=checked.verdict if checked else "",
        unmet=[_unmet(check) for check in worst],
        unmet_of=unmet_of,
        statuses=statuses,
        compared=f"Compared with {one_line(compared.baseline)}." if compared else "",
        against=_against(compared) if compared else {},
        parts=parts,
    )


def _unmet(check: Check) -> str:
    about = ", ".join(filter(None, (check.task, one_line(check.model))))
    found = f"{check.metric} {check.shown}: " if check.shown else ""
    where = f" ({about})" if about else ""
    return f"{check.rule.title}{where}: {found}{check.status}, {check.why}."


def _against(compared: Comparison) -> dict[str, str]:
    """For each model in how many numbers it is shown to be better, or worse, or equivalent."""
    found = {}
    for model, rows in compared.table.groupby("model", sort=False):
        counts = Counter(rows["verdict"])
        told = " and ".join(f"{w} in {counts[w]}" for w in (BETTER, WORSE) if counts[w])
        if not told:
            alike = counts[NO_DIFFERENCE]
            unknown = f"can't tell in {len(rows) - alike}"
            told = f"no difference that matters in {alike}" if alike else "nothing shown"
            told += f"; {unknown}" * (alike < len(rows))
        found[str(model)] = f"{told.capitalize()}, of {len(rows)}."
    return found

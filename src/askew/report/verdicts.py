"""Shown, not shown, can't tell: what may be said of a number that looks for a bend.

Every place that says whether a number shows something asks `told`: the first screen, a chapter's
headline and its sentence can't part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from askew.report.estimates import Estimate
from askew.schema import ENOUGH_ITEMS, Metric, Unit

SHOWN, NOT_SHOWN, CANT_TELL = "shown", "not shown", "can't tell"
Word = Literal["shown", "not shown", "can't tell"]
VERDICTS: Mapping[str, str] = {
    SHOWN: "a model without the effect shows as much in less than one run of twenty, and the "
    "interval lies beside it",
    NOT_SHOWN: "the whole interval is smaller than what matters: that much is ruled out",
    CANT_TELL: "neither; where more items would tell, their number stands beside it",
}
ALARM = 0.05
# Of a normal distribution: what an interval of 95 % reaches, and what 80 % power adds.
_REACH, _POWER = 1.96, 0.84


@dataclass(frozen=True)
class Verdict:
    """What may be said of a number.

    Attributes:
        word: one of `VERDICTS`.
        why: what stands behind it, in a few words.
        needed: how many items would tell, where that is known.
    """

    word: Word
    why: str = ""
    needed: int = 0

    @property
    def shown(self) -> bool:
        return self.word == SHOWN

    @property
    def said(self) -> str:
        """The verdict with its reason, as it stands in a sentence."""
        return f"{self.word}: {self.why}" if self.why else self.word


def told(
    found: Estimate, metric: Metric, base: Estimate | None = None, together: int = 1
) -> Verdict:
    """What may be said of a number; of any that is missing or rests on too little, nothing.

    Args:
        found: the number, with its interval and what noise makes of it.
        metric: its declaration: what matters, and in which direction.
        base: the rate that it is taken off, which has a floor.
        together: of how many numbers the clearest is picked: each may err as much less often.
    """
    if found.missing:
        return Verdict("can't tell", found.why)
    if found.n_items < ENOUGH_ITEMS:
        items = f"{found.n_items} item{'s' * (found.n_items != 1)}"
        return Verdict("can't tell", f"{items}, {ENOUGH_ITEMS} at least", ENOUGH_ITEMS)
    if math.isnan(found.low) or math.isnan(found.high):
        return Verdict("can't tell", found.reason or "no interval")
    both = metric.better == "nearer zero"
    beyond = found.low > 0 or (both and found.high < 0)
    if beyond and (metric.null is None or found.null.null_p <= ALARM / together):
        return Verdict("shown")
    matters = replace(metric.unit, signed=False).named(metric.margin)
    if base is not None and not base.value >= metric.margin:
        return Verdict("can't tell", f"at the floor: there are no {matters} to lose")
    if found.high < metric.margin and (not both or found.low > -metric.margin):
        return Verdict("not shown", f"{matters} are ruled out")
    needed = items_needed(found, metric)
    enough = f"about {needed:,} items would show {matters}" if needed else "too few items"
    return Verdict("can't tell", enough, needed)


def items_needed(found: Estimate, metric: Metric) -> int:
    """How many items show an effect that matters four times in five, in two digits; 0: unknown.

    Noise that moves a number one way shrinks with the items, that of a variance as their number,
    any other as its root.
    """
    reach = (found.high - found.low) / 2 * (1 + _POWER / _REACH) / metric.margin
    times = reach**2
    if metric.null is not None and metric.null.growth == "plain":
        times = reach
    if math.isnan(times) or times <= 0:
        return 0
    items = found.n_items * times
    step = int(10 ** max(0, math.floor(math.log10(max(items, 1))) - 1))
    return max(ENOUGH_ITEMS, math.ceil(items / step) * step)


def without_effect(found: Estimate, unit: Unit, metric: Metric) -> str:
    """What a model without the effect shows, in a few words; empty where nobody knows."""
    if found.missing:
        return ""
    if metric.null is None:
        return unit.write(0.0) if metric.better == "nearer zero" else ""
    if math.isnan(found.null.null_p):
        return ""
    return (
        f"{unit.write(found.null.null_mean)}; in one run of twenty "
        f"{unit.write(found.null.null_high)} (p = {found.null.null_p:.3f})"
    )

"""A number with its interval, and the verdict on one that may show an effect.

`verdict_for` judges one number; `on_page` many, with the error of all of them together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from scipy import special

from askew.schema import ENOUGH_ITEMS, NOT_APPLICABLE, PERCENT, Metric, Unit
from askew.stats.clusters import NO_NULL, NoEffect
from askew.stats.intervals import normal_quantile
from askew.stats.p_values import POWER, holm_adjusted
from askew.untrusted import one_line

DETECTED, SUGGESTIVE = "detected", "suggestive"
NEGLIGIBLE, INCONCLUSIVE = "negligible", "inconclusive"
Word = Literal["detected", "suggestive", "negligible", "inconclusive"]
VERDICTS = (DETECTED, SUGGESTIVE, NEGLIGIBLE, INCONCLUSIVE)
# More items than this are not printed as a number: nobody has so many.
MOST_ITEMS = 100_000
# Of so many is a largest effect one, as far as its interval tells.
_CANDIDATES = 4
# Of a page: how often it shows anything that is not there; of what is suggestive: how much is not.
ALARM, FALSE_SHARE = 0.05, 0.1


@dataclass(frozen=True)
class Estimate:
    """A number with its interval, what it rests on and its unit; nan comes with a reason.

    As text it is one line: the number with its interval, or a dash with the reason.
    """

    value: float
    low: float = math.nan
    high: float = math.nan
    n_items: int = 0
    n_clusters: int = 0
    n_dropped: int = 0
    dropped_of: str = ""  # what the dropped were among, such as "40 items"
    reason: str = ""
    null: NoEffect = NO_NULL
    lost: str = ""  # the least and the most that conditions lost, if that is uneven
    lost_wrong: float = math.nan
    lost_right: float = math.nan  # the value if lost replies count as incorrect, and as correct
    unit: Unit = PERCENT

    def __str__(self) -> str:
        beside = self.why or self.interval
        return f"{self.written} ({beside})" if beside else self.written

    @property
    def few(self) -> str:
        """Why a verdict needs more questions; empty where there are enough clusters of them."""
        clusters = self.n_clusters or self.n_items
        if clusters >= ENOUGH_ITEMS:
            return ""
        if clusters < self.n_items:
            n = f"{self.n_items} in {clusters} clusters"
            return f"n = {n}, at least {ENOUGH_ITEMS} clusters needed"
        return f"n = {self.n_items}, at least {ENOUGH_ITEMS} needed"

    @property
    def missing(self) -> bool:
        return math.isnan(self.value)

    @property
    def why(self) -> str:
        """Why there is no number; empty where there is one."""
        return (self.reason or "nothing was observed") if self.missing else ""

    @property
    def written(self) -> str:
        """The number alone."""
        return self.unit.write(self.value)

    @property
    def interval(self) -> str:
        if math.isnan(self.low) or math.isnan(self.high):
            return ""
        return f"{self.unit.write(self.low)} to {self.unit.write(self.high)}"

    @property
    def rate(self) -> str:
        """In percent, with its interval."""
        of = replace(self, unit=PERCENT)
        return f"{of.written}%{f' ({of.interval})' if of.interval else ''}"

    @property
    def size(self) -> str:
        """Its distance from zero."""
        return replace(self.unit, signed=False).write(abs(self.value))

    @property
    def between(self) -> str:
        """The interval of its distance from zero, where zero lies outside."""
        if self.low < 0 < self.high:
            return self.interval
        ends = sorted((abs(self.low), abs(self.high)))
        return " to ".join(map(replace(self.unit, signed=False).write, ends))

    @property
    def noise(self) -> str:
        """What noise makes of the number, where it moves it one way; else empty."""
        known = not (self.missing or math.isnan(self.null.null_mean))
        return f"null {self._null}" if known else ""

    @property
    def _null(self) -> str:
        mean, high = map(self.unit.write, (self.null.null_mean, self.null.null_q95))
        return f"{mean}; 95th percentile {high}; {format_p_value(self.null.p_value)}"

    @property
    def corrected(self) -> str:
        """The number without its bias under the null, if it has one."""
        left = self.null.value_debiased
        return NOT_APPLICABLE if math.isnan(left) else self.unit.write(left)

    def without_effect(self, metric: Metric) -> str:
        """What a model without the effect shows, in a few words; empty where nobody knows."""
        if metric.null is None:
            known, shown = metric.better == "nearer zero", self.unit.write(0.0)
        else:
            known, shown = not math.isnan(self.null.p_value), self._null
        return shown if known and not self.missing else ""


def format_p_value(p_value: float) -> str:
    """A p-value as it is written: never as 0, which no test can find."""
    return "p < 0.001" if p_value < 0.0005 else f"p = {p_value:.3f}"


RowKind = Literal["measured", "simulated", "published", "reference"]


@dataclass(frozen=True)
class Model:
    """A model as the report names it."""

    label: str  # its value in the column `model`
    short: str  # the same without the provider's name, where that leaves it unique
    simulated: bool = False
    apart: str = ""  # a mark, which its name then ends in, and how it was asked unlike the others
    name: str = ""  # as Inspect names it

    @property
    def label_shown(self) -> str:
        """The whole label, fit to be shown."""
        return one_line(self.label)

    @property
    def kind(self) -> RowKind:
        return "simulated" if self.simulated else "measured"

    @property
    def marked(self) -> str:
        """The short name, with the mark that a chart's label needs."""
        return f"{self.short} (simulated)" if self.simulated else self.short


@dataclass(frozen=True)
class Verdict:
    """What may be said of a number."""

    word: Word
    reason: str = ""  # what stands behind it, in a few words
    needed: int = 0  # how many items would tell, where that is known, and what so many would show
    effect: str = ""
    there: int = 0  # how many items the set has that was asked; 0: unknown
    p_value: float = math.nan  # of the number's own test; nan where nothing could be shown of it
    alarm: float = ALARM  # the p-value, before any correction, that its own test shows it with

    @property
    def why(self) -> str:
        """What stands behind it, in a few words."""
        if self.effect and self.needed:
            there = f" ({self.there:,} available)" if self.there else ""
            return f"{items_said(self.needed)} items{there} needed to detect {self.effect}"
        return self.reason

    @property
    def detected(self) -> bool:
        return self.word == DETECTED

    @property
    def said(self) -> str:
        """The verdict with its reason."""
        return f"{self.word}: {self.why}" if self.why else self.word

    @property
    def sentence(self) -> str:
        """The same as a sentence."""
        return f"{self.said[:1].upper()}{self.said[1:]}."


def verdict_for(
    found: Estimate, metric: Metric, base: Estimate | None = None, together: int = 1
) -> Verdict:
    """What may be said of a number by itself; nothing of one that rests on too little.

    `base` is the rate that it is taken off, which has a floor. Where the clearest is picked of
    several numbers `together`, each may err as much less often.
    """
    if found.missing:
        return Verdict("inconclusive", found.why)
    if found.few:
        return Verdict("inconclusive", found.few, ENOUGH_ITEMS)
    if math.isnan(found.low) or math.isnan(found.high):
        return Verdict("inconclusive", found.reason or "no interval")
    both = metric.better == "nearer zero"
    p_value = 1.0 if math.isnan(found.null.p_value) else min(1.0, together * found.null.p_value)
    p_value = p_value if both or found.value > 0 else 1.0
    if p_value <= ALARM:
        return Verdict("detected", p_value=p_value)
    exact = len(f"{metric.margin * metric.unit.factor:g}".partition(".")[2])
    unit = replace(metric.unit, signed=False, digits=max(metric.unit.digits, exact))
    matters = unit.named(metric.margin)
    if base is not None and not base.value >= metric.margin:
        low = "not measured" if math.isnan(base.value) else f"below {matters}"
        return Verdict("inconclusive", f"at the floor: the baseline is {low}")
    if found.high < metric.margin and (not both or found.low > -metric.margin):
        return Verdict("negligible", f"the 95% CI excludes {matters}", p_value=p_value)
    needed = items_needed(found, metric, ALARM / together)
    alarm = ALARM / together / _several(metric)
    return Verdict("inconclusive", "too few items", needed, matters, p_value=p_value, alarm=alarm)


def on_page(cells: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts of a page's cells, with the error of all of them together.

    A cell is shown by Holm's correction over the cells that have a test; it is suggestive by
    Benjamini and Hochberg's. What only its own p-value shows, the page can't tell. Items needed are
    those that show an effect in the first of so many cells.
    """
    verdicts, tested = list(cells), [i for i, c in enumerate(cells) if not math.isnan(c.p_value)]
    holm, share = holm_adjusted(np.array([cells[i].p_value for i in tested]))
    for i, family, false in zip(tested, holm, share, strict=True):
        cell = cells[i]
        if family <= ALARM:
            verdicts[i] = replace(cell, word="detected")
        elif cell.word != NEGLIGIBLE and false <= FALSE_SHARE:
            verdicts[i] = replace(cell, word="suggestive")
        elif cell.detected:
            verdicts[i] = Verdict("inconclusive", "not significant after Holm's correction",
                              p_value=cell.p_value)  # fmt: skip
        elif cell.effect and cell.needed:
            more = (_reach(cell.alarm / len(tested)) / _reach(cell.alarm)) ** 2
            verdicts[i] = replace(cell, needed=two_digits(cell.needed * more))
    return verdicts


def items_needed(found: Estimate, metric: Metric, alarm: float = ALARM) -> int:
    """How many items show an effect that matters four times in five, in two digits; 0: unknown.

    A standard error shrinks with the root of the items. A variance is tested by F: without an
    effect it is nearly a chi-square's, whose degrees of freedom its mean and its 95th percentile
    tell, and the effect adds to it as the items. `alarm` is the p-value that shows it.
    """
    margin, several = metric.margin, _several(metric)
    error = (found.high - found.low) / 2 / normal_quantile(1 - ALARM / several)
    items = found.n_items * (error * _reach(alarm / several) / margin) ** 2
    mean, high = found.null.null_mean, found.null.null_q95
    if metric.interval == "variance" and mean > 0:
        degrees = np.arange(1.0, 60.0)
        ratios = special.chdtri(degrees, 0.05) / degrees
        d = float(degrees[np.abs(ratios - high / mean).argmin()])
        moved = float(special.chndtrinc(special.chdtri(d, alarm), d, 1 - POWER))
        items = found.n_items * moved / d * mean / margin
    return 0 if math.isnan(items) or items <= 0 else max(ENOUGH_ITEMS, two_digits(items))


def _several(metric: Metric) -> int:
    """Of how many numbers one is the largest."""
    return _CANDIDATES if metric.interval == "largest" else 1


def _reach(alarm: float) -> float:
    """How many standard errors an effect is that a test shows so often."""
    return normal_quantile(1 - alarm) + float(special.ndtri(POWER))


def items_said(items: int, about: str = "about ") -> str:
    """A number of items; none of more than anybody has."""
    return f"{about}{items:,}" if items <= MOST_ITEMS else f"more than {MOST_ITEMS:,}"


def two_digits(items: float) -> int:
    """Two digits, upwards."""
    step = int(10 ** max(0, math.floor(math.log10(max(items, 1))) - 1))
    return math.ceil(items / step) * step

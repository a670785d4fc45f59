"""A number as a function of sums: its replicates, what it rests on, and its interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from askew.schema import IntervalKind, Metric, Null
from askew.stats.composites import (
    bounded_interval,
    carried_bounds,
    hits_are_few,
    rate_interval,
    variance_of,
)
from askew.stats.intervals import UNKNOWN, Bounds, Floats, Ints, spread_interval, variance_interval
from askew.stats.jackknife import (
    Estimated,
    equal_means_p,
    estimated,
    largest_interval,
    largest_p,
    with_two_items,
)

# Replicates that are undefined more often than this leave the spread of the rest unknown; of a
# score, which needs every domain, the rest tell enough as long as they are most.
UNDEFINED_SHARE, _UNDEFINED_SCORES = 0.05, 0.5


@dataclass(frozen=True)
class Counts:
    """How many items a number rests on, how many were left out, and units for the interval.

    Student's degrees of freedom are the units less the strata in which they were drawn.
    """

    n_items: int
    n_dropped: int = 0
    n_units: int = 0
    n_strata: int = 1

    @property
    def degrees(self) -> int:
        return max(1, (self.n_units or self.n_items) - self.n_strata)

    def worth(self, units: int) -> float:
        """How many items of one sample tell as much, where a table has so many units.

        A mean over strata is worth fewer units than it has, and as many fewer items.
        """
        if self.n_strata == 1:
            return float(self.n_items)
        return (self.n_units or self.n_items) * max(1.0, self.n_items / units)


def worth_of_mean(sizes: Iterable[float]) -> int:
    """How many units of one sample tell as much as an unweighted mean over samples of these sizes.

    0 where there is no sample, or one has nothing in it.
    """
    each = [float(size) for size in sizes]
    if not each or not all(n > 0 for n in each):
        return 0
    return round(len(each) ** 2 / math.fsum(1 / n for n in each))


@dataclass(frozen=True)
class Rate:
    """A rate that another number is made of, and how many units it rests on."""

    values: Floats
    n_units: int


@dataclass(frozen=True)
class Quantity:
    """One number as a function of totals: its replicates, and how to give it an interval.

    `interval` is declared of its metric (`schema.INTERVAL_KINDS`). `counts` are its own where they
    differ from those of its level. `parts` are what it is made of, by `made`, where its interval or
    its test is made of theirs: rates, the numbers of which it is the largest, or those that vary.
    """

    values: Floats
    interval: IntervalKind = "difference"
    bounds: Bounds = (0.0, 1.0)
    reason: str = ""
    counts: Counts | None = None
    parts: tuple[Rate, ...] = ()
    made: Callable[[Floats], Floats] | None = None
    null: Null | None = None

    @classmethod
    def of(
        cls, declared: Metric, values: Floats, reason: str = "", counts: Counts | None = None,
        parts: tuple[Rate, ...] = (), made: Callable[[Floats], Floats] | None = None,
    ) -> Quantity:  # fmt: skip
        """A number as its metric declares it: its bounds, and how its interval is made."""
        kind, bounds, null = declared.interval, declared.bounds, declared.null
        return cls(values, kind, bounds, reason, counts, parts, made, null)


# Kinds whose interval and test rest on what a number is without each unit in turn.
_JACKKNIFED = ("difference", "paired", "largest")


def rests_on_units(quantity: Quantity) -> bool:
    """Whether its interval or its test is made of what it is without each unit."""
    is_open = quantity.interval in ("composite", "score") and math.isinf(quantity.bounds[1])
    return quantity.interval in (*_JACKKNIFED, "variance") or is_open


@dataclass(frozen=True)
class LeftOut:
    """A number without each unit in turn.

    Attributes:
        quantity: the number.
        strata: of each unit.
    """

    quantity: Quantity
    strata: Ints

    def errors(self, quantity: Quantity, counts: Counts) -> list[Estimated]:
        """The number, or what it is the largest of, with standard errors; none where unknown."""
        is_largest = quantity.interval == "largest" and quantity.parts
        own, left = (
            [part.values for part in q.parts] if is_largest else [q.values]
            for q in (quantity, self.quantity)
        )
        found = [
            estimated(float(value[0]), rest, self.strata, counts.degrees)
            for value, rest in zip(own, left, strict=True)
        ]
        known = [f for f in found if f]
        if len(known) < len(found):
            return []
        most = max(map(abs, quantity.bounds))
        most = most if math.isfinite(most) else 1.0
        n_items = counts.worth(len(self.strata))
        if quantity.interval == "difference":
            if of_each := [part.n_units for part in quantity.parts]:
                # Rates of different items: of such a mean, each item counts for both.
                return [with_two_items(f, max(1, worth_of_mean(of_each)), 2 * most) for f in known]
            return [f if f.error > 0 else with_two_items(f, n_items, most) for f in known]
        return [with_two_items(f, n_items, most) for f in known]

    def p_value(self, quantity: Quantity, counts: Counts) -> float:
        """Of no effect, by the test that goes with the interval; nan where there is none."""
        values = [float(part.values[0]) for part in quantity.parts]
        if quantity.interval == "variance" and values:
            left = np.stack([part.values for part in self.quantity.parts], axis=1)
            return equal_means_p(np.array(values), left, self.strata, counts.degrees)
        if quantity.interval not in _JACKKNIFED or not (found := self.errors(quantity, counts)):
            return math.nan
        return largest_p(found) if quantity.interval == "largest" else found[0].p_value


def bounds_of(
    quantity: Quantity,
    replicate: Quantity | None,
    counts: Counts,
    level: float | None,
    left_out: LeftOut | None = None,
) -> Bounds:
    """The interval of a number at a level, as its metric declares it.

    Args:
        quantity: the number.
        replicate: the number in resamples.
        counts: what it rests on.
        level: the confidence level.
        left_out: the number without each unit.
    """
    value = float(quantity.values[0])
    if level is None or replicate is None or math.isnan(value):
        return UNKNOWN
    n_units = counts.n_units or counts.n_items
    drawn, (least, most) = replicate.values, quantity.bounds
    match quantity.interval:
        case "none":
            return UNKNOWN
        case "rate":
            return rate_interval(value, drawn, n_units, level, counts.degrees)
        case "composite" if is_decided_by_few(quantity):
            trials = map(_trials_of, quantity.parts, replicate.parts)
            rates = [float(part.values[0]) for part in quantity.parts]
            made = quantity.made or _plain_mean
            low, high = carried_bounds(made, list(zip(rates, trials, strict=True)), level)
        case "composite" | "score" as kind if math.isfinite(most - least):
            is_score = kind == "score"
            known = drawn[~np.isnan(drawn)]
            share = 1 - len(known) / len(drawn)
            if share > (_UNDEFINED_SCORES if is_score else UNDEFINED_SHARE):
                return UNKNOWN
            # Resampling moves a score by about as much as sampling did.
            moved = float(known.mean()) - value if is_score else 0.0
            variance, span = float(known.var()), most - least
            share = min(1.0, max(0.0, (value - moved - least) / span))
            bounds = bounded_interval(share, variance / span**2, n_units, counts.degrees, level)
            low, high = (least + span * bound for bound in bounds)
        case "spread" | "variance" as kind:
            interval_of = variance_interval if kind == "variance" else spread_interval
            low, high = interval_of(value, drawn, n_units, quantity.bounds, level, counts.degrees)
            return UNKNOWN if math.isnan(low) else (max(least, low), min(most, high))
        case _:
            found = left_out.errors(quantity, counts) if left_out else []
            if not found or np.isnan(drawn).mean() > UNDEFINED_SHARE:
                return UNKNOWN
            low, high = largest_interval(found, level)
    if math.isnan(low):
        return UNKNOWN
    return max(least, min(low, value)), min(most, max(high, value))


def is_decided_by_few(quantity: Quantity) -> bool:
    """Whether a part of it rests on so few hits that resamples see too little."""
    return any(hits_are_few(float(part.values[0]), part.n_units) for part in quantity.parts)


def _plain_mean(rates: Floats) -> Floats:
    return np.asarray(rates.mean(axis=0))


def _trials_of(rate: Rate, drawn: Rate) -> float:
    """How many trials a rate is worth, by its variance; one a unit where that is none."""
    value, variance = float(rate.values[0]), variance_of(drawn.values)
    return value * (1 - value) / variance if variance > 1e-15 else float(rate.n_units)

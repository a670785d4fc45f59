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
    largest_interval,
    paired_interval,
    rate_interval,
    stretched,
    variance_of,
)
from askew.stats.intervals import (
    UNKNOWN,
    Bounds,
    Floats,
    composite_interval,
    difference_interval,
    reflected_interval,
    spread_interval,
    variance_interval,
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
    differ from those of its level. `parts` are what it is made of, by `made`, where its interval is
    made of theirs: of a difference two rates of different units.
    """

    values: Floats
    interval: IntervalKind = "percentile"
    bounds: Bounds = (0.0, 1.0)
    reason: str = ""
    counts: Counts | None = None
    parts: tuple[Rate, ...] = ()
    made: Callable[[Floats], Floats] | None = None
    null: Null | None = None

    @classmethod
    def of(
        cls,
        declared: Metric,
        values: Floats,
        *,
        mean: bool = False,
        reason: str = "",
        counts: Counts | None = None,
    ) -> Quantity:
        """A number as its metric declares it: its bounds, and how its interval is made.

        Args:
            declared: the metric.
            values: the number, and its replicates where units are resampled.
            mean: whether it is a mean of several such numbers, which is no rate of its own.
            reason: why it is not defined, where it is not.
            counts: what it rests on, where that is not what its level rests on.
        """
        kind = "composite" if mean and declared.interval == "rate" else declared.interval
        return cls(values, kind, declared.bounds, reason, counts, null=declared.null)


def bounds_of(
    quantity: Quantity, replicate: Quantity | None, counts: Counts, level: float | None
) -> Bounds:
    """The interval of a number at a level, from its replicates, as its metric declares it."""
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
        case "difference":
            first, second = _of_parts(quantity, replicate, level)
            return difference_interval(first, second)
        case "largest" if quantity.parts:
            values = np.array([part.values[0] for part in quantity.parts])
            each = np.stack([part.values for part in replicate.parts])
            units = [part.n_units for part in quantity.parts]
            low, high = largest_interval(values, each, units, most, counts.degrees, level)
        case "paired":
            if np.isnan(drawn).mean() > UNDEFINED_SHARE:
                return UNKNOWN
            low, high = paired_interval(value, drawn, n_units, most, level, counts.degrees)
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
            low, high = min(low, value), max(high, value)
        case kind:
            if kind == "percentile" and quantity.parts:
                rates = [float(part.values[0]) for part in quantity.parts]
                drawn = stretched(value, drawn, rates, n_units)
            by_kind = {
                "spread": spread_interval,
                "variance": variance_interval,
                "mirrored": reflected_interval,
            }
            interval_of = by_kind.get(kind, composite_interval)
            low, high = interval_of(value, drawn, n_units, quantity.bounds, level, counts.degrees)
    return UNKNOWN if math.isnan(low) else (max(least, low), min(most, high))


def is_decided_by_few(quantity: Quantity) -> bool:
    """Whether a part of it rests on so few hits that resamples see too little."""
    return any(hits_are_few(float(part.values[0]), part.n_units) for part in quantity.parts)


def _plain_mean(rates: Floats) -> Floats:
    return np.asarray(rates.mean(axis=0))


def _trials_of(rate: Rate, drawn: Rate) -> float:
    """How many trials a rate is worth, by its variance; one a unit where that is none."""
    value, variance = float(rate.values[0]), variance_of(drawn.values)
    return value * (1 - value) / variance if variance > 1e-15 else float(rate.n_units)


def _of_parts(
    quantity: Quantity, replicate: Quantity, level: float
) -> list[tuple[float, float, float]]:
    """Each rate that a number is made of, with its bounds."""
    found = []
    for rate, drawn in zip(quantity.parts, replicate.parts, strict=True):
        value = float(rate.values[0])
        found.append((value, *rate_interval(value, drawn.values, rate.n_units, level)))
    return found

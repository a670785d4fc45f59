"""A number as a function of sums: its replicates, what it rests on, and its interval."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from askew.schema import IntervalKind, Null
from askew.stats import intervals
from askew.stats.intervals import UNKNOWN, Bounds, Floats, Ints, Jackknife

# Replicates that are undefined more often than this leave the spread of the rest unknown; of a
# score, which needs every domain, the rest tell enough as long as they are most.
UNDEFINED_SHARE, _UNDEFINED_SCORES = 0.05, 0.5
# A rate with fewer hits than this, or fewer misses, decides for itself: resamples hold too few.
_FEW_HITS, _FEW_MISSES = 5, 2


@dataclass(frozen=True)
class Counts:
    """How many items a number rests on, how many were left out, and clusters for the interval."""

    # Left out are `group`s of `n_asked`: items, or groups of replies to one, such as an epoch.
    # Student's degrees of freedom are the clusters less the strata in which they were drawn.
    n_items: int
    n_dropped: int = 0
    n_clusters: int = 0
    n_strata: int = 1
    n_asked: int = 0
    group: str = "items"

    @property
    def dropped_of(self) -> str:
        return f"{self.n_asked or self.n_items + self.n_dropped} {self.group}"

    @property
    def clusters(self) -> int:
        return self.n_clusters or self.n_items

    @property
    def degrees(self) -> int:
        return max(1, self.clusters - self.n_strata)

    def worth(self, clusters: int) -> float:
        """How many items of one sample tell as much, where a table has so many clusters."""
        if self.n_strata == 1:
            return float(self.n_items)
        # A mean over strata is worth fewer clusters than it has, and as many fewer items.
        return self.clusters * max(1.0, self.n_items / clusters)


def worth_of_mean(sizes: Iterable[float]) -> int:
    """How many clusters of one sample tell as much as an unweighted mean of samples; 0 of none."""
    each = [float(size) for size in sizes]
    known = each and all(n > 0 for n in each)
    return round(len(each) ** 2 / math.fsum(1 / n for n in each)) if known else 0


@dataclass(frozen=True)
class Rate:
    """A rate that another number is made of, and how many clusters it rests on."""

    values: Floats
    n_clusters: int

    @property
    def value(self) -> float:
        return float(self.values[0])


@dataclass(frozen=True)
class Quantity:
    """One number as a function of totals: its replicates, and how to give it an interval.

    `interval` is declared of its metric (`schema.INTERVAL_KINDS`). `parts` are what it is made of,
    by `made`, where its interval or its test is made of theirs: rates, the numbers of which it is
    the largest, or those that vary.
    """

    values: Floats
    interval: IntervalKind = "difference"
    bounds: Bounds = (0.0, 1.0)
    reason: str = ""
    counts: Counts = Counts(0)
    parts: tuple[Rate, ...] = ()
    made: Callable[[Floats], Floats] | None = None
    null: Null | None = None
    beside: float = 0.0  # variance that its clusters, left out or resampled, do not show

    @property
    def value(self) -> float:
        return float(self.values[0])

    @property
    def rests_on_clusters(self) -> bool:
        """Whether its interval or its test is made of what it is without each cluster."""
        is_open = self.interval in ("composite", "score") and math.isinf(self.bounds[1])
        return self.interval in (*_JACKKNIFED, "variance") or is_open


# Kinds whose interval and test are the cluster jackknife's.
_JACKKNIFED = ("difference", "paired", "largest")


@dataclass(frozen=True)
class LeftOutValues:
    """A number without each cluster in turn, and the stratum of each."""

    quantity: Quantity
    strata: Ints

    def errors(self, quantity: Quantity) -> list[Jackknife]:
        """The number, or what it is the largest of, with standard errors; none where unknown."""
        counts, known = quantity.counts, []
        is_largest = quantity.interval == "largest" and quantity.parts
        both: list[Sequence[Any]]
        both = [q.parts if is_largest else (q,) for q in (quantity, self.quantity)]
        for one, rest in zip(*both, strict=True):
            found = intervals.jackknife(one.value, rest.values, self.strata, counts.degrees)
            if found is None:
                return []
            known.append(replace(found, error=math.hypot(found.error, math.sqrt(quantity.beside))))
        most = max(map(abs, quantity.bounds))
        most = most if math.isfinite(most) else 1.0
        n_items = counts.worth(len(self.strata))
        if quantity.interval == "difference":
            if quantity.parts:
                # Rates of different items: of such a mean, each item counts for both.
                n_items, most = worth_of_mean(p.n_clusters for p in quantity.parts) or 1, 2 * most
            elif known[0].error > 0:
                return known
            elif math.isinf(max(quantity.bounds)):
                return []  # Two made-up items of what size?
        return [intervals.with_two_items(f, n_items, most) for f in known]

    def p_value(self, quantity: Quantity) -> float:
        """Of no effect, by the test that goes with the interval; nan where there is none."""
        if quantity.interval == "variance" and quantity.parts:
            values = np.array([part.value for part in quantity.parts])
            left = np.stack([part.values for part in self.quantity.parts], axis=1)
            return intervals.equal_means_p(values, left, self.strata, quantity.counts.degrees)
        if quantity.interval not in _JACKKNIFED or not (found := self.errors(quantity)):
            return math.nan
        if quantity.interval == "difference" and min(quantity.bounds) >= 0:
            return math.nan  # A mean such as that of tokens: zero is not its "no effect".
        return intervals.largest_p(found) if quantity.interval == "largest" else found[0].p_value


def bounds_of(
    quantity: Quantity, replicate: Quantity | None, level: float, left_out: LeftOutValues | None
) -> Bounds:
    """The declared interval of a number, made of it in resamples, or without each cluster."""
    value, counts, (least, most) = quantity.value, quantity.counts, quantity.bounds
    if replicate is None or math.isnan(value) or quantity.interval == "none":
        return UNKNOWN
    drawn, clusters = replicate.values, (counts.clusters, counts.degrees)
    match quantity.interval:
        case "rate":
            return intervals.rate_interval(value, variance_of(drawn), *clusters, level)
        case "composite" if quantity.made and is_decided_by_few(quantity):
            each = zip(quantity.parts, replicate.parts, strict=True)
            rates = [(part.value, _trials_of(part, of_part)) for part, of_part in each]
            low, high = intervals.carried_bounds(quantity.made, rates, level)
        case "composite" | "score" as kind if math.isfinite(most - least):
            is_score = kind == "score"
            if np.isnan(drawn).mean() > (_UNDEFINED_SCORES if is_score else UNDEFINED_SHARE):
                return UNKNOWN
            # Resampling moves a score by about as much as sampling did.
            moved = float(np.nanmean(drawn)) - value if is_score else 0.0
            variance, span = variance_of(drawn), most - least
            share = min(1.0, max(0.0, (value - moved - least) / span))
            bounds = intervals.bounded_interval(share, variance / span**2, *clusters, level)
            low, high = (least + span * bound for bound in bounds)
        case "spread" | "variance" as kind:
            low, high = intervals.variance_interval(
                value, drawn, *clusters, quantity.bounds, level, of_root=kind == "spread"
            )
        case _:
            found = left_out.errors(quantity) if left_out else []
            if not found or np.isnan(drawn).mean() > UNDEFINED_SHARE:
                return UNKNOWN
            low, high = intervals.largest_interval(found, level)
    if math.isnan(low):
        return UNKNOWN
    return max(least, min(low, value)), min(most, max(high, value))


def variance_of(replicates: Floats) -> float:
    """The variance of the replicates that are defined; nan where none is."""
    known = replicates[~np.isnan(replicates)]
    return float(known.var()) if known.size else math.nan


def is_decided_by_few(quantity: Quantity) -> bool:
    """Whether a part of it rests on so few hits, or misses, that resamples see too little."""
    known = [(part.value, part.n_clusters) for part in quantity.parts if not math.isnan(part.value)]
    return any(p * n < _FEW_HITS or round((1 - p) * n) < _FEW_MISSES for p, n in known)


def _trials_of(rate: Rate, drawn: Rate) -> float:
    """The effective trials of a rate, by its variance; one a cluster where that is none."""
    value, variance = rate.value, variance_of(drawn.values)
    return value * (1 - value) / variance if variance > 1e-15 else float(rate.n_clusters)

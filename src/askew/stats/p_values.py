"""P-values that hold over many rows, of equality within a margin, and what it takes to reach one.

Rows that were resampled together are corrected by what the resamples say of their dependence
(Westfall and Young's step-down); families of such rows by Bonferroni's inequality, as Holm's.
"""

import math
from bisect import bisect_left
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy import special
from scipy.optimize import brentq

from askew.stats.intervals import Floats, t_quantile

POWER = 0.8
_ROUNDING, _DIGITS = 1e-12, 9
_MOST_CLUSTERS = 10**12


class CorrectedPValues(NamedTuple):
    """P-values that hold over all rows together; nan stays nan and does not count."""

    p_values: list[float]
    levels: list[float]  # what each must not exceed to be shown before any other is


def correct_p_values(
    p_values: Sequence[float],
    families: Sequence[Hashable],
    replicates: Sequence[Floats],
    level: float = 0.95,
) -> CorrectedPValues:
    """Correct a p-value a row; those of one family have their replicates in the same resamples."""
    # At each step the smallest p-value that is still in question is held against how often the
    # smallest of its family's is as small in resamples where nothing differs, times the families
    # that are still in question. Families of one row make this Holm's correction.
    found, levels = list(p_values), [math.nan] * len(p_values)
    waiting: dict[Hashable, list[tuple[int, float]]] = {}
    known = [i for i, p in enumerate(p_values) if not math.isnan(p)]
    n_families = len({families[i] for i in known})
    for family in dict.fromkeys(families[i] for i in known):
        inside = sorted((i for i in known if families[i] == family), key=lambda i: p_values[i])
        steps, smallest = _steps([p_values[i] for i in inside], [replicates[i] for i in inside])
        waiting[family] = list(zip(inside, steps, strict=True))
        share = (1 - level) / n_families
        first = max(share / len(inside), float(np.quantile(smallest, share)))
        for i in inside:
            levels[i] = first
    least = 0.0
    while waiting:
        family = min(waiting, key=lambda name: waiting[name][0][1])
        i, step = waiting[family].pop(0)
        least = found[i] = min(1.0, max(least, len(waiting) * step))
        if not waiting[family]:
            del waiting[family]
    return CorrectedPValues(found, levels)


def _steps(p_values: Sequence[float], replicates: Sequence[Floats]) -> tuple[list[float], Floats]:
    """Of rising p-values, how often those from each on are as small; and the smallest of all."""
    steps: list[float] = []
    smallest = np.ones(1)
    for p, values in zip(reversed(p_values), reversed(replicates), strict=True):
        smallest = np.minimum(smallest, _null_p_values(values))
        as_small = (1 + int((smallest <= p).sum())) / (1 + smallest.size)
        # No more than Bonferroni's, which needs no resamples and has no smallest step.
        steps.append(max(p, min(p * (len(steps) + 1), as_small)))
    return steps[::-1], smallest


def _null_p_values(replicates: Floats) -> Floats:
    """P-values that a number's resamples would have, were their mean the truth."""
    spread = float(np.nanstd(replicates))
    if not spread > _ROUNDING:
        return np.ones_like(replicates)
    away = np.nan_to_num(np.abs(replicates - np.nanmean(replicates)) / spread)
    # By rank: whatever the shape of the resamples, these are uniform but for ties, which have the
    # larger value. What differs by rounding alone is tied.
    away = away.round(_DIGITS)
    return 1.0 - np.searchsorted(np.sort(away), away, side="left") / away.size


def holm_adjusted(p_values: Floats) -> tuple[Floats, Floats]:
    """P-values that hold over all tests (Holm), and false discovery rates (Benjamini-Hochberg)."""
    n, order = len(p_values), np.argsort(p_values, kind="stable")
    rank, holm, shares = np.arange(n), np.empty(n), np.empty(n)
    rising = np.maximum.accumulate((n - rank) * p_values[order])
    falling = np.minimum.accumulate((n / (rank + 1) * p_values[order])[::-1])[::-1]
    holm[order], shares[order] = np.minimum(1.0, rising), np.minimum(1.0, falling)
    return holm, shares


def equivalence_p(value: float, error: float, degrees: int, margin: float) -> float:
    """P-value of two one-sided tests (TOST) that a difference lies within a margin of 0."""
    if math.isnan(value) or math.isnan(error) or degrees < 1:
        return math.nan
    if not error > 0:
        return 0.0 if abs(value) < margin else 1.0
    return float(special.stdtr(degrees, (abs(value) - margin) / error))


@dataclass(frozen=True)
class ClusterDifference:
    """By how much a cluster's difference between two models varies, and how far it can lie."""

    # `spread` is how far the difference varies from study to study, beside what the test takes. A
    # `share` of the `whole` is a rate of the better model: that of a worse one varies otherwise.
    deviation: float
    most: float
    spread: float = 1.0
    share: float = math.nan
    whole: float = 1.0

    def deviation_at(self, difference: float) -> float:
        """The deviation where the second model's rate is lower by the difference."""
        if math.isnan(self.share):
            return self.deviation
        apart = difference / self.whole
        other = self.share - apart if self.share > 0 else apart
        variances = [share * (1 - share) for share in (self.share, min(max(other, 0.0), 1.0))]
        if not variances[0] > 0:  # nothing was seen to vary: as a reply of each cluster would
            return max(self.deviation, self.whole * math.sqrt(variances[1]))
        return self.deviation * math.sqrt((1 + variances[1] / variances[0]) / 2)


def power_of(n: int, difference: float, cluster: ClusterDifference, level: float) -> float:
    """How likely `bonett_price_test` of `n` clusters shows a true difference (noncentral t)."""
    deviation = cluster.deviation_at(difference)
    squares = n * deviation**2 + 2 * cluster.most**2 + 2 * n * difference**2 / (n + 2)
    if n < 2 or not squares > 0:
        return 0.0
    reach = t_quantile(1 - level, n - 1)
    away = difference * n / (n + 2) * math.sqrt((n + 1) * (n + 2) / squares)
    below = float(special.nctdtr(n - 1, away / cluster.spread, reach / cluster.spread))
    # Far beyond what the test asks for, the noncentral t is not computed.
    return float(away > reach) if math.isnan(below) else 1 - below


def clusters_needed(margin: float, cluster: ClusterDifference, level: float) -> int:
    """How many clusters show a difference as large as the margin in four studies of five."""
    enough = 2
    while not power_of(enough, margin, cluster, level) >= POWER and enough < _MOST_CLUSTERS:
        enough *= 2
    few = enough // 2 + 1
    more = range(few, enough)
    return few + bisect_left(more, True, key=lambda n: power_of(n, margin, cluster, level) >= POWER)


def detectable_difference(n: int, cluster: ClusterDifference, level: float) -> float:
    """The difference that `n` clusters show in four studies of five; nan where none is."""

    def beyond(difference: float) -> float:
        return power_of(n, difference, cluster, level) - POWER

    most = max(cluster.most, 10 * cluster.deviation)
    return float(brentq(beyond, 0.0, most, xtol=1e-15)) if beyond(most) >= 0 else math.nan

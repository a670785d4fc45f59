"""The cluster jackknife (CR3): errors by leaving out one cluster in turn, and tests that rest on
them.

A difference of rates is nearly linear in its clusters. Strata differ in size and in how much they
vary: Student's degrees of freedom are Satterthwaite's.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import special

from askew.stats.intervals import LEVEL, Bounds, Floats, Ints, student_p, t_quantile

_NOTHING = 1e-15


@dataclass(frozen=True)
class Jackknife:
    """A number with its standard error, and Student's degrees of freedom of that."""

    value: float
    error: float
    degrees: float

    @property
    def p_value(self) -> float:
        """Of no effect: Student's t test, two-sided."""
        if not self.error > 0:
            return 1.0 if self.value == 0 else math.nan
        return student_p(self.value / self.error, self.degrees)

    def interval(self, level: float = LEVEL) -> Bounds:
        half = t_quantile(level, self.degrees) * self.error
        return self.value - half, self.value + half


def _covariances(left: Floats, point: Floats, strata: Ints) -> Floats:
    """By stratum the jackknife covariance of numbers: `left` has clusters by numbers."""
    found = []
    for stratum in np.unique(strata):
        away = left[strata == stratum] - point
        found.append((len(away) - 1) / len(away) * (away.T @ away))
    return np.array(found)


def jackknife(value: float, left: Floats, strata: Ints, degrees: float) -> Jackknife | None:
    """A number with its jackknife error, from what it is without each cluster in turn.

    Nothing where it hangs on a single cluster. Degrees of freedom are at most those given.
    """
    if math.isnan(value) or np.isnan(left).any():
        return None
    each = _covariances(left[:, None], np.array([value]), strata)[:, 0, 0]
    variance = float(each.sum())
    if variance > _NOTHING:
        varies, (_, sizes) = each > 0, np.unique(strata, return_counts=True)
        degrees = min(degrees, variance**2 / float((each**2)[varies] @ (1 / (sizes[varies] - 1))))
    return Jackknife(value, math.sqrt(variance), max(1.0, degrees))


def with_two_items(found: Jackknife, n_items: float, most: float) -> Jackknife:
    """Bonett and Price's interval of paired rates, with the jackknife's variance.

    It is as if two more items had been asked, one `most` better and one as much worse: no number
    of equal answers is certainty, and three items that all differ one way prove nothing.
    """
    n, value = n_items, found.value
    squares = n * (n - 1) * found.error**2 + 2 * most**2 + 2 * n * value**2 / (n + 2)
    error = math.sqrt(squares / ((n + 1) * (n + 2)))
    return Jackknife(value * n / (n + 2), error, found.degrees)


def largest_interval(parts: Sequence[Jackknife], level: float = LEVEL) -> Bounds:
    """Simultaneous bounds of the largest of several numbers, by Bonferroni's inequality."""
    each = [part.interval(1 - (1 - level) / len(parts)) for part in parts]
    return max(low for low, _ in each), max(high for _, high in each)


def largest_p(parts: Sequence[Jackknife]) -> float:
    """P-value of none of several numbers being above zero, by Bonferroni's inequality."""
    above = [part.p_value for part in parts if part.value > 0]
    return min(1.0, len(parts) * min(above, default=1.0))


def equal_means_p(values: Floats, left: Floats, strata: Ints, degrees: float) -> float:
    """Repeated-measures F test of equal means, with the correction of Greenhouse and Geisser.

    The squares of the means around their mean are a weighted sum of chi-squares, whose weights are
    the eigenvalues of the means' covariance; Box's approximation has its mean and its variance.
    """
    if np.isnan(left).any() or np.isnan(values).any() or len(values) < 2:
        return math.nan
    away = values - values.mean()
    centred = left - left.mean(axis=1, keepdims=True)
    covariance = _covariances(centred, away, strata).sum(axis=0)
    mean, square = float(np.trace(covariance)), float((covariance**2).sum())
    if not mean > _NOTHING:
        return 1.0 if not (away**2).sum() > _NOTHING else math.nan
    of_means = mean**2 / square
    return float(special.fdtrc(of_means, of_means * degrees, float(away @ away) / mean))

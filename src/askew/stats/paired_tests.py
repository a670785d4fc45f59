"""Two runs on the same samples: the difference of their mean scores, by textbook tests.

Right or wrong answers have McNemar's exact test, other scores Student's t on paired differences,
and samples in clusters the t of a cluster-robust standard error (CR1, clusters less one degrees of
freedom). Intervals are those of the t.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from askew.stats.intervals import Floats, Ints, student_p, t_quantile
from askew.stats.p_values import POWER, equivalence_p

_ROUNDING = 1e-12


@dataclass(frozen=True)
class PairedTest:
    """Second mean minus first mean, its standard error, degrees of freedom and test."""

    first: float
    second: float
    difference: float
    n: int
    n_clusters: int
    risen: int
    fallen: int
    error: float
    degrees: int
    p_value: float
    test: str

    def interval(self, level: float) -> tuple[float, float]:
        """Student's interval of the difference."""
        reach = t_quantile(level, self.degrees) * self.error if self.degrees else math.nan
        return self.difference - reach, self.difference + reach

    def p_equal(self, margin: float) -> float:
        """P-value of two one-sided tests (TOST) that the difference lies within the margin."""
        return equivalence_p(self.difference, self.error, self.degrees, margin)

    def p_below(self, bound: float) -> float:
        """One-sided p-value that the difference lies below a bound."""
        if not self.degrees:
            return math.nan
        return float(special.stdtr(self.degrees, (self.difference - bound) / self.error))

    def detectable(self, level: float) -> float:
        """The difference that such a test detects with 80% power at a level (MDE)."""
        if not self.degrees:
            return math.nan
        more = special.stdtrit(self.degrees, POWER)
        return float((t_quantile(level, self.degrees) + more) * self.error)


def paired_test(first: Floats, second: Floats, clusters: Ints, level: float = 0.95) -> PairedTest:
    """Compare the scores of samples, one of each run a sample, in numbered clusters."""
    change = second - first
    n, n_clusters = len(change), len(np.unique(clusters))
    mean, degrees = float(change.mean()), max(n_clusters - 1, 0)
    # With a sample a cluster this is the standard error of a mean.
    sums = np.bincount(clusters, change - mean)
    error = math.sqrt(n_clusters / degrees * float((sums**2).sum())) / n if degrees else math.nan
    risen, fallen = int((change > _ROUNDING).sum()), int((change < -_ROUNDING).sum())
    values = np.concatenate([first, second])
    exact = n_clusters == n and bool(np.isin(values, (0.0, 1.0)).all())
    if degrees and not error > _ROUNDING:
        # No difference varies: one that is never seen is as frequent as chance hides (Clopper and
        # Pearson), and the sign of all is a sign test's.
        hidden = 1 - ((1 - level) / 2) ** (1 / n_clusters)
        scale = max(1.0, float(np.ptp(values)))
        error = hidden * scale / t_quantile(level, degrees)
        p_value = min(1.0, 2.0 ** (1 - n_clusters)) if abs(mean) > _ROUNDING else 1.0
        test = "exact McNemar" if exact else "sign test"
    elif exact:
        p_value = min(1.0, 2 * float(special.bdtr(min(risen, fallen), risen + fallen, 0.5)))
        test = "exact McNemar"
    else:
        p_value = student_p(mean / error, degrees) if degrees else math.nan
        test = "paired t" if n_clusters == n else "cluster-robust t"
    return PairedTest(
        float(first.mean()), float(second.mean()), mean, n, n_clusters, risen, fallen, error,
        degrees, p_value, test,
    )  # fmt: skip

"""Two runs on the same samples: the difference of their mean scores, by textbook tests.

Right or wrong answers have McNemar's exact test, other scores Student's paired t, and samples in
clusters the t of a cluster-robust standard error (CR1). Intervals are those of the t. Where most
samples are unchanged, it is too sure of a bound: Tango's score test must agree.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import special

from askew.stats.intervals import Floats, Ints, student_p, t_quantile
from askew.stats.p_values import POWER

_ROUNDING = 1e-12
# Changed clusters that show how large a change can be.
_ENOUGH = 10


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
    # How much clusters rose and fell, and the largest change, where most are unchanged.
    moved: tuple[float, float, float]

    def interval(self, level: float) -> tuple[float, float]:
        """Student's interval of the difference."""
        reach = t_quantile(level, self.degrees) * self.error if self.degrees else math.nan
        return self.difference - reach, self.difference + reach

    def p_equal(self, margin: float) -> float:
        """P-value of two one-sided tests (TOST) that the difference lies within the margin."""
        return max(self.p_beyond(-margin, 1), self.p_beyond(margin, -1))

    def p_beyond(self, bound: float, sign: int) -> float:
        """One-sided p-value that the difference lies above a bound (sign 1), or below (-1)."""
        if not self.degrees:
            return math.nan
        p = float(special.stdtr(self.degrees, sign * (bound - self.difference) / self.error))
        rose, fell, size = self.moved
        margin = -sign * bound / size if size else math.inf
        if not 0 < margin < 1:
            return p
        fallen, risen = (fell, rose) if sign > 0 else (rose, fell)
        return max(p, _tango_p(fallen / size, risen / size, self.n_clusters, margin))

    def detectable(self, level: float) -> float:
        """The difference that such a test detects with 80% power at a level (MDE)."""
        if not self.degrees:
            return math.nan
        more = special.stdtrit(self.degrees, POWER)
        return float((t_quantile(level, self.degrees) + more) * self.error)


def _tango_p(fallen: float, risen: float, n: int, margin: float) -> float:
    """P-value that less than the margin more fell than rose, of n pairs (Tango, 1998)."""
    b = (2 * n - fallen + risen) * margin - fallen - risen
    root = math.sqrt(b * b + 8 * n * risen * margin * (1 - margin))
    rising = (root - b) / (4 * n)  # the share that rises if the margin is the truth
    spread = math.sqrt(n * (2 * rising + margin * (1 - margin)))
    return float(special.ndtr((fallen - risen - n * margin) / spread))


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
    scale = max(1.0, float(np.ptp(values)))
    by_cluster = np.bincount(clusters, change) * n_clusters / n
    moved = by_cluster[np.abs(by_cluster) > _ROUNDING]
    few = (0.0, 0.0, 0.0)
    if 2 * len(moved) < n_clusters:
        size = float(np.abs(moved).max(initial=0))
        if len(moved) < _ENOUGH:  # so few don't show how far a whole cluster can fall
            size = max(size, scale * float(np.bincount(clusters).max()) * n_clusters / n)
        few = float(moved[moved > 0].sum()), float(-moved[moved < 0].sum()), size
    exact = n_clusters == n and bool(np.isin(values, (0.0, 1.0)).all())
    if degrees and not error > _ROUNDING:
        # No difference varies: one that is never seen is as frequent as chance hides (Clopper and
        # Pearson), and the sign of all is a sign test's.
        hidden = 1 - ((1 - level) / 2) ** (1 / n_clusters)
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
        degrees, p_value, test, few,
    )  # fmt: skip

"""Intervals: Wilson's and Student's in closed form, of resamples of the clusters, or of what a
number is without each cluster in turn (the jackknife, and tests that rest on it).

Resampling can't vary a rate that is 0 or 1 in the sample. So a rate, and what lies between fixed
bounds, has Wilson's interval with the effective number of trials that its variance is worth, and
what a rare class decides has what is known of each of its rates carried through. A difference of
rates is nearly linear in its clusters. As strata differ, degrees of freedom are Satterthwaite's.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt
from scipy import special

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Bounds = tuple[float, float]
UNKNOWN: Bounds = (math.nan, math.nan)

RESAMPLES = 5_000
LEVEL = 0.95
# Of numbers as large as 1, or of their size: what differs by less is equal.
ROUNDING = 1e-9
# With fewer, resamples differ too little for their percentiles to say where a variance ends.
_FEW_DEGREES = 10
# What a single answer's variance weighs beside that of the resamples, in clusters that deviate.
_PRIOR_UNITS = 0.3
_DRAWS, _NOTHING = 4_000, 1e-15


def _check_level(level: float) -> None:
    if not 0 < level < 1:
        raise ValueError(f"level={level}: a confidence level lies between 0 and 1")


def normal_quantile(level: float) -> float:
    """Half-width, in standard errors, of a two-sided normal interval at `level`."""
    _check_level(level)
    return float(special.ndtri((1 + level) / 2))


def zero_if_close(change: npt.ArrayLike, *sizes: float) -> Floats:
    """Changes between numbers of these sizes; 0 where one is no more than rounding."""
    changes = np.asarray(change, dtype=float)
    return np.where(np.abs(changes) <= ROUNDING * max(1.0, *map(abs, sizes)), 0.0, changes)


def exceeds(one: float, other: float) -> bool:
    """Whether a number is larger than another by more than rounding."""
    return float(zero_if_close(one - other, one, other)) > 0


def wilson(rate: float, n: float, level: float = LEVEL) -> Bounds:
    """Compute Wilson's score interval of a rate.

    Args:
        rate: The rate, as a fraction.
        n: Number of trials; may be an effective number.
        level: Confidence.

    Returns:
        Lower and upper bound.

    Example:
        >>> low, high = wilson(0.5, 100)
        >>> print(f"{low:.3f} to {high:.3f}")
        0.404 to 0.596
    """
    if rate < -ROUNDING or rate > 1 + ROUNDING:
        raise ValueError(f"rate {rate:g}: give a fraction from 0 to 1; 80% is 0.8")
    return wilson_score(rate, n, normal_quantile(level))


def wilson_score(rate: float, n: float, z: float) -> Bounds:
    """Wilson's interval with its quantile given."""
    if not n > 0 or math.isnan(rate):
        return UNKNOWN
    centre = (rate + z * z / (2 * n)) / (1 + z * z / n)
    half = z * math.sqrt(rate * (1 - rate) / n + z * z / (4 * n * n)) / (1 + z * z / n)
    # Rounding must not move a bound past the rate it belongs to.
    return max(0.0, min(rate, centre - half)), min(1.0, max(rate, centre + half))


def t_interval(values: npt.ArrayLike, level: float = LEVEL) -> Bounds:
    """Compute Student's interval of a mean.

    Args:
        values: Independent values.
        level: Confidence.

    Returns:
        Lower and upper bound; nan for fewer than two values.

    Example:
        >>> low, high = t_interval([1, 2, 3])
        >>> print(f"{low:.2f} to {high:.2f}")
        -0.48 to 4.48
    """
    _check_level(level)
    sample = np.asarray(values, dtype=float)
    if sample.size < 2:
        return UNKNOWN
    half = t_quantile(level, sample.size - 1) * sample.std(ddof=1) / math.sqrt(sample.size)
    return float(sample.mean() - half), float(sample.mean() + half)


@lru_cache(maxsize=4096)
def t_quantile(level: float, df: float) -> float:
    """Two-sided quantile of Student's t: P(|T| <= q) = level."""
    # Older releases of scipy find this to sixteen digits, and `stdtrit` to eight.
    share = special.betaincinv(df / 2, 0.5, 1 - level)
    return math.sqrt(df * (1 - share) / share)


def student_p(t: float, df: float) -> float:
    """Two-sided p-value of Student's t."""
    if math.isnan(t) or df < 1:
        return math.nan
    return float(2 * special.stdtr(df, -abs(t)))


def rate_interval(
    rate: float, variance: float, n_clusters: int, degrees: int, level: float = LEVEL
) -> Bounds:
    """Wilson's interval of a rate with as many effective trials as its variance is worth."""
    # Where nothing varied, each cluster counts once. Where clusters vary less than one answer each
    # would, the variance is an estimate: Student's quantile takes the normal one's place (Korn and
    # Graubard), and no interval gets wider by that than the one of a single answer a cluster.
    if math.isnan(rate) or n_clusters < 1:
        return UNKNOWN
    widest = wilson(rate, n_clusters, level)
    if not variance >= _NOTHING or rate in (0.0, 1.0):
        return widest
    if variance >= rate * (1 - rate) / n_clusters:
        return wilson(rate, max(1.0, rate * (1 - rate) / variance), level)
    low, high = bounded_interval(rate, variance, n_clusters, degrees, level)
    return max(low, widest[0]), min(high, widest[1])


def bounded_interval(
    value: float, variance: float, n_clusters: int, degrees: int, level: float = LEVEL
) -> Bounds:
    """Wilson's interval of a mean between 0 and 1, with the trials that its variance is worth."""
    # Near 0 or 1 a sample holds few answers that deviate, and their variance is a poor estimate: it
    # is drawn towards that of single right-or-wrong answers, the more the fewer they are.
    if math.isnan(value) or n_clusters < 1:
        return UNKNOWN
    single = value * (1 - value) / n_clusters
    trials = float(n_clusters)
    if single > 1e-12:
        deviating = n_clusters * min(value, 1 - value)
        drawn = (deviating * variance + _PRIOR_UNITS * single) / (deviating + _PRIOR_UNITS)
        trials = max(1.0, value * (1 - value) / drawn)
    return wilson_score(min(1.0, max(0.0, value)), trials, t_quantile(level, max(1, degrees)))


def carried_bounds(
    made: Callable[[Floats], Floats], parts: Sequence[tuple[float, float]], level: float = LEVEL
) -> Bounds:
    """Fiducial bounds of a number that rises with each of some independent rates."""
    # It is made of draws of the rates, each given with its trials: for the lower bound of where a
    # rate may lie given its hits, for the upper as if one more had been a hit (after Clopper and
    # Pearson; the lower ones half a hit gentler). The rate with the fewest trials decides.
    rates, trials = (np.array(column, dtype=float)[:, None] for column in zip(*parts, strict=True))
    if np.isnan(rates).any():
        return UNKNOWN
    rng = np.random.default_rng(0)
    hits, misses, shape = rates * trials, (1 - rates) * trials, (len(rates), _DRAWS)
    low = np.quantile(made(rng.beta(hits + 0.5, misses + 0.5, shape)), (1 - level) / 2)
    high = np.quantile(made(rng.beta(hits + 1, misses + 1 / 3, shape)), (1 + level) / 2)
    value = float(made(rates)[0])
    return min(value, float(low)), max(value, float(high))


def percentile_interval(replicates: Floats, level: float = LEVEL) -> Bounds:
    """Percentile interval; nan where more than one replicate in twenty is undefined."""
    defined = replicates[~np.isnan(replicates)]
    if defined.size < 0.95 * replicates.size or not defined.size:
        return UNKNOWN
    low, high = np.quantile(defined, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def expanded_interval(
    value: float, replicates: Floats, n_clusters: int, degrees: int, bounds: Bounds,
    level: float = LEVEL,
) -> Bounds:  # fmt: skip
    """Expanded percentile interval (Hesterberg): percentiles that lie where Student's t would."""
    # Where every resample gives the same value, it would claim certainty from any number of
    # clusters: the width of Wilson's interval at a boundary stands in, in the metric's range.
    if math.isnan(value) or n_clusters < 1:
        return UNKNOWN
    expanded = math.erf(t_quantile(level, degrees) / math.sqrt(2)) if degrees >= 1 else level
    low, high = percentile_interval(replicates, expanded)
    if math.isnan(low) or high - low > 1e-12:
        return min(low, value), max(high, value)
    least, most = bounds
    scale = most - least if math.isfinite(most - least) else 1.0
    width = wilson(0.0, n_clusters, level)[1] * scale
    return max(least, value - width), min(most, value + width)


def subtract_noise(value: float, replicates: Floats) -> Floats:
    """Replicates of a variance of estimates, moved down by the noise that resampling adds."""
    # The variance of estimates exceeds that of the true values by the estimates' own noise; a
    # resample's exceeds it by twice that. The mean excess over the value is that noise once.
    known = replicates[~np.isnan(replicates)]
    excess = float(known.mean()) - value if known.size else 0.0
    return np.asarray(replicates - 2 * excess, dtype=float)


def variance_interval(
    value: float, replicates: Floats, n_clusters: int, degrees: int, bounds: Bounds,
    level: float = LEVEL, *, of_root: bool = False,
) -> Bounds:  # fmt: skip
    """Interval of a variance of estimates, or of its root, their own noise taken off."""
    # In simulations it covers the truth 92 to 100 times in 100, also where that is 0. It need not
    # hold the uncorrected value, but no value is shown outside its interval. Of few degrees of
    # freedom there are few different resamples, beyond which percentiles can't lie: a variance's
    # reaches at least as far as Student's does around the root (85 to 95 in 100 with three).
    squares = (value**2, replicates**2) if of_root else (value, replicates)
    true = np.maximum(0.0, subtract_noise(*squares))
    drawn = np.sqrt(true) if of_root else true
    low, high = expanded_interval(value, drawn, n_clusters, degrees, bounds, level)
    if of_root or math.isnan(low) or degrees >= _FEW_DEGREES:
        return low, high
    root = math.sqrt(max(0.0, 2 * value - float(np.nanmean(replicates))))
    reach = t_quantile(level, max(1, degrees)) * float(np.nanstd(np.sqrt(true)))
    least = max(0.0, root - reach) ** 2
    return min(low, max(bounds[0], least)), max(high, min(bounds[1], (root + reach) ** 2))


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
    """A number with the error that leaving out each cluster gives; nothing if it hangs on one."""
    if math.isnan(value) or np.isnan(left).any():
        return None
    each = _covariances(left[:, None], np.array([value]), strata)[:, 0, 0]
    variance = float(each.sum())
    if variance > _NOTHING:
        varies, (_, sizes) = each > 0, np.unique(strata, return_counts=True)
        degrees = min(degrees, variance**2 / float((each**2)[varies] @ (1 / (sizes[varies] - 1))))
    return Jackknife(value, math.sqrt(variance), max(1.0, degrees))


def with_two_items(found: Jackknife, n_items: float, most: float) -> Jackknife:
    """Bonett and Price's interval of paired rates, with the jackknife's variance."""
    # It is as if two more items had been asked, one `most` better and one as much worse: no number
    # of equal answers is certainty, and three items that all differ one way prove nothing.
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
    """Repeated-measures F test of equal means, with the correction of Greenhouse and Geisser."""
    # The squares of the means around their mean are a weighted sum of chi-squares, by eigenvalues
    # of the means' covariance; Box's approximation has its mean and its variance.
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

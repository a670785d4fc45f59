"""Intervals of numbers made of rates, where few answers decide and resamples see too little.

Resampling can't vary a rate that is 0 or 1 in the sample, so a composite of such rates looks
certain. Here a composite that lies between 0 and 1 gets Wilson's interval with as many trials as
its variance is worth, and one that a rare class decides has what is known of each of its parts
carried through.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from askew.stats.intervals import LEVEL, UNKNOWN, Bounds, Floats, t_quantile, wilson, wilson_score

# What a single answer's variance weighs beside that of the resamples, in units that deviate.
_PRIOR_UNITS = 0.3
# A part with fewer hits than this, or fewer misses, decides for itself: the resamples hold too few
# of them.
_FEW_HITS, _FEW_MISSES = 5, 2
_DRAWS = 4_000
_ROUNDING = 1e-12
_NO_VARIANCE = 1e-15


def variance_of(replicates: Floats) -> float:
    """The variance of the replicates that are defined; nan where none is."""
    known = replicates[~np.isnan(replicates)] if math.isnan(replicates.sum()) else replicates
    return float(known.var()) if known.size else math.nan


def rate_interval(
    rate: float, replicates: Floats, n_units: int, level: float = LEVEL, degrees: int | None = None
) -> Bounds:
    """Wilson's interval of a rate, with the number of trials that its variance is worth.

    Where nothing varied, each unit counts once. Where units answer several times, and less alike
    than one answer a unit would vary, the variance is an estimate: Student's quantile takes the
    normal one's place, and few deviating units draw it towards one answer a unit. No interval gets
    wider by that than the one of a single answer a unit.

    Args:
        rate: the share.
        replicates: its values in resamples of the units.
        n_units: how many units there are.
        level: confidence level.
        degrees: of freedom that the variance has; units less one where they are not given.
    """
    known = variance_of(replicates)
    variance = 0.0 if math.isnan(known) else known
    return rate_bounds(rate, variance, n_units, level, degrees)


def rate_bounds(
    rate: float, variance: float, n_units: int, level: float = LEVEL, degrees: int | None = None
) -> Bounds:
    """`rate_interval` of a variance that is known otherwise than by resamples."""
    if math.isnan(rate) or n_units < 1:
        return UNKNOWN
    widest = wilson(rate, n_units, level)
    if variance < _NO_VARIANCE or rate in (0.0, 1.0):
        return widest
    if variance >= rate * (1 - rate) / n_units:
        return wilson(rate, max(1.0, rate * (1 - rate) / variance), level)
    known = n_units - 1 if degrees is None else degrees
    low, high = bounded_interval(rate, variance, n_units, known, level)
    return max(low, widest[0]), min(high, widest[1])


def bounded_interval(
    value: float, variance: float, n_units: int, degrees: int, level: float = LEVEL
) -> Bounds:
    """Wilson's interval of a mean between 0 and 1, with the trials that its variance is worth.

    Near 0 or 1 a sample holds few answers that deviate, and their variance is a poor estimate:
    it is drawn towards that of single right-or-wrong answers, the more the fewer they are.

    Args:
        value: the mean.
        variance: of the mean, over resamples of the units.
        n_units: how many units there are.
        degrees: of freedom that the variance has: units less strata.
        level: confidence level.
    """
    if math.isnan(value) or n_units < 1:
        return math.nan, math.nan
    single = value * (1 - value) / n_units
    trials = float(n_units)
    if single > _ROUNDING:
        deviating = n_units * min(value, 1 - value)
        drawn = (deviating * variance + _PRIOR_UNITS * single) / (deviating + _PRIOR_UNITS)
        trials = max(1.0, value * (1 - value) / drawn)
    return wilson_score(min(1.0, max(0.0, value)), trials, t_quantile(level, max(1, degrees)))


def carried_bounds(
    made: Callable[[Floats], Floats], parts: Sequence[tuple[float, float]], level: float = LEVEL
) -> Bounds:
    """Bounds of a number made of independent rates, from what is known of each.

    The number is made of draws of its rates: for the lower bound from where a rate may lie given
    its hits, for the upper from as if one more had been a hit (fiducial draws, after Clopper and
    Pearson; the lower ones half a hit gentler). A rate of 0 or 1 thus varies as one of few trials
    does, and the rate with the fewest decides.

    Args:
        made: the number from its rates, a row a rate and a column a draw; it rises with each.
        parts: each rate with the trials that it is worth.
        level: confidence level.
    """
    rates, trials = (np.array(column, dtype=float)[:, None] for column in zip(*parts, strict=True))
    if np.isnan(rates).any():
        return math.nan, math.nan
    rng = np.random.default_rng(0)
    hits, misses, shape = rates * trials, (1 - rates) * trials, (len(rates), _DRAWS)
    low = np.quantile(made(rng.beta(hits + 0.5, misses + 0.5, shape)), (1 - level) / 2)
    high = np.quantile(made(rng.beta(hits + 1, misses + 1 / 3, shape)), (1 + level) / 2)
    value = float(made(rates)[0])
    return min(value, float(low)), max(value, float(high))


def hits_are_few(rate: float, n_units: int) -> bool:
    """Whether a rate rests on so few hits, or misses, that resamples say little about it."""
    hits, misses = rate * n_units, (1 - rate) * n_units
    return not math.isnan(rate) and (hits < _FEW_HITS or round(misses) < _FEW_MISSES)

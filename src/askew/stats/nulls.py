"""A number beside what it would be without the effect: permutation tests.

A maximum, a spread or an absolute value is above zero where nothing is there to find: noise alone
makes it so. What it shows where conditions make no difference, with this many clusters, is known
from exchanges of their labels (`exchanges.py`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from askew.schema import Null
from askew.stats.intervals import ROUNDING, Floats

# How many exchanges: p-values are steps of a five hundredth.
EXCHANGES = 499


@dataclass(frozen=True)
class NoEffect:
    """A number beside what it would be without the effect.

    Attributes:
        value_debiased: the number with its noise taken off; 0 where noise explains all of it, nan
            where noise moves it both ways alike.
        null_mean: what a model without the effect shows on average.
        null_q95: what it exceeds in one run of twenty; falls below, where noise lowers it.
        p_value: how often a model without the effect shows as much.
    """

    value_debiased: float = math.nan
    null_mean: float = math.nan
    null_q95: float = math.nan
    p_value: float = math.nan


UNKNOWN = NoEffect()


def noise_taken_off(values: Floats, drawn: Floats, null: Null) -> Floats:
    """Numbers without the noise that draws without the effect show; 0 where that is all of one."""
    if null.growth == "plain":
        return np.asarray(np.maximum(0.0, values - np.nanmean(drawn)))
    squares = np.copysign(values**2, values) - np.nanmean(drawn**2)
    return np.asarray(np.sqrt(np.maximum(0.0, squares)))


def no_effect(value: float, drawn: Floats, null: Null) -> NoEffect:
    """A number beside its values where labels have traded places."""
    known = drawn[~np.isnan(drawn)]
    if math.isnan(value) or known.size < 0.95 * drawn.size or not known.size:
        return UNKNOWN
    if null.lowers:
        beside = no_effect(-value, -known, Null(null.trading, "plain"))
        return NoEffect(math.nan, -beside.null_mean, -beside.null_q95, beside.p_value)
    # What differs by rounding alone is equal.
    as_much = int((known >= value - ROUNDING * max(1.0, abs(value))).sum())
    return NoEffect(
        float(noise_taken_off(np.array([value]), known, null)[0]) if null.one_way else math.nan,
        float(known.mean()),
        float(np.quantile(known, 0.95)),
        (1 + as_much) / (1 + known.size),
    )

"""The formulas of the format-bias paper: numbers in, number out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np

from askew.stats.intervals import t_quantile

MARGIN = 0.05
CONFIDENCE = 0.95
# Differences below this are rounding.
_TINY = 1e-9


def est_true(systematic: float, format_following: float, *, zero_filled: bool = False) -> float:
    """Estimated true score: the systematic score per reply that follows the format (Eq. 5).

    Args:
        systematic: SysE, in percent or as a fraction; the result has its unit.
        format_following: FI, always as a fraction: the share of the replies that follow.
        zero_filled: 0, as the paper has it, instead of nan where no reply follows the format.
    """
    if format_following > 1 or format_following < 0:
        raise ValueError(f"FI {format_following:g}: give a fraction from 0 to 1; 80 % is 0.8")
    if not format_following > 0:
        return 0.0 if zero_filled and format_following == 0 else math.nan
    return systematic / format_following


def est_true_reliable(
    scores: Sequence[float], n_total: int, margin: float = MARGIN, level: float = CONFIDENCE
) -> bool:
    """Whether EstTrue is within `margin` of the truth at this confidence (Theorem 3.1).

    Args:
        scores: scores, from 0 to 1, of the replies that follow the format.
        n_total: how many replies there are, followed or not.
        margin: the margin of error that is allowed.
        level: the confidence level, such as 0.95; its complement 0.05 means the same.
    """
    k = len(scores)
    if k < 2:
        return False
    needed = fi_needed(float(np.std(scores, ddof=1)), k, n_total, margin, level)
    return k / n_total >= needed


def fi_needed(
    deviation: float, k: int, n_total: int, margin: float = MARGIN, level: float = CONFIDENCE
) -> float:
    """The FI from which on EstTrue is reliable (Eq. 6); 0 where all scores are the same.

    Args:
        deviation: sample standard deviation of the scores of replies that follow the format.
        k: how many these are.
        n_total: how many replies there are.
        margin: the margin of error that is allowed.
        level: the confidence level, or its complement.
    """
    if k < 2:
        return math.nan
    if deviation < _TINY:
        return 0.0
    t = t_quantile(level if level >= 0.5 else 1 - level, k - 1)
    return 1 / (1 + n_total * (margin / (t * deviation)) ** 2)


def bias_f(scores: Iterable[float]) -> float:
    """Population variance of scores over formats (Eq. 8), in the square of their unit."""
    values = np.asarray(list(scores), dtype=float)
    return float(np.var(values)) if values.size else math.nan

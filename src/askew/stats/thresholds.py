"""Thresholds: the level of difficulty at which half of what is above chance is right.

Per condition a logistic curve of correctness on the level, with the guess rate as its floor, is
fitted by maximum likelihood (Fisher scoring). An item counts once per condition, with the share of
its replies that are right. Intervals and p-values are the cluster jackknife's, by Student's t.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from askew.stats.clusters import cluster_table
from askew.stats.intervals import LEVEL, Floats, jackknife, student_p, t_quantile

# A curve needs so many levels, and an interval so many clusters.
LEAST_LEVELS, LEAST_CLUSTERS = 3, 8
_ROUNDS, _STEP, _CLOSE, _STEEPEST = 100, 2.0, 1e-8, 12.0


@dataclass(frozen=True)
class Threshold:
    """A condition's threshold in levels, or its `shift` from the control's; else why not."""

    condition: str
    value: float = math.nan
    low: float = math.nan
    high: float = math.nan
    p_value: float = math.nan
    """Of no shift."""
    n_items: int = 0
    n_clusters: int = 0
    reason: str = ""


def thresholds(
    rows: pd.DataFrame, conditions: Sequence[str], level: float = LEVEL
) -> list[Threshold]:
    """The threshold of each condition, on the items that were scored in it.

    Args:
        rows: `item`, `cluster`, `difficulty`, `condition`, `right` from 0 to 1, and `guess`: what
            a model that guesses is to expect there. Its mean at a level is the curve's floor.
        conditions: Which to fit.
        level: Confidence level of the intervals.
    """
    items = _items(rows)
    return [_estimate(items, [condition], level) for condition in conditions]


def threshold_shifts(
    rows: pd.DataFrame, control: str, conditions: Sequence[str], level: float = LEVEL
) -> list[Threshold]:
    """Each condition's threshold minus the control's, on the items that were scored in both.

    Below 0 the condition makes questions harder. Arguments are those of `thresholds`.
    """
    items = _items(rows)
    return [_estimate(items, [condition, control], level) for condition in conditions]


def _items(rows: pd.DataFrame) -> pd.DataFrame:
    """A row per item and condition."""
    by = ["item", "cluster", "difficulty", "condition"]
    return rows.groupby(by, sort=True, observed=True)[["right", "guess"]].mean().reset_index()


def _estimate(items: pd.DataFrame, conditions: Sequence[str], level: float) -> Threshold:
    """The threshold of one condition; of two, the first one's minus the second's."""
    rows = items[items["condition"].isin(conditions)]
    rows = rows[rows.groupby("item")["condition"].transform("nunique") == len(conditions)]
    levels = sorted(rows["difficulty"].unique())
    n_items, n_clusters = rows["item"].nunique(), rows["cluster"].nunique()
    made = Threshold(conditions[0], n_items=n_items, n_clusters=n_clusters)
    if len(levels) < LEAST_LEVELS:
        few = f"{len(levels)} levels of difficulty; a curve needs at least {LEAST_LEVELS}"
        return _without(made, few)
    table = cluster_table(rows, ("condition", "difficulty"), ("right",), ())
    floors = rows.groupby(["condition", "difficulty"])["guess"].mean()
    fits = []
    for totals in (table.point(), table.left_out()):
        curves = []
        for condition in conditions:
            right, asked = (
                np.stack([totals[condition, at, name] for at in levels], axis=1)
                for name in ("right", "n")
            )
            guess = floors[condition].reindex(levels).to_numpy(dtype=float)
            if len(right) == 1 and (why := _why_no_curve(right[0], asked[0], guess)):
                return _without(made, f"{condition}: {why}")
            curves.append(fit_thresholds(right, asked, np.array(levels, dtype=float), guess))
        fits.append(curves)
    observed, left = fits
    for condition, (found,) in zip(conditions, observed, strict=True):
        if not levels[0] <= found <= levels[-1]:
            ends = f"{levels[0]} to {levels[-1]}"
            why = "no falling curve fits" if math.isnan(found) else "the threshold lies outside"
            return _without(made, f"{condition}: {why} the levels {ends}; run other levels")
    signs = (1.0, -1.0)
    value = math.fsum(s * float(v[0]) for s, v in zip(signs, observed, strict=False))
    without = np.sum([s * v for s, v in zip(signs, left, strict=False)], axis=0)
    found = jackknife(value, without, table.strata, n_clusters - 1)
    if n_clusters < LEAST_CLUSTERS or found is None or not found.error:
        return _without(made, "it rests on too few clusters; run more items")
    half = t_quantile(level, found.degrees) * found.error
    p_value = student_p(value / found.error, found.degrees) if len(conditions) > 1 else math.nan
    return Threshold(conditions[0], value, value - half, value + half, p_value, n_items, n_clusters)


def _without(made: Threshold, reason: str) -> Threshold:
    return Threshold(
        made.condition, n_items=made.n_items, n_clusters=made.n_clusters, reason=reason
    )


def _why_no_curve(right: Floats, asked: Floats, guess: Floats) -> str:
    """Why there is no curve through these counts; empty where there may be one."""
    if right.sum() >= asked.sum():
        return "all answers are right; run higher levels"
    if right.sum() <= 0:
        return "no answer is right; run lower levels"
    shares = right / asked
    half = guess + (1 - guess) / 2
    if (shares > half).all():
        return "more than half of what is above chance is right at every level; run higher levels"
    if (shares < half).all():
        return "less than half of what is above chance is right at every level; run lower levels"
    return ""


def fit_thresholds(right: Floats, asked: Floats, levels: Floats, guess: Floats) -> Floats:
    """The threshold of each row of counts by level; nan where no falling curve fits.

    `guess` is the floor at each level.
    """
    centre = float(levels.mean())
    x = levels - centre
    reach = float(np.abs(x).max())
    # Intercept and slope: at first a curve that falls through the middle.
    at, by = np.zeros(len(right)), np.full(len(right), -0.5)
    p, share = _curve(at, by, x, guess)
    likelihood = _likelihood(p, right, asked)
    scale, moved = np.ones(len(right)), np.full(len(right), np.inf)
    for _ in range(_ROUNDS):
        steep = (1 - guess) * share * (1 - share)
        score = (right - asked * p) / (p * (1 - p)) * steep
        weight = asked * steep**2 / (p * (1 - p)) + 1e-9
        i0, i1, i2 = weight.sum(1), (weight * x).sum(1), (weight * x * x).sum(1)
        s0, s1 = score.sum(1), (score * x).sum(1)
        determinant = np.maximum(i0 * i2 - i1 * i1, 1e-12)
        up, turn = (i2 * s0 - i1 * s1) / determinant, (i0 * s1 - i1 * s0) / determinant
        size = np.maximum(np.abs(up), np.abs(turn) * reach)
        step = scale * np.minimum(1.0, _STEP / np.maximum(size, 1e-12))
        nexts = at + step * up, np.clip(by + step * turn, -_STEEPEST, _STEEPEST)
        p_next, share_next = _curve(*nexts, x, guess)
        found = _likelihood(p_next, right, asked)
        # A step that fits worse is not taken, and the next is half as long.
        better = found >= likelihood - 1e-12
        scale = np.where(better, np.minimum(1.0, 2 * scale), scale / 2)
        # How far the threshold came; a curve that is nearly a step grows steeper for long.
        apart = np.abs(nexts[0] / _nonzero(nexts[1]) - at / _nonzero(by))
        moved = np.where(better, apart, np.where(size * scale < _CLOSE, 0.0, moved))
        at, by = np.where(better, nexts[0], at), np.where(better, nexts[1], by)
        p = np.where(better[:, None], p_next, p)
        share = np.where(better[:, None], share_next, share)
        likelihood = np.where(better, found, likelihood)
        if (moved < _CLOSE).all():
            break
    # A step between two levels is as steep as can be: its place is known all the same.
    fits = (by < 0) & ((moved < 1e-3) | (by <= -_STEEPEST))
    return np.where(fits, centre - at / _nonzero(by), np.nan)


def _nonzero(slope: Floats) -> Floats:
    return np.where(slope == 0, -1e-12, slope)


def _curve(at: Floats, by: Floats, x: Floats, guess: Floats) -> tuple[Floats, Floats]:
    """The chance of a right answer at each level, and how much of it is known."""
    share = 1 / (1 + np.exp(-np.clip(at[:, None] + by[:, None] * x, -30, 30)))
    return np.clip(guess + (1 - guess) * share, 1e-9, 1 - 1e-9), share


def _likelihood(p: Floats, right: Floats, asked: Floats) -> Floats:
    return np.asarray((right * np.log(p) + (asked - right) * np.log(1 - p)).sum(axis=1))

"""Format bias: how well formats are followed, and how far performance varies over them.

FI is the share of replies that follow their format, SysE the mean score of all replies, EstTrue
their ratio (Eq. 5), BiasF the variance of EstTrue over formats (Eq. 8). Rates are fractions;
BiasF and the variance of FI are in squared percentage points, as the paper prints them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
import pandas as pd

from askew.metrics.format_cells import ALL, Arm, Cells, Scope, prepared
from askew.metrics.stats import Floats, t_quantile, wilson
from askew.metrics.tables import (
    DEFAULT_INTERVAL,
    Analysis,
    Counts,
    Interval,
    Key,
    Quantity,
    Totals,
    metric_table,
    ratio,
)

MARGIN = 0.05
CONFIDENCE = 0.95
_LEVELS = ("subset", "category", "format", "prompting", "demos", "repeat")
# One point squared in squared percentage points.
_POINTS = 100.0**2
_BIAS_METRICS = ("bias_f", "bias_f_over_followed")


def est_true(
    systematic: float, format_following: float, *, zero_filled: bool = False
) -> float:
    """Estimated true score: the systematic score per reply that follows the format (Eq. 5).

    Args:
        systematic: SysE, in percent or as a fraction; the result has its unit.
        format_following: FI, as a fraction, or in percent (any number above 1).
        zero_filled: 0, as the paper has it, instead of nan where no reply follows the format.
    """
    if not format_following > 0:
        return 0.0 if zero_filled and format_following == 0 else math.nan
    return systematic / (format_following / 100 if format_following > 1 else format_following)


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
    return k / n_total >= fi_needed(float(np.std(scores, ddof=1)), k, n_total, margin, level)


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
    if deviation < 1e-9:
        return 0.0
    t = t_quantile(level if level >= 0.5 else 1 - level, k - 1)
    return 1 / (1 + n_total * (margin / (t * deviation)) ** 2)


def bias_f(scores: Iterable[float]) -> float:
    """Population variance of scores over formats (Eq. 8), in the square of their unit."""
    values = np.asarray(list(scores), dtype=float)
    return float(np.var(values)) if values.size else math.nan


def format_bias(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
    *,
    zero_filled: bool = False,
    margin: float = MARGIN,
    level: float = CONFIDENCE,
) -> pd.DataFrame:
    """Format bias per cell, per format and per category of formats, for every arm.

    A cell is one paper task, format and prompting. `subset`, `format` and `prompting` are "all"
    where a row averages over them, without weights, as the paper does. Arms (`demos`, `repeat`)
    are never mixed. BiasF rests on the items that were scored in every format; the other
    metrics on all observations of their cells.

    Args:
        observations: rows with `category`, `format`, `prompting`, `demos`, `repeat`,
            `format_ok` and `score` beside the common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
        zero_filled: count EstTrue as 0, as the paper does, where no reply follows a format.
        margin: the margin of error of Theorem 3.1.
        level: its confidence level.
    """
    options = _Options(zero_filled, margin, level)
    analyse = partial(_analyse, options=options)
    table = metric_table(prepared(observations), by, _LEVELS, analyse, interval)
    is_bias = table["metric"].isin(_BIAS_METRICS) & table["low"].notna()
    # The corrected interval need not hold the uncorrected value: show no value outside its own.
    table.loc[is_bias, "low"] = table.loc[is_bias, ["low", "value"]].min(axis=1)
    table.loc[is_bias, "high"] = table.loc[is_bias, ["high", "value"]].max(axis=1)
    return table


@dataclass(frozen=True)
class _Options:
    zero_filled: bool
    margin: float
    level: float


def _analyse(rows: pd.DataFrame, options: _Options) -> Analysis:
    cells = Cells(rows)
    point = _quantities(cells, cells.table.point(), options)

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        if len(totals) == 1:
            return point
        resampled = _quantities(cells, totals, options)
        return {
            key: _corrected(point[key], quantity) if key[0] in _BIAS_METRICS else quantity
            for key, quantity in resampled.items()
        }

    return Analysis(cells.table, statistic, {})


def _corrected(point: Quantity, resampled: Quantity) -> Quantity:
    """Replicates mirrored at the point value: noise adds to a variance, in every resample anew.

    A variance of estimates exceeds the true one by the estimates' noise, and a resample's by
    twice that; the mirrored (basic) bootstrap takes it off again.
    """
    mirrored = np.maximum(0.0, 2 * point.values - resampled.values)
    return Quantity(mirrored, bounds=point.bounds, counts=point.counts)


def _quantities(cells: Cells, totals: Totals, options: _Options) -> dict[Key, Quantity]:
    quantities: dict[Key, Quantity] = {}
    for arm in cells.arms:
        for cell in cells.of_arm(arm):
            quantities |= _cell_quantities(cells, totals, cell, arm, options)
        for category in cells.categories(arm):
            for scope in cells.scopes(category, arm):
                quantities |= _scope_quantities(cells, totals, category, scope, arm, options)
    return quantities


def _cell_quantities(
    cells: Cells, totals: Totals, cell: Key, arm: Arm, options: _Options
) -> dict[Key, Quantity]:
    category, subset, name, prompting = cell
    at: Key = (subset, category, name, prompting, *arm)
    counts = cells.counts(("category", "subset", "format", "prompting"), (*cell, *arm))
    key: Key = ("all", *cell, *arm)
    est = _est_true(totals, key, options)
    unfollowed = f"no reply followed {name} in {subset} {prompting}"
    quantities = {
        ("fi", *at): _rate(totals.ratio((*key, "format_ok"), (*key, "n")), counts),
        ("sys_e", *at): _rate(totals.ratio((*key, "score"), (*key, "n")), counts),
        ("est_true", *at): _composite(est, counts, unfollowed),
        ("est_true_strict", *at): _composite(
            totals.ratio((*key, "ok_score"), (*key, "format_ok")), counts, unfollowed
        ),
    }
    if cells.has_published_map(subset):
        published = totals.ratio((*key, "map_as_published"), (*key, "n"))
        quantities[("map_as_published", *at)] = _rate(published, counts)
    if len(totals) == 1:
        quantities |= _reliability(totals, key, at, counts, options)
    return quantities


def _reliability(
    totals: Totals, key: Key, at: Key, counts: Counts, options: _Options
) -> dict[Key, Quantity]:
    """Theorem 3.1 for one cell: marks, not estimates, so without intervals."""
    n_total, k = int(totals[(*key, "n")][0]), int(totals[(*key, "format_ok")][0])
    total, squares = totals[(*key, "ok_score")][0], totals[(*key, "ok_score_squared")][0]
    variance = max(0.0, (squares - total * total / k) / (k - 1)) if k > 1 else math.nan
    needed = fi_needed(math.sqrt(variance), k, n_total, options.margin, options.level)
    few = "fewer than two replies follow the format"
    return {
        ("est_true_reliable", *at): _mark(float(k > 1 and k / n_total >= needed), counts),
        ("est_true_constant", *at): _mark(float(k > 1 and variance < 1e-18), counts),
        ("fi_needed", *at): Quantity(np.array([needed]), reason=few, counts=counts),
    }


def _scope_quantities(
    cells: Cells, totals: Totals, category: str, scope: Scope, arm: Arm, options: _Options
) -> dict[Key, Quantity]:
    """Averages over the cells of a scope, for each format, and the variance over formats."""
    at: Key = (scope.subset, category)
    tail: Key = (scope.prompting, *arm)
    names = cells.formats(category, arm)
    inside = cells.inside(category, scope, arm)
    quantities: dict[Key, Quantity] = {}
    for name in names if len(inside) > 1 or scope.is_whole else ():
        keys = [("all", category, s, name, p, *arm) for s, p in inside]
        keys = [k for k in keys if (*k, "n") in totals]
        counts = cells.scope_counts(category, scope, name, arm)
        level: Key = (*at, name, *tail)
        for metric, number in (("fi", "format_ok"), ("sys_e", "score")):
            mean = np.mean([totals.ratio((*k, number), (*k, "n")) for k in keys], axis=0)
            quantities[(metric, *level)] = _composite(mean, counts)
        est = np.mean([_est_true(totals, k, options) for k in keys], axis=0)
        reason = _unfollowed(totals, keys)
        quantities[("est_true", *level)] = _composite(est, counts, reason)
    overall: Key = (*at, ALL, *tail)
    for metric, quantity in _bias_quantities(
        cells, totals, category, scope, arm, options
    ).items():
        quantities[(metric, *overall)] = quantity
    if len(totals) == 1 and scope.is_whole:
        share = cells.reliable_share(quantities_of=lambda c: _is_reliable(totals, c, arm, options),
                                     category=category, arm=arm)
        quantities[("reliable_share", *overall)] = _mark(share, Counts(0))
    return quantities

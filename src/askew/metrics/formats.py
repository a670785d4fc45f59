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

from askew.metrics.format_blocks import ALL, Block, Scope, blocks_of, prepared
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
# A variance of fractions in squared percentage points.
_POINTS = 100.0**2
_BIAS_METRICS = ("bias_f", "bias_f_over_followed")


def est_true(systematic: float, format_following: float, *, zero_filled: bool = False) -> float:
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
    analyse = partial(_analyse, options=_Options(zero_filled, margin, level))
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
    table, blocks = blocks_of(rows)

    def quantities_of(totals: Totals) -> dict[Key, Quantity]:
        return {k: q for b in blocks for k, q in _quantities(b, totals, options).items()}

    point = quantities_of(table.point())

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        if len(totals) == 1:
            return point
        resampled = quantities_of(totals)
        for key in resampled:
            if key[0] in _BIAS_METRICS:
                resampled[key] = _mirrored(point[key], resampled[key])
        return resampled

    return Analysis(table, statistic, {})


def _mirrored(point: Quantity, resampled: Quantity) -> Quantity:
    """Replicates mirrored at the point value, which is the basic bootstrap.

    The variance of estimates exceeds that of the true scores by the estimates' own noise, and a
    resample's by twice that: mirroring takes it off again, so that no bias can be found.
    """
    return Quantity(np.maximum(0.0, 2 * point.values - resampled.values))


def _quantities(block: Block, totals: Totals, options: _Options) -> dict[Key, Quantity]:
    quantities: dict[Key, Quantity] = {}
    arm: Key = (block.demos, block.repeat)
    shares = _shares(block, totals, ALL, options)
    for f, name in enumerate(block.formats):
        for c, (subset, prompting) in enumerate(block.cells):
            if (f, c) in block.items:
                at: Key = (subset, block.category, name, prompting, *arm)
                for metric, quantity in _cell(block, totals, shares, f, c, options).items():
                    quantities[(metric, *at)] = quantity
    for scope in block.scopes():
        for f, name in enumerate(block.formats):
            at = (scope.subset, block.category, name, scope.prompting, *arm)
            for metric, quantity in _of_format(block, shares, f, scope).items():
                quantities[(metric, *at)] = quantity
        at = (scope.subset, block.category, ALL, scope.prompting, *arm)
        for metric, quantity in _over_formats(block, totals, shares, scope, options).items():
            quantities[(metric, *at)] = quantity
    return quantities


@dataclass(frozen=True)
class _Shares:
    """Rates of a block: formats by cells by resamples, nan where nothing was asked."""

    fi: Floats
    sys_e: Floats
    est_true: Floats
    followed: Floats


def _shares(block: Block, totals: Totals, part: str, options: _Options) -> _Shares:
    n, ok, score = (block.sums(totals, name, part) for name in ("n", "format_ok", "score"))
    est = ratio(score, ok)
    if options.zero_filled:
        est = np.where((ok == 0) & (n > 0), 0.0, est)
    return _Shares(ratio(ok, n), ratio(score, n), est, ok)


def _cell(
    block: Block, totals: Totals, shares: _Shares, f: int, c: int, options: _Options
) -> dict[str, Quantity]:
    counts = block.counts(f, (c,))
    unfollowed = f"no reply followed {block.formats[f]} in {' '.join(block.cells[c])}"
    ok = block.sum(totals, "format_ok", f, c)
    strict = ratio(block.sum(totals, "ok_score", f, c), ok)
    quantities = {
        "fi": Quantity(shares.fi[f, c], is_rate=True, counts=counts),
        "sys_e": Quantity(shares.sys_e[f, c], is_rate=True, counts=counts),
        "est_true": _bounded(shares.est_true[f, c], counts, unfollowed),
        "est_true_strict": _bounded(strict, counts, unfollowed),
    }
    published = ratio(
        block.sum(totals, "map_as_published", f, c), block.sum(totals, "n", f, c)
    )
    if not np.isnan(published).all():
        quantities["map_as_published"] = Quantity(published, is_rate=True, counts=counts)
    if len(totals) == 1:
        quantities |= _reliability(block, totals, f, c, options)
    return quantities


def _reliability(
    block: Block, totals: Totals, f: int, c: int, options: _Options
) -> dict[str, Quantity]:
    """Theorem 3.1 for one cell: marks rather than estimates, so they get no interval."""
    names = ("n", "format_ok", "ok_score", "ok_score_squared")
    n_total, k, total, squares = (float(block.sum(totals, name, f, c)[0]) for name in names)
    variance = max(0.0, (squares - total * total / k) / (k - 1)) if k > 1 else math.nan
    needed = fi_needed(math.sqrt(variance), int(k), int(n_total), options.margin, options.level)
    counts = block.counts(f, (c,))
    marks = {
        "est_true_reliable": float(k > 1 and k / n_total >= needed),
        "est_true_constant": float(k > 1 and variance < 1e-18),
        "fi_needed": needed,
    }
    few = "fewer than two replies follow the format"
    return {m: Quantity(np.array([v]), reason=few, counts=counts) for m, v in marks.items()}


def _of_format(block: Block, shares: _Shares, f: int, scope: Scope) -> dict[str, Quantity]:
    """Unweighted means of one format over the cells of a scope."""
    inside = list(scope.cells)
    counts = block.counts(f, scope.cells)
    missing = _missing(block, shares, scope, [f])
    return {
        "fi": _bounded(shares.fi[f, inside].mean(axis=0), counts, missing),
        "sys_e": _bounded(shares.sys_e[f, inside].mean(axis=0), counts, missing),
        "est_true": _bounded(shares.est_true[f, inside].mean(axis=0), counts, missing),
    }


def _over_formats(
    block: Block, totals: Totals, shares: _Shares, scope: Scope, options: _Options
) -> dict[str, Quantity]:
    """Means over formats, and the variances over formats, on items scored in every format."""
    if block.whole_part != ALL:
        shares = _shares(block, totals, block.whole_part, options)
    inside = list(scope.cells)
    counts = block.whole_counts(scope.cells)
    fi, est = shares.fi[:, inside].mean(axis=1), shares.est_true[:, inside].mean(axis=1)
    missing = _missing(block, shares, scope, range(len(block.formats)))
    if len(block.formats) < 2:
        missing = f"only {block.formats[0]} was asked: there is nothing to compare it with"
        alone = np.full(len(totals), np.nan)
    followed, n_followed = _over_followed(shares.est_true[:, inside])
    spread = est.var(axis=0) * _POINTS if len(block.formats) > 1 else alone
    quantities = {
        "bias_f": _variance(spread, counts, missing),
        "bias_f_over_followed": _variance(followed, counts, "fewer than two formats followed"),
        "fi": _bounded(fi.mean(axis=0), counts, missing),
        "est_true": _bounded(est.mean(axis=0), counts, missing),
        "fi_variance": _variance(fi.var(axis=0) * _POINTS, counts, missing),
    }
    if len(totals) == 1:
        marks = {
            "n_formats": float(len(block.formats)),
            "n_formats_followed": float(n_followed[0]),
            "reliable_share": _reliable_share(block, totals, scope, options),
        }
        quantities |= {m: Quantity(np.array([v]), counts=counts) for m, v in marks.items()}
    return quantities


def _over_followed(est: Floats) -> tuple[Floats, Floats]:
    """Variance over the formats that some reply followed, each over the cells where one did."""
    known = ~np.isnan(est)
    n_cells = known.sum(axis=1)
    mean = ratio(np.where(known, est, 0.0).sum(axis=1), n_cells.astype(float))
    n_formats = (~np.isnan(mean)).sum(axis=0)
    centre = ratio(np.nansum(mean, axis=0), n_formats.astype(float))
    spread = ratio(np.nansum((mean - centre) ** 2, axis=0), n_formats.astype(float))
    return np.where(n_formats > 1, spread * _POINTS, np.nan), n_formats.astype(float)


def _reliable_share(block: Block, totals: Totals, scope: Scope, options: _Options) -> float:
    marks = [
        _reliability(block, totals, f, c, options)["est_true_reliable"].values[0]
        for f, c in block.items
        if c in scope.cells
    ]
    return float(np.mean(marks)) if marks else math.nan


def _missing(block: Block, shares: _Shares, scope: Scope, formats: Iterable[int]) -> str:
    """Why a mean over cells is not defined: what was not asked, or not followed."""
    chosen = list(formats)
    reasons = {"not asked": [], "no item was answered in every format": []}  # type: ignore
    return str(reasons) if chosen else ""

"""Format bias: from the sums of a block to its numbers, cell by cell and averaged."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
import pandas as pd

from askew.papers.format_bias.formulas import fi_needed
from askew.papers.format_bias.numbers_blocks import ALL, Block, Scope, blocks_of
from askew.statistics.intervals import Floats, wilson
from askew.statistics.tables import Analysis, Counts, Key, Quantity, Totals, ratio

BIAS_METRICS = ("bias_f", "bias_f_over_followed")
# A variance of fractions in squared percentage points.
_POINTS = 100.0**2
# How many places a reason names before it only counts the rest.
_NAMED = 4


@dataclass(frozen=True)
class Options:
    """Which reading of the definitions: see `format_bias`."""

    zero_filled: bool
    margin: float
    level: float
    pooled_only: bool = False


def analysis_of(rows: pd.DataFrame, options: Options) -> Analysis:
    """The sums behind prepared rows of one group, and the numbers that follow from them."""
    table, blocks = blocks_of(rows)

    def quantities_of(totals: Totals) -> dict[Key, Quantity]:
        return {k: q for b in blocks for k, q in _quantities(b, totals, options).items()}

    point = quantities_of(table.point())

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        if len(totals) == 1:
            return point
        resampled = quantities_of(totals)
        for key in resampled:
            if key[0] in BIAS_METRICS:
                values = without_noise(float(point[key].values[0]), resampled[key].values)
                resampled[key] = Quantity(np.maximum(0.0, values))
        return resampled

    return Analysis(table, statistic, {})


def without_noise(point: float, resampled: Floats) -> Floats:
    """Replicates of a variance of estimates, moved down by the noise that resampling adds.

    The variance of estimated scores exceeds that of the true ones by the estimates' own noise;
    a resample's exceeds it by twice that. The mean excess of the resamples over the point value
    is that noise once, so it is taken off twice. In simulations the percentile interval of the
    rest covers the true BiasF 94 to 100 times in 100, also where it is 0, which the plain
    percentile interval never holds.
    """
    known = resampled[~np.isnan(resampled)]
    excess = float(known.mean()) - point if known.size else 0.0
    return np.asarray(resampled - 2 * excess, dtype=float)


def _quantities(block: Block, totals: Totals, options: Options) -> dict[Key, Quantity]:
    quantities: dict[Key, Quantity] = {}
    arm: Key = (block.demos, block.repeat)
    shares = shares_of(block, totals, options)
    whole = shares_of(block, totals, options, block.whole_part)
    marked = len(totals) == 1 and not options.pooled_only
    marks = _reliability(block, totals, options) if marked else {}
    for f, c in () if options.pooled_only else block.items:
        subset, prompting = block.cells[c]
        at: Key = (subset, block.category, block.formats[f], prompting, *arm)
        for metric, quantity in (_of_cell(block, shares, f, c) | marks.get((f, c), {})).items():
            quantities[(metric, *at)] = quantity
    for scope in islice(block.scopes(), 1 if options.pooled_only else None):
        for f, name in enumerate(block.formats):
            at = (scope.subset, block.category, name, scope.prompting, *arm)
            for metric, quantity in _of_format(block, shares, f, scope).items():
                quantities[(metric, *at)] = quantity
        at = (scope.subset, block.category, ALL, scope.prompting, *arm)
        over = _over_formats(block, whole, scope)
        if marks:
            over |= _marks_over(block, shares, marks, scope)
        for metric, quantity in over.items():
            quantities[(metric, *at)] = quantity
    return quantities


@dataclass(frozen=True)
class Shares:
    """Rates of a block: formats by cells by resamples, nan where nothing was asked."""

    fi: Floats
    sys_e: Floats
    est_true: Floats
    est_true_strict: Floats
    map_as_published: Floats
    n: Floats
    followed: Floats


def shares_of(block: Block, totals: Totals, options: Options, part: str = ALL) -> Shares:
    n, ok, score, ok_score, published, has_map = (
        block.sums(totals, name, part)
        for name in ("n", "format_ok", "score", "ok_score", "map_as_published", "has_map")
    )
    est, strict = ratio(score, ok), ratio(ok_score, ok)
    if options.zero_filled:
        unfollowed = (ok == 0) & (n > 0)
        est, strict = np.where(unfollowed, 0.0, est), np.where(unfollowed, 0.0, strict)
    return Shares(ratio(ok, n), ratio(score, n), est, strict, ratio(published, has_map), n, ok)


def _of_cell(block: Block, shares: Shares, f: int, c: int) -> dict[str, Quantity]:
    counts = block.counts(f, (c,))
    unfollowed = f"no reply followed {_place(block, f, c)}"
    quantities = {
        "fi": Quantity(shares.fi[f, c], is_rate=True, counts=counts),
        "sys_e": Quantity(shares.sys_e[f, c], is_rate=True, counts=counts),
        "est_true": _bounded(shares.est_true[f, c], counts, unfollowed),
        "est_true_strict": _bounded(shares.est_true_strict[f, c], counts, unfollowed),
    }
    published = shares.map_as_published[f, c]
    if not np.isnan(published).all():
        quantities["map_as_published"] = Quantity(published, is_rate=True, counts=counts)
    return quantities


Marks = Mapping[tuple[int, int], Mapping[str, Quantity]]


def _reliability(
    block: Block, totals: Totals, options: Options
) -> dict[tuple[int, int], dict[str, Quantity]]:
    """Theorem 3.1 for every cell: marks rather than estimates, so they get no interval."""
    names = ("n", "format_ok", "ok_score", "ok_score_squared")
    n_total, k, total, squares = (block.sums(totals, name)[:, :, 0] for name in names)
    marks = {}
    for f, c in block.items:
        n, followed = int(n_total[f, c]), int(k[f, c])
        variance = math.nan
        if followed > 1:
            spread = squares[f, c] - total[f, c] ** 2 / followed
            variance = max(0.0, float(spread) / (followed - 1))
        deviation = math.sqrt(variance)
        needed = fi_needed(deviation, followed, n, options.margin, options.level)
        values = {
            "est_true_reliable": float(followed > 1 and followed / n >= needed),
            "est_true_constant": float(needed == 0.0),
            "fi_needed": needed,
        }
        counts, few = block.counts(f, (c,)), "fewer than two replies follow the format"
        marks[f, c] = {
            m: Quantity(np.array([v]), reason=few, counts=counts) for m, v in values.items()
        }
    return marks


def _of_format(block: Block, shares: Shares, f: int, scope: Scope) -> dict[str, Quantity]:
    """Unweighted means of one format over the cells of a scope."""
    inside = list(scope.cells)
    counts = block.counts(f, scope.cells)
    missing = missing_from(block, shares, scope, [f])
    return {
        "fi": _bounded(shares.fi[f, inside].mean(axis=0), counts, missing),
        "sys_e": _bounded(shares.sys_e[f, inside].mean(axis=0), counts, missing),
        "est_true": _bounded(shares.est_true[f, inside].mean(axis=0), counts, missing),
    }


def _over_formats(block: Block, shares: Shares, scope: Scope) -> dict[str, Quantity]:
    """Means and variances over formats, on the items that were scored in every format."""
    inside = list(scope.cells)
    counts = block.whole_counts(scope.cells)
    missing = missing_from(block, shares, scope, range(len(block.formats)))
    fi, sys_e, est = (
        rate[:, inside].mean(axis=1) for rate in (shares.fi, shares.sys_e, shares.est_true)
    )
    quantities = {
        "fi": _bounded(fi.mean(axis=0), counts, missing),
        "sys_e": _bounded(sys_e.mean(axis=0), counts, missing),
        "est_true": _bounded(est.mean(axis=0), counts, missing),
    }
    spreads = {"bias_f": est.var(axis=0), "fi_variance": fi.var(axis=0)}
    if len(block.formats) < 2:
        missing = f"only {block.formats[0]} was asked: there is nothing to compare it with"
        spreads = {name: np.full_like(spread, np.nan) for name, spread in spreads.items()}
    spreads["bias_f_over_followed"] = _over_followed(shares.est_true[:, inside])
    for name, spread in spreads.items():
        quantities[name] = _variance(
            spread * _POINTS, counts, missing or "too few formats followed"
        )
    return quantities


def _over_followed(est: Floats) -> Floats:
    """Variance over the formats that some reply followed, each over the cells where one did."""
    known = ~np.isnan(est)
    mean = ratio(np.where(known, est, 0.0).sum(axis=1), known.sum(axis=1).astype(float))
    n_formats = (~np.isnan(mean)).sum(axis=0).astype(float)
    centre = ratio(np.nansum(mean, axis=0), n_formats)
    spread = ratio(np.nansum((mean - centre) ** 2, axis=0), n_formats)
    return np.where(n_formats > 1, spread, np.nan)


def _marks_over(block: Block, shares: Shares, marks: Marks, scope: Scope) -> dict[str, Quantity]:
    """What the numbers of a scope rest on: formats asked and followed, reliable cells."""
    inside = [at for at in block.items if at[1] in scope.cells]
    reliable = [marks[at]["est_true_reliable"].values[0] for at in inside]
    followed = (shares.followed[:, list(scope.cells), 0].sum(axis=1) > 0).sum()
    values = {
        "n_formats": float(len({f for f, _ in inside})),
        "n_formats_followed": float(followed),
        "reliable_share": float(np.mean(reliable)),
    }
    counts = block.whole_counts(scope.cells)
    return {m: Quantity(np.array([v]), counts=counts) for m, v in values.items()}


def missing_from(block: Block, shares: Shares, scope: Scope, formats: Iterable[int]) -> str:
    """Why a mean over the cells of a scope is not defined; empty where it is."""
    places = [(f, c) for f in formats for c in scope.cells]
    unasked = [at for at in places if at not in block.items]
    unscored = [at for at in places if at not in unasked and not shares.n[at].any()]
    unfollowed = [at for at in places if shares.n[at].any() and not shares.followed[at].any()]
    reasons = [
        f"{what} {_named(block, found)}"
        for what, found in (
            ("not asked:", unasked),
            ("no item was scored in every format:", unscored),
            ("no reply followed", unfollowed),
        )
        if found
    ]
    return "; ".join(reasons)


def _named(block: Block, places: Sequence[tuple[int, int]]) -> str:
    named = ", ".join(_place(block, f, c) for f, c in places[:_NAMED])
    more = len(places) - _NAMED
    return f"{named} and {more} more" if more > 0 else named


def _place(block: Block, f: int, c: int) -> str:
    return f"{block.formats[f]} in {' '.join(block.cells[c])}"


def _bounded(values: Floats, counts: Counts, reason: str) -> Quantity:
    """A mean from 0 to 1; EstTrue can exceed 1 where unformatted replies score."""
    most = max(1.0, float(values[0])) if not math.isnan(values[0]) else 1.0
    return Quantity(values, bounds=(0.0, most), reason=reason, counts=counts)


def _variance(values: Floats, counts: Counts, reason: str) -> Quantity:
    """A variance of scores; where nothing varied, it may be what scores at Wilson's bound have.

    Scores that lie anywhere within a band have at most the variance of half of them at each end.
    """
    band = wilson(0.0, counts.n_units)[1] if counts.n_units else 0.0
    value = 0.0 if math.isnan(values[0]) else float(values[0])
    return Quantity(values, bounds=(0.0, value + band * _POINTS / 4), reason=reason, counts=counts)

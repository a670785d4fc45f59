"""Scores of formats by cell, and what the paper makes of them: means over cells, formats, models.

Arrays are formats by cells by resamples (one resample for the point value). A mean over models is
one over all of their cells: they are as many of each, so the order of averaging does not matter.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from askew.papers.format_bias.blocks import PUBLISHED_SUMS, Block
from askew.stats.intervals import Floats
from askew.stats.tables import OVERALL, Totals, ratio

# A variance of fractions in squared percentage points.
POINTS = 100.0**2
# Means over cells, which the paper prints by format.
MEANS = ("fi", "sys_e", "est_true")
AS_PUBLISHED = ("fi_as_published", "est_true_as_published")
# What varies over formats, and what that is called.
VARYING = ("est_true", "fi", "est_true_as_published")
SPREADS = ("bias_f", "fi_variance", "bias_f_as_published", "bias_f_over_followed")


@dataclass(frozen=True)
class Definitions:
    """Which reading of the definitions: see `format_bias`."""

    zero_filled: bool
    margin: float
    level: float
    pooled_only: bool = False


Shares = Mapping[str, Floats]
"""Rates of a block by metric, "n" and "followed" among them: formats by cells by resamples, nan
where nothing was asked."""


def shares_of(
    block: Block, totals: Totals, definitions: Definitions, part: str = OVERALL
) -> Shares:
    names = ("n", "format_ok", "score", "ok_score", *PUBLISHED_SUMS)
    sums = {name: block.sums(totals, name, part) for name in names}
    n, ok, score = sums["n"], sums["format_ok"], sums["score"]
    est = {"est_true": ratio(score, ok), "est_true_strict": ratio(sums["ok_score"], ok)}
    rates = {"fi": ratio(ok, n), "sys_e": ratio(score, n)}
    followed, theirs = {}, ok
    if any((sums[has] > 0).any() for has in PUBLISHED_SUMS[1::2]):
        # What is no ranking is read the same; a ranking without its published reading has none.
        ranked = sums["has_map"] > 0
        theirs = np.where(ranked, sums["format_ok_as_published"], ok)
        # A resample counts each drawn reply as one or a little more.
        theirs[ranked & (sums["has_format_ok_as_published"] < n - 0.5)] = np.nan
        rates["fi_as_published"] = ratio(theirs, n)
        rates["map_as_published"] = ratio(sums["map_as_published"], sums["has_map"])
        mapped = np.where(ranked, sums["map_as_published"], score)
        est["est_true_as_published"] = ratio(mapped, theirs)
        followed["est_true_as_published"] = theirs
    if definitions.zero_filled:
        none = {name: (followed.get(name, ok) == 0) & (n > 0) for name in est}
        est = {name: np.where(none[name], 0.0, value) for name, value in est.items()}
    return {**rates, **est, "n": n, "followed": ok, "followed_as_published": theirs}


def as_published(shares: Shares, f: int | slice, cells: Sequence[int]) -> bool:
    """Whether some of these cells are of rankings whose published reading is known."""
    if "map_as_published" not in shares:
        return False
    known = [~np.isnan(shares[m][f, list(cells)]) for m in ("map_as_published", "fi_as_published")]
    return bool((known[0] & known[1]).any())


def in_cells(shares: Shares, cells: Sequence[int]) -> Shares:
    """The shares of some cells."""
    return {name: values[:, list(cells)] for name, values in shares.items()}


def over_models(each: Sequence[tuple[Sequence[str], Shares]]) -> Shares:
    """The cells of several models beside each other, each with its formats in its own order.

    Formats that a model was not asked are left out: numbers that need them are not defined.
    """
    shared = [name for name in each[0][0] if all(name in formats for formats, _ in each)]
    rows = [[list(formats).index(name) for name in shared] for formats, _ in each]
    metrics = [m for m in each[0][1] if all(m in shares for _, shares in each)]
    return {
        metric: np.concatenate(
            [shares[metric][own] for own, (_, shares) in zip(rows, each, strict=True)], axis=1
        )
        for metric in metrics
    }


def over_cells(scores: Shares) -> dict[str, Floats]:
    """Unweighted means over cells, by format."""
    return {m: scores[m].mean(axis=1) for m in (*MEANS, *AS_PUBLISHED) if m in scores}


def over_formats(scores: Shares) -> dict[str, Floats]:
    """Variances over formats of their means over cells, in squared points; of one format none."""
    means = over_cells(scores)
    spreads = {
        spread: means[metric].var(axis=0)
        for spread, metric in zip(SPREADS, VARYING, strict=False)
        if metric in means
    }
    if len(means["fi"]) < 2:
        spreads = {name: np.full_like(spread, np.nan) for name, spread in spreads.items()}
    spreads["bias_f_over_followed"] = _over_followed(scores["est_true"])
    return {name: spread * POINTS for name, spread in spreads.items()}


def _over_followed(est: Floats) -> Floats:
    """Variance over the formats that some reply followed, each over the cells where one did."""
    known = ~np.isnan(est)
    mean = ratio(np.where(known, est, 0.0).sum(axis=1), known.sum(axis=1).astype(float))
    n_formats = (~np.isnan(mean)).sum(axis=0).astype(float)
    centre = ratio(np.nansum(mean, axis=0), n_formats)
    spread = ratio(np.nansum((mean - centre) ** 2, axis=0), n_formats)
    return np.where(n_formats > 1, spread, np.nan)

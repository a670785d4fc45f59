"""Scores of format bias as functions of sums: of a cell, over cells, and over formats."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping

import numpy as np

from askew.papers.format_bias.blocks import Scope
from askew.papers.format_bias.formulas import CONFIDENCE, MARGIN, fi_needed
from askew.stats.engine import Function, Sums
from askew.stats.intervals import Floats
from askew.stats.tables import ratio

# A variance of fractions in squared percentage points.
POINTS = 100.0**2
# Means over cells, which the paper prints by format.
MEANS = ("fi", "sys_e", "est_true")
AS_PUBLISHED = ("fi_as_published", "est_true_as_published")
# What varies over formats, by what that is called.
SPREADS = {
    "bias_f": "est_true",
    "fi_variance": "fi",
    "bias_f_as_published": "est_true_as_published",
}


def followed(cell: Sums) -> Floats:
    return cell["format_ok"]


def followed_as_published(cell: Sums) -> Floats:
    """What is no ranking is read the same; a ranking without its published reading has none."""
    ranked = cell["has_map"] > 0
    theirs = np.where(ranked, cell["format_ok_as_published"], cell["format_ok"])
    # A resample counts each drawn reply as one or a little more.
    unknown = ranked & (cell["has_format_ok_as_published"] < cell["n"] - 0.5)
    return np.where(unknown, np.nan, theirs)


def _map_or_score(cell: Sums) -> Floats:
    return np.where(cell["has_map"] > 0, cell["map_as_published"], cell["score"])


def scores_of(zero_filled: bool) -> dict[str, Function]:
    """Every score of a cell.

    Args:
        zero_filled: count EstTrue as 0 where no reply follows the format.
    """

    def est_true(hits: Function, of: Function) -> Function:
        def value(cell: Sums) -> Floats:
            n = cell.value(of)
            return np.where(zero_filled & (n == 0) & (cell["n"] > 0), 0.0, ratio(hits(cell), n))

        return value

    return {
        "fi": lambda cell: cell.ratio("format_ok"),
        "sys_e": lambda cell: cell.ratio("score"),
        "est_true": est_true(lambda cell: cell["score"], followed),
        "est_true_strict": est_true(lambda cell: cell["ok_score"], followed),
        "map_as_published": lambda cell: cell.ratio("map_as_published", "has_map"),
        "fi_as_published": lambda cell: ratio(cell.value(followed_as_published), cell["n"]),
        "est_true_as_published": est_true(_map_or_score, followed_as_published),
    }


def mean_over(scope: Scope, score: Function) -> Function:
    """The unweighted mean of a score over cells."""
    return lambda sums: np.mean([cell.value(score) for cell in sums.value(scope.parts)], axis=0)


def known_over(scope: Scope, score: Function) -> tuple[Function, Function]:
    """The sum of a score over the cells that have it, and how many have."""

    def known(sums: Sums) -> Floats:
        return np.array([cell.value(score) for cell in sums.value(scope.parts)])

    return (
        lambda sums: np.nansum(sums.value(known), axis=0),
        lambda sums: (~np.isnan(sums.value(known))).sum(axis=0).astype(float),
    )


def variance(means: Collection[Floats]) -> Floats:
    """The variance over formats of their means, in squared points; of one format none."""
    spread = np.asarray(np.var([*means], axis=0) * POINTS)
    return spread if len(means) > 1 else np.full_like(spread, np.nan)


def variance_of_known(means: Collection[Floats]) -> Floats:
    """The same over those formats that have a mean."""
    each = np.array([*means])
    n = (~np.isnan(each)).sum(axis=0).astype(float)
    centre = ratio(np.nansum(each, axis=0), n)
    spread = ratio(np.nansum((each - centre) ** 2, axis=0), n) * POINTS
    return np.where(n > 1, spread, np.nan)


def marks_of(margin: float = MARGIN, level: float = CONFIDENCE) -> Mapping[str, Function]:
    """Theorem 3.1 for a cell, as it was observed: marks rather than estimates."""

    def needed(cell: Sums) -> Floats:
        k, total = cell["format_ok"][0], cell["ok_score"][0]
        if k < 2:
            return np.array([math.nan])
        spread = max(0.0, cell["ok_score_squared"][0] - total**2 / k)
        n = int(cell["n"][0])
        return np.array([fi_needed(math.sqrt(spread / (k - 1)), int(k), n, margin, level)])

    def reliable(cell: Sums) -> Floats:
        return np.where(cell.value(needed) <= cell.ratio("format_ok"), 1.0, 0.0)

    def constant(cell: Sums) -> Floats:
        return np.where(cell.value(needed) == 0, 1.0, 0.0)

    return {"est_true_reliable": reliable, "est_true_constant": constant, "fi_needed": needed}

"""A number beside what it would be without the effect: permutation tests.

Noise alone makes a maximum, a spread or an absolute value larger than zero. Where conditions make
no difference, a cluster's replies under one might as well have come under another. So labels are
exchanged within clusters, or clusters trade the groups that they lie in.
"""

import math
from collections.abc import Callable, Hashable
from dataclasses import dataclass

import numpy as np

from askew.schema import Null
from askew.stats.clusters import ClusterTable, Key, Totals
from askew.stats.intervals import ROUNDING, Floats

# How many exchanges: p-values are steps of a five hundredth.
EXCHANGES = 499


@dataclass(frozen=True)
class NoEffect:
    """A number beside what it would be without the effect."""

    # With its noise taken off: 0 where that explains all of it, nan where it moves it both ways.
    value_debiased: float = math.nan
    null_mean: float = math.nan  # what a model without the effect shows on average
    null_q95: float = math.nan  # what it exceeds in one run of 20; falls below, if noise lowers it
    p_value: float = math.nan  # how often a model without the effect shows as much


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
    clean = noise_taken_off(np.array([value]), known, null)[0] if null.one_way else math.nan
    mean, q95 = float(known.mean()), float(np.quantile(known, 0.95))
    return NoEffect(float(clean), mean, q95, (1 + as_much) / (1 + known.size))


# Of a column: which columns it may trade places with, its label among them, and what it sums apart
# from both; None where it keeps its place.
Split = Callable[[Key], tuple[Hashable, Hashable, Hashable] | None]


def permute_labels_within(
    table: ClusterTable, draws: int = EXCHANGES, seed: int = 0, *, split: Split
) -> Totals:
    """Sums where each cluster has exchanged the conditions that it was asked in, one row a draw."""

    def moved(blocks: Floats, rng: np.random.Generator) -> Floats:
        found = np.zeros((draws, *blocks.shape[1:]))
        # Clusters that were asked in the same conditions exchange these.
        patterns, of = np.unique((blocks != 0).any(axis=2), axis=0, return_inverse=True)
        for i, pattern in enumerate(patterns):
            if pattern.any():
                own = blocks[np.ix_(of.ravel() == i, pattern)]
                found[:, pattern] += _shuffled_sums(own, draws, rng)
        return found

    return _permute(table, draws, seed, split, moved)


def permute_groups(
    table: ClusterTable, draws: int = EXCHANGES, seed: int = 0, *, split: Split
) -> Totals:
    """Sums where clusters have traded the groups that they lie in, which keep their sizes."""

    def moved(blocks: Floats, rng: np.random.Generator) -> Floats:
        is_in = (blocks != 0).any(axis=2)
        if (is_in.sum(axis=1) > 1).any():
            what = "clusters that lie in several groups can't trade places between groups"
            raise ValueError(what)
        inside = is_in.any(axis=1)
        group, own = is_in[inside].argmax(axis=1), blocks[inside].sum(axis=1)
        drawn = rng.permuted(np.tile(group, (draws, 1)), axis=1)
        return np.stack([(drawn == g) * 1.0 @ own for g in range(blocks.shape[1])], axis=1)

    return _permute(table, draws, seed, split, moved)


def sign_flip(table: ClusterTable, other: Floats, draws: int = EXCHANGES, seed: int = 0) -> Totals:
    """Sums where half of the clusters, at random, have the features `other`: the opposite ones."""
    rng = np.random.default_rng(seed)
    heads = rng.integers(0, 2, size=(draws, len(table.features))).astype(float)
    return Totals(heads @ other + (1 - heads) @ table.features, table.columns)


def _permute(
    table: ClusterTable, draws: int, seed: int, split: Split,
    moved: Callable[[Floats, np.random.Generator], Floats],
) -> Totals:  # fmt: skip
    """The sums; `moved` makes draws by labels by sums of what trades places, clusters first."""
    rng = np.random.default_rng(seed)
    totals = np.repeat(table.features.sum(axis=0, keepdims=True), draws, axis=0)
    found = {key: at for key in table.columns if (at := split(key)) is not None}
    padded = np.hstack([table.features, np.zeros((len(table.features), 1))])
    for group in dict.fromkeys(at[0] for at in found.values()):
        inside = {key: at[1:] for key, at in found.items() if at[0] == group}
        each = map(dict.fromkeys, zip(*inside.values(), strict=True))
        labels, sums = ({name: i for i, name in enumerate(names)} for names in each)
        # Each one's column; -1 where there is none.
        places = np.full((len(labels), len(sums)), -1, dtype=np.int64)
        for key, (label, name) in inside.items():
            places[labels[label], sums[name]] = table.columns[key]
        there = places >= 0
        totals[:, places[there]] = moved(padded[:, places], rng)[:, there]
    return Totals(totals, table.columns)


def _shuffled_sums(blocks: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draws by conditions by sums: over clusters, each with its conditions in new order."""
    # What a cluster has alike in all its conditions, such as how often it was asked, stays.
    alike = (blocks == blocks[:, :1]).all(axis=(1, 2))
    mixed = blocks[~alike]
    out = np.tile(blocks[alike].sum(axis=0), (draws, 1, 1))
    for draw in out:
        order = rng.random(blocks.shape[:2]).argsort(axis=1)[~alike]
        draw += np.take_along_axis(mixed, order[:, :, None], axis=1).sum(axis=0)
    return out

"""Sums whose labels have traded places: what is observed where an effect is absent.

Where conditions make no difference, a cluster's replies under one condition might as well have come
under another. Labels are exchanged within clusters (a cluster keeps its items and epochs together,
and with them whatever they share), or clusters trade the groups that they lie in: permutation
nulls.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

import numpy as np

from askew.stats.intervals import Floats, Ints
from askew.stats.nulls import EXCHANGES
from askew.stats.tables import ClusterTable, Key, Totals

# Of a column: which columns it may trade places with, its label among them, and what it sums apart
# from both; None where it keeps its place.
Split = Callable[[Key], tuple[Hashable, Hashable, Hashable] | None]
_CELLS_AT_ONCE = 2_000_000


def permute_labels_within(
    table: ClusterTable, draws: int = EXCHANGES, seed: int = 0, *, split: Split
) -> Totals:
    """Sums where every cluster's conditions have traded places, one row a draw.

    A cluster exchanges the conditions that it was asked in, so every condition keeps its clusters.
    """

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
            raise ValueError(
                "clusters that lie in several groups can't trade places between groups"
            )
        inside = is_in.any(axis=1)
        group, own = is_in[inside].argmax(axis=1), blocks[inside].sum(axis=1)
        drawn = rng.permuted(np.tile(group, (draws, 1)), axis=1)
        return np.stack([(drawn == g) * 1.0 @ own for g in range(blocks.shape[1])], axis=1)

    return _permute(table, draws, seed, split, moved)


def sign_flip(table: ClusterTable, other: Floats, draws: int = EXCHANGES, seed: int = 0) -> Totals:
    """Sums where half of the clusters, at random, are as they would be the other way round.

    `other` are the features that way: what was said and what is true, say, swapped.
    """
    rng = np.random.default_rng(seed)
    heads = rng.integers(0, 2, size=(draws, len(table.features))).astype(float)
    return Totals(heads @ other + (1 - heads) @ table.features, table.columns)


def _permute(
    table: ClusterTable, draws: int, seed: int, split: Split,
    moved: Callable[[Floats, np.random.Generator], Floats],
) -> Totals:  # fmt: skip
    """The sums with those that trade places as they are after that: draws by labels by sums."""
    rng = np.random.default_rng(seed)
    totals = np.repeat(table.features.sum(axis=0, keepdims=True), draws, axis=0)
    for blocks, places in _blocks(table, split):
        there = places >= 0
        totals[:, places[there]] = moved(blocks, rng)[:, there]
    return Totals(totals, table.columns)


def _blocks(table: ClusterTable, split: Split) -> Iterator[tuple[Floats, Ints]]:
    """Columns that trade places: clusters by labels by sums, and each one's column (-1: none)."""
    found = {key: at for key in table.columns if (at := split(key)) is not None}
    padded = np.hstack([table.features, np.zeros((len(table.features), 1))])
    for group in dict.fromkeys(at[0] for at in found.values()):
        inside = {key: at[1:] for key, at in found.items() if at[0] == group}
        labels, sums = (
            {name: i for i, name in enumerate(dict.fromkeys(names))}
            for names in zip(*inside.values(), strict=True)
        )
        places = np.full((len(labels), len(sums)), -1, dtype=np.int64)
        for key, (label, name) in inside.items():
            places[labels[label], sums[name]] = table.columns[key]
        yield padded[:, places], places


def _shuffled_sums(blocks: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draws by conditions by sums: over clusters, each with its conditions in new order."""
    n_clusters, n_labels, n_sums = blocks.shape
    # What a cluster has alike in all its conditions, such as how often it was asked, stays.
    varies = (blocks != blocks[:, :1]).any(axis=1)
    mixed, kept = np.flatnonzero(varies.any(axis=1)), np.flatnonzero(varies.any(axis=0))
    flat = blocks[np.ix_(mixed, np.arange(n_labels), kept)]
    flat = flat.reshape(len(mixed) * n_labels, len(kept))
    out = np.empty((draws, n_labels, n_sums))
    out[:] = blocks[:, 0].sum(axis=0)
    alike = out[0][:, kept] - flat[::n_labels].sum(axis=0)
    step = max(1, _CELLS_AT_ONCE // blocks.size)
    for some in (slice(start, start + step) for start in range(0, draws, step)):
        order = rng.random((len(out[some]), n_clusters, n_labels)).argsort(axis=2)[:, mixed]
        moved = flat[order + n_labels * np.arange(len(mixed))[:, None]].sum(axis=1)
        out[some, :, kept] = moved + alike
    return out

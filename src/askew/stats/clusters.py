"""Sums per cluster, and draws of them: a seeded cluster bootstrap, and permutation tests.

Clusters (items, stories, passages) are resampled, never single replies. A metric is a function of
sums over clusters, so a resample is a weighted sum and ten thousand of them are one matrix product.

Noise alone makes a maximum, a spread or an absolute value larger than zero. Where conditions make
no difference, labels may be exchanged within clusters, or clusters trade the groups they lie in.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from askew.schema import Null
from askew.stats.intervals import RESAMPLES, ROUNDING, Floats, Ints

Key = tuple[Hashable, ...]
# What pools all values of a level.
OVERALL = "all"
# Resamples are drawn in blocks, so that memory stays flat however many are asked for.
_BLOCK_CELLS, _HANDFUL = 4_000_000, 8
# How many exchanges: p-values are steps of a five hundredth.
EXCHANGES = 499


class Totals:
    """Named sums over clusters, one row a resample (one row in all for the point value)."""

    def __init__(
        self, values: Floats, columns: Mapping[Key, int],
        of: Callable[[Hashable], Totals] | None = None,
    ) -> None:  # fmt: skip
        self._values, self._columns = values, columns
        # Those of a group, where they are summed for one at a time: all at once would be too many.
        self._of = of
        # Whether a number is asked for; a statistic may skip others.
        self.wants: Callable[[Key], bool] = lambda number: True

    def only(self, wants: Callable[[Key], bool]) -> Totals:
        """The same sums, for some numbers alone."""
        found = copy(self)
        found.wants = wants
        return found

    def within(self, name: Hashable) -> Totals:
        """The sums of one of several groups, whose columns are `(group, key)`."""
        own = {cast(Key, key[1]): i for key, i in self._columns.items() if key[0] == name}
        return (self._of(name) if self._of else Totals(self._values, own)).only(self.wants)

    def __getitem__(self, key: Key) -> Floats:
        if key not in self._columns:
            return np.zeros(len(self._values))
        values: Floats = self._values[:, self._columns[key]]
        return values

    def __len__(self) -> int:
        return len(self._values)


def ratio(numerator: Floats, denominator: Floats) -> Floats:
    """Numerator by denominator; nan, never 0, where the denominator is empty."""
    return numerator / np.where(denominator == 0, np.nan, denominator)


@dataclass(frozen=True)
class ClusterTable:
    """Additive features of every cluster: rows are clusters, columns are keyed sums."""

    features: Floats
    columns: Mapping[Key, int]
    strata: Ints
    clusters: Sequence[Key] = ()  # the rows, `(strata..., cluster)`: tables are lined up by them

    def in_fixed_order(self) -> ClusterTable:
        """Clusters and columns by name: logs read in another order then have equal intervals."""
        order = sorted(range(len(self.clusters)), key=lambda i: sort_key(self.clusters[i]))
        clusters, names = [self.clusters[i] for i in order], sorted(self.columns, key=sort_key)
        features = self.features[np.ix_(order, [self.columns[name] for name in names])]
        columns = {name: i for i, name in enumerate(names)}
        return ClusterTable(features, columns, strata_of(clusters), clusters)

    def point(self) -> Totals:
        return Totals(self.features.sum(axis=0, keepdims=True), self.columns)

    def left_out(self) -> Totals:
        """The sums without each cluster in turn; its stratum keeps its weight, if it has more."""
        _, sizes = np.unique(self.strata, return_counts=True)
        totals = np.repeat(self.features.sum(axis=0, keepdims=True), len(self.features), axis=0)
        for stratum, n in enumerate(sizes):
            inside = self.strata == stratum
            own = self.features[inside]
            if n > 1:
                totals[inside] += (own.sum(axis=0) - n * own) / (n - 1)
            elif len(sizes) > 1:
                totals[inside] -= own
        return Totals(totals, self.columns)

    def resampled(self, resamples: int, seed: int) -> Totals:
        return Totals(bootstrap_totals(self.features, self.strata, resamples, seed), self.columns)


def side_by_side(tables: Mapping[Hashable, ClusterTable]) -> ClusterTable:
    """The sums of several tables, as `(name, key)`; a cluster is empty where it was not asked."""
    clusters = sorted(
        dict.fromkeys(u for table in tables.values() for u in table.clusters), key=sort_key
    )
    row = {cluster: i for i, cluster in enumerate(clusters)}
    columns: dict[Key, int] = {}
    blocks = []
    for name, table in tables.items():
        columns |= {(name, key): len(columns) + i for key, i in table.columns.items()}
        block = np.zeros((len(clusters), table.features.shape[1]))
        block[[row[cluster] for cluster in table.clusters]] = table.features
        blocks.append(block)
    return ClusterTable(np.hstack(blocks), columns, strata_of(clusters), clusters)


def strata_of(clusters: Sequence[Key]) -> Ints:
    """The stratum of each cluster by number, in the order in which they appear."""
    codes = {name: code for code, name in enumerate(dict.fromkeys(u[:-1] for u in clusters))}
    return np.array([codes[u[:-1]] for u in clusters], dtype=np.int64)


def sort_key(key: Key) -> tuple[str, ...]:
    """A key as texts, to sort by."""
    return tuple(map(str, key))


def cluster_table(
    rows: pd.DataFrame, cells: Sequence[str], sums: Sequence[str],
    strata: Sequence[str] = ("subset",),
) -> ClusterTable:  # fmt: skip
    """Sums of columns per cluster and cell, under `(cell values..., name)`; "n" counts rows."""
    cell, cell_keys = codes_of(rows, cells)
    cluster, clusters = codes_of(rows, [*strata, "cluster"])
    features = np.zeros((len(clusters), len(cell_keys), 1 + len(sums)))
    np.add.at(features[:, :, 0], (cluster, cell), 1.0)
    for position, name in enumerate(sums, start=1):
        column = rows[name].to_numpy(dtype=float, na_value=np.nan)
        np.add.at(features[:, :, position], (cluster, cell), column)
    keys = [(*key, name) for key in cell_keys for name in ("n", *sums)]
    # Spelled out, because without any cluster there is no length to infer.
    flat = features.reshape(len(clusters), len(keys))
    return ClusterTable(flat, {key: i for i, key in enumerate(keys)}, strata_of(clusters), clusters)


def codes_of(rows: pd.DataFrame, columns: Sequence[str]) -> tuple[Ints, list[Key]]:
    """A whole number for each distinct combination of the columns, sorted, and the combinations."""
    if not columns:
        return np.zeros(len(rows), dtype=np.int64), [()]
    groups = rows.groupby([*columns], sort=True, dropna=False, observed=True)
    codes = groups.ngroup().to_numpy().astype(np.int64)
    first = rows[[*columns]].iloc[np.unique(codes, return_index=True)[1]]
    return codes, list(first.itertuples(index=False, name=None))


def bootstrap_totals(
    features: Floats, strata: Ints, resamples: int = RESAMPLES, seed: int = 0,
    only: Ints | None = None,
) -> Floats:  # fmt: skip
    """Feature sums of resampled clusters, one row a resample; clusters are drawn within strata."""
    # One cluster less than a stratum has is drawn, each counting for a little more (Rao and Wu's
    # rescaling bootstrap): the resamples then vary as samples do, however small the strata are.
    # Sums of some columns `only` are those that all columns together would have.
    rng = np.random.default_rng(seed)
    wanted = np.arange(features.shape[1]) if only is None else only
    # Sum by sum: a statistic reads one sum of all resamples at a time.
    totals = np.zeros((len(wanted), resamples))
    for stratum in np.unique(strata):
        inside = features[strata == stratum]
        # Most sums are of other strata's clusters, and here nothing but 0.
        varied = inside.any(axis=0)
        if varied.any():
            used, done = np.flatnonzero(varied[wanted]), 0
            first, each, drawn = _draw(inside[:, varied], resamples, rng)
            summed = each * inside[np.ix_(first, wanted[used])].T
            for weights in drawn:
                totals[used, done : done + len(weights)] += summed @ weights.T
                done += len(weights)
    return totals.T


def _draw(
    features: Floats, resamples: int, rng: np.random.Generator
) -> tuple[Ints, float, Iterator[Floats]]:
    """Clusters of a stratum, what one counts, and how often in each resample, block by block."""
    # Clusters with the same features are interchangeable: drawing how often each distinct row
    # occurs is as good as drawing clusters one by one, and far less work where few are distinct.
    n = len(features)
    # Rounded: the same numbers, summed in another order, differ in their last digit.
    _, first, counts = np.unique(features.round(9), axis=0, return_index=True, return_counts=True)
    if len(first) == 1:
        return first, float(n), iter([np.ones((resamples, 1))])
    if 8 * len(first) <= n:
        weights = rng.multinomial(n - 1, counts / n, size=resamples)
        return first, n / (n - 1), iter([weights.astype(float)])

    def blocks() -> Iterator[Floats]:
        block = max(_HANDFUL, _BLOCK_CELLS // n)
        for start in range(0, resamples, block):
            some = min(block, resamples - start)
            drawn = rng.integers(0, n, size=(some, n - 1), dtype=np.int32)
            drawn += (np.arange(some, dtype=np.int32) * n)[:, None]
            flat = np.bincount(drawn.ravel(), minlength=some * n)
            yield flat.reshape(some, n).astype(np.float64)

    return np.arange(n), n / (n - 1), blocks()


# --- Without the effect: labels that trade places ----------------------------------------------


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


@dataclass(frozen=True)
class NoEffect:
    """A number beside what it would be without the effect."""

    # With its noise taken off: 0 where that explains all of it, nan where it moves it both ways.
    value_debiased: float = math.nan
    null_mean: float = math.nan  # what a model without the effect shows on average
    null_q95: float = math.nan  # what it exceeds in one run of 20; falls below, if noise lowers it
    p_value: float = math.nan  # how often a model without the effect shows as much


NO_NULL = NoEffect()


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
        return NO_NULL
    if null.lowers:
        beside = no_effect(-value, -known, Null(null.trading, "plain"))
        return NoEffect(math.nan, -beside.null_mean, -beside.null_q95, beside.p_value)
    # What differs by rounding alone is equal.
    as_much = int((known >= value - ROUNDING * max(1.0, abs(value))).sum())
    clean = noise_taken_off(np.array([value]), known, null)[0] if null.one_way else math.nan
    mean, q95 = float(known.mean()), float(np.quantile(known, 0.95))
    return NoEffect(float(clean), mean, q95, (1 + as_much) / (1 + known.size))

"""Sums per cluster, and resamples of them: a vectorised, seeded cluster bootstrap.

Clusters (items, stories, passages) are resampled, never single replies. A metric is a function of
sums over clusters, so a resample is a weighted sum and ten thousand of them are one matrix product.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pandas as pd

from askew.stats.intervals import RESAMPLES, Floats, Ints

Key = tuple[Hashable, ...]
# By row a number, and what each number stands for.
Coded = tuple[Ints, list[Key]]
# What pools all values of a level.
OVERALL = "all"
# Resamples are drawn in blocks, so that memory stays flat however many are asked for.
_BLOCK_CELLS = 4_000_000
_HANDFUL = 8
_SUMS_DIGITS = 9


class Totals:
    """Named sums over clusters, one row a resample (one row in all for the point value)."""

    def __init__(self, values: Floats, columns: Mapping[Key, int]) -> None:
        self._values, self._columns = values, columns
        self._wants: Callable[[Key], bool] | None = None

    def only(self, wants: Callable[[Key], bool]) -> Totals:
        """The same sums, for some numbers alone."""
        found = copy(self)
        found._wants = wants
        return found

    def wants(self, number: Key) -> bool:
        """Whether a number is asked for; a statistic may skip others."""
        return self._wants is None or self._wants(number)

    def within(self, name: Hashable) -> Totals:
        """The sums of one of several groups, whose columns are `(group, key)`."""
        own = {key[1]: column for key, column in self._columns.items() if key[0] == name}
        return Totals(self._values, cast(Mapping[Key, int], own)).only(self.wants)

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
    """Additive features of every cluster: rows are clusters, columns are keyed sums.

    `clusters` names the rows, `(strata..., cluster)`: a paired comparison lines two tables up by
    it.
    """

    features: Floats
    columns: Mapping[Key, int]
    strata: Ints
    clusters: Sequence[Key] = ()

    def in_fixed_order(self) -> ClusterTable:
        """Clusters and columns by name: what is drawn then depends on what was observed alone.

        Without this, the same logs read in another order would have other intervals.
        """
        clusters, names = sorted(self.clusters, key=sort_key), sorted(self.columns, key=sort_key)
        place = {cluster: i for i, cluster in enumerate(self.clusters)}
        rows = [place[cluster] for cluster in clusters]
        features = self.features[np.ix_(rows, [self.columns[name] for name in names])]
        strata = pd.factorize(self.strata[rows])[0].astype(np.int64)
        columns = {name: i for i, name in enumerate(names)}
        return replace(self, features=features, columns=columns, strata=strata, clusters=clusters)

    def point(self) -> Totals:
        return Totals(self.features.sum(axis=0, keepdims=True), self.columns)

    def left_out(self) -> Totals:
        """The sums without each cluster in turn; its stratum keeps its weight.

        One of several strata that is a single cluster is gone without it.
        """
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
    """The sums of several tables, a row a cluster, which counts as empty where it was not asked.

    Columns are `(name, key)`, as `Totals.within` reads them.
    """
    clusters = sorted(
        dict.fromkeys(u for table in tables.values() for u in table.clusters), key=sort_key
    )
    row = {cluster: i for i, cluster in enumerate(clusters)}
    columns: dict[Key, int] = {}
    blocks, width = [np.zeros((len(clusters), 0))], 0
    for name, table in tables.items():
        blocks.append(np.zeros((len(clusters), table.features.shape[1])))
        blocks[-1][[row[cluster] for cluster in table.clusters]] = table.features
        columns |= {(name, key): width + i for key, i in table.columns.items()}
        width += table.features.shape[1]
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
    strata: Sequence[str] = ("subset",), codes: tuple[Coded, Coded] | None = None,
) -> ClusterTable:  # fmt: skip
    """Sums of numeric columns per cluster and cell, under `(cell values..., name)`; "n" counts
    rows.

    Clusters are resampled within strata. Codes of cells and of clusters may be given.
    """
    coded = codes or (codes_of(rows, cells), codes_of(rows, [*strata, "cluster"]))
    (cell_codes, cell_keys), (cluster_codes, clusters) = coded
    names = ["n", *sums]
    features = np.zeros((len(clusters), max(1, len(cell_keys)), len(names)))
    np.add.at(features[:, :, 0], (cluster_codes, cell_codes), 1.0)
    for position, name in enumerate(sums, start=1):
        column = rows[name].to_numpy(dtype=float, na_value=np.nan)
        np.add.at(features[:, :, position], (cluster_codes, cell_codes), column)
    keys = [(*key, name) for key in cell_keys for name in names]
    # Spelled out, because without any cluster there is no length to infer.
    flat = features.reshape(len(clusters), features.shape[1] * len(names))
    return ClusterTable(flat, {key: i for i, key in enumerate(keys)}, strata_of(clusters), clusters)


def codes_of(rows: pd.DataFrame, columns: Sequence[str]) -> Coded:
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
    """Feature sums of resampled clusters, one row a resample; clusters are drawn within strata.

    One cluster less than a stratum has is drawn, each counting for a little more (Rao and Wu's
    rescaling bootstrap): the resamples then vary as samples do, however small the strata are.
    Sums of some columns `only` are those that all columns together would have.
    """
    rng = np.random.default_rng(seed)
    wanted = np.arange(features.shape[1]) if only is None else only
    # Sum by sum: a statistic reads one sum of all resamples at a time.
    totals = np.zeros((len(wanted), resamples))
    for stratum in np.unique(strata):
        inside = features[strata == stratum]
        # Most sums are of other strata's clusters, and here nothing but 0.
        varied = inside.any(axis=0)
        if varied.any():
            used = np.flatnonzero(varied[wanted])
            first, each, drawn = _draw(inside[:, varied], resamples, rng)
            summed, done = each * inside[np.ix_(first, wanted[used])].T, 0
            for weights in drawn:
                totals[used, done : done + len(weights)] += summed @ weights.T
                done += len(weights)
    return totals.T


def _draw(
    features: Floats, resamples: int, rng: np.random.Generator
) -> tuple[Ints, float, Iterator[Floats]]:
    """Clusters of a stratum, what one counts, and how often in every resample, in blocks of these.

    Clusters with the same features are interchangeable: drawing how often each distinct row occurs
    has the same distribution as drawing the clusters one by one, and is far less work when few
    rows are distinct (four right-or-wrong answers have sixteen).
    """
    n_clusters = features.shape[0]
    # Rounded: the same numbers, summed in another order, differ in their last digit.
    rounded = features.round(_SUMS_DIGITS)
    _, first, counts = np.unique(rounded, axis=0, return_index=True, return_counts=True)
    if len(first) == 1:
        return first, float(n_clusters), iter([np.ones((resamples, 1))])
    each = n_clusters / (n_clusters - 1)
    if 8 * len(first) <= n_clusters:
        weights = rng.multinomial(n_clusters - 1, counts / n_clusters, size=resamples)
        return first, each, iter([weights.astype(float)])
    return np.arange(n_clusters), each, _drawn_weights(n_clusters, resamples, rng)


def _drawn_weights(n_clusters: int, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each cluster was drawn, one less than there are: one row a resample, in parts."""
    block = max(_HANDFUL, _BLOCK_CELLS // n_clusters)
    for start in range(0, resamples, block):
        some = min(block, resamples - start)
        drawn = rng.integers(0, n_clusters, size=(some, n_clusters - 1), dtype=np.int32)
        drawn += (np.arange(some, dtype=np.int32) * n_clusters)[:, None]
        flat = np.bincount(drawn.ravel(), minlength=some * n_clusters)
        yield flat.reshape(some, n_clusters).astype(np.float64)

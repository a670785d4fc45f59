"""From observations to metric rows: sums per cluster, a statistic of the sums, intervals.

A paper's module says which sums it needs and which numbers follow from them. The same statistic
gives the point value (all clusters once) and the interval (clusters resampled).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd

from askew.stats.bootstrap import bootstrap_totals
from askew.stats.intervals import LEVEL, RESAMPLES, Floats, Ints
from askew.stats.nulls import EXCHANGES, NoEffect, no_effect
from askew.stats.nulls import UNKNOWN as NO_NULL
from askew.stats.quantities import Counts as Counts
from askew.stats.quantities import LeftOutValues, bounds_of
from askew.stats.quantities import Quantity as Quantity
from askew.stats.quantities import Rate as Rate

Key = tuple[Hashable, ...]
# By row a number, and what each number stands for.
Coded = tuple[Ints, list[Key]]
# What pools all values of a level.
OVERALL = "all"


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


Statistic = Callable[[Totals], Mapping[Key, Quantity]]
# Sums of a table in so many draws, by a seed, in which labels have traded places.
Exchange = Callable[[ClusterTable, int, int], Totals]


@dataclass(frozen=True)
class Analysis:
    """What a paper makes of one group of observations.

    Keys of the statistic's quantities are `(metric, level values...)`. `exchanges` are what the
    nulls of its metrics name; `recombined` gives numbers made of spreads whose noise was taken off.
    """

    table: ClusterTable
    statistic: Statistic
    exchanges: Mapping[str, Exchange] = field(default_factory=dict)
    recombined: Callable[[Mapping[Key, NoEffect], Totals], Mapping[Key, float]] = lambda *_: {}

    @cached_property
    def observed(self) -> Mapping[Key, Quantity]:
        """The numbers of all clusters, each once."""
        return self.statistic(self.table.point())


Groups = Sequence[tuple[Key, Analysis]]
Analyse = Callable[[pd.DataFrame], Analysis]
Mean = Callable[[Mapping[Hashable, Analysis]], Analysis]
# A number: its metric, group and levels, and the columns that say it.
Row = tuple[Key, dict[str, Any]]


@dataclass(frozen=True)
class Interval:
    """How intervals are made; `None` in place of one means point values only.

    Attributes:
        resamples: how often clusters are resampled; 0 gives point values without nulls.
        level: confidence level.
        seed: equal seeds give equal intervals.
        only: numbers (metric, group and levels) with the confidence levels of their intervals. The
            table has these alone, a row a level, which the column `confidence` says; what they do
            not need is not drawn.
        nulls: whether to draw what a model without the effect shows.
    """

    resamples: int = RESAMPLES
    level: float = LEVEL
    seed: int = 0
    only: Mapping[Key, Collection[float]] | None = None
    nulls: bool = True

    def frame(self, by: Sequence[str], levels: Sequence[str], groups: Groups) -> pd.DataFrame:
        """The rows of all groups; a kind of interval that relates groups says it here."""
        found = (row for group, part in groups for row in numbers_of(part, self, group))
        return table_of(by, levels, found)

    def only_of(self, group: Key) -> dict[Key, Collection[float]]:
        """Metric and levels of the numbers of a group that are asked for alone."""
        after = 1 + len(group)
        return {
            (place[0], *place[after:]): at
            for place, at in (self.only or {}).items()
            if place[1:after] == group
        }


DEFAULT_INTERVAL, POINTS = Interval(), Interval(resamples=0, nulls=False)
NULL_COLUMNS = tuple(column.name for column in fields(NoEffect))


def numbers_of(
    analysis: Analysis, interval: Interval = DEFAULT_INTERVAL, group: Key = ()
) -> Iterator[Row]:
    """Each number of a group: its metric, group and levels, and the columns that say it."""
    wanted: Mapping[Key, Collection[float]] | None = None
    if interval.only is not None:
        wanted = interval.only_of(group)
        if not wanted:
            return
        analysis = select_values(analysis, wanted)
    point = analysis.observed
    replicates: Mapping[Key, Quantity] = {}
    left: Mapping[Key, Quantity] = {}
    nulls: Mapping[Key, NoEffect] = {}
    # Another analysis of the same group may have all numbers that are asked for.
    if point and interval.resamples and len(analysis.table.features):
        if resting := {key for key, quantity in point.items() if quantity.rests_on_clusters}:
            left = analysis.statistic(analysis.table.left_out().only(resting.__contains__))
        replicates = analysis.statistic(analysis.table.resampled(interval.resamples, interval.seed))
        if interval.nulls:
            nulls, _ = nulls_of(analysis, interval.seed)
    for key, quantity in point.items():
        # What others are made of has a name that begins with "_", and no row.
        if str(key[0])[:1] == "_":
            continue
        replicate, null = replicates.get(key), nulls.get(key, NO_NULL)
        left_out = LeftOutValues(left[key], analysis.table.strata) if key in left else None
        if left_out and interval.nulls:
            tested = left_out.p_value(quantity)
            null = null if math.isnan(tested) else replace(null, p_value=tested)
        given = [interval.level] if wanted is None else wanted.get(key, ())
        for level in given:
            low, high = bounds_of(quantity, replicate, level, left_out)
            values = {
                "value": quantity.value,
                "low": low,
                "high": high,
                "n_items": quantity.counts.n_items,
                "n_clusters": quantity.counts.clusters,
                "n_dropped": quantity.counts.n_dropped,
                "dropped_of": quantity.counts.dropped_of,
                "reason": _reason(quantity, replicate, low, left_out),
                **vars(null),
            }
            if wanted is not None:
                values["confidence"] = level
            yield (key[0], *group, *key[1:]), values


def select_values(analysis: Analysis, wanted: Collection[Key]) -> Analysis:
    """The same analysis for some of its numbers, and for those that their nulls are made of."""
    places = {key[1:] for key in wanted}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        found = analysis.statistic(totals.only(lambda key: key[1:] in places))
        trading = {q.null.trading for key in wanted if (q := found.get(key)) and q.null}
        return {
            key: quantity
            for key, quantity in found.items()
            if key in wanted or (quantity.null and quantity.null.trading in trading)
        }

    return replace(analysis, statistic=statistic)


def nulls_of(
    analysis: Analysis, seed: int
) -> tuple[dict[Key, NoEffect], dict[Key, Floats]]:  # fmt: skip
    """Numbers that declare a null beside it (a permutation test), and what is drawn there.

    Labels trade places in `EXCHANGES` draws.
    """
    nulls = {key: q.null for key, q in analysis.observed.items() if q.null}
    drawn: dict[Key, Floats] = {}
    for name in dict.fromkeys(null.trading for null in nulls.values()):
        bearing = {key for key, null in nulls.items() if null.trading == name}
        exchanged = analysis.exchanges[name](analysis.table, EXCHANGES, seed)
        found = analysis.statistic(exchanged.only(bearing.__contains__))
        drawn |= {key: found[key].values for key in nulls if key in bearing and key in found}
    results = {k: no_effect(analysis.observed[k].value, of, nulls[k]) for k, of in drawn.items()}
    for key, value in analysis.recombined(results, analysis.table.point()).items():
        results[key] = replace(results[key], value_debiased=value)
    return results, drawn


def _reason(
    quantity: Quantity,
    replicate: Quantity | None,
    low: float,
    left_out: LeftOutValues | None = None,
) -> str:
    """Why there is no number, or why one that there is has no interval."""
    if math.isnan(quantity.value):
        return quantity.reason
    if replicate is None or not math.isnan(low):
        return ""
    undefined = float(np.isnan(replicate.values).mean())
    if not undefined and left_out and np.isnan(left_out.quantity.values).any():
        return "no interval: it hangs on a single item; ask more"
    return f"no interval: undefined in {undefined:.0%} of resamples of so few items; ask more"


def metric_table(
    observations: pd.DataFrame, by: Sequence[str], levels: Sequence[str], analyse: Analyse,
    interval: Interval | None = DEFAULT_INTERVAL, mean: Mean | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Metric rows for every group of `by`; groups keep the order in which they appear.

    With `mean` (see `stats.means`) and one column in `by`, a group "all" follows several.
    """
    missing = [c for c in by if c not in observations.columns]
    if missing and len(observations):
        raise ValueError(
            f"by={tuple(by)}: no column {', '.join(missing)} in the observations; "
            f"there are: {', '.join(map(str, observations.columns))}"
        )
    groups: list[tuple[Key, pd.DataFrame]] = [] if by else [((), observations)]
    if by and len(observations):
        groups += observations.groupby(list(by), sort=False, dropna=False)
    found = [(tuple(group), analyse(rows)) for group, rows in groups]
    if mean is not None and len(by) == 1 and len(groups) > 1:
        found.append(((OVERALL,), mean({group: part for (group,), part in found})))
    return (interval or POINTS).frame(by, levels, found)


def table_of(by: Sequence[str], levels: Sequence[str], numbers: Iterable[Row]) -> pd.DataFrame:
    """Numbers as a table: a row a metric, group and levels."""
    names = ("metric", *by, *levels)
    rows = [{**dict(zip(names, place, strict=True)), **columns} for place, columns in numbers]
    columns = (
        "value", "low", "high", "n_items", "n_clusters", "n_dropped", "dropped_of", "reason",
    )  # fmt: skip
    apart = ("confidence",) if rows and "confidence" in rows[0] else ()
    return pd.DataFrame(rows, columns=[*names, *columns, *NULL_COLUMNS, *apart])

"""From observations to metric rows: sums per cluster, a statistic of the sums, intervals.

A paper's module says which sums it needs and which numbers follow from them. The same statistic
gives the point value (all clusters once) and the interval (clusters resampled).

Means over groups, such as models, that were asked the same are of every number, without weights.
Items are drawn once for all groups, which are fixed. A mean over groups of which one lacks a cell
would be of other questions than its neighbours: it is undefined, and says who lacks what.
"""

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, partial
from typing import Any, cast

import numpy as np
import pandas as pd

from askew.stats.clusters import (
    EXCHANGES,
    NO_NULL,
    OVERALL,
    ClusterTable,
    Key,
    NoEffect,
    Totals,
    bootstrap_totals,
    cluster_table,
    codes_of,
    no_effect,
    ratio,
    side_by_side,
)
from askew.stats.intervals import LEVEL, RESAMPLES, Floats
from askew.stats.quantities import Counts, LeftOutValues, Quantity, Rate, bounds_of

# A paper's numbers find here what they are made of.
__all__ = ["OVERALL", "ClusterTable", "Counts", "Key", "Quantity", "Rate", "Totals",
           "cluster_table", "codes_of", "ratio"]  # fmt: skip

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
Parts = Mapping[Hashable, Analysis]
Mean = Callable[[Parts], Analysis]
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
        after, only = 1 + len(group), self.only or {}
        return {(p[0], *p[after:]): at for p, at in only.items() if p[1:after] == group}


DEFAULT_INTERVAL, POINTS = Interval(), Interval(resamples=0, nulls=False)
# The columns that say a number, and those that say what a model without the effect shows.
NUMBERS = ("value", "low", "high", "n_items", "n_clusters", "n_dropped", "dropped_of", "reason")
NULL_COLUMNS = tuple(column.name for column in fields(NoEffect))
_NONE: Mapping[Key, Quantity] = {}


def numbers_of(
    analysis: Analysis, interval: Interval = DEFAULT_INTERVAL, group: Key = ()
) -> Iterator[Row]:
    """Each number of a group: its metric, group and levels, and the columns that say it."""
    wanted = None if interval.only is None else interval.only_of(group)
    if wanted is not None:
        analysis = select_values(analysis, wanted)
    point, left, replicates, nulls = analysis.observed, _NONE, _NONE, dict[Key, NoEffect]()
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
        n = quantity.counts
        for level in [interval.level] if wanted is None else wanted.get(key, ()):
            low, high = bounds_of(quantity, replicate, level, left_out)
            reason = _reason(quantity, replicate, low, left_out)
            told = low, high, n.n_items, n.clusters, n.n_dropped, n.dropped_of, reason
            values = dict(zip(NUMBERS, (quantity.value, *told), strict=True)) | vars(null)
            at_level = {} if wanted is None else {"confidence": level}
            yield (key[0], *group, *key[1:]), values | at_level


def select_values(analysis: Analysis, wanted: Collection[Key]) -> Analysis:
    """The same analysis for some of its numbers, and for those that their nulls are made of."""
    places = {key[1:] for key in wanted}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        found = analysis.statistic(totals.only(lambda key: key[1:] in places))
        nulls = {key: q.null.trading for key, q in found.items() if q.null}
        trading = {nulls[key] for key in wanted if key in nulls}
        return {k: q for k, q in found.items() if k in wanted or nulls.get(k) in trading}

    return replace(analysis, statistic=statistic)


def nulls_of(analysis: Analysis, seed: int) -> tuple[dict[Key, NoEffect], dict[Key, Floats]]:
    """Numbers that declare a null beside it (a permutation test), and what is drawn there."""
    # Labels trade places in `EXCHANGES` draws.
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
    quantity: Quantity, replicate: Quantity | None, low: float, left_out: LeftOutValues | None
) -> str:
    """Why there is no number, or why one that there is has no interval."""
    if math.isnan(quantity.value):
        return quantity.reason
    if replicate is None or not math.isnan(low):
        return ""
    undefined = float(np.isnan(replicate.values).mean())
    if not undefined and left_out and np.isnan(left_out.quantity.values).any():
        return "no interval: it hangs on a single item; ask more"
    if not undefined:
        return "no interval: all items have the same value"
    return f"no interval: undefined in {undefined:.0%} of resamples of so few items; ask more"


def metric_table(
    observations: pd.DataFrame, by: Sequence[str], levels: Sequence[str], analyse: Analyse,
    interval: Interval | None = DEFAULT_INTERVAL, mean: Mean | None = None,
) -> pd.DataFrame:  # fmt: skip
    """Metric rows for every group of `by`; groups keep the order in which they appear.

    With `mean` (see `mean_over`) and one column in `by`, a group "all" follows several.
    """
    missing = ", ".join(c for c in by if c not in observations)
    if missing and len(observations):
        there = ", ".join(map(str, observations))
        what = f"by={tuple(by)}: no column {missing} in the observations; there are: {there}"
        raise ValueError(what)
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
    apart = ("confidence",) if rows and "confidence" in rows[0] else ()
    return pd.DataFrame(rows, columns=[*names, *NUMBERS, *NULL_COLUMNS, *apart])


# --- Means over groups --------------------------------------------------------------------------

Points = Mapping[Hashable, Mapping[Key, Quantity]]
# Numbers that are made of means, not means of such numbers: they stand in the place of these.
Made = Callable[[Mapping[Key, Quantity]], Mapping[Key, Quantity]]
# How many places a reason names before it only counts the rest.
_NAMED = 3


def mean_over(parts: Parts, made: Made | None = None) -> Analysis:
    """The mean of every number over groups, with the dependence that shared items make.

    Groups share the clusters that have the same name. What is `made` of means, such as a spread,
    has the place of its own mean.
    """
    points = {name: part.observed for name, part in parts.items()}
    # The cells that a group lacks and another has, for every group.
    places = (key[1:] for found in points.values() for key in found)
    cells = dict.fromkeys(place for place in places if OVERALL not in place)
    owned = {name: {key[1:] for key in found} for name, found in points.items()}
    lost = {name: [cell for cell in cells if cell not in own] for name, own in owned.items()}
    keys = dict.fromkeys(key for found in points.values() for key in found)
    notes = {key: _mean_note(points, key, lost) for key in keys}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        sums: dict[Key, Floats] = {}
        # One group after the other: replicates of all numbers of all groups would be many.
        for name, part in parts.items():
            for key, quantity in part.statistic(totals.within(name)).items():
                sums[key] = sums.get(key, 0.0) + quantity.values
        means = {}
        for key in (key for key in notes if key in sums):
            share = math.nan if notes[key].reason else 1 / len(parts)
            means[key] = replace(notes[key], values=sums[key] * share)
        instead = made(means) if made else {}
        return means | {k: q for k, q in instead.items() if k in means and not q.reason}

    def exchange(trading: str, _: ClusterTable, draws: int, seed: int) -> Totals:
        """Every group's sums where labels have traded places, alike where they share clusters."""
        return Totals(
            np.empty((draws, 0)),
            {},
            lambda n: parts[n].exchanges[trading](parts[n].table, draws, seed),
        )

    shared = set.intersection(*(set(part.exchanges) for part in parts.values()))
    exchanges = {name: partial(exchange, name) for name in shared}
    joined = side_by_side({name: part.table for name, part in parts.items()})
    return Analysis(_JoinedTable(**vars(joined.in_fixed_order())), statistic, exchanges)


class _JoinedTable(ClusterTable):
    """All groups' sums beside each other, a row a cluster; columns are `(group, key)`."""

    def resampled(self, resamples: int, seed: int) -> Totals:
        def of(name: Hashable) -> Totals:
            own = {key[1]: column for key, column in self.columns.items() if key[0] == name}
            only = np.array([*own.values()], dtype=np.int64)
            values = bootstrap_totals(self.features, self.strata, resamples, seed, only)
            return Totals(values, {key: i for i, key in enumerate(cast(Sequence[Key], own))})

        return Totals(np.empty((resamples, 0)), {}, of)


def _mean_note(points: Points, key: Key, lost: Mapping[Hashable, Sequence[Key]]) -> Quantity:
    """What is to be said of a mean beside its values, and why it has none, where that is so."""
    each = [found[key] for found in points.values() if key in found]
    counted, first = [quantity.counts for quantity in each], each[0]
    least, most = zip(*(quantity.bounds for quantity in each), strict=True)
    # What every group's number rests on at least: the one that knows least moves the mean most.
    n_items, n_clusters = min(c.n_items for c in counted), min(c.clusters for c in counted)
    n_dropped, n_strata = max(c.n_dropped for c in counted), max(c.n_strata for c in counted)
    of = max((c.n_asked, c.group) for c in counted)
    # What noise adds to a mean of distances, or to a score of them, does not follow here.
    null = first.null if first.null and first.null.growth != "square" else None
    return Quantity(
        first.values, "composite" if first.interval == "rate" else first.interval,
        (min(least), max(most)), _why_no_mean(points, key, lost),
        Counts(n_items, n_dropped, n_clusters, n_strata, *of), null=null, beside=first.beside,
    )  # fmt: skip


def _why_no_mean(points: Points, key: Key, lost: Mapping[Hashable, Sequence[Key]]) -> str:
    """Why a number has no mean: who lacks it, or some cell that it pools; empty where it has."""
    reasons = []
    for name, found in points.items():
        if key not in found:
            reasons.append(f"{name} lacks it")
        elif lacking := [
            cell for cell in lost[name]
            if all(at in (OVERALL, own) for own, at in zip(cell, key[1:], strict=True))
        ]:  # fmt: skip
            named = ", ".join(" ".join(map(str, cell)) for cell in lacking[:_NAMED])
            more = len(lacking) - _NAMED
            reasons.append(f"{name} lacks {named}{f' and {more} more' if more > 0 else ''}")
        elif math.isnan(found[key].value):
            reasons.append(f"{name}: {found[key].reason or 'not defined'}")
    return "; ".join(reasons)

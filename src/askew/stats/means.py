"""Means over groups, such as models, that were asked the same: every number, without weights.

Items are drawn once for all groups, which are fixed. A mean over groups of which one lacks a cell
would be of other questions than its neighbours: it is undefined, and says who lacks what.
"""

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from askew.stats.clusters import bootstrap_totals, side_by_side
from askew.stats.intervals import Floats
from askew.stats.quantities import Counts, Quantity
from askew.stats.tables import OVERALL, Analysis, ClusterTable, Key, Totals

Parts = Mapping[Hashable, Analysis]
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
        return _Apart(lambda n: parts[n].exchanges[trading](parts[n].table, draws, seed), draws)

    shared = set.intersection(*(set(part.exchanges) for part in parts.values()))
    exchanges = {name: partial(exchange, name) for name in shared}
    joined = side_by_side({name: part.table for name, part in parts.items()})
    return Analysis(_JoinedTable(**vars(joined.in_fixed_order())), statistic, exchanges)


class _Apart(Totals):
    """Draws of all groups' sums, summed for one group at a time: all at once would be too many."""

    def __init__(self, of: Callable[[Hashable], Totals], draws: int) -> None:
        super().__init__(np.empty((draws, 0)), {})
        self._of = of

    def within(self, name: Hashable) -> Totals:
        return self._of(name).only(self.wants)


class _JoinedTable(ClusterTable):
    """All groups' sums beside each other, a row a cluster; columns are `(group, key)`."""

    def resampled(self, resamples: int, seed: int) -> Totals:
        def of(name: Hashable) -> Totals:
            own = {key[1]: column for key, column in self.columns.items() if key[0] == name}
            only = np.array([*own.values()], dtype=np.int64)
            values = bootstrap_totals(self.features, self.strata, resamples, seed, only)
            return Totals(values, {key: i for i, key in enumerate(cast(Sequence[Key], own))})

        return _Apart(of, resamples)


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
        (min(least), max(most)), _why(points, key, lost),
        Counts(n_items, n_dropped, n_clusters, n_strata, *of), null=null, beside=first.beside,
    )  # fmt: skip


def _why(points: Points, key: Key, lost: Mapping[Hashable, Sequence[Key]]) -> str:
    """Why a number has no mean: who lacks it, or some cell that it pools; empty where it has."""
    reasons = []
    for name, found in points.items():
        if key not in found:
            reasons.append(f"{name} lacks it")
        elif lacking := [cell for cell in lost[name] if _pools(key[1:], cell)]:
            named = ", ".join(" ".join(map(str, cell)) for cell in lacking[:_NAMED])
            more = len(lacking) - _NAMED
            reasons.append(f"{name} lacks {named}{f' and {more} more' if more > 0 else ''}")
        elif math.isnan(found[key].value):
            reasons.append(f"{name}: {found[key].reason or 'not defined'}")
    return "; ".join(reasons)


def _pools(place: Key, cell: Key) -> bool:
    return all(value in (OVERALL, own) for own, value in zip(cell, place, strict=True))

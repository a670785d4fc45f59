"""Means over groups, such as models, that were asked the same: every number, without weights.

Items are drawn once for all groups, so that what numbers of the same items share is drawn with
them; the groups themselves are fixed. A mean over groups of which one lacks a cell would be of
other questions than the numbers it stands beside: it is undefined, and says who lacks what.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import cast

import numpy as np

from askew.schema import IntervalKind
from askew.stats.bootstrap import bootstrap_totals
from askew.stats.intervals import Floats
from askew.stats.tables import (
    OVERALL,
    Analysis,
    Counts,
    Key,
    Quantity,
    Totals,
    UnitTable,
    strata_of,
)

Parts = Mapping[Hashable, Analysis]


# Numbers that are made of means, not means of such numbers: they stand in the place of these.
Made = Callable[[Mapping[Key, Quantity]], Mapping[Key, Quantity]]
# How the interval of a mean is made, where that is not how those of its parts are.
_KINDS: Mapping[IntervalKind, IntervalKind] = {"rate": "composite"}
# How many places a reason names before it only counts the rest.
_NAMED = 3


def mean_over(parts: Parts, made: Made | None = None) -> Analysis:
    """The mean of every number over groups, with the dependence that shared items make.

    Args:
        parts: an analysis a group; groups share the units that have the same name.
        made: numbers to put in the place of their means, such as a spread of means.
    """
    points = {name: part.observed for name, part in parts.items()}
    keys = dict.fromkeys(key for found in points.values() for key in found)
    lacking = _lacking(points)
    told = {key: _told(parts, points, key, lacking[key[1:]]) for key in keys}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        sums: dict[Key, Floats] = {}
        times: Counter[Key] = Counter()
        # One group after the other: replicates of all numbers of all groups would be many.
        for name, part in parts.items():
            for key, quantity in part.statistic(totals.within(name)).items():
                sums[key] = sums.get(key, 0.0) + quantity.values
                times[key] += 1
        means = {
            key: replace(mean, values=total * (1 / len(parts) if defined else math.nan))
            for key, mean in told.items()
            if (total := sums.get(key)) is not None
            for defined in (times[key] == len(parts) and not mean.reason,)
        }
        instead = made(means) if made else {}
        return means | {k: q for k, q in instead.items() if k in means and not q.reason}

    shared = set.intersection(*(set(part.exchanges) for part in parts.values()))
    exchanges = {name: partial(_exchanged, parts, name) for name in shared}
    return Analysis(_joined(parts), statistic, {}, exchanges)


class _Resampled(Totals):
    """Resamples of all groups' sums, drawn alike, and summed for one group at a time."""

    def __init__(
        self, table: UnitTable, resamples: int, seed: int, places: Collection[Key] | None = None
    ) -> None:
        super().__init__(np.empty((resamples, 0)), {}, places)
        self._drawn = table, resamples, seed

    def only(self, places: Collection[Key], names: Collection[Hashable] | None = None) -> Totals:
        return _Resampled(*self._drawn, places)

    def within(self, name: Hashable) -> Totals:
        table, resamples, seed = self._drawn
        own = {key[1]: column for key, column in table.columns.items() if key[0] == name}
        only = np.array([*own.values()], dtype=np.int64)
        values = bootstrap_totals(table.features, table.strata, resamples, seed, only)
        keys = cast(Sequence[Key], [*own])
        return Totals(values, {key: i for i, key in enumerate(keys)}, self._places)


class _Joined(UnitTable):
    """All groups' sums beside each other, a row a unit: too many to resample all at once."""

    def resampled(self, resamples: int, seed: int) -> Totals:
        return _Resampled(self, resamples, seed)


def _joined(parts: Parts) -> UnitTable:
    """All groups' sums beside each other, a row a unit."""
    units = list(dict.fromkeys(unit for part in parts.values() for unit in part.table.units))
    row = {unit: i for i, unit in enumerate(units)}
    columns: dict[Key, int] = {}
    features = np.zeros((len(units), sum(len(part.table.columns) for part in parts.values())))
    for name, part in parts.items():
        first, own = len(columns), part.table
        inside = [row[unit] for unit in own.units]
        for i, (key, column) in enumerate(own.columns.items()):
            features[inside, first + i] = own.features[:, column]
            columns[name, key] = first + i
    return _Joined(features, columns, strata_of(units), units).in_fixed_order()


def _exchanged(parts: Parts, name: str, table: UnitTable, draws: int, seed: int) -> Totals:
    """Every group's sums where labels have traded places, alike in all where they share units."""
    return Totals.beside({of: p.exchanges[name](p.table, draws, seed) for of, p in parts.items()})


def _told(
    parts: Parts,
    points: Mapping[Hashable, Mapping[Key, Quantity]],
    key: Key,
    lacking: Mapping[Hashable, Sequence[Key]],
) -> Quantity:
    """What is to be said of a mean beside its values, and why it has none, where that is so."""
    each = {name: found[key] for name, found in points.items() if key in found}
    some = next(iter(each.values()))
    least, most = zip(*(quantity.bounds for quantity in each.values()), strict=True)
    # What noise adds to a mean of distances, or to a score made of them, does not follow here.
    null = some.null if some.null and some.null.growth != "square" else None
    counted = [
        quantity.counts or parts[name].counts.get(key[1:], Counts(0))
        for name, quantity in each.items()
    ]
    return Quantity(
        some.values,
        _KINDS.get(some.interval, some.interval),
        (min(least), max(most)),
        _why(points, key, lacking),
        _fewest(counted),
        null=null,
    )


def _fewest(counted: Collection[Counts]) -> Counts:
    """What every group's number rests on at least: the one that knows least moves the mean most."""
    return Counts(
        min(c.n_items for c in counted),
        max(c.n_dropped for c in counted),
        min(c.n_units or c.n_items for c in counted),
        max(c.n_strata for c in counted),
    )


def _lacking(
    points: Mapping[Hashable, Mapping[Key, Quantity]],
) -> dict[Key, dict[Hashable, list[Key]]]:
    """Of every place, the cells beneath it that a group lacks and another has, for every group."""
    cells = {
        name: dict.fromkeys(key[1:] for key in found if OVERALL not in key[1:])
        for name, found in points.items()
    }
    everywhere = dict.fromkeys(cell for own in cells.values() for cell in own)
    missed = {name: [c for c in everywhere if c not in own] for name, own in cells.items()}
    places = dict.fromkeys(key[1:] for found in points.values() for key in found)
    return {
        place: {name: [c for c in lost if _is_beneath(c, place)] for name, lost in missed.items()}
        for place in places
    }


def _is_beneath(cell: Key, place: Key) -> bool:
    """Whether a place pools a cell, or is it."""
    return all(value in (OVERALL, own) for own, value in zip(cell, place, strict=True))


def _why(
    points: Mapping[Hashable, Mapping[Key, Quantity]],
    key: Key,
    lacking: Mapping[Hashable, Sequence[Key]],
) -> str:
    """Why a number has no mean: who lacks it, or some cell of it; empty where it has one."""
    reasons = []
    for name, found in points.items():
        lost = lacking[name]
        if key in found and lost:
            named = ", ".join(" ".join(map(str, cell)) for cell in lost[:_NAMED])
            more = len(lost) - _NAMED
            reasons.append(f"{name} lacks {named}{f' and {more} more' if more > 0 else ''}")
        elif key not in found:
            reasons.append(f"{name} lacks it")
        elif np.isnan(found[key].values[0]):
            reasons.append(f"{name}: {found[key].reason or 'not defined'}")
    return "; ".join(reasons)

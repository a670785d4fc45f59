"""Means over groups, such as models, that were asked the same: every number, without weights.

Items are drawn once for all groups, so that what numbers of the same items share is drawn with
them; the groups themselves are fixed. A mean over groups of which one lacks a cell would be of
other questions than the numbers it stands beside: it is undefined, and says who lacks what.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import partial
from typing import Protocol, cast

import numpy as np

from askew.schema import IntervalKind
from askew.statistics.bootstrap import Draws, draws
from askew.statistics.intervals import Floats
from askew.statistics.tables import (
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


class Gathered(Protocol):
    """Numbers that are made of means, not means of such numbers: what they need of each group."""

    def numbers_of(self, name: Hashable, part: Analysis, totals: Totals) -> Mapping[Key, Quantity]:
        """A group's own numbers; takes what it needs of its sums, gone when the next one's come."""

    def made(self, means: Mapping[Key, Quantity]) -> Mapping[Key, Quantity]:
        """The numbers that stand in the place of their means."""


# How the interval of a mean is made, where that is not how those of its parts are.
_KINDS: Mapping[IntervalKind, IntervalKind] = {"rate": "composite", "difference": "percentile"}
# How many places a reason names before it only counts the rest.
_NAMED = 3


def mean_over(parts: Parts, gathering: Callable[[], Gathered] | None = None) -> Analysis:
    """The mean of every number over groups, with the dependence that shared items make.

    Args:
        parts: an analysis a group; groups share the units that have the same name.
        gathering: begins numbers to put in the place of their means, such as a spread of means.
    """
    points = {name: part.statistic(part.table.point()) for name, part in parts.items()}
    beneath = _Beneath(points)
    keys = dict.fromkeys(key for found in points.values() for key in found)
    told = {key: _told(parts, points, key, beneath) for key in keys}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        gathered = gathering() if gathering else None
        sums: dict[Key, Floats] = {}
        times: Counter[Key] = Counter()
        # One group after the other: replicates of all numbers of all groups would be many.
        for name, part in parts.items():
            own = _Within(totals, name)
            found = gathered.numbers_of(name, part, own) if gathered else part.statistic(own)
            for key, quantity in found.items():
                sums[key] = sums.get(key, 0.0) + quantity.values
                times[key] += 1
        means = {
            key: replace(mean, values=total * (1 / len(parts) if defined else math.nan))
            for key, mean in told.items()
            if (total := sums.get(key)) is not None
            for defined in (times[key] == len(parts) and not mean.reason,)
        }
        instead = gathered.made(means) if gathered else {}
        return means | {k: q for k, q in instead.items() if k in means and not q.reason}

    shared = set.intersection(*(set(part.exchanges) for part in parts.values()))
    exchanges = {name: partial(_exchanged, parts, name) for name in shared}
    return Analysis(_joined(parts), statistic, {}, exchanges)


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
    return _ByGroup(features, columns, strata_of(units), units).in_fixed_order()


class _ByGroup(UnitTable):
    """Units of all groups, drawn together and added up group by group."""

    def resampled(self, resamples: int, seed: int) -> Totals:
        drawn = [d.kept() for d in draws(self.features, self.strata, resamples, seed)]
        return _AddedUpLater(drawn, self.columns, resamples)


class _AddedUpLater(Totals):
    """Sums of what was drawn, for one group at a time: those of all would take its room often."""

    def __init__(self, drawn: Sequence[Draws], columns: Mapping[Key, int], resamples: int) -> None:
        super().__init__(np.zeros((resamples, 0)), {})
        self._drawn, self._resamples = drawn, resamples
        self._of: dict[Hashable, dict[Key, int]] = {}
        for (name, key), column in cast(Mapping[tuple[Hashable, Key], int], columns).items():
            self._of.setdefault(name, {})[key] = column
        self._name: Hashable = None
        self._own = Totals(np.zeros((resamples, 0)), {})

    def __getitem__(self, key: Key) -> Floats:
        name, own = cast(tuple[Hashable, Key], key)
        if name != self._name:
            self._own, self._name = Totals(np.zeros((self._resamples, 0)), {}), name
            columns = self._of.get(name, {})
            totals = np.zeros((len(columns), self._resamples))
            for drawn in self._drawn:
                drawn.add_to(totals, np.array(list(columns.values()), dtype=np.int64))
            self._own = Totals(totals.T, {key: i for i, key in enumerate(columns)})
        return self._own[own]

    def __len__(self) -> int:
        return self._resamples

    def __contains__(self, key: Key) -> bool:
        name, own = cast(tuple[Hashable, Key], key)
        return own in self._of.get(name, {})

    def only(self, places: Collection[Key]) -> Totals:
        chosen = copy(self)
        chosen._places = places
        return chosen


class _Within(Totals):
    """The sums of one group, read through those of all."""

    def __init__(self, whole: Totals, name: Hashable) -> None:
        self._whole, self._name = whole, name

    def only(self, places: Collection[Key]) -> Totals:
        return _Within(self._whole.only(places), self._name)

    def wants(self, *place: Hashable) -> bool:
        return self._whole.wants(*place)

    def __getitem__(self, key: Key) -> Floats:
        return self._whole[self._name, key]

    def __len__(self) -> int:
        return len(self._whole)

    def __contains__(self, key: Key) -> bool:
        return (self._name, key) in self._whole


class _Beside(Totals):
    """The sums of all groups, each of its own table."""

    def __init__(self, parts: Mapping[Hashable, Totals]) -> None:
        super().__init__(np.zeros((min(map(len, parts.values())), 0)), {})
        self._parts = parts

    def only(self, places: Collection[Key]) -> Totals:
        return _Beside({name: part.only(places) for name, part in self._parts.items()})

    def wants(self, *place: Hashable) -> bool:
        return any(part.wants(*place) for part in self._parts.values())

    def __getitem__(self, key: Key) -> Floats:
        name, own = key
        assert isinstance(own, tuple)
        return self._parts[name][own]

    def __contains__(self, key: Key) -> bool:
        name, own = key
        assert isinstance(own, tuple)
        return own in self._parts[name]


def _exchanged(parts: Parts, name: str, table: UnitTable, draws: int, seed: int) -> Totals:
    """Every group's sums where labels have traded places, alike in all where they share units."""
    return _Beside({of: p.exchanges[name](p.table, draws, seed) for of, p in parts.items()})


def _told(
    parts: Parts,
    points: Mapping[Hashable, Mapping[Key, Quantity]],
    key: Key,
    beneath: _Beneath,
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
        _why(points, key, beneath),
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


class _Beneath:
    """The cells of every group by what a number pools."""

    def __init__(self, points: Mapping[Hashable, Mapping[Key, Quantity]]) -> None:
        self._cells = {
            name: list(dict.fromkeys(key[1:] for key in found if OVERALL not in key[1:]))
            for name, found in points.items()
        }
        self._found: dict[tuple[Hashable, tuple[int, ...]], dict[Key, dict[Key, None]]] = {}
        self._lacking: dict[Key, Mapping[Hashable, Sequence[Key]]] = {}

    def __call__(self, name: Hashable, place: Key) -> dict[Key, None]:
        """The cells of a group that lie beneath a place, in order."""
        told = tuple(i for i, value in enumerate(place) if value != OVERALL)
        if (name, told) not in self._found:
            by: dict[Key, dict[Key, None]] = {}
            for cell in self._cells[name]:
                by.setdefault(tuple(cell[i] for i in told), {})[cell] = None
            self._found[name, told] = by
        return self._found[name, told].get(tuple(place[i] for i in told), {})

    def lacking(self, place: Key) -> Mapping[Hashable, Sequence[Key]]:
        """The cells beneath a place that a group lacks and another has, for every group."""
        if place not in self._lacking:
            each = {name: self(name, place) for name in self._cells}
            everywhere = dict.fromkeys(cell for own in each.values() for cell in own)
            self._lacking[place] = {
                name: [cell for cell in everywhere if cell not in own] for name, own in each.items()
            }
        return self._lacking[place]


def _why(points: Mapping[Hashable, Mapping[Key, Quantity]], key: Key, beneath: _Beneath) -> str:
    """Why a number has no mean: who lacks it, or some cell of it; empty where it has one."""
    reasons = []
    for name, found in points.items():
        lacking = beneath.lacking(key[1:])[name]
        if key in found and lacking:
            named = ", ".join(" ".join(map(str, cell)) for cell in lacking[:_NAMED])
            more = len(lacking) - _NAMED
            reasons.append(f"{name} lacks {named}{f' and {more} more' if more > 0 else ''}")
        elif key not in found:
            reasons.append(f"{name} lacks it")
        elif np.isnan(found[key].values[0]):
            reasons.append(f"{name}: {found[key].reason or 'not defined'}")
    return "; ".join(reasons)

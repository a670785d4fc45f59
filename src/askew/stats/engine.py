"""Numbers as functions of named sums: places, counts, reasons and intervals' parts in one way.

A paper gives items (a row an item and epoch, say, whose numeric columns are added up by cell) and
says which numbers stand at which place; a place pools the cells that its levels name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import and_
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.schema import Metric
from askew.stats.intervals import Floats, Ints
from askew.stats.quantities import Counts, Quantity, Rate
from askew.stats.tables import OVERALL, Analysis, Exchange, Key, Totals, codes_of, ratio, unit_table

Mask = npt.NDArray[np.bool_]
T = TypeVar("T")


class Items:
    """What is added up and counted, by cell.

    Args:
        rows: with `subset`, `item`, `unit`, the columns of cells, those that are summed and those
            that say which items a number rests on.
        cells: columns whose values make a cell.
        sums: numeric columns to add up; "n" counts rows.
        strata: columns within which units are resampled.
        summed: which rows are added up, where that is not all of them; the others only count as
            asked.
    """

    def __init__(
        self,
        rows: pd.DataFrame,
        cells: Sequence[str],
        sums: Sequence[str],
        strata: Sequence[str] = ("subset",),
        summed: Mask | None = None,
    ) -> None:
        self.rows, self.columns = rows, {column: i for i, column in enumerate(cells)}
        codes = codes_of(rows, [*cells]), codes_of(rows, [*strata, "unit"])
        self.cells = codes[0][1]
        self._inside = _places(codes[0][0], len(self.cells))
        item, stratum = (codes_of(rows, names)[0] for names in (["subset", "item"], [*strata]))
        self._codes = [item, codes[1][0], stratum]
        self._masks: dict[tuple[str, Any], Mask] = {}
        self._marked: dict[str, Mask] = {}
        self._counted: dict[Hashable, Counts] = {}
        some = (rows, codes) if summed is None else (rows[summed], None)
        self.table = unit_table(some[0], cells, sums, strata, some[1])

    def where(self, level: str, wanted: Any) -> Mask:
        """Which cells have this value at a level; of a tuple of values, any of them."""
        if (level, wanted) not in self._masks:
            at, some = self.columns[level], wanted if isinstance(wanted, tuple) else (wanted,)
            found = np.array([cell[at] in some for cell in self.cells], dtype=bool)
            self._masks[level, wanted] = found
        return self._masks[level, wanted]

    def values(self, level: str, cells: Mask) -> list[Hashable]:
        """The values of a level in these cells."""
        at = self.columns[level]
        return list(dict.fromkeys(self.cells[i][at] for i in np.flatnonzero(cells)))

    def counts(self, cells: Mask, used: str, eligible: str = "") -> Counts:
        """What a number of these cells rests on.

        Args:
            cells: the cells.
            used: the column that says which rows it uses; "n" is every row.
            eligible: the one that says which it might use, where others can; items of the cells
                without such a row were dropped.
        """
        key = (cells.tobytes(), used, eligible)
        if key not in self._counted:
            at = [self._inside[i] for i in np.flatnonzero(cells)]
            rows = np.concatenate(at) if at else np.zeros(0, dtype=np.int64)
            kept, might = (rows[self._marks(name)[rows]] for name in (used, eligible or used))
            n_items, n_units, n_strata = (len(np.unique(codes[kept])) for codes in self._codes)
            asked, able = (len(np.unique(self._codes[0][at])) for at in (rows, might))
            n_dropped = asked - able
            self._counted[key] = Counts(n_items, n_dropped, n_units, max(1, n_strata))
        return self._counted[key]

    def _marks(self, name: str) -> Mask:
        if name not in self._marked:
            given = self.rows[name].to_numpy(float) > 0 if name in self.rows else True
            self._marked[name] = np.broadcast_to(given, len(self.rows))
        return self._marked[name]

    @cached_property
    def observed(self) -> Sums:
        """The sums of every cell, as they were observed."""
        return Sums(self, self.table.point())


def _places(codes: Ints, n: int) -> list[Ints]:
    """Where each code stands."""
    order = np.argsort(codes, kind="stable")
    return np.split(order, np.searchsorted(codes[order], np.arange(1, n)))


class Sums:
    """The sums of some cells by name: one value a draw, one in all where they are observed."""

    def __init__(self, items: Items, totals: Totals, whole: Sums | None = None) -> None:
        self.items, self._totals = items, totals
        self.cells: Mask = np.ones(len(items.cells), dtype=bool)
        self._narrowed: dict[Hashable, Sums] = {}
        self._known: dict[str, Floats] = {}
        self._values: dict[Callable[[Sums], Any], Any] = {}
        # The same cells are the same sums, however one came to them.
        self._all: dict[bytes, Sums] = whole._all if whole else {}

    def parted(self) -> None:
        """Forget each other."""
        for sums in self._all.values():
            sums._narrowed.clear()
        self._all.clear()

    def of(self, **levels: Any) -> Sums:
        """The sums of those of these cells that have these values; of a tuple any of them."""
        key = tuple(levels.items())
        if key not in self._narrowed:
            cells = reduce(and_, (self.items.where(*level) for level in key), self.cells)
            if (name := cells.tobytes()) not in self._all:
                self._all[name] = found = Sums(self.items, self._totals, self)
                found.cells = cells
            self._narrowed[key] = self._all[name]
        return self._narrowed[key]

    def each(self, level: str) -> Iterator[Sums]:
        """The sums of each value of a level."""
        return (self.of(**{level: value}) for value in self.items.values(level, self.cells))

    def __getitem__(self, name: str) -> Floats:
        if name not in self._known:
            first, *others = (self._totals[*cell, name] for cell in self._inside or [()])
            self._known[name] = sum(others, first)
        return self._known[name]

    @cached_property
    def _inside(self) -> list[Key]:
        return [self.items.cells[i] for i in np.flatnonzero(self.cells)]

    def __len__(self) -> int:
        return len(self._totals)

    def ratio(self, hits: str, of: str = "n") -> Floats:
        return ratio(self[hits], self[of])

    def counts(self, used: str = "n", eligible: str = "") -> Counts:
        return self.items.counts(self.cells, used, eligible)

    def value(self, function: Callable[[Sums], T]) -> T:
        """What a function makes of these sums, made once."""
        if function not in self._values:
            self._values[function] = function(self)
        return cast(T, self._values[function])


Function = Callable[[Sums], Floats]


@dataclass(frozen=True, eq=False)
class Number:
    """A metric with its function.

    Attributes:
        metric: as the paper declares it.
        value: what it makes of the sums of a place.
        used: the column that says which items it rests on.
        eligible: the one that says which it might rest on, where that is another.
        why: why it may be undefined.
        within: the cells of a place that it is of, by level.
        counts: what it rests on, where that is not what `used` and `eligible` say.
        parts: the rates that it is made of, where its interval is made of theirs.
        made: its value from theirs, where that is how its interval is made.
        shaped: what is said of it beside, where its value decides that.
    """

    metric: Metric
    value: Function
    used: str = "n"
    eligible: str = ""
    why: str | Callable[[Sums], str] = ""
    within: Mapping[str, Any] = field(default_factory=dict)
    counts: Callable[[Sums], Counts] | None = None
    parts: Callable[[Sums], Collection[Rate]] | None = None
    made: Callable[[Floats], Floats] | None = None
    shaped: Callable[[Quantity, Sums], Quantity] | None = None

    @property
    def name(self) -> str:
        return self.metric.name

    def of(self, place: Sums) -> Floats:
        """Its values at a place."""
        return place.of(**self.within).value(self.value)

    def at(self, place: Sums) -> Quantity:
        """The number at a place; what is said of it beside its values is of what was observed."""
        sums = place.of(**self.within)
        values = sums.value(self.value)
        parts = tuple(self.parts(sums)) if self.parts else ()
        if len(sums) > 1:
            return Quantity.of(self.metric, values, parts=parts, made=self.made)
        why = self.why if isinstance(self.why, str) else ""
        if callable(self.why) and math.isnan(values[0]):
            why = self.why(sums)
        counts = self.counts(sums) if self.counts else sums.counts(self.used, self.eligible)
        found = Quantity.of(self.metric, values, why, counts, parts, self.made)
        return self.shaped(found, sums) if self.shaped else found


def share(
    metric: Metric, hits: str, of: str = "n", why: str = "", eligible: str = "", **within: Any
) -> Number:
    """A number that is a share: the sum of one column by that of another, whose items it uses."""
    return Number(metric, lambda sums: sums.ratio(hits, of), of, eligible, why, within)


def analysis(
    items: Items,
    levels: Sequence[str],
    places: Mapping[Key, Sequence[Number]],
    exchanges: Mapping[str, Exchange] | None = None,
) -> Analysis:
    """The numbers of every place, as functions of the sums of its cells.

    Args:
        items: what is added up.
        levels: what places are told apart by; "all" pools one, unless some cell says so.
        places: the numbers that stand at each, in order.
        exchanges: what nulls name.
    """

    told = [level for level in levels if level in items.columns]
    whole = [level for level in told if items.where(level, OVERALL).any()]

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        everything = Sums(items, totals)
        found: dict[Key, Quantity] = {}
        for place, numbers in places.items():
            if totals.wants(*place):
                at = dict(zip(levels, place, strict=True))
                sums = everything.of(**{k: at[k] for k in told if at[k] != OVERALL or k in whole})
                # A mark is no estimate: it is made of what was observed alone.
                for number in numbers:
                    is_made = len(totals) == 1 or number.metric.interval != "none"
                    if is_made and totals.makes(number.name):
                        found[number.name, *place] = number.at(sums)
        # Sums know each other: what they hold would stay until somebody looks for such circles.
        everything.parted()
        return found

    return Analysis(items.table, statistic, {}, exchanges or {})

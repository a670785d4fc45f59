"""Numbers as functions of named sums: places, counts, reasons and intervals' parts in one way.

A paper gives items (a row an item and epoch, say, whose numeric columns are added up by cell) and
says which numbers stand at which place; a place pools the cells that its levels name.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, reduce
from operator import and_
from typing import Any, TypeVar, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.schema import Metric
from askew.stats.clusters import OVERALL, Key, Totals, cluster_table, codes_of, ratio
from askew.stats.intervals import Floats
from askew.stats.quantities import Counts, Quantity, Rate
from askew.stats.tables import Analysis, Exchange

Mask = npt.NDArray[np.bool_]
T = TypeVar("T")
# What tells apart the groups of replies to an item that are compared or left out together.
GROUPS = ("subset", "item", "epoch", "order", "run", "prompting")


class Items:
    """What is added up and counted, by cell.

    Rows have `subset`, `item`, `cluster` and the columns that are named here or by numbers. Those
    that are not `summed` only count as asked. By `groups`, if there, replies are left out together.
    """

    def __init__(
        self, rows: pd.DataFrame, cells: Sequence[str], sums: Sequence[str],
        strata: Sequence[str] = ("subset",), summed: Mask | None = None,
        groups: Sequence[str] = GROUPS,
    ) -> None:  # fmt: skip
        self.rows, self.columns = rows, {column: i for i, column in enumerate(cells)}
        self._cell, self.cells = codes_of(rows, cells)
        kept = [name for name in groups if name in rows]
        by = (["subset", "item"], [*strata, "cluster"], strata, kept)
        *self._codes, self._groups = (codes_of(rows, names)[0] for names in by)
        several = len(rows) and self._groups.max() > self._codes[0].max()
        self._dropped = "groups" if several else "items"
        self._masks: dict[tuple[str, Any], Mask] = {}
        self._counted: dict[Hashable, Counts] = {}
        self.table = cluster_table(rows if summed is None else rows[summed], cells, sums, strata)

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
        """What a number of these cells rests on: rows that the column `used` marks ("n": all)."""
        key = (cells.tobytes(), used, eligible)
        if key not in self._counted:
            rows = np.flatnonzero(cells[self._cell])
            kept, might = (
                rows[self.rows[name].to_numpy(float)[rows] > 0] if name in self.rows else rows
                for name in (used, eligible or used)
            )
            n_items, n_clusters, n_strata = (len(np.unique(codes[kept])) for codes in self._codes)
            # Groups without a row that may be used were dropped.
            n_rows, able = (len(np.unique(self._groups[at])) for at in (rows, might))
            counts = n_items, n_rows - able, n_clusters, max(1, n_strata), n_rows
            self._counted[key] = Counts(*counts, self._dropped)
        return self._counted[key]

    @cached_property
    def observed(self) -> Sums:
        """The sums of every cell, as they were observed."""
        return Sums(self, self.table.point())


class Sums:
    """The sums of some cells by name: one value a draw, one in all where they are observed."""

    def __init__(
        self, items: Items, totals: Totals, cells: Mask | None = None,
        known: dict[Hashable, Any] | None = None,
    ) -> None:  # fmt: skip
        self.items, self._totals = items, totals
        self.cells = np.ones(len(items.cells), dtype=bool) if cells is None else cells
        # What was made of some cells: the same cells have the same, however one came to them.
        self.known: dict[Hashable, Any] = {} if known is None else known
        self._name = self.cells.tobytes()

    def _once(self, what: Hashable, made: Callable[[], T]) -> T:
        if (key := (self._name, what)) not in self.known:
            self.known[key] = made()
        return cast(T, self.known[key])

    def of(self, **levels: Any) -> Sums:
        """The sums of those of these cells that have these values; of a tuple any of them."""

        def some() -> Sums:
            cells = reduce(and_, (self.items.where(*level) for level in levels.items()), self.cells)
            return Sums(self.items, self._totals, cells, self.known)

        return self._once(tuple(levels.items()), some)

    def each(self, level: str) -> Iterator[Sums]:
        """The sums of each value of a level."""
        return (self.of(**{level: value}) for value in self.items.values(level, self.cells))

    def __getitem__(self, name: str) -> Floats:
        def added() -> Floats:
            inside = [self.items.cells[i] for i in np.flatnonzero(self.cells)]
            first, *others = (self._totals[*cell, name] for cell in inside or [()])
            return sum(others, first)

        return self._once(name, added)

    def __len__(self) -> int:
        return len(self._totals)

    def ratio(self, hits: str, of: str = "n") -> Floats:
        return ratio(self[hits], self[of])

    def counts(self, used: str = "n", eligible: str = "") -> Counts:
        return self.items.counts(self.cells, used, eligible)

    def value(self, function: Callable[[Sums], T]) -> T:
        """What a function makes of these sums, made once."""
        return self._once(function, lambda: function(self))


Function = Callable[[Sums], Floats]


@dataclass(frozen=True, eq=False)
class Number:
    """A metric with its function."""

    metric: Metric
    value: Function  # what it makes of the sums of a place
    used: str = "n"  # the column that says which items it rests on
    eligible: str = ""  # the one that says which it might rest on, where that is another
    why: str | Callable[[Sums], str] = ""  # why it may be undefined
    within: Mapping[str, Any] = field(default_factory=dict)  # its cells of a place, by level
    # What it rests on, where that is not what `used` and `eligible` say.
    counts: Callable[[Sums], Counts] | None = None
    # The rates that it is made of, and its value from them, where its interval is made so.
    parts: Callable[[Sums], Collection[Rate]] | None = None
    made: Callable[[Floats], Floats] | None = None
    # What is said of it beside, where its value decides that.
    shaped: Callable[[Quantity, Sums], Quantity] | None = None

    @property
    def name(self) -> str:
        return self.metric.name

    def of(self, place: Sums) -> Floats:
        """Its values at a place."""
        return place.of(**self.within).value(self.value)

    def at(self, place: Sums) -> Quantity:
        """The number at a place; what is said of it beside its values is of what was observed."""
        sums, of = place.of(**self.within), self.metric
        values = sums.value(self.value)
        parts = tuple(self.parts(sums)) if self.parts else ()
        found = Quantity(values, of.interval, of.bounds, "", Counts(0), parts, self.made, of.null)
        if len(sums) > 1:
            return found
        why = self.why if isinstance(self.why, str) else ""
        if callable(self.why) and math.isnan(values[0]):
            why = self.why(sums)
        counts = self.counts(sums) if self.counts else sums.counts(self.used, self.eligible)
        found = replace(found, reason=why, counts=counts)
        return self.shaped(found, sums) if self.shaped else found


def share(
    metric: Metric, hits: str, of: str = "n", why: str = "", eligible: str = "", **within: Any
) -> Number:
    """A number that is a share: the sum of one column by that of another, whose items it uses."""
    return Number(metric, lambda sums: sums.ratio(hits, of), of, eligible, why, within)


def missing_value(sums: Sums) -> Floats:
    """The value of a number that can't be told."""
    return np.full(len(sums), np.nan)


def analysis(
    items: Items, levels: Sequence[str], places: Mapping[Key, Sequence[Number]],
    exchanges: Mapping[str, Exchange] | None = None,
    pools: Mapping[Hashable, tuple[Hashable, ...]] | None = None,
) -> Analysis:  # fmt: skip
    """The numbers of every place, in order, as functions of the sums of its cells.

    Places are told apart by levels; "all" pools one, unless some cell says so. `pools` are values
    of places that stand for several of cells.
    """
    used_levels = [level for level in levels if level in items.columns]
    whole = [level for level in used_levels if items.where(level, OVERALL).any()]

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        everything = Sums(items, totals)
        found: dict[Key, Quantity] = {}
        for place, numbers in places.items():
            at = dict(zip(levels, place, strict=True))
            at = {
                k: (pools or {}).get(at[k], at[k])
                for k in used_levels if at[k] != OVERALL or k in whole
            }  # fmt: skip
            for number in numbers:
                key = (number.name, *place)
                # A mark is no estimate: it is made of what was observed alone. Of what has a name
                # that begins with "_" others are made.
                is_made = len(totals) == 1 or number.metric.interval != "none"
                if is_made and (totals.wants(key) or number.name[0] == "_"):
                    found[key] = number.at(everything.of(**at))
        # Sums know what is made of them: it would stay until somebody looks for such circles.
        everything.known.clear()
        return found

    return Analysis(items.table, statistic, exchanges or {})

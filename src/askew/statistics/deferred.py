"""Point values at once; intervals and nulls later, of the numbers that turn out to matter."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from askew.executors import each
from askew.statistics.intervals import Floats
from askew.statistics.spread import can_travel
from askew.statistics.tables import (
    Analyse,
    Analysis,
    Drawn,
    Group,
    Groups,
    Interval,
    Key,
    Mean,
    Quantity,
    Row,
    Totals,
    UnitTable,
    analysed,
    numbers_of,
    table_of,
)


class _BoundsAlone(Interval):
    """An interval without what a model without the effect shows, for who asks for its ends only."""

    nulls = False


@dataclass(frozen=True)
class Deferred(Interval):
    """Given to a table function in place of an interval, makes a table of point values.

    Resamples and exchanges take nearly all of the time: they are drawn when `rows` asks, and
    numbers that nobody asks for cost none. What is drawn is what `Interval` would have drawn.
    """

    about: Callable[[str], bool] = lambda metric: True
    metrics: dict[str, bool] = field(default_factory=dict, init=False, compare=False)
    """Every metric there is, and whether it is in the table: those are that `about` holds of."""
    executor: Executor | None = None
    """What draws, a group a task; default this process."""
    _found: dict[Key, tuple[Key, Analysis]] = field(default_factory=dict, init=False, compare=False)
    _made: dict[int, tuple[Analyse, pd.DataFrame]] = field(
        default_factory=dict, init=False, compare=False
    )
    """Of what an analysis was made, and how, where it may be made elsewhere once more."""

    def table(
        self,
        by: Sequence[str],
        levels: Sequence[str],
        groups: Sequence[Group],
        analyse: Analyse,
        mean: Mean | None = None,
    ) -> pd.DataFrame:
        """The point values of all groups."""
        found = analysed(groups, analyse, mean)
        if self.executor is not None and can_travel(analyse):
            own = zip(found, groups, strict=False)
            self._made.update((id(part), (analyse, rows)) for (_, part), (_, rows) in own)
        return self.frame(by, levels, found)

    def frame(self, by: Sequence[str], levels: Sequence[str], groups: Groups) -> pd.DataFrame:
        def remembered() -> Iterator[Row]:
            for group, analysis in groups:
                for place, said in numbers_of(self._in_table(analysis), None, group):
                    self._found[place] = (group, analysis)
                    yield place, said

        return table_of(by, levels, remembered())

    def _in_table(self, analysis: Analysis) -> Analysis:
        def statistic(totals: Totals) -> Mapping[Key, Quantity]:
            found = analysis.statistic(totals)
            for metric in {str(key[0]) for key in found} - self.metrics.keys():
                self.metrics[metric] = self.about(metric)
            return {key: quantity for key, quantity in found.items() if self.metrics[str(key[0])]}

        return replace(analysis, statistic=statistic)

    def rows(
        self, wanted: Collection[tuple[Key, float]]
    ) -> Mapping[tuple[Key, float], Mapping[str, Any]]:
        """Some numbers with all that their rows say.

        Args:
            wanted: numbers, each as metric, values of `by` and values of the levels in the order of
                the table, with the confidence level of its interval. One may come at several.
        """
        together: dict[int, list[tuple[Key, float]]] = defaultdict(list)
        for place, level in wanted:
            together[id(self._found[place][1])].append((place, level))
        kind = Interval if self.nulls else _BoundsAlone
        alone = kind(self.resamples, self.level, self.seed)
        here, apart = [], []
        for number, asked in together.items():
            group, analysis = self._found[asked[0][0]]
            if number in self._made:
                apart.append((*self._made[number], alone, group, asked))
            else:
                here.append((analysis, alone, group, asked))
        made = [*each(_drawn, here), *each(_drawn_of, apart, self.executor)]
        found = {number: said for rows in made for number, said in rows.items()}
        return {number: found[number] for number in wanted}


Said = dict[tuple[Key, float], Mapping[str, Any]]


def _drawn(
    analysis: Analysis, interval: Interval, group: Key, asked: Sequence[tuple[Key, float]]
) -> Said:
    """Some numbers of one group, drawn for together."""
    part = narrowed(analysis, {(p[0], *p[1 + len(group) :]) for p, _ in asked})
    drawn = Drawn.of(part, interval)
    found: Said = {}
    for level in {level for _, level in asked}:
        rows = drawn.rows(group, Interval(level=level))
        found |= {(place, level): said for place, said in rows}
    return found


def _drawn_of(analyse: Analyse, rows: pd.DataFrame, *asked: Any) -> Said:
    return _drawn(analyse(rows), *asked)


def narrowed(analysis: Analysis, wanted: Collection[Key]) -> Analysis:
    """The same analysis for some of its numbers, and for those that their nulls are made of."""
    places = {key[1:] for key in wanted}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        found = analysis.statistic(totals.only(places))
        trading = {q.null.trading for key in wanted if (q := found.get(key)) and q.null}
        return {
            key: quantity
            for key, quantity in found.items()
            if key in wanted or (quantity.null and quantity.null.trading in trading)
        }

    read = _Noted(analysis.table)
    statistic(read)
    table = replace(analysis.table, read=tuple(read.noted))
    return replace(analysis, statistic=statistic, table=table)


class _Noted(Totals):
    """The sums of all units, and which of them were read."""

    def __init__(self, table: UnitTable) -> None:
        super().__init__(table.features.sum(axis=0, keepdims=True), table.columns)
        self.noted: dict[Key, None] = {}

    def only(self, places: Collection[Key]) -> Totals:
        self._places = places
        return self

    def __getitem__(self, key: Key) -> Floats:
        if key in self:
            self.noted[key] = None
        return super().__getitem__(key)

"""Arrays behind MathComp's contrasts: what was scored of each group of askings, and its sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers.mathcomp.numbers_rates import ALL, LABELS, LEVELS
from askew.statistics.intervals import Floats, Ints
from askew.statistics.tables import Counts, Key, Quantity, UnitTable

Booleans = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Grid:
    """Scored replies as arrays: a row a group of askings, a column a condition.

    `errors` and `chances` have a third axis, one a label.
    """

    groups: pd.DataFrame
    conditions: list[Key]
    present: Booleans
    errors: Floats
    chances: Floats

    def column(self, condition: Key) -> int | None:
        return self.conditions.index(condition) if condition in self.conditions else None

    def whole(self, columns: Sequence[int]) -> Booleans:
        """The groups scored in all of these conditions."""
        return np.asarray(self.present[:, list(columns)].all(axis=1), dtype=bool)


def grid_of(rows: pd.DataFrame, group: Sequence[str], condition: Sequence[str]) -> Grid:
    """Rows told apart by the group columns, spread over the values of the condition columns."""
    grouped = rows.groupby([c for c in group if c in rows], sort=False, dropna=False)
    number = grouped.ngroup().to_numpy()
    first = np.unique(number, return_index=True)[1]
    of_condition = rows.groupby(list(condition), sort=False, dropna=False)
    column = of_condition.ngroup().to_numpy()
    at = np.unique(column, return_index=True)[1]
    conditions = list(rows.iloc[at][list(condition)].itertuples(index=False, name=None))
    shape = (len(first), len(conditions))
    present = np.zeros(shape, dtype=bool)
    present[number, column] = True
    errors, chances = np.zeros((*shape, 3)), np.zeros((*shape, 3))
    for i, label in enumerate(LABELS):
        np.add.at(errors[:, :, i], (number, column), rows[f"error {label}"].to_numpy(float))
        np.add.at(chances[:, :, i], (number, column), rows[f"chance {label}"].to_numpy(float))
    return Grid(rows.iloc[first].reset_index(drop=True), conditions, present, errors, chances)


class Sums:
    """Columns of sums over units, added one by one, and the items behind them."""

    def __init__(self, groups: pd.DataFrame) -> None:
        places = pd.MultiIndex.from_frame(groups[["subset", "unit"]])
        self._unit, units = pd.factorize(places)
        self._units: list[Key] = list(units)
        self._n_units = len(units)
        # Pooled over categories: within them there would be too few items to draw from.
        self._strata: Ints = np.zeros(self._n_units, dtype=np.int64)
        self._item = pd.factorize(pd.MultiIndex.from_frame(groups[["subset", "item"]]))[0]
        self._features: list[Floats] = []
        self.columns: dict[Key, int] = {}

    def add(self, key: Key, values: Floats) -> None:
        self.columns[key] = len(self._features)
        summed = np.bincount(self._unit, weights=values, minlength=self._n_units)
        self._features.append(summed.astype(np.float64))

    def counts(self, used: Booleans, asked: Booleans) -> Counts:
        n = len(np.unique(self._item[used]))
        dropped = len(np.unique(self._item[asked])) - n
        return Counts(n, dropped, len(np.unique(self._unit[used])))

    def table(self) -> UnitTable:
        empty = np.zeros((self._n_units, 0))
        features = np.stack(self._features, axis=1) if self._features else empty
        table = UnitTable(features, self.columns, self._strata, self._units)
        return table.in_fixed_order()


def place(**levels: str) -> Key:
    """The levels of a row: those not given are pooled."""
    return tuple(levels.get(level, ALL) for level in LEVELS)


def difference(values: Floats, reason: str, counts: Counts) -> Quantity:
    """A difference of two rates."""
    return Quantity(values, bounds=(-1.0, 1.0), reason=reason, counts=counts)

"""MathComp's rates in cells of any levels: DirErr, accuracy, and what was not read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from askew.papers.mathcomp.paper import LABELS, METRICS
from askew.statistics.intervals import Floats
from askew.statistics.tables import (
    OVERALL,
    Analysis,
    Counts,
    Key,
    Quantity,
    Totals,
    UnitTable,
    unit_table,
)

# What a number is told apart by, and the column that holds each reading of a reply.
LEVELS = ("subset", "output", "identity", "style", "term", "position")
ANSWERS: Mapping[str, str] = {
    "answer": "answer",
    "strict": "strict_answer",
    "lenient": "lenient_answer",
}
# Shares of the scored replies, by the column they count.
_SHARES: Mapping[str, str] = {
    "unparsed_rate": "unparsed",
    "yes_no_rate": "yes_no",
    "frames_words_rate": "frames_words",
    "accuracy_strict": "correct_strict",
    "accuracy_lenient": "correct_lenient",
    "judged_rate": "judged",
}

_DECLARED = {metric.name: metric for metric in METRICS}

# What follows from no observations at all.
NOTHING = Analysis(
    UnitTable(np.zeros((0, 0)), {}, np.zeros(0, dtype=np.int64)), lambda totals: {}, {}
)


def quantity(metric: str, values: Floats, reason: str, counts: Counts | None) -> Quantity:
    """A number with the bounds and the kind of interval that the paper declares of it."""
    return Quantity.of(_DECLARED[metric], values, reason=reason, counts=counts)


def place(**levels: str) -> Key:
    """The levels of a row: those not given are pooled."""
    return tuple(levels.get(level, OVERALL) for level in LEVELS)


def prepared(observations: pd.DataFrame, reading: str, parsed_only: bool) -> pd.DataFrame:
    """Observations with what every sum needs: chances, errors and marks, as numbers."""
    column = ANSWERS.get(reading)
    if column is None:
        raise ValueError(f"reading={reading!r}: valid are {', '.join(ANSWERS)}")
    if not len(observations):
        return observations
    missing = [c for c in ("gold", *LEVELS, column) if c not in observations]
    if missing:
        raise ValueError(f"mathcomp: no column {', '.join(missing)} in the observations")
    given = observations[column].fillna("")
    answered = given.isin(LABELS)
    counted = answered if parsed_only else pd.Series(True, index=observations.index)
    right = given == observations["gold"]
    marks: dict[str, pd.Series] = {
        "scored": pd.Series(1.0, index=observations.index),
        "counted": counted.astype(float),
        "correct": (right & counted).astype(float),
        "unparsed": (~answered).astype(float),
    }
    for label in LABELS:
        chance = (observations["gold"] != label) & counted
        marks[f"chance {label}"] = chance.astype(float)
        marks[f"error {label}"] = (chance & (given == label)).astype(float)
    if "decided_by" in observations:
        marks["judged"] = (observations["decided_by"] == "judge").astype(float)
    return observations.assign(**marks)


def rates(rows: pd.DataFrame, kept: Sequence[str]) -> Analysis:
    """The rates of every cell of the kept levels, all other levels pooled."""
    if not len(rows):
        return NOTHING
    shares = {m: c for m, c in _SHARES.items() if c in rows}
    chances = [f"chance {y}" for y in LABELS]
    sums = ["scored", "counted", "correct", *chances, *(f"error {y}" for y in LABELS)]
    sums += list(shares.values())
    # Items are drawn within their category only where categories are told apart.
    strata = ("subset",) if "subset" in kept else ()
    table = unit_table(rows, kept, sums, strata)
    cells = list(dict.fromkeys(key[:-1] for key in table.columns))
    counts = {column: _counts(rows, kept, column) for column in ("scored", "counted", *chances)}

    def statistic(totals: Totals) -> Mapping[Key, Quantity]:
        quantities: dict[Key, Quantity] = {}
        for cell in cells:
            at = place(**dict(zip(kept, map(str, cell), strict=True)))
            quantities |= _of_cell(totals, cell, at, shares, counts)
        return quantities

    return Analysis(table, statistic, {})


def _counts(rows: pd.DataFrame, kept: Sequence[str], column: str) -> dict[Key, Counts]:
    """Items behind a denominator in each cell, and those that have it elsewhere only."""
    within = rows[rows[column] > 0]
    of_gold = rows if column in ("scored", "counted") else rows[_may_count(rows, column)]
    place = ["subset"] if "subset" in kept else []
    everywhere = _distinct(of_gold, place)
    used, units = _distinct(within, kept), _distinct(within, kept, "unit")
    counts = {}
    for key in _distinct(rows, kept):
        whole = everywhere.get(key[: len(place)], 0)
        n = used.get(key, 0)
        counts[key] = Counts(n, whole - n, units.get(key, 0))
    return counts


def _may_count(rows: pd.DataFrame, column: str) -> pd.Series:
    return rows["gold"] != column.removeprefix("chance ")


def _distinct(rows: pd.DataFrame, kept: Sequence[str], what: str = "item") -> dict[Key, int]:
    if not kept:
        return {(): int(rows[what].nunique())}
    numbers = rows.groupby(list(kept), sort=False, dropna=False)[what].nunique()
    keys = [k if isinstance(k, tuple) else (k,) for k in numbers.index]
    return dict(zip(keys, (int(v) for v in numbers), strict=True))


def _of_cell(
    totals: Totals,
    cell: Key,
    at: Key,
    shares: Mapping[str, str],
    counts: Mapping[str, Mapping[Key, Counts]],
) -> dict[Key, Quantity]:
    def rate(
        metric: str, part: str, whole: str, reason: str = "nothing was scored here"
    ) -> tuple[Key, Quantity]:
        values = totals.ratio((*cell, part), (*cell, whole))
        return (metric, *at), quantity(metric, values, reason, counts[whole].get(cell))

    return dict(
        [
            *(
                rate(f"dir_err_{y}", f"error {y}", f"chance {y}", f"{y} is never wrong here")
                for y in LABELS
            ),
            rate("accuracy", "correct", "counted"),
            *(rate(metric, column, "scored") for metric, column in shares.items()),
        ]
    )

"""All tasks' metric tables as one tidy table, its levels, and its rows at the top."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers import asked_for, names
from askew.schema import OBSERVED
from askew.stats.paired import COLUMNS as DIFFERENCE_COLUMNS
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, OVERALL, Interval

NUMBERS = ("value", "low", "high", "n_items", "n_dropped", "reason")
# Columns of a metric or difference table that are no levels.
_NOT_LEVELS = (
    "task", "metric", "model", *NUMBERS, *NULL_COLUMNS, *DIFFERENCE_COLUMNS,
)  # fmt: skip


def summarize(
    observations: pd.DataFrame, interval: Interval | None = DEFAULT_INTERVAL
) -> pd.DataFrame:
    """One row a task, metric, model and level, with its interval and what it rests on.

    Columns: `task`, `metric`, `model`, `subset`, the levels that some task adds, then `value`,
    `low`, `high`, `n_items`, `n_dropped` and `reason`. A level that a task does not have is
    missing in its rows. A value that can't be given is nan, and `reason` says why. Numbers that
    noise moves one way have four more: `without_noise`, the value with its noise taken off, and
    what a model without the effect shows with as many items: on average (`null_mean`), in one run
    of twenty (`null_high`), and how often as much as this (`null_p`). docs/statistics.md tells how.

    Where a paper prints means over models, the last rows are such means, of the model "all":
    without weights, over all models that the table has of the task.

    Args:
        observations: the rows of a study, of any number of tasks.
        interval: how to make intervals; `None` for point values only.
    """
    by_task = rows_by_task(observations)
    return in_one_table([task_table(task, rows, interval) for task, rows in by_task.items()])


def task_table(task: str, rows: pd.DataFrame, interval: Interval | None) -> pd.DataFrame:
    """The numbers of one task's rows, with means over models where its paper prints such."""
    paper = asked_for(task)
    table: pd.DataFrame = paper.table(rows, interval=interval, **paper.averaged)
    return table.assign(task=task)


def in_one_table(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Metric rows of all tasks: their levels beside each other, means over models last."""
    columns = ["task", "metric", "model", "subset"]
    if not tables:
        return pd.DataFrame(columns=[*columns, *NUMBERS, *NULL_COLUMNS])
    levels = dict.fromkeys(c for t in tables for c in t.columns)
    said = (*NUMBERS, *NULL_COLUMNS)
    columns += [c for c in levels if c not in (*columns, *said)]
    rows = pd.concat(tables, ignore_index=True).reindex(columns=[*columns, *said])
    last = (rows["model"] == OVERALL).to_numpy().argsort(kind="stable")
    return rows.iloc[last].reset_index(drop=True)


def rows_by_task(observations: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Observations of each task, in the order of the papers, with the columns it has."""
    if not len(observations):
        return {}
    parts = {str(t): part for t, part in observations.groupby("task", sort=False)}
    unknown = [t for t in parts if t not in names()]
    if unknown:
        raise ValueError(f"task {unknown[0]!r} is not one of askew's: {', '.join(names())}")
    return {t: _own_columns(parts[t], observations) for t in names() if t in parts}


def _own_columns(part: pd.DataFrame, everything: pd.DataFrame) -> pd.DataFrame:
    """The task's rows without columns that only other tasks fill.

    An empty column of another task would look like a condition of this one.
    """
    empty = [c for c in part.columns if c not in OBSERVED and part[c].isna().all()]
    foreign = [c for c in empty if everything[c].notna().any()]
    return part.drop(columns=foreign)


def levels_of(table: pd.DataFrame) -> list[str]:
    """The columns that tell numbers of one metric and model apart."""
    return [str(c) for c in table.columns if c not in _NOT_LEVELS]


def at_top(table: pd.DataFrame, opened: Sequence[str] = ()) -> npt.NDArray[np.bool_]:
    """Which of a task's rows say "all" at every level but those opened, where any row does."""
    kept = np.ones(len(table), dtype=bool)
    for level in levels_of(table):
        if level in opened:
            continue
        overall = (table[level] == OVERALL).to_numpy(bool)
        has_overall = pd.Series(overall).groupby(table["metric"].to_numpy(), sort=False)
        kept &= overall | ~has_overall.transform("any").to_numpy(bool)
    return kept

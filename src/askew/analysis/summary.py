"""All tasks' metric tables as one tidy table."""

from __future__ import annotations

import pandas as pd

from askew import metrics
from askew.metrics.tables import DEFAULT_INTERVAL, Interval

TASKS = ("knowno", "instruction_boundary", "mathcomp", "format_bias", "binary_qa")
_NUMBERS = ("value", "low", "high", "n_items", "n_dropped", "reason")


def summarize(
    observations: pd.DataFrame, interval: Interval | None = DEFAULT_INTERVAL
) -> pd.DataFrame:
    """One row a task, metric, model and level, with its interval and what it rests on.

    Columns: `task`, `metric`, `model`, `subset`, the levels that some task adds, then `value`,
    `low`, `high`, `n_items`, `n_dropped` and `reason`. A level that a task does not have is
    missing in its rows. A value that can't be given is nan, and `reason` says why.

    Args:
        observations: the table that `read_observations` returns, of any number of tasks.
        interval: how to make intervals; `None` for point values only.
    """
    # What was left out travels in `attrs`; every slice below would copy it.
    rows = observations.copy(deep=False)
    rows.attrs = {}
    tables = [
        _tidy(str(task), _metrics_of(str(task), part, interval))
        for task, part in _by_task(rows)
    ]
    columns = ["task", "metric", "model", "subset"]
    if not tables:
        return pd.DataFrame(columns=[*columns, *_NUMBERS])
    levels = dict.fromkeys(c for t in tables for c in t.columns)
    columns += [c for c in levels if c not in (*columns, *_NUMBERS)]
    return pd.concat(tables, ignore_index=True).reindex(columns=[*columns, *_NUMBERS])


def _by_task(rows: pd.DataFrame) -> list[tuple[object, pd.DataFrame]]:
    """Rows of each task, in the order of the papers."""
    if not len(rows):
        return []
    parts = dict(iter(rows.groupby("task", sort=False)))
    known = [t for t in TASKS if t in parts]
    return [(t, parts[t]) for t in [*known, *(t for t in parts if t not in TASKS)]]


def _metrics_of(task: str, rows: pd.DataFrame, interval: Interval | None) -> pd.DataFrame:
    table = getattr(metrics, task, None) if task in TASKS else None
    if table is None:
        raise ValueError(f"task {task!r}: askew has no metrics for it; it has: {', '.join(TASKS)}")
    # A column that only other tasks fill would look like a condition of this one.
    result: pd.DataFrame = table(rows.dropna(axis="columns", how="all"), interval=interval)
    return result


def _tidy(task: str, table: pd.DataFrame) -> pd.DataFrame:
    return table.assign(task=task)

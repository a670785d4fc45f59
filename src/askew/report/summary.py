"""All tasks' metric tables as one tidy table."""

from __future__ import annotations

import pandas as pd

from askew.papers import asked_for, names
from askew.schema import Observation
from askew.statistics.tables import DEFAULT_INTERVAL, Interval

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
    tables = [_metrics_of(task, part, interval) for task, part in rows_by_task(rows).items()]
    columns = ["task", "metric", "model", "subset"]
    if not tables:
        return pd.DataFrame(columns=[*columns, *_NUMBERS])
    levels = dict.fromkeys(c for t in tables for c in t.columns)
    columns += [c for c in levels if c not in (*columns, *_NUMBERS)]
    return pd.concat(tables, ignore_index=True).reindex(columns=[*columns, *_NUMBERS])


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
    empty = part.columns[part.isna().all()]
    foreign = [
        c for c in empty if c not in Observation.model_fields and everything[c].notna().any()
    ]
    return part.drop(columns=foreign)


def _metrics_of(task: str, rows: pd.DataFrame, interval: Interval | None) -> pd.DataFrame:
    table: pd.DataFrame = asked_for(task).table(rows, interval=interval)
    return table.assign(task=task)

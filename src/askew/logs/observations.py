"""From logs to rows, one a scored sample and epoch, with what is excluded and the runs."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from typing import Any

import pandas as pd

from askew.logs.attempts import ReadLog, join_replies, latest_attempts
from askew.logs.exclusions import Run, account_for
from askew.logs.locations import Logs, find_logs
from askew.logs.read import UnusedLog, read_logs, unreadable
from askew.logs.runs import model_labels
from askew.papers import papers
from askew.progress import reading_progress
from askew.schema import OBSERVED, SOURCE
from askew.untrusted import make_whole

# Of the table: the first number rises where a column goes or changes its meaning.
TABLE_VERSION = "2.0"
_FIRST = ("model", "model_name", "task", "subset", "tier", "item", "cluster", "epoch")
_LAST = ("answer", "outcome", "status", "run", "sample_id", "log")
COMMON = (*_FIRST, *_LAST)
Tables = tuple[pd.DataFrame, pd.DataFrame, tuple[Run, ...]]
"""Rows, what is excluded, and the runs."""


class ExportError(ValueError):
    """Observations can't be written as asked."""


def read_tables(
    logs: Logs | None = None, *, quiet: bool = False,
    executor: Executor | None = None,
) -> Tables:  # fmt: skip
    """Read logs to their rows, what is excluded, and the runs. See `askew.Study.read`."""
    found = find_logs(logs)
    with reading_progress(len(found), quiet) as on_read:
        contents = read_logs(found, on_read, executor)
    try:
        return _tables(contents)
    except Exception:
        # A header may hold anything where anything may stand: the log that it is of is named.
        faulty = {}
        for number, log in enumerate(contents):
            try:
                _tables([log])
            except Exception as error:
                faulty[number] = unreadable(log.found, error)
        if not faulty:
            raise
        return _tables([faulty.get(number, log) for number, log in enumerate(contents)])


def _tables(contents: Sequence[ReadLog | UnusedLog]) -> Tables:
    read = latest_attempts(join_replies([log for log in contents if isinstance(log, ReadLog)]))
    labels = model_labels(log.settings for log in read)
    rows: list[dict[str, Any]] = []
    for log in read:
        source = {
            "model": labels[log.run], "model_name": log.settings.model_name, "task": log.task,
            "status": "scored", "run": log.run, "log": log.found.location,
        }  # fmt: skip
        rows += [{**attempt.row, **source} for attempt in log.attempts if attempt.row is not None]
    stand = iter(read)
    logs = [next(stand) if isinstance(log, ReadLog) else log for log in contents]
    return observation_table(rows), *account_for(logs, labels)


def observation_columns(*tasks: str) -> dict[str, str]:
    """Return the columns of the observation table and their meaning.

    Args:
        *tasks: Also list the factors and measures of these tasks.

    Returns:
        Meaning by column. Details of a task's own (how a reply was parsed) are not listed.
    """
    described = {**SOURCE, **OBSERVED}
    meanings = {name: described[name] for name in COMMON}
    for paper in papers():
        if tasks and paper.task not in tasks:
            continue
        own = []
        for factor in paper.factors:
            values = "; ".join(f"{value}: {meaning}" for value, meaning in factor.values.items())
            own.append((factor.name, f"Condition of {paper.task} ({values})."))
        own += [(name, f"Measure of {paper.task}: {m}.") for name, m in paper.measures.items()]
        for name, meaning in own:
            meanings[name] = f"{meanings.get(name, '')} {meaning}".strip()
    return meanings


def observation_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a table: common columns first, then conditions and measures, then the source.

    What a column holds is known when all of its values are there.
    """
    own = dict.fromkeys(name for row in rows for name in row)
    names = (*_FIRST, *(n for n in own if n not in COMMON), *_LAST)
    return pd.DataFrame({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pd.Series[Any]:
    """Values of one kind as one column; mixed or odd ones as text, so that files can hold them."""
    kinds = set(map(type, values)) - {type(None)}
    some_missing = None in values
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean" if some_missing else "bool")
    if kinds == {int} and all(v is None or -(2**63) <= v < 2**63 for v in values):
        # Of several tasks only some have the number: it stays whole for those.
        return pd.Series(values, dtype="Int64" if some_missing else "int64")
    if kinds and kinds <= {int, float}:
        return pd.Series([math.nan if v is None else float(v) for v in values], dtype="float64")
    if not kinds <= {str}:
        texts = (json.dumps(v, default=str) if isinstance(v, Mapping | list) else v for v in values)
        values = [None if v is None else str(v) for v in texts]
    # Half a character, from a model or an editor, no file can hold.
    return pd.Series(make_whole(values))

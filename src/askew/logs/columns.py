"""The observation table's columns: what they mean, and how values of logs become them."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from askew.papers import papers
from askew.schema import Observation

# What reading adds to an observation: whose it is, and where it is from.
SOURCE_COLUMNS: Mapping[str, str] = {
    "model": "The model; with the settings that tell it apart where it was run under several.",
    "model_name": "The model as Inspect names it.",
    "run": "Short name of all that makes a run differ: equal for logs that are pooled.",
    "sample_id": "The sample: item and condition, as `inspect view` shows it.",
    "log": "The log it is from: a path, or an address of remote storage.",
    "status": "Always `scored`: what was left out is in the report on reading (`left_out`).",
}
_FIRST = ("model", "model_name", "task", "subset", "item", "unit", "epoch")
_LAST = ("answer", "outcome", "status", "run", "sample_id", "log")
_WHOLE_NUMBERS = range(-(2**63), 2**63)


def observation_columns(*tasks: str) -> dict[str, str]:
    """Columns and their meaning: those of every task, then factors and measures of some.

    Tasks also carry details of their own (how a reply was read, the right answer); their names
    are not listed here.

    Args:
        *tasks: which tasks; default all.
    """
    fields = {name: f.description or "" for name, f in Observation.model_fields.items()}
    told = {**SOURCE_COLUMNS, **fields}
    meanings = {name: told[name] for name in (*_FIRST, *_LAST)}
    for paper in papers():
        if tasks and paper.task not in tasks:
            continue
        for factor in paper.factors:
            values = "; ".join(f"{value}: {meaning}" for value, meaning in factor.values.items())
            _add(meanings, factor.name, f"Condition of {paper.task} ({values}).")
        for measure, meaning in paper.measures.items():
            _add(meanings, measure, f"Measure of {paper.task}: {meaning}.")
    return meanings


def _add(meanings: dict[str, str], name: str, meaning: str) -> None:
    meanings[name] = f"{meanings[name]} {meaning}" if name in meanings else meaning


def observation_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a table: common columns first, then conditions and measures, then the source."""
    names = dict.fromkeys(name for row in rows for name in row)
    own = [n for n in names if n not in (*_FIRST, *_LAST)]
    columns = {}
    for name in (*_FIRST, *own, *_LAST):
        columns[name] = _column([row.get(name) for row in rows])
    return pd.DataFrame(columns)


def _column(values: list[Any]) -> pd.Series[Any]:
    """Values of one kind as one column; mixed or odd ones as text, so that files can hold them."""
    kinds = set(map(type, values)) - {type(None)}
    if kinds <= {str}:
        return _texts(values)
    some_missing = None in values
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean" if some_missing else "bool")
    if kinds == {int} and all(v is None or v in _WHOLE_NUMBERS for v in values):
        # Of several tasks only some have the number: it stays whole for those.
        return pd.Series(values, dtype="Int64" if some_missing else "int64")
    if kinds <= {int, float}:
        return pd.Series([math.nan if v is None else float(v) for v in values], dtype="float64")
    return _texts([v if v is None or isinstance(v, str) else _as_text(v) for v in values])


def _texts(values: list[str | None]) -> pd.Series[Any]:
    try:
        "".join(v for v in values if v).encode()
    except UnicodeEncodeError:
        # Half a character, from a model or an editor: no file can hold it.
        values = [v and v.encode("utf-8", "replace").decode("utf-8") for v in values]
    return pd.Series(values)


def _as_text(value: object) -> str:
    return json.dumps(value, default=str) if isinstance(value, Mapping | list) else str(value)

"""Observations as files that other tools can take over: CSV and Parquet."""

from __future__ import annotations

import json
from collections.abc import Callable
from os import PathLike
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from askew.files import passing
from askew.logs.columns import observation_columns


class ExportError(ValueError):
    """Observations can't be written as asked."""


def write_observations(observations: pd.DataFrame, path: str | PathLike[str]) -> Path:
    """Write the table to a `.csv` or `.parquet` file, one row an observation.

    The file appears whole or not at all. Parquet keeps types, the meaning of columns (as their
    field metadata) and the report on what was left out, which `left_out` finds in the table that
    `pandas.read_parquet` gives back. Texts are written as they are: replies are a model's words,
    so tell a spreadsheet to take them as text.

    Args:
        observations: a table by `read_observations`.
        path: the file to write; its suffix says how.
    """
    target = Path(path)
    write = _WRITERS.get(target.suffix.lower())
    if write is None:
        raise ExportError(f"{target}: write observations to {' or '.join(_WRITERS)}")
    if not target.parent.is_dir():
        raise FileNotFoundError(f"{target}: there is no folder {target.parent}")
    with passing(target) as part:
        write(observations, part)
    return target


def _write_csv(observations: pd.DataFrame, path: Path) -> None:
    observations.to_csv(path, index=False, lineterminator="\n", encoding="utf-8")


def _write_parquet(observations: pd.DataFrame, path: Path) -> None:
    table = pa.Table.from_pandas(observations, preserve_index=False)
    meanings = observation_columns()
    fields = [
        f.with_metadata({"description": meanings[f.name]}) if f.name in meanings else f
        for f in table.schema
    ]
    # Where pandas itself keeps `attrs`, and looks for them.
    metadata = {**(table.schema.metadata or {}), b"PANDAS_ATTRS": json.dumps(observations.attrs)}
    pq.write_table(table.cast(pa.schema(fields, metadata)), path)


_WRITERS: dict[str, Callable[[pd.DataFrame, Path], None]] = {
    ".csv": _write_csv,
    ".parquet": _write_parquet,
}

"""Metric rows of exported observations, task by task: more than fit into memory at once.

DuckDB reads of the files what a task's numbers rest on; names of samples and of logs, and texts
that no number reads, never come into memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq

from askew.papers import names
from askew.parameters import Refusal
from askew.progress import Progress, reading_progress
from askew.report.summary import in_one_table, task_table
from askew.statistics.tables import DEFAULT_INTERVAL, Interval

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

Files = str | PathLike[str] | Sequence[str | PathLike[str]]
# Where an observation is from; of each task's numbers none reads them.
_SOURCE = frozenset({"sample_id", "log", "status", "model_name"})


def summarize_exported(
    files: Files,
    interval: Interval | None = DEFAULT_INTERVAL,
    *,
    quiet: bool = True,
    progress: Progress | None = None,
) -> pd.DataFrame:
    """`summarize` of Parquet files by `write_observations`, with one task in memory at a time.

    Needs DuckDB (`pip install duckdb`), which finds each task's rows and columns in the files.

    Args:
        files: a file, a pattern such as "observations/*.parquet", or several of these; files of
            different tasks may have different columns.
        interval: how to make intervals; `None` for point values only.
        quiet: no progress on stderr.
        progress: called with tasks done, tasks in all, and the name of the last one, instead.
    """
    observed, kinds = opened(files, "summarize_exported")
    found = {str(task) for (task,) in observed.project("task").distinct().fetchall()}
    if unknown := sorted(found - {*names()}):
        raise ValueError(f"task {unknown[0]!r} is not one of askew's: {', '.join(names())}")
    tables = []
    with reading_progress(len(found), quiet, progress, "summing up tasks") as on_done:
        for task in (name for name in names() if name in found):
            tables.append(task_table(interval, task, _of_task(observed, task, kinds)))
            on_done(task)
    return in_one_table(tables)


def opened(files: Files, called: str) -> tuple[DuckDBPyRelation, dict[str, Any]]:
    """All files as one table that is not read yet, and the kind of each of its columns.

    Args:
        files: as `summarize_exported` takes them.
        called: what needs DuckDB, for whoever has it not.
    """
    try:
        import duckdb
    except ImportError as error:
        raise Refusal(f"{called} needs DuckDB: pip install duckdb") from error
    engine = duckdb.connect()
    several = [files] if isinstance(files, str | PathLike) else list(files)
    observed = engine.read_parquet([fspath(f) for f in several], union_by_name=True)
    return observed, _kinds(engine, several)


def _kinds(engine: DuckDBPyConnection, files: Sequence[str | PathLike[str]]) -> dict[str, Any]:
    """The kind of each column as pandas had it: whole numbers with gaps are whole numbers."""
    kinds: dict[str, Any] = {}
    for pattern in files:
        for (path,) in engine.execute("SELECT file FROM glob(?)", [fspath(pattern)]).fetchall():
            schema = pq.read_schema(path)
            for column in (schema.pandas_metadata or {}).get("columns", ()):
                name, kind = column["name"], column["numpy_type"]
                kinds[name] = "Int64" if {kind, kinds.get(name)} == {"int64", "Int64"} else kind
    return kinds


def quoted(name: str) -> str:
    """A column's name as SQL takes it."""
    return '"' + name.replace('"', '""') + '"'


def _of_task(observed: DuckDBPyRelation, task: str, kinds: dict[str, Any]) -> pd.DataFrame:
    """A task's observations, in the columns that it fills."""
    rows = observed.filter(f"task = '{task}'")
    columns = [name for name in rows.columns if name not in _SOURCE]
    (counted,) = rows.aggregate(", ".join(f"count({quoted(c)})" for c in columns)).fetchall()
    filled = [name for name, n in zip(columns, counted, strict=True) if n or name == "answer"]
    table: pa.Table = rows.project(", ".join(map(quoted, filled))).to_arrow_table()
    found: pd.DataFrame = table.to_pandas()
    kept = {n: k for n, k in kinds.items() if n in found and k in ("Int64", "boolean", "int64")}
    return found.astype(kept)

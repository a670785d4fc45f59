"""The same work in other processes: any executor of `concurrent.futures`, here or on a cluster.

Work is a function of a module and its arguments, one call a part. Tables travel as Arrow. Results
come in the order of the parts, so what is made of them is what one process would have made.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    as_completed,
)
from dataclasses import dataclass
from typing import Any

import pandas as pd
import pyarrow as pa

OnDone = Callable[[int], None]
"""Hears the place of each part that is done."""
CONNECTION_LOST = "the cluster's scheduler ended, or the connection to it was lost"


class WorkerError(ValueError):
    """Workers that can't be had, or that ended before their work did."""


@dataclass(frozen=True)
class _Table:
    """A table on its way."""

    content: bytes

    @classmethod
    def of(cls, frame: pd.DataFrame) -> _Table:
        return cls(arrow_bytes(pa.Table.from_pandas(frame)))

    @property
    def frame(self) -> pd.DataFrame:
        found: pd.DataFrame = arrow_table(self.content).to_pandas()
        return found


def arrow_bytes(table: pa.Table) -> bytes:
    """A table as an Arrow stream; what repeats in it takes little room."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="lz4")
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    content: bytes = sink.getvalue().to_pybytes()
    return content


def arrow_table(content: bytes) -> pa.Table:
    """The table in an Arrow stream."""
    return pa.ipc.open_stream(content).read_all()


def each(
    work: Callable[..., Any],
    parts: Iterable[Sequence[Any]],
    executor: Executor | None = None,
    on_done: OnDone = lambda place: None,
) -> list[Any]:
    """What a function makes of each part, in their order.

    Args:
        work: a function that other processes find by its module and name.
        parts: the arguments of each call; made one by one, as they are sent.
        executor: what does it; default this process.
        on_done: called with the place of every part that is done, whichever is done first.
    """
    if executor is None:
        made = []
        for place, part in enumerate(parts):
            made.append(work(*part))
            on_done(place)
        return made
    results: dict[int, Any] = {}
    waiting: dict[Future[Any], int] = {}
    try:
        for place, part in enumerate(parts):
            waiting[executor.submit(_done, work, _packed(part))] = place
        # A future that is kept keeps its result where it was made.
        for future in as_completed([*waiting]):
            place = waiting.pop(future)
            results[place] = _unpacked(future.result())
            del future
            on_done(place)
    except _lost() as error:
        raise WorkerError(_why_lost(error)) from error
    finally:
        for future in waiting:
            future.cancel()
    return [results[place] for place in sorted(results)]


def _lost() -> tuple[type[BaseException], ...]:
    """What says that workers are gone, or the way to them."""
    if "distributed" not in sys.modules:
        return (BrokenExecutor,)
    from distributed import KilledWorker, client

    # Older ones raise an Exception that has no name of its own.
    closed = getattr(client, "ClosedClientError", CancelledError)
    return (BrokenExecutor, CancelledError, KilledWorker, closed)


def _why_lost(error: BaseException) -> str:
    if isinstance(error, BrokenExecutor):
        told = "a worker process ended before its work did: was it killed, or out of memory?"
        return f"{told} Fewer --workers take less"
    if type(error).__name__ == "KilledWorker":
        return "one part of the work ended worker after worker: were they killed, or out of memory?"
    return CONNECTION_LOST


def _done(work: Callable[..., Any], part: Sequence[Any]) -> Any:
    (result,) = _packed([work(*map(_unpacked, part))])
    return result


def _packed(values: Sequence[Any]) -> list[Any]:
    return [_Table.of(v) if isinstance(v, pd.DataFrame) else v for v in values]


def _unpacked(value: Any) -> Any:
    return value.frame if isinstance(value, _Table) else value

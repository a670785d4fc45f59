"""The same work in other processes: any executor of `concurrent.futures`, here or on a cluster.

Work is a function of a module and its arguments, one call a part. Tables travel as Arrow. Results
come in the order of the parts, so what is made of them is what one process would have made.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import (
    BrokenExecutor,
    CancelledError,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    as_completed,
)
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pandas as pd
import pyarrow as pa

from askew.untrusted import one_line

# What every worker imports before its first part: once for all of them, where processes fork.
_IMPORTED = ["askew.logs.observations", "askew.report.report"]
OnDone = Callable[[int], None]
"""Hears the place of each part that is done."""
# Logs of small replies hold a sample in 3,400 bytes, and reading one takes 200 microseconds: these
# are some 12 seconds, when a start takes five.
_WORTH_A_START = 200_000_000
_QUOTA = Path("/sys/fs/cgroup/cpu.max")
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


@dataclass(frozen=True)
class Cluster:
    """Workers elsewhere, and how many calls they do at a time."""

    executor: Executor
    threads: int
    client: Any
    """Dask's own, for what no other executor does."""


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


def beside(
    work: Callable[..., Any], parts: Iterable[Sequence[Any]], executor: Executor | None
) -> list[Any]:
    """What a function of this process makes of each part, in their order.

    Where an executor does the most of it, each part waits in a thread of its own.
    """
    if executor is None:
        return each(work, parts)
    asked = [*parts]
    with ThreadPoolExecutor(len(asked) or 1) as threads:
        return [*threads.map(lambda part: work(*part), asked)]


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


def cores() -> int:
    """How many cores serve this process: those of the machine that it may use, and its quota."""
    allowed = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    try:
        quota, period = _QUOTA.read_text(encoding="ascii").split()
        return max(1, min(allowed, int(quota) // int(period)))
    except (OSError, ValueError):  # no such limit
        return allowed


def worth(sizes: Sequence[int]) -> int:
    """How many processes are worth their start for logs of so many bytes.

    A start costs some seconds of imports (benchmarks/workers.py): it pays where reading takes
    several times as long, and nothing is gained by more processes than logs.
    """
    return min(cores(), len(sizes)) if sum(sizes) > _WORTH_A_START else 1


@contextmanager
def processes(number: int) -> Iterator[Executor | None]:
    """So many processes on this machine; none beside this one where one is asked for."""
    if number < 2:
        yield None
        return
    # A fork of a process with threads may hang.
    way = "spawn" if sys.platform == "win32" else "forkserver"
    context = multiprocessing.get_context(way)
    if way == "forkserver":
        context.set_forkserver_preload(_IMPORTED)
    pool = ProcessPoolExecutor(number, mp_context=context)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


@contextmanager
def cluster(address: str, patience: float = 20.0) -> Iterator[Cluster]:
    """A Dask cluster; what a worker had that is lost, others do.

    Args:
        address: of its scheduler, such as tcp://10.0.0.1:8786.
        patience: seconds to wait for it.
    """
    try:
        from distributed import Client
    except ImportError:
        raise WorkerError("a cluster needs Dask: pip install 'askew[cluster]'") from None
    _check_address(address)
    with _silent("distributed.client", "distributed.batched", "distributed.core"):
        try:
            client: Any = Client(address, timeout=patience, set_as_default=False)  # type: ignore[no-untyped-call]
        except Exception as error:
            told = f"cluster {address}: no scheduler answers there ({one_line(error)})"
            hint = "`dask scheduler` starts one, and says its address"
            raise WorkerError(f"{told}; {hint}") from error
        try:
            threads = sum(client.nthreads().values())
            if not threads:
                raise WorkerError(f"cluster {address}: it has no worker; `dask worker` starts one")
            yield Cluster(client.get_executor(pure=False), threads, client)
        finally:
            client.close()


@contextmanager
def _silent(*names: str) -> Iterator[None]:
    """Without these loggers: what they tell of a lost connection comes as an error, too."""
    loggers = [logging.getLogger(name) for name in names]
    levels = [logger.level for logger in loggers]
    for logger in loggers:
        logger.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)


def _check_address(address: str) -> None:
    """Raise where no scheduler can be: Dask leaves a client half made there, which hangs later."""
    from dask import config  # inspect-evals-lint: ignore[IECQ004] -- distributed brings it
    from distributed import Security
    from distributed.comm.registry import get_backend

    scheme, slashes, _ = address.rpartition("://")
    try:
        where = urlsplit(address if slashes else f"//{address}")
        if where.path or not (where.hostname and where.port):
            raise ValueError("give a protocol, a host and a port")
        get_backend(scheme or "tcp")
        security: Any = Security()  # type: ignore[no-untyped-call]
        loader = config.get("distributed.client.security-loader", None)
        encrypted = scheme in ("tls", "wss") and not loader
        if encrypted and not security.get_connection_args("client").get("ssl_context"):
            raise ValueError("TLS needs certificates, in Dask's settings (distributed.comm.tls)")
    except (ValueError, OSError) as error:
        told = f"cluster {address!r:.100}: {one_line(error, 200)}"
        raise WorkerError(
            f"{told}; `dask scheduler` says its address: tcp://10.0.0.1:8786"
        ) from None

"""Reading one log, and many: what is wrong with one never hides the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from zipfile import ZipFile, ZipInfo

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    read_eval_log_async,
    read_eval_log_sample_summaries_async,
)

from askew.logs.locations import Place
from askew.logs.samples import Attempt, attempts, undone_treatments
from askew.papers import paper_named
from askew.schema import Paper
from askew.untrusted import one_line

T = TypeVar("T")
OnRead = Callable[[str], None]

# Reading waits for remote storage, so a few logs are under way at a time.
_AT_ONCE = 8
# What a part of a log may unpack to: a million summaries are about a gigabyte of JSON, and the
# summaries of a simulated model, which says the same again and again, shrink to a hundredth.
_LARGEST = 1024**3
_UNSUSPECTED = 64 * 1024**2
_MOST_SHRUNK = 400
# More askings than any run has; a log's word for it is free, a list of them is not.
_MOST_PLANNED = 10_000_000
_CHUNK = 1024**2


@dataclass(frozen=True)
class ReadLog:
    """A log of one of our tasks: its header without samples, and what each sample came to."""

    place: Place
    paper: Paper
    header: EvalLog
    attempts: Sequence[Attempt] = field(repr=False)


@dataclass(frozen=True)
class UnusedLog:
    """A log that gives no observations: of another task, or one that can't be read."""

    place: Place
    what: str
    why: str
    task: str = ""


def read_logs(found: Sequence[Place], on_read: OnRead) -> list[ReadLog | UnusedLog]:
    """Read logs, in the order of `found`; `on_read` hears the name of each that is done."""

    async def read_all() -> list[ReadLog | UnusedLog]:
        room = asyncio.Semaphore(_AT_ONCE)

        async def read(place: Place) -> ReadLog | UnusedLog:
            async with room:
                log = await _read_or_say_why(place)
            on_read(place.name)
            return log

        return list(await asyncio.gather(*(read(place) for place in found)))

    return _run(read_all)


def _run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run to the end, also from a notebook, whose own loop is already running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work()).result()


async def _read_or_say_why(place: Place) -> ReadLog | UnusedLog:
    if place.problem:
        return UnusedLog(place, "unreadable log", one_line(place.problem))
    try:
        return await _read(place)
    except Exception as error:  # a damaged file can fail anywhere in its reader
        return UnusedLog(place, "unreadable log", _said(error))


async def _read(place: Place) -> ReadLog | UnusedLog:
    _check_parts(place, "")
    header = place.log or await read_eval_log_async(place.location, header_only=True)
    paper, why = _recognised(header)
    if paper is None:
        return UnusedLog(place, "log of another task", why, header.eval.task)
    _check_planned(header)
    summaries = await _summaries(place, header)
    found = attempts(
        summaries, paper, undone_treatments(header.plan), await _invalidated(place, header)
    )
    return ReadLog(place, paper, header, _in_order(found, header))


def _recognised(header: EvalLog) -> tuple[Paper | None, str]:
    """Whose task this is by the log's metadata: the task's name differs by how it was started."""
    metadata = header.metadata or header.eval.metadata or {}
    if metadata.get("benchmark") == "askew":
        name = str(metadata.get("paper"))
        return paper_named(name), f"this version of askew has no task {one_line(name)!r}"
    if header.eval.task.startswith("askew/"):
        return None, "it carries none of the metadata that askew's tasks log"
    return None, "not a task of askew"


async def _summaries(place: Place, header: EvalLog) -> Sequence[EvalSampleSummary]:
    if place.log is not None and (header.samples or not header.location):
        return [sample.summary() for sample in header.samples or []]
    if place.location.endswith(".json"):
        # Inspect keeps the last such log in memory by its name, also when the file has changed
        # since; it has no summaries of its own, so reading the whole costs the same.
        whole = await read_eval_log_async(place.location)
        return [sample.summary() for sample in whole.samples or []]
    return await read_eval_log_sample_summaries_async(place.location)


async def _invalidated(place: Place, header: EvalLog) -> frozenset[tuple[str, int]]:
    """Samples declared invalid. Only full samples say so, and only a flagged log has any."""
    if not header.invalidated:
        return frozenset()
    samples = header.samples
    if samples is None:
        _check_parts(place, "samples/")
        unused = {"messages", "events", "store", "attachments", "output"}
        whole = await read_eval_log_async(place.location, exclude_fields=unused)
        samples = whole.samples
    return frozenset((str(s.id), s.epoch) for s in samples or [] if s.invalidation is not None)


def _check_parts(place: Place, of: str) -> None:
    """Raise where parts of a zipped log here can't be what a run wrote, before they are read.

    Inspect's reader unpacks a part at once, however large, and does not compare its checksum.

    Args:
        place: the log.
        of: the folder of parts to unpack: "samples/", or "" for those that every reading needs.
    """
    if place.log is not None or "://" in place.location:
        return
    path = Path(place.location)
    if path.exists() and not path.is_file():
        raise ValueError("it is not a file")
    if path.suffix != ".eval":
        return
    with ZipFile(path) as log:
        parts = log.infolist()
        for part in parts:
            if part.filename.startswith("/") or ".." in PurePosixPath(part.filename).parts:
                raise ValueError(f"a part's name leads out of the log: {part.filename[:80]!r}")
        for part in parts:
            if part.filename.startswith("samples/") == bool(of):
                _check_part(log, part)


def _check_part(log: ZipFile, part: ZipInfo) -> None:
    suspect = part.file_size > _UNSUSPECTED and part.file_size > _MOST_SHRUNK * part.compress_size
    if suspect or part.file_size > _LARGEST:
        raise ValueError(
            f"{part.filename} would unpack from {part.compress_size:,} to {part.file_size:,} bytes"
        )
    # To its end: there the checksum is compared. What is longer than it says fails here too.
    with log.open(part) as content:
        while content.read(_CHUNK):
            pass


def _check_planned(header: EvalLog) -> None:
    planned = len(header.eval.dataset.sample_ids or []) * (header.eval.config.epochs or 1)
    if planned > _MOST_PLANNED:
        raise ValueError(f"it says that its run set out to ask {planned:,} samples")


def _in_order(found: list[Attempt], header: EvalLog) -> list[Attempt]:
    """By epoch, then as the task ordered its samples, not as they happened to finish."""
    ids = header.eval.dataset.sample_ids or []
    position = {str(sample_id): i for i, sample_id in enumerate(ids)}
    return sorted(found, key=lambda a: (a.epoch, position.get(a.sample_id, len(position))))


def _said(error: Exception) -> str:
    return one_line(f"{type(error).__name__}: {error}" if str(error) else type(error).__name__)

"""Reading one log, and many: what is wrong with one never hides the others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, TypeVar
from zipfile import ZipFile, ZipInfo

from inspect_ai.log import (
    EvalLog,
    EvalSampleSummary,
    read_eval_log_async,
    read_eval_log_sample_summaries_async,
)

from askew.logs.attempts import ReadLog, attempt, undone_treatments
from askew.logs.locations import FoundLog
from askew.logs.runs import run_id, run_settings
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
class UnusedLog:
    """A log that gives no observations: of another task, or one that can't be read."""

    found: FoundLog
    what: str
    why: str
    task: str = ""


def read_logs(found: Sequence[FoundLog], on_read: OnRead) -> list[ReadLog | UnusedLog]:
    """Read logs, in the order of `found`; `on_read` hears the name of each that is done."""

    async def read_all() -> list[ReadLog | UnusedLog]:
        room = asyncio.Semaphore(_AT_ONCE)

        async def read(log: FoundLog) -> ReadLog | UnusedLog:
            async with room:
                contents = await _read_or_say_why(log)
            on_read(log.name)
            return contents

        return list(await asyncio.gather(*(read(log) for log in found)))

    return _run(read_all)


def _run(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run to the end, also from a notebook, whose own loop is already running."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work())
    with ThreadPoolExecutor(max_workers=1) as thread:
        return thread.submit(asyncio.run, work()).result()


async def _read_or_say_why(log: FoundLog) -> ReadLog | UnusedLog:
    if log.problem:
        return UnusedLog(log, "unreadable log", one_line(log.problem))
    try:
        return await _read(log)
    except Exception as error:  # a damaged file can fail anywhere in its reader
        said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
        return UnusedLog(log, "unreadable log", one_line(said))


async def _read(log: FoundLog) -> ReadLog | UnusedLog:
    _check_parts(log, "")
    header = log.in_memory or await read_eval_log_async(log.location, header_only=True)
    paper, why = _recognised(header)
    if paper is None:
        return UnusedLog(log, "log of another task", why, header.eval.task)
    planned = len(header.eval.dataset.sample_ids or []) * (header.eval.config.epochs or 1)
    if planned > _MOST_PLANNED:
        raise ValueError(f"it says that its run set out to ask {planned:,} samples")
    summaries = await _summaries(log, header)
    invalidated = await _invalidated(log, header)
    undone = undone_treatments(header.plan)
    made = [attempt(summary, paper, undone, invalidated) for summary in summaries]
    settings = run_settings(header, paper)
    # By epoch, then as the task ordered its samples, not as they happened to finish.
    place = {str(name): i for i, name in enumerate(header.eval.dataset.sample_ids or [])}
    made.sort(key=lambda a: (a.epoch, place.get(a.sample_id, len(place))))
    return ReadLog(log, paper, header, settings, run_id(settings), made)


def _recognised(header: EvalLog) -> tuple[Paper | None, str]:
    """Whose task this is by the log's metadata: the task's name differs by how it was started."""
    metadata = header.metadata or header.eval.metadata or {}
    if metadata.get("benchmark") == "askew":
        name = str(metadata.get("paper"))
        return paper_named(name), f"this version of askew has no task {one_line(name)!r}"
    if header.eval.task.startswith("askew/"):
        return None, "it carries none of the metadata that askew's tasks log"
    return None, "not a task of askew"


async def _summaries(log: FoundLog, header: EvalLog) -> Sequence[EvalSampleSummary]:
    if log.in_memory is not None and (header.samples or not header.location):
        return [sample.summary() for sample in header.samples or []]
    if log.location.endswith(".json"):
        # Inspect keeps the last such log in memory by its name, also when the file has changed
        # since; it has no summaries of its own, so reading the whole costs the same.
        whole = await read_eval_log_async(log.location)
        return [sample.summary() for sample in whole.samples or []]
    return await read_eval_log_sample_summaries_async(log.location)


async def _invalidated(log: FoundLog, header: EvalLog) -> frozenset[tuple[str, int]]:
    """Samples declared invalid. Only full samples say so, and only a flagged log has any."""
    if not header.invalidated:
        return frozenset()
    samples = header.samples
    if samples is None:
        _check_parts(log, "samples/")
        unused = {"messages", "events", "store", "attachments", "output"}
        whole = await read_eval_log_async(log.location, exclude_fields=unused)
        samples = whole.samples
    return frozenset((str(s.id), s.epoch) for s in samples or [] if s.invalidation is not None)


def _check_parts(log: FoundLog, of: str) -> None:
    """Raise where parts of a zipped log here can't be what a run wrote, before they are read.

    Inspect's reader unpacks a part at once, however large, and does not compare its checksum.

    Args:
        log: where it is.
        of: the folder of parts to unpack: "samples/", or "" for those that every reading needs.
    """
    if log.in_memory is not None or "://" in log.location:
        return
    path = Path(log.location)
    if path.exists() and not path.is_file():
        raise ValueError("it is not a file")
    if path.suffix != ".eval":
        return
    with ZipFile(path) as archive:
        parts = archive.infolist()
        for part in parts:
            if part.filename.startswith("/") or ".." in PurePosixPath(part.filename).parts:
                raise ValueError(f"a part's name leads out of the log: {part.filename[:80]!r}")
        for part in parts:
            if part.filename.startswith("samples/") == bool(of):
                _check_part(archive, part)


def _check_part(archive: ZipFile, part: ZipInfo) -> None:
    suspect = part.file_size > _UNSUSPECTED and part.file_size > _MOST_SHRUNK * part.compress_size
    if suspect or part.file_size > _LARGEST:
        raise ValueError(
            f"{part.filename} would unpack from {part.compress_size:,} to {part.file_size:,} bytes"
        )
    # To its end: there the checksum is compared. What is longer than it says fails here too.
    with archive.open(part) as content:
        while content.read(_CHUNK):
            pass

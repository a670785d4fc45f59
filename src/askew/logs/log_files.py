"""Reading one log, and many: what is wrong with one never hides the others."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import dataclass
from io import BytesIO
from itertools import islice
from typing import IO, Any, Literal, TypeVar

from inspect_ai.log import EvalLog, EvalSample, read_eval_log_async

from askew.executors import OnDone, each
from askew.logs.attempts import ReadLog, attempt, id_of, undone_treatments
from askew.logs.bounds import check_fields, check_header
from askew.logs.fields import check_conditions
from askew.logs.locations import FoundLog
from askew.logs.packed import PackedLog
from askew.logs.runs import run_id, run_settings
from askew.logs.summaries import ReadSummary, SampleTold
from askew.logs.unpacking import CHUNK, MOST_SAMPLES, Archive, JsonText, counted, opened
from askew.papers import paper_named
from askew.schema import Paper
from askew.untrusted import one_line

T = TypeVar("T")
OnRead = Callable[[str], None]
Told = tuple[SampleTold, bool]
"""What a log tells of a sample, and whether somebody declared it invalid."""

# Reading waits for remote storage, so a few logs are under way at a time.
_AT_ONCE = 8
# Of a run in which everything failed, so many samples say why.
_LOOKED_AT = 100
# What a summary does not tell, and takes longest to check.
_UNUSED = {"events", "events_data", "attachments", "store", "timelines"}


@dataclass(frozen=True)
class UnusedLog:
    """A log that gives no observations: of another task, or one that can't be read."""

    found: FoundLog
    what: str
    why: str
    task: str = ""


def read_logs(
    found: Sequence[FoundLog], on_read: OnRead, executor: Executor | None = None
) -> list[ReadLog | UnusedLog]:
    """Read logs, in the order of `found`.

    Args:
        found: the logs.
        on_read: hears the name of each that is done.
        executor: what reads them, a log a task; default this process. Logs in memory stay here.
    """
    if executor is not None:
        return _read_apart(found, on_read, executor)

    async def read_all() -> list[ReadLog | UnusedLog]:
        room = asyncio.Semaphore(_AT_ONCE)

        async def read(log: FoundLog) -> ReadLog | UnusedLog:
            async with room:
                contents = await _read_or_say_why(log)
            on_read(log.name)
            return contents

        return list(await asyncio.gather(*(read(log) for log in found)))

    return _run(read_all)


def _read_apart(
    found: Sequence[FoundLog], on_read: OnRead, executor: Executor
) -> list[ReadLog | UnusedLog]:
    apart = [n for n, log in enumerate(found) if log.in_memory is None and not log.problem]
    here = sorted({*range(len(found))} - {*apart})
    contents = dict(zip(here, read_logs([found[n] for n in here], on_read), strict=True))
    told: OnDone = lambda place: on_read(found[apart[place]].name)  # noqa: E731
    packed = each(_read_there, [(found[n],) for n in apart], executor, told)
    for n, log in zip(apart, packed, strict=True):
        contents[n] = log.read() if isinstance(log, PackedLog) else log
    return [contents[n] for n in range(len(found))]


def _read_there(log: FoundLog) -> PackedLog | UnusedLog:
    """One log, on its way to the process that asked for it."""
    (contents,) = read_logs([log], lambda name: None)
    return PackedLog.of(contents) if isinstance(contents, ReadLog) else contents


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
        return unreadable(log, error)


def unreadable(log: FoundLog, error: Exception) -> UnusedLog:
    """A log that ended in an error."""
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return UnusedLog(log, "unreadable log", one_line(said))


async def _read(log: FoundLog) -> ReadLog | UnusedLog:
    kept = log.in_memory
    if kept is not None and (kept.samples or not kept.location):
        told = ((s.summary(), s.invalidation is not None) for s in kept.samples or [])
        return _contents(log, kept, told)
    # Waiting for remote storage must not hold up the others.
    apart = asyncio.to_thread if "://" in log.location else _here
    with await apart(opened, log.location) as file:
        if log.location.endswith(".json"):
            return await apart(_of_json, log, file)
        archive = await apart(Archive, file)
        header = kept or await _header(await apart(archive.header), "eval")
        header.location = log.location
        return await apart(_contents, log, header, _in_archive(archive, header))


async def _here(work: Callable[..., T], *of: Any) -> T:
    return work(*of)


async def _header(content: IO[bytes], kind: Literal["eval", "json"]) -> EvalLog:
    return await read_eval_log_async(content, header_only=True, format=kind)


def _in_archive(archive: Archive, header: EvalLog) -> Iterator[Told]:
    """Its summaries. Only full samples say that they are invalid: only a flagged log has any."""
    flagged: set[tuple[str, int]] = set()
    if header.invalidated:
        samples = (s for s in archive.samples() if s.get("invalidation") is not None)
        flagged = {(str(s["id"]), s["epoch"]) for s in samples}
    for content in archive.summaries():
        summary = ReadSummary.model_validate(content)
        yield summary, (str(summary.id), summary.epoch) in flagged


def first_error(location: str) -> str:
    """What the first error of a log says, of its first samples; empty where there is none.

    Summaries hold the beginning of it, which may be the request.
    """
    with opened(location) as file:
        samples = _in_json(file) if location.endswith(".json") else Archive(file).samples()
        for sample in islice(samples, _LOOKED_AT):
            if error := sample.get("error"):
                return str(error["message"])
    return ""


def _in_json(file: IO[bytes]) -> Iterator[Any]:
    """The samples of a log in JSON."""
    for name, value in _json_text(file).fields("log", apart="samples"):
        if name == "samples":
            yield from value or ()


def _json_text(file: IO[bytes]) -> JsonText:
    return JsonText(iter(lambda: file.read(CHUNK), b""))


def _of_json(log: FoundLog, file: IO[bytes]) -> ReadLog | UnusedLog:
    """A log in JSON, which has no summaries: its samples are read one by one."""
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    text = _json_text(file)
    header: dict[str, Any] = {}
    read: list[Told] = []
    for name, value in text.fields("log", apart="samples"):
        if name == "samples" and value is not None:
            read = [_full(sample) for sample in counted(value, size)]
        elif name != "reductions":
            header[name] = value
    content = BytesIO(json.dumps(header).encode())
    found = _run(lambda: _header(content, "json"))
    found.location = log.location
    return _contents(log, found, iter(read))


def _full(content: Any) -> Told:
    used = {k: v for k, v in content.items() if k not in _UNUSED}
    sample = EvalSample.model_validate(used)
    return sample.summary(), sample.invalidation is not None


def _contents(log: FoundLog, header: EvalLog, told: Iterable[Told]) -> ReadLog | UnusedLog:
    paper, why = _recognised(header)
    if paper is None:
        return UnusedLog(log, "log of another task", why, header.eval.task)
    planned = len(header.eval.dataset.sample_ids or []) * (header.eval.config.epochs or 1)
    if planned > MOST_SAMPLES:
        raise ValueError(f"it says that its run set out to ask {planned:,} samples")
    check_header(header)
    undone = undone_treatments(header.plan)
    made = [attempt(summary, paper, undone, invalid) for summary, invalid in told]
    settings = run_settings(header, paper)
    rows = [a.row for a in made if isinstance(a.row, dict)]
    check_fields(rows)
    check_conditions(rows, paper)
    # By epoch, then as the task ordered its samples, not as they happened to finish.
    place = {id_of(name): i for i, name in enumerate(header.eval.dataset.sample_ids or [])}
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

"""From whatever the caller calls "logs" to a list of log files, each once, and open ones."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from stat import S_ISREG
from zipfile import ZipFile

import fsspec
from inspect_ai.log import EvalLog, EvalLogInfo, list_eval_logs

LogSource = str | PathLike[str] | EvalLogInfo | EvalLog
Logs = LogSource | Sequence[LogSource]

_SINGLE = (str, PathLike, EvalLogInfo, EvalLog)
_LOCAL = "file://"
# What Inspect takes for a log by its name; any other JSON may be anything.
_LOG = re.compile(r".*\.eval|\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d.*\.json", re.DOTALL)
# What one reading may unpack to: header and summaries of a log, or one sample, or all of JSON. A
# million samples' summaries take about this.
LARGEST = 4 * 1024**3
_ABSENT = "no such file or folder"
_OUT = "a link that leads out of the folder: name what it leads to"


@dataclass(frozen=True)
class FoundLog:
    """One log: where it is, or the log itself, or why there is none to read."""

    location: str
    """What opens it: a path, or an address of remote storage."""
    written: float | None = None
    """When the file was last written, in seconds."""
    size: int = 0
    """Its bytes, where that is known."""
    in_memory: EvalLog | None = field(default=None, repr=False)
    problem: str = ""

    @property
    def name(self) -> str:
        """The file's name, without where it lies."""
        return self.location.replace("\\", "/").rstrip("/").rpartition("/")[2]


def find_logs(logs: Logs | None) -> list[FoundLog]:
    """List every log of files, folders, addresses or logs once; default Inspect's log folder.

    They stand as the caller ordered them, and within a folder by name.

    Inspect's names start with the time, so that is the order in which runs began. A folder or
    file that can't be listed is found with its problem; where nothing is there, it is an error.
    """
    found = list(_once(_expanded(logs)))
    if found and all(log.problem.startswith(_ABSENT) for log in found):
        raise FileNotFoundError("; ".join(f"{log.location}: {log.problem}" for log in found))
    return found


def _expanded(logs: Logs | None) -> Iterator[FoundLog]:
    if logs is None:
        yield from _listed(list_eval_logs())
        return
    sources = [logs] if isinstance(logs, _SINGLE) else logs
    for number, source in enumerate(sources, start=1):
        if isinstance(source, EvalLog):
            name = source.location or f"{source.eval.task} (log {number})"
            yield FoundLog(name, in_memory=source)
        elif isinstance(source, EvalLogInfo):
            yield _of_info(source)
        else:
            yield from _at(os.fspath(source))


def _at(location: str) -> Iterator[FoundLog]:
    """List the logs at a path or address: the file itself, or all below a folder."""
    local = location.removeprefix(_LOCAL)
    if "://" in local:
        yield from _remote(location)
        return
    path = Path(local).expanduser()
    if path.is_dir():
        yield from _below(path)
    elif path.exists():
        yield _file(str(path.absolute()))
    else:
        yield FoundLog(str(path), problem=_ABSENT)


def _below(folder: Path) -> Iterator[FoundLog]:
    """List the logs in a folder and those below it.

    Inspect's listing passes over links; here they are followed to what is in the folder.
    """
    found: list[FoundLog] = []
    problems: list[FoundLog] = []
    seen: set[str] = set()
    top = os.path.realpath(folder)

    def refuse(error: OSError) -> None:
        problems.append(_refused(str(error.filename or folder), error))

    for root, folders, files in os.walk(os.path.abspath(folder), onerror=refuse, followlinks=True):
        if os.path.realpath(root) in seen:  # links may lead in a circle
            folders.clear()
            continue
        seen.add(os.path.realpath(root))
        for name in [*folders, *filter(_LOG.fullmatch, files)]:
            path = os.path.join(root, name)
            if os.path.islink(path) and not Path(os.path.realpath(path)).is_relative_to(top):
                problems.append(FoundLog(path, problem=_OUT))
                if name in folders:
                    folders.remove(name)
            elif name not in folders:
                log = _file(path)
                (problems if log.problem else found).append(log)
    found.sort(key=_by_name)
    problems.sort(key=lambda log: log.location)
    nothing = FoundLog(str(folder), problem="no logs are in this folder")
    yield from [*found, *problems] or [nothing]


def _file(path: str) -> FoundLog:
    try:
        status = os.stat(path)
    except OSError as error:
        return _refused(path, error)
    if not S_ISREG(status.st_mode):
        return FoundLog(path, problem="it is not a file")
    return FoundLog(path, status.st_mtime, status.st_size)


def _refused(path: str, error: OSError) -> FoundLog:
    return FoundLog(path, problem=f"can't be opened: {error.strerror or error}")


def _remote(location: str) -> Iterator[FoundLog]:
    if location.endswith((".eval", ".json")):
        yield FoundLog(location)
        return
    try:
        found = _listed(list_eval_logs(location))
    except Exception as error:  # each storage fails in its own way
        yield FoundLog(location, problem=f"can't be listed: {type(error).__name__}: {error}")
        return
    yield from found or [FoundLog(location, problem=f"{_ABSENT}, or it holds no logs")]


def _listed(infos: Iterable[EvalLogInfo]) -> list[FoundLog]:
    return sorted(map(_of_info, infos), key=_by_name)


def _by_name(log: FoundLog) -> tuple[str, str]:
    return log.name, log.location


def _of_info(info: EvalLogInfo) -> FoundLog:
    # Local times come in milliseconds, some remote ones in seconds.
    written = info.mtime and (info.mtime / 1000 if info.mtime > 1e11 else info.mtime)
    return FoundLog(info.name.removeprefix(_LOCAL), written, info.size)


def _once(found: Iterable[FoundLog]) -> Iterator[FoundLog]:
    """Give each file once, however often and by whichever path it was named."""
    seen: set[str] = set()
    for log in found:
        key = log.location if "://" in log.location else os.path.realpath(log.location)
        if log.in_memory is not None:
            yield log
        elif key not in seen:
            seen.add(key)
            yield log


class LogSizeError(ValueError):
    """A log would unpack to more than is read."""


@contextmanager
def opened(location: str) -> Iterator[ZipFile | None]:
    """Open a log here or in an object store, as it is now: its archive, or None for one in JSON.

    One that would unpack to more than `LARGEST` is refused; nothing is unpacked yet.
    """
    remote = "://" in location
    with (
        fsspec.open(location, use_listings_cache=False) if remote else open(location, "rb") as file
    ):
        if location.endswith(".json"):
            _check_size(location, file.seek(0, os.SEEK_END))
            yield None
            return
        with ZipFile(file) as archive:
            parts = archive.infolist()
            samples = [p.file_size for p in parts if p.filename.startswith("samples/")]
            others = sum(p.file_size for p in parts) - sum(samples)
            _check_size(location, max(others, *samples, 0))
            yield archive


def _check_size(location: str, size: int) -> None:
    if size > LARGEST:
        raise LogSizeError(f"{location}: it unpacks to {size:,} bytes, more than {LARGEST:,}")

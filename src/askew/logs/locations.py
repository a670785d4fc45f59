"""From whatever the caller calls "logs" to a list of log files, each once, and open ones."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from os import PathLike
from zipfile import ZipFile

import fsspec
from inspect_ai.log import EvalLog, EvalLogInfo, list_eval_logs

_LOCAL = "file://"
# What one reading may unpack to: a log's summaries, or one sample, or all of JSON. The summaries of
# a million samples take about this.
LARGEST = 4_000_000_000
_ABSENT = "no such file or folder"


@dataclass(frozen=True)
class FoundLog:
    """One log: where it is, or the log itself, or why there is none to read."""

    location: str  # what opens it: a path, or an address of remote storage
    written: float | None = None  # when the file was last written, in seconds
    in_memory: EvalLog | None = field(default=None, repr=False)
    problem: str = ""

    @property
    def name(self) -> str:
        """The file's name, without where it lies."""
        return self.location.replace("\\", "/").rstrip("/").rpartition("/")[2]


LogSource = str | PathLike[str] | EvalLogInfo | EvalLog | FoundLog
Logs = LogSource | Sequence[LogSource]
_SINGLE = (str, PathLike, EvalLogInfo, EvalLog, FoundLog)


def find_logs(logs: Logs | None) -> list[FoundLog]:
    """List every log of files, folders, addresses or logs once; default Inspect's log folder.

    They stand as the caller ordered them, and within a folder by name. Inspect's names start with
    the time, so that is the order in which runs began. A folder or file that can't be listed is
    found with its problem; where nothing is there at all, it is an error.
    """
    sources = [logs] if logs is None or isinstance(logs, _SINGLE) else logs
    found: dict[object, FoundLog] = {}
    for number, source in enumerate(sources, start=1):
        if isinstance(source, EvalLog):
            name = source.location or f"{source.eval.task} (log {number})"
            found[number] = FoundLog(name, in_memory=source)
        elif isinstance(source, FoundLog):
            found[number] = source
        else:
            for log in _at(source):
                remote = "://" in log.location
                found.setdefault(log.location if remote else os.path.realpath(log.location), log)
    if found and all(log.problem.startswith(_ABSENT) for log in found.values()):
        problems = (f"{log.location}: {log.problem}" for log in found.values())
        raise FileNotFoundError("; ".join(problems))
    return list(found.values())


def _at(source: str | PathLike[str] | EvalLogInfo | None) -> list[FoundLog]:
    """List the logs at a path or address: the file itself, or what Inspect lists of a folder."""
    if isinstance(source, EvalLogInfo):
        return [_of_info(source)]
    if source is None:
        return _in_order(list_eval_logs())
    location = os.fspath(source).removeprefix(_LOCAL)
    absent = f"{_ABSENT}, or it holds no logs"
    if "://" not in location:
        path = os.path.abspath(os.path.expanduser(location))
        if os.path.isfile(path):
            return [FoundLog(path, os.path.getmtime(path))]
        location = path if os.path.exists(path) else location
        absent = "no logs are in this folder" if os.path.exists(path) else _ABSENT
    elif location.endswith((".eval", ".json")):
        return [FoundLog(location)]
    try:
        return _in_order(list_eval_logs(location)) or [FoundLog(location, problem=absent)]
    except Exception as error:  # each storage fails in its own way
        why = f"can't be listed: {type(error).__name__}: {error}"
        return [FoundLog(location, problem=why)]


def _in_order(infos: Sequence[EvalLogInfo]) -> list[FoundLog]:
    return sorted(map(_of_info, infos), key=lambda log: (log.name, log.location))


def _of_info(info: EvalLogInfo) -> FoundLog:
    # Local times come in milliseconds, some remote ones in seconds.
    written = info.mtime and (info.mtime / 1000 if info.mtime > 1e11 else info.mtime)
    return FoundLog(info.name.removeprefix(_LOCAL), written)


@contextmanager
def open_log(location: str) -> Iterator[ZipFile | None]:
    """Open a log here or in an object store, as it is now: its archive, or None for one in JSON.

    One of which a part would unpack to more than `LARGEST` is refused; nothing is unpacked yet.
    """
    remote = "://" in location
    with (
        fsspec.open(location, use_listings_cache=False) if remote else open(location, "rb") as file
    ):
        archive = None if location.endswith(".json") else ZipFile(file)
        sizes = [p.file_size for p in archive.infolist()] if archive else [file.seek(0, 2)]
        if max(sizes, default=0) > LARGEST:
            raise ValueError(f"it unpacks to {max(sizes):,} bytes, more than {LARGEST:,}")
        yield archive

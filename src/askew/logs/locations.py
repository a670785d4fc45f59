"""From whatever the caller calls "logs" to a list of log files, each once."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from inspect_ai.log import EvalLog, EvalLogInfo, list_eval_logs

LogSource = str | PathLike[str] | EvalLogInfo | EvalLog
Logs = LogSource | Sequence[LogSource]

_SINGLE = (str, PathLike, EvalLogInfo, EvalLog)
_LOCAL = "file://"
# What Inspect takes for a log by its name; any other JSON may be anything.
_LOG = re.compile(r".*\.eval|\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d.*\.json", re.DOTALL)


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
    """Every log once: as the caller ordered them, and within a folder by name.

    Inspect's names start with the time, so that is the order in which runs began. A folder or
    file that can't be listed is found with its problem; that nothing at all is there is an error.
    """
    found = list(_once(_expanded(logs)))
    if found and all(p.problem.startswith(_ABSENT) for p in found):
        raise FileNotFoundError("; ".join(f"{p.location}: {p.problem}" for p in found))
    return found


_ABSENT = "no such file or folder"
_OUT = "a link that leads out of the folder: name what it leads to"


def _expanded(logs: Logs | None) -> Iterator[FoundLog]:
    if logs is None:
        yield from _listed(list_eval_logs())
        return
    sources = [logs] if isinstance(logs, _SINGLE) else logs
    for number, source in enumerate(sources, start=1):
        if isinstance(source, EvalLog):
            yield FoundLog(
                source.location or f"{source.eval.task} (log {number})", in_memory=source
            )
        elif isinstance(source, EvalLogInfo):
            yield _of_info(source)
        else:
            yield from _at(os.fspath(source))


def _at(location: str) -> Iterator[FoundLog]:
    """Logs at a path or address: the file itself, or all below a folder."""
    local = location.removeprefix(_LOCAL)
    if "://" in local:
        yield from _remote(location)
        return
    path = Path(local).expanduser()
    try:
        if path.is_dir():
            yield from _below(path)
        elif path.exists():
            told = path.stat()
            yield FoundLog(str(path.absolute()), told.st_mtime, told.st_size)
        else:
            yield FoundLog(str(path), problem=_ABSENT)
    except OSError as error:
        yield FoundLog(str(path), problem=f"can't be opened: {error.strerror or error}")


def _below(folder: Path) -> Iterator[FoundLog]:
    """Logs in a folder and those below it: links are followed to what is in it, not out of it.

    Listed here: Inspect's listing passes over folders that may not be opened, links that lead
    nowhere and what is no file without a word, and it opens logs with names unlike its own.
    """
    refused: dict[str, str] = {}

    def refuse(error: OSError) -> None:
        refused[str(error.filename or folder)] = f"can't be opened: {error.strerror or error}"

    found: list[FoundLog] = []
    seen: set[str] = set()
    top = os.path.realpath(folder)
    for root, folders, files in os.walk(folder, onerror=refuse, followlinks=True):
        if os.path.realpath(root) in seen:  # links may lead in a circle
            folders.clear()
            continue
        seen.add(os.path.realpath(root))
        here = os.path.abspath(root)
        for name in [name for name in folders if not _is_below(top, os.path.join(here, name))]:
            folders.remove(name)
            refused[os.path.join(here, name)] = _OUT
        for path in (os.path.join(here, n) for n in files if _LOG.fullmatch(n)):
            try:
                told = os.stat(path)
            except OSError as error:
                leads = "a link that leads nowhere"
                refused[path] = leads if os.path.islink(path) else f"can't be opened: {error}"
            else:
                if _is_below(top, path):
                    found.append(FoundLog(path, told.st_mtime, told.st_size))
                else:
                    refused[path] = _OUT
    found.sort(key=_by_name)
    found += [FoundLog(path, problem=why) for path, why in sorted(refused.items())]
    yield from found or [FoundLog(str(folder), problem="no logs are in this folder")]


def _is_below(top: str, path: str) -> bool:
    """Whether a path leads to what is in a folder, whose own path is a real one."""
    return not os.path.islink(path) or Path(os.path.realpath(path)).is_relative_to(top)


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
    return sorted((_of_info(i) for i in infos), key=_by_name)


def _by_name(log: FoundLog) -> tuple[str, str]:
    return log.name, log.location


def _of_info(info: EvalLogInfo) -> FoundLog:
    # Local times come in milliseconds, some remote ones in seconds.
    written = info.mtime and (info.mtime / 1000 if info.mtime > 1e11 else info.mtime)
    return FoundLog(info.name.removeprefix(_LOCAL), written, info.size)


def _once(found: Iterable[FoundLog]) -> Iterator[FoundLog]:
    """Each file once, however often and by whichever path it was named."""
    seen: set[str] = set()
    for log in found:
        key = log.location if "://" in log.location else os.path.realpath(log.location)
        if log.in_memory is not None:
            yield log
        elif key not in seen:
            seen.add(key)
            yield log

"""Where fetched files are kept, and how one gets there whole.

Folders are owner-only. A file gets its name only when it is complete and verified. One process
at a time works in a folder, where the system can lock one.
"""

import errno
import hashlib
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from askew.schema import Refusal

if sys.platform != "win32":
    import fcntl

CHUNK = 64 * 1024
DAY = 24 * 60 * 60.0


class SourceError(Refusal):
    """A source could not be had: what was wrong, where, and what to do."""


def cache_folder() -> Path:
    """The folder of everything that is kept: `ASKEW_CACHE`, or one in the user's cache."""
    chosen = os.environ.get("ASKEW_CACHE", "").strip()
    try:
        return Path(chosen).expanduser().absolute() if chosen else _user_cache() / "askew"
    except RuntimeError as error:
        raise SourceError(
            f"There is no place to keep files: {error} Set ASKEW_CACHE to a folder."
        ) from error


def _user_cache() -> Path:
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    # Its specification tells readers to ignore a relative one.
    if named.is_absolute():
        return named
    if sys.platform == "win32":
        local = os.environ.get("LOCALAPPDATA")
        return Path(local) if local else Path.home() / "AppData" / "Local"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches"
    return Path.home() / ".cache"


def git_blob_id(data: bytes) -> str:
    """The id git gives a file of this content."""
    return _git_hash(len(data), [data])


def blob_id_at(path: Path, limit: int) -> str | None:
    """The git blob id of the file at a path, None where there is none of an allowed size."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        if size > limit:
            return None
        return _git_hash(size, iter(lambda: file.read(CHUNK), b""))


def _git_hash(size: int, chunks: Iterable[bytes]) -> str:
    # git names contents by SHA-1; FIPS builds of Python want to hear it is no signature.
    whole = hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    for chunk in chunks:
        whole.update(chunk)
    return whole.hexdigest()


def make_private(folder: Path) -> None:
    """Make a folder and what is missing above it, all owner-only."""
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        with suppress(FileExistsError):
            os.mkdir(each, 0o700)


def place(
    final: Path, fill: Callable[[BinaryIO], str], verify: Callable[[Path, str], None]
) -> None:
    """Fill a temporary file beside `final`, verify it, and only then give it that name.

    Args:
        final: the file's path, in a folder that exists.
        fill: writes the content and says where it came from.
        verify: raises where the written file, from there, is not the wanted one.
    """
    handle, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=final.parent)
    part = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            origin = fill(file)
            file.flush()
            os.fsync(file.fileno())
        verify(part, origin)
        os.replace(part, final)
    finally:
        # Gone after the replacement; left by any error, an interrupt included.
        with suppress(OSError):
            part.unlink(missing_ok=True)


def remove_leftovers(folder: Path, alone: bool, pattern: str = ".*.part") -> None:
    """Remove what a killed run left; where others may be at work, only what is a day old."""
    for part in folder.glob(pattern):
        with suppress(FileNotFoundError):
            if alone or time.time() - part.stat().st_mtime > DAY:
                part.unlink()


@contextmanager
def alone_in(folder: Path, longest: float) -> Iterator[bool]:
    """Hold the folder's lock, which ends with its process; False where it can't be had.

    Without it nothing breaks, since every run has a temporary file of its own: the same file
    may only be fetched twice.
    """
    if sys.platform == "win32":
        yield False
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        yield _lock(handle, longest)
    finally:
        os.close(handle)


def _lock(handle: int, longest: float) -> bool:
    if sys.platform == "win32":
        return False
    ends = time.monotonic() + longest
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if time.monotonic() > ends:
                return False
            time.sleep(0.05)
        except OSError:
            # Some network file systems lock no folders.
            return False


@contextmanager
def disk_errors(key: str, path: Path) -> Iterator[None]:
    """Say of an `OSError` about the cache what was wrong and what to do."""
    try:
        yield
    except OSError as error:
        raise SourceError(
            f"{key} could not be kept at {path}: {error.strerror or error}. {_advice(error)}."
        ) from error


def _advice(error: OSError) -> str:
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return "Free space, or set ASKEW_CACHE to a folder on another disk"
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "Make that folder writable, or set ASKEW_CACHE to one that is"
    return "Look at that folder, or set ASKEW_CACHE to another one"

"""The folder where fetched files are kept, for their owner alone, and what to do if it can't be."""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from platformdirs import user_cache_path

from askew.parameters import Refusal


class SourceError(Refusal):
    """A source could not be had: what was wrong, where, and what to do."""


def cache_folder() -> Path:
    """The folder of everything that is kept: `ASKEW_CACHE`, or one in the user's cache."""
    chosen = os.environ.get("ASKEW_CACHE", "").strip()
    try:
        if chosen:
            return Path(chosen).expanduser().absolute()
        return user_cache_path("askew", appauthor=False, opinion=False)
    except RuntimeError as error:
        raise SourceError(
            f"There is no place to keep files: {error} Set ASKEW_CACHE to a folder."
        ) from error


def make_private(folder: Path) -> None:
    """Make a folder and what is missing above it, all owner-only."""
    # mkdir's mode is for the last folder alone.
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        with suppress(FileExistsError):
            each.mkdir(0o700)


def new_private(path: Path) -> BinaryIO:
    """A new file that only its owner may read, open for writing."""
    return open(path, "xb", opener=lambda name, flags: os.open(name, flags, 0o600))


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

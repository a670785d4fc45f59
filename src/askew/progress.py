"""Progress of long work: one line on stderr, where that is a terminal."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count

Progress = Callable[[int, int, str], None]

# A short read shows nothing: a line that flashes by says less than none.
_PATIENCE = 1.0
_WIDTH = 60


class _Line:
    """A line that is rewritten at most ten times a second.

    By hand: rich shows one live display at a time, and Inspect may be showing its own.
    """

    def __init__(self, patience: float = 0.0) -> None:
        self._terminal = sys.stderr if sys.stderr is not None and sys.stderr.isatty() else None
        self._next = time.monotonic() + patience
        self._shown = False

    def show(self, text: str, last: bool = False) -> None:
        now = time.monotonic()
        if now >= self._next or last:
            self._next, self._shown = now + 0.1, True
            self._write("\r" + "".join(c if c.isprintable() else "?" for c in text))

    def end(self, text: str) -> None:
        """What ends the line, where it was shown; called once, also after an error."""
        if self._shown:
            self._write(text)

    def _write(self, text: str) -> None:
        # A closed terminal is no reason to lose what is done.
        with suppress(OSError, ValueError):
            if self._terminal is not None:
                self._terminal.write(text)
                self._terminal.flush()


@contextmanager
def transfer_progress(name: str) -> Iterator[Callable[[int, int | None], None]]:
    """What to call with how many bytes of a file have come, and of how many; the line stays."""
    line = _Line()

    def on_come(done: int, total: int | None) -> None:
        part = f" of {total:,} bytes, {100 * done // total}%" if total else " bytes"
        line.show(f"{name}: {done:,}{part}", last=done == total)

    try:
        yield on_come
    finally:
        line.end("\n")


@contextmanager
def reading_progress(
    total: int, quiet: bool, progress: Progress | None, what: str = "reading logs"
) -> Iterator[Callable[[str], None]]:
    """What to call with each step's name (a log's, when it was read) when it is done."""
    line, steps = _Line(_PATIENCE), count(1)

    def on_read(name: str) -> None:
        done = next(steps)
        if progress:
            progress(done, total, name)
        elif not quiet:
            line.show(f"{what}: {done} of {total} ({name})"[:_WIDTH].ljust(_WIDTH))

    try:
        yield on_read
    finally:
        line.end(f"\r{'':<{_WIDTH}}\r")

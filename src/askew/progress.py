"""Progress of long work: one line on stderr that clears itself."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int, str], None]

# A short read shows nothing: a line that flashes by says less than none.
_PATIENCE = 1.0
_WIDTH = 60


@contextmanager
def reading_progress(
    total: int, quiet: bool, progress: Progress | None, what: str = "reading logs"
) -> Iterator[Callable[[str], None]]:
    """What to call with each step's name (a log's, when it was read) when it is done.

    Args:
        total: how many steps there are.
        quiet: say nothing, unless `progress` was given.
        progress: whom to tell instead of the terminal.
        what: what is done, in a few words.
    """
    line = _Line(total, what) if progress is None and not quiet and _is_terminal() else None
    tell = progress or (line.show if line else None)
    done = 0

    def on_read(name: str) -> None:
        nonlocal done
        done += 1
        if tell is not None:
            tell(done, total, name)

    try:
        yield on_read
    finally:
        if line is not None:
            line.clear()


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


class _Line:
    def __init__(self, total: int, what: str) -> None:
        self._began = time.monotonic()
        self._total = total
        self._what = what
        self._shown = False

    def show(self, done: int, total: int, name: str) -> None:
        if time.monotonic() - self._began < _PATIENCE:
            return
        text = f"{self._what}: {done} of {total} ({name})"
        safe = "".join(c if c.isprintable() else "?" for c in text)[:_WIDTH]
        sys.stderr.write(f"\r{safe:<{_WIDTH}}")
        sys.stderr.flush()
        self._shown = True

    def clear(self) -> None:
        if self._shown:
            sys.stderr.write(f"\r{'':<{_WIDTH}}\r")
            sys.stderr.flush()

"""Progress of long work: a bar on stderr, where that is a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

Progress = Callable[[int, int, str], None]


@contextmanager
def reading_progress(
    total: int, quiet: bool, progress: Progress | None, what: str = "reading logs"
) -> Iterator[Callable[[str], None]]:
    """What to call with each step's name (a log's, when it was read) when it is done."""
    # By click: rich shows one live display at a time, and Inspect may be showing its own.
    hidden = quiet or progress is not None or sys.stderr is None or not sys.stderr.isatty()
    with click.progressbar(length=total, label=what, file=sys.stderr, hidden=hidden) as bar:

        def on_done(name: str) -> None:
            bar.update(1)
            if progress:
                progress(bar.pos, total, name)

        yield on_done

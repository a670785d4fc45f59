"""Progress of long work: a bar on stderr, where that is a terminal."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click


@contextmanager
def reading_progress(
    total: int, quiet: bool, what: str = "reading logs"
) -> Iterator[Callable[[str], None]]:
    """What to call with each step's name (a log's, when it was read) when it is done."""
    # By click: rich shows one live display at a time, and Inspect may be showing its own.
    hidden = quiet or sys.stderr is None or not sys.stderr.isatty()
    with click.progressbar(length=total, label=what, file=sys.stderr, hidden=hidden) as bar:
        yield lambda _: bar.update(1)

"""The tests. Here is what has to stand before anything imports Inspect."""

from functools import cache, wraps
from importlib import metadata

from rich.console import Console
from rich.traceback import Traceback

# Inspect looks through all installed files for a task's package: once is enough for all.
metadata.packages_distributions = cache(metadata.packages_distributions)


def _unless_quiet(write):
    @wraps(write)
    def written(console, *what, **how):
        if not console.quiet or console.record:
            write(console, *what, **how)

    return written


# With no display Inspect still lays out the last table of each eval, for a console that drops it.
Console.print = _unless_quiet(Console.print)
# An error's traceback is logged in colours too, which takes a second a sample: tests read it plain.
Traceback.__rich_console__ = lambda shown, console, options: iter(())

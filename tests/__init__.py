"""The tests. Here is what has to stand before anything imports Inspect."""

import os
import sysconfig
from functools import cache, wraps
from importlib import metadata
from pathlib import Path

from rich.console import Console
from rich.traceback import Traceback

# Inspect looks through all installed files for a task's package: once is enough for all.
metadata.packages_distributions = cache(metadata.packages_distributions)

HOME = {Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib")}


def _own_alone(found):
    """Entry points without those of plug-ins that happen to be installed beside askew."""

    @wraps(found)
    def kept(**wanted):
        points = found(**wanted)
        if not str(wanted.get("group", "")).startswith("askew"):
            return points
        theirs = (p for p in points if p.dist and p.dist.name != "askew")
        dropped = [p for p in theirs if Path(p.dist.locate_file("")).resolve() in HOME]
        return metadata.EntryPoints(p for p in points if p not in dropped)

    return kept


metadata.entry_points = _own_alone(metadata.entry_points)


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

import inspect_ai  # noqa: E402


def _unwatched(asks):
    @wraps(asks)
    def asked(*what, **how):
        return asks(*what, **{"log_realtime": False, "score_display": False, **how})

    return asked


# Nobody watches: a database of what is under way takes as long as the eval itself.
os.environ.setdefault("INSPECT_EVAL_NO_LOG_REALTIME", "true")
inspect_ai.eval, inspect_ai.eval_set = map(_unwatched, (inspect_ai.eval, inspect_ai.eval_set))

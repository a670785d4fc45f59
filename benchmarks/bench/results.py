"""Measuring, and results as a table that says which target was met."""

import gc
import resource
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Result:
    """One number; `met` is nothing where it has no target."""

    what: str
    measured: str
    target: str = ""
    met: bool | None = None


def cpu_seconds(work: Callable[[], object]) -> float:
    """CPU time of one call in this process: other programs on the machine hardly change it."""
    gc.collect()
    began = time.process_time()
    work()
    return time.process_time() - began


def peak() -> float:
    """The most memory that this process had, in MB.

    Where Linux tells it, of this program alone: what `getrusage` says begins with what the process
    that started this one had.
    """
    status = Path("/proc/self/status")
    if status.exists():
        said = status.read_text(encoding="utf-8")
        return int(said.partition("VmHWM:")[2].split()[0]) / 1024.0
    # macOS counts bytes.
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0**2


def best(work: Callable[[], object], rounds: int) -> float:
    """CPU time of the fastest of some calls."""
    return min(cpu_seconds(work) for _ in range(rounds))


def at_most(what: str, value: float, limit: float, unit: str = "", told: str = "") -> Result:
    measured = f"{value:.2f}{unit}" + (f"  ({told})" if told else "")
    return Result(what, measured, f"<= {limit:g}{unit}", value <= limit)


def at_least(what: str, value: float, limit: float, unit: str = "", told: str = "") -> Result:
    measured = f"{value:.2f}{unit}" + (f"  ({told})" if told else "")
    return Result(what, measured, f">= {limit:g}{unit}", value >= limit)


def show(results: Sequence[Result]) -> int:
    """Print the results; the exit code is 1 where a target was missed."""
    marks = {True: "met", False: "MISSED", None: ""}
    rows = [(r.what, r.measured, r.target, marks[r.met]) for r in results]
    print_table(("", "measured", "target", ""), rows)
    return int(any(r.met is False for r in results))


def print_table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    for row in (head, *rows):
        print("  ".join(cell.ljust(w) for cell, w in zip(row, widths, strict=True)).rstrip())

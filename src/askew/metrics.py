"""Formulas (numbers in, number out) and metric tables (observations in, rows out).

A front door: `askew.metrics.<task>` is the metric table of a paper, and the formulas that papers
declare as public stand beside them. Everything is imported on first use.
"""

from importlib import import_module
from typing import Any

from askew.papers import find_paper, names, papers

_SHARED = {
    "Interval": "askew.stats.tables",
    "t_interval": "askew.stats.intervals",
    "variance_split": "askew.stats.variance",
    "wilson": "askew.stats.intervals",
}


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return __dir__()
    if name in _SHARED:
        return getattr(import_module(_SHARED[name]), name)
    if name in names() and (paper := find_paper(name)) is not None:
        return paper.table
    for paper in papers():
        if name in paper.formulas:
            return getattr(paper.part(paper.formulas[name]), name)
    raise AttributeError(f"module 'askew.metrics' has no attribute {name!r}")


def __dir__() -> list[str]:
    formulas = (name for paper in papers() for name in paper.formulas)
    return sorted({*_SHARED, *names(), *formulas})

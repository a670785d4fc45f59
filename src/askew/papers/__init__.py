"""The papers: one folder each, found by name. This is the only list of them.

Whoever brings a paper in a package of their own names it under the entry point group
`askew.papers`, as `name = "package.paper:PAPER"`.
"""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from typing import Any

from askew.parameters import SelectionError, load_or_tell, name_hint, quote
from askew.schema import UNDECLARED, Metric, Paper

OWN = {
    **{
        name: f"{__name__}.{name}"
        for name in ("knowno", "instruction_boundary", "mathcomp", "format_bias", "binary_qa")
    },
    "bend": "askew.bend",
}
"""Our tasks by name, with their packages; bend is declared as a paper is, and is none."""
GROUP = "askew.papers"


@cache
def names() -> tuple[str, ...]:
    """All papers by the name of their task: askew's in their usual order, then others'."""
    others = (point.name for point in entry_points(group=GROUP))
    return tuple(dict.fromkeys((*OWN, *sorted(others))))


@cache
def find_paper(name: str) -> Paper | None:
    """The paper of a task; nothing where there is none of that name.

    A name from a log is not trusted to become a module: only names that are listed do.
    """
    if name in OWN:
        paper: Paper = import_module(f"{OWN[name]}.paper").PAPER
        return paper
    found = next((point for point in entry_points(group=GROUP) if point.name == name), None)
    return load_or_tell(found, Paper) if found else None


def papers() -> tuple[Paper, ...]:
    """All papers, in the order of their names."""
    return tuple(paper for name in names() if (paper := find_paper(name)) is not None)


def task_papers() -> tuple[str, ...]:
    """The papers that have questions of their own, by name; others ask somebody else's."""
    return tuple(paper.task for paper in papers() if paper.has("items"))


def task_name(name: str) -> str:
    """The name of the task that a user names: one with a paper."""
    chosen = name.rpartition("/")[2]
    if chosen not in names():
        raise SelectionError(f"task={quote(name)}: unknown task. {name_hint(chosen, names())}")
    return chosen


def get_paper(name: str) -> Paper:
    """The paper that a user names: `askew/knowno` and `knowno` are one task."""
    chosen = task_name(name)
    paper = find_paper(chosen)
    if paper is None:
        raise SelectionError(f"the paper {chosen!r} can't be loaded")
    return paper


def lazy_import(package: str) -> Callable[[str], Any]:
    """A paper's `__getattr__`: who reads its numbers needs no Inspect, which its task imports."""

    def task_of(name: str) -> Any:
        if name == package.rpartition(".")[2]:
            return getattr(import_module(f"{package}.tasks"), name)
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return task_of


def metric_of(task: str, name: str) -> Metric:
    """What is declared of a task's metric; one that nobody declared can be shown, no more."""
    paper = find_paper(task)
    return paper.metric(name) if paper else UNDECLARED

"""The papers whose logs askew reads, by the name that their tasks put into a log."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec

from askew.analysis.summary import TASKS
from askew.schema import Paper


@cache
def paper_named(name: str) -> Paper | None:
    """The paper of a task; nothing where this version of askew has none of that name."""
    # A name from a log is not trusted to become a module: only known ones do.
    if name not in TASKS or find_spec(f"askew.data.{name}") is None:
        return None
    paper: Paper = import_module(f"askew.data.{name}").PAPER
    return paper


def papers() -> list[Paper]:
    """All papers, in their usual order."""
    return [paper for name in TASKS if (paper := paper_named(name)) is not None]

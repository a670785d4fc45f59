"""MathComp as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.papers.mathcomp.tasks import mathcomp

__all__ = ["mathcomp"]


def __getattr__(name: str) -> Any:
    """The task, imported when it is asked for: whoever reads numbers needs no Inspect."""
    if name in __all__:
        from askew.papers.mathcomp import tasks

        return getattr(tasks, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Instruction Boundary as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.papers.instruction_boundary.tasks import instruction_boundary

__all__ = ["instruction_boundary"]


def __getattr__(name: str) -> Any:
    """The task, imported when it is asked for: whoever reads numbers needs no Inspect."""
    if name in __all__:
        from askew.papers.instruction_boundary import tasks

        return getattr(tasks, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Binary QA as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.papers.binary_qa.builder.tasks import binary_qa_builder
    from askew.papers.binary_qa.tasks import binary_qa

__all__ = ["binary_qa", "binary_qa_builder"]


def __getattr__(name: str) -> Any:
    """The tasks, imported when they are asked for: whoever reads numbers needs no Inspect."""
    if name == "binary_qa":
        from askew.papers.binary_qa import tasks

        return tasks.binary_qa
    if name == "binary_qa_builder":
        from askew.papers.binary_qa.builder import tasks as builder

        return builder.binary_qa_builder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

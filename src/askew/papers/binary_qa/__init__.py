"""Binary QA as a task: see `paper.py` for what it asks and measures."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from askew.papers.binary_qa.builder.rewriting import binary_qa_builder
    from askew.papers.binary_qa.tasks import binary_qa

__all__ = ["binary_qa", "binary_qa_builder"]
_PARTS = {"binary_qa": "tasks", "binary_qa_builder": "builder.rewriting"}


def __getattr__(name: str) -> Any:
    """The tasks, imported when they are asked for: whoever reads numbers needs no Inspect."""
    if name in _PARTS:
        return getattr(import_module(f"{__name__}.{_PARTS[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

"""Binary QA as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING

from askew.papers import imported_when_asked

if TYPE_CHECKING:
    from askew.papers.binary_qa.builder.rewriting import binary_qa_builder
    from askew.papers.binary_qa.tasks import binary_qa

__all__ = ["binary_qa", "binary_qa_builder"]

__getattr__ = imported_when_asked(
    __name__, binary_qa="tasks", binary_qa_builder="builder.rewriting"
)

"""KnowNo as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING

from askew.papers import imported_when_asked

if TYPE_CHECKING:
    from askew.papers.knowno.tasks import knowno

__all__ = ["knowno"]

__getattr__ = imported_when_asked(__name__)

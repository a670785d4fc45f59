"""bend as a task: the papers' treatments on any Inspect task; see `paper.py`."""

from typing import TYPE_CHECKING

from askew.papers import imported_when_asked

if TYPE_CHECKING:
    from askew.bend.tasks import bend

__all__ = ["bend"]

__getattr__ = imported_when_asked(__name__)

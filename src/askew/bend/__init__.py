"""bend as a task: the papers' treatments on any Inspect task; see `paper.py`."""

from typing import TYPE_CHECKING

from askew.papers import lazy_import

if TYPE_CHECKING:
    from askew.bend.tasks import bend

__all__ = ["bend"]

__getattr__ = lazy_import(__name__)

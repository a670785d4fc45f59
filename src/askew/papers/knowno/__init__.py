"""KnowNo as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING

from askew.papers import lazy_import

if TYPE_CHECKING:
    from askew.papers.knowno.tasks import knowno as knowno

__getattr__ = lazy_import(__name__)

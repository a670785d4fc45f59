"""Format bias as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING

from askew.papers import lazy_import

if TYPE_CHECKING:
    from askew.papers.format_bias.tasks import format_bias as format_bias

__getattr__ = lazy_import(__name__)

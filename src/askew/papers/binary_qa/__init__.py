"""Binary QA as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING

from askew.papers import lazy_import

if TYPE_CHECKING:
    from askew.papers.binary_qa.tasks import binary_qa as binary_qa

__getattr__ = lazy_import(__name__)

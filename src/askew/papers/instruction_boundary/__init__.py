"""Instruction Boundary as a task: see `paper.py` for what it asks and measures."""

from typing import TYPE_CHECKING

from askew.papers import lazy_import

if TYPE_CHECKING:
    from askew.papers.instruction_boundary.tasks import instruction_boundary as instruction_boundary

__getattr__ = lazy_import(__name__)

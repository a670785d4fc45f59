"""One chapter a task; a task without one gets its metric tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from askew.analysis.chapters import (
    binary_qa,
    format_bias,
    generic,
    instruction_boundary,
    knowno,
    mathcomp,
)
from askew.analysis.document import Chapter
from askew.analysis.evidence import Evidence

CHAPTERS: Mapping[str, Callable[[Evidence], Chapter]] = {
    "knowno": knowno.chapter,
    "instruction_boundary": instruction_boundary.chapter,
    "mathcomp": mathcomp.chapter,
    "binary_qa": binary_qa.chapter,
    "format_bias": format_bias.chapter,
}


def chapter(evidence: Evidence) -> Chapter:
    """The chapter of the evidence's task."""
    return CHAPTERS.get(evidence.task, generic.chapter)(evidence)

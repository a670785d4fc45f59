"""One chapter a task; a task without one gets its metric tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from askew.analysis.chapters import generic, knowno
from askew.analysis.document import Chapter
from askew.analysis.evidence import Evidence

CHAPTERS: Mapping[str, Callable[[Evidence], Chapter]] = {
    "knowno": knowno.chapter,
}


def chapter(evidence: Evidence) -> Chapter:
    """The chapter of the evidence's task."""
    return CHAPTERS.get(evidence.task, generic.chapter)(evidence)

"""One chapter a task: its paper's own, or its metric tables where the paper has none."""

from __future__ import annotations

from askew.papers import asked_for
from askew.report import generic_chapter
from askew.report.document import Chapter
from askew.report.evidence import Evidence


def chapter(evidence: Evidence) -> Chapter:
    """The chapter of the evidence's task."""
    paper = asked_for(evidence.task)
    made: Chapter = (paper.part("chapter") if paper.has("chapter") else generic_chapter).chapter(
        evidence
    )
    return made

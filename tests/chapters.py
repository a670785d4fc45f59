"""The chapter of one task's observations, and its blocks."""

from askew.report.blocks import Table
from askew.report.report import build_report
from askew.report.study import Study
from askew.stats.tables import Interval

QUICK = Interval(resamples=100)


def chapter_of(observations):
    report = build_report(Study(observations), interval=QUICK, transcripts=False)
    (chapter,) = report.chapters
    return chapter


def blocks_of(chapter, kind=Table):
    """A chapter's blocks of a kind, by id."""
    return {b.id: b for s in chapter.sections for b in s.blocks if isinstance(b, kind)}


def row_at(table, metric, **levels):
    """The one row of a metric at these levels."""
    rows = table[table["metric"] == metric]
    for level, value in levels.items():
        rows = rows[rows[level] == value]
    (row,) = rows.to_dict("records")
    return row

"""A report as JSON, by the schema that ships with the package (`report.schema.json`).

The schema says which entries there are and what they mean; the tests hold reports against it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import pandas as pd

from askew import __version__
from askew.report.document import Chapter, Estimate, FlipList, Table
from askew.report.summary import NUMBERS, levels_of

if TYPE_CHECKING:
    from askew.report.report import Report

SCHEMA_VERSION = "1.0"


def report_data(report: Report) -> Mapping[str, Any]:
    """The report by its schema; a number that can't be given is nan."""
    return {
        "schema_version": SCHEMA_VERSION,
        "askew_version": __version__,
        "title": report.title,
        "written": report.written,
        "n_observations": report.n_observations,
        "models": [{"model": m.label, "simulated": m.simulated} for m in report.models],
        "headlines": [entry for chapter in report.chapters for entry in _headlines(chapter)],
        "metrics": list(_metrics(report.summary)),
        "published": [entry for chapter in report.chapters for entry in _published(chapter)],
        "flips": [entry for chapter in report.chapters for entry in _flips(chapter)],
        "outcomes": _records(report.outcomes),
        "left_out": _records(report.losses),
        "runs": [asdict(run) for run in report.runs],
    }


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(k): int(v) if k == "count" else str(v) for k, v in record.items()}
        for record in table.to_dict("records")
    ]


def _number(estimate: Estimate) -> dict[str, Any]:
    return {name: getattr(estimate, name) for name in NUMBERS} | {"reason": estimate.why}


def _metrics(summary: pd.DataFrame) -> Iterator[dict[str, Any]]:
    levels = levels_of(summary)
    for row in summary.to_dict("records"):
        yield {
            **_number(Estimate(*(row[name] for name in NUMBERS))),
            **{name: str(row[name]) for name in ("task", "metric", "model")},
            "levels": {level: str(row[level]) for level in levels if not pd.isna(row[level])},
        }


def _headlines(chapter: Chapter) -> Iterator[dict[str, Any]]:
    for headline in chapter.headlines:
        yield {
            **_number(headline.estimate),
            "task": headline.task,
            "model": headline.model.label,
            "metric": headline.metric,
            "sentence": headline.sentence,
            "worst_finding": headline.finding.sentence if headline.finding else None,
        }


def _published(chapter: Chapter) -> Iterator[dict[str, Any]]:
    tables = (b for s in chapter.sections for b in s.blocks if isinstance(b, Table))
    printed = ((t, g, r) for t in tables for g in t.groups for r in g.rows if r.kind == "published")
    for table, group, row in printed:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if cell.estimate is None or cell.estimate.missing:
                continue
            yield {
                "task": chapter.task,
                "table": table.id,
                "group": group.title,
                "model": row.head,
                "column": column.label,
                # As it is printed: a number of percent, not a share.
                "value": cell.estimate.value * cell.unit.factor,
                "unit": cell.unit.name,
                "note": table.notes.get(cell.mark, ""),
                "source": table.source,
            }


def _flips(chapter: Chapter) -> Iterator[dict[str, Any]]:
    lists = (b for s in chapter.sections for b in s.blocks if isinstance(b, FlipList))
    for flip in (f for flips in lists for f in flips.flips):
        yield {
            "task": chapter.task,
            "model": flip.model.label,
            **{name: getattr(flip, name) for name in ("item", "subset", "right_answer")},
            "before": asdict(flip.before),
            "after": asdict(flip.after),
        }

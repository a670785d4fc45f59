"""The report as JSON, by a schema that is versioned and ships with the package."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from importlib import resources
from typing import Any, Literal

import pandas as pd
from pydantic import BaseModel, ConfigDict, Field

from askew.report.document import Chapter, Estimate, Flip, FlipList, Headline, Side, Table
from askew.report.report_model import Report

SCHEMA_VERSION: Literal["1.0"] = "1.0"
SCHEMA_FILE = "report.schema.json"
_FIXED = ("task", "metric", "model", "value", "low", "high", "n_items", "n_dropped", "reason")


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid")


class Number(_Part):
    """A number with its interval; null comes with a reason."""

    value: float | None
    low: float | None = None
    high: float | None = None
    n_items: int = Field(description="Items that the number rests on.")
    n_dropped: int = Field(description="Items that were left out of it.")
    reason: str = Field(description="Why there is no number; empty where there is one.")


class ModelEntry(_Part):
    model: str
    simulated: bool = Field(description="A program with planted tendencies, no language model.")


class MetricEntry(Number):
    task: str
    metric: str
    model: str
    levels: dict[str, str] = Field(description="Subset and whatever else the number is of.")


class HeadlineEntry(Number):
    task: str
    model: str
    metric: str
    sentence: str
    worst_finding: str | None


class PublishedEntry(_Part):
    """A number that a paper printed, or what its definition gives where the print contradicts."""

    task: str
    table: str
    group: str
    model: str
    column: str
    value: float
    unit: str
    note: str
    source: str


class SideEntry(_Part):
    condition: str
    answer: str
    outcome: str
    correct: bool
    log: str
    sample_id: str
    epoch: int
    prompt: str
    reply: str
    unread: str


class FlipEntry(_Part):
    task: str
    model: str
    item: str
    subset: str
    right_answer: str
    before: SideEntry
    after: SideEntry


class OutcomeEntry(_Part):
    task: str
    model: str
    outcome: str
    count: int


class LossEntry(_Part):
    log: str
    model: str
    task: str
    what: str
    count: int
    why: str


class RunEntry(_Part):
    run: str
    task: str
    model: str
    data: str
    revision: str
    prompts: str
    version: str
    settings: dict[str, str]
    software: str
    started: str
    logs: list[str]
    planned: int
    scored: int


class ReportJson(_Part):
    """A report of askew."""

    schema_version: Literal["1.0"]
    askew_version: str
    title: str
    written: str
    n_observations: int
    models: list[ModelEntry]
    headlines: list[HeadlineEntry]
    metrics: list[MetricEntry]
    published: list[PublishedEntry]
    flips: list[FlipEntry]
    outcomes: list[OutcomeEntry]
    left_out: list[LossEntry]
    runs: list[RunEntry]


def json_report(report: Report) -> str:
    """The report by its schema."""
    content = ReportJson(
        schema_version=SCHEMA_VERSION,
        askew_version=report.version,
        title=report.title,
        written=report.written,
        n_observations=report.n_observations,
        models=[ModelEntry(model=m.label, simulated=m.simulated) for m in report.models],
        headlines=[_headline(h) for c in report.chapters for h in c.headlines],
        metrics=list(_metrics(report.summary)),
        published=[p for c in report.chapters for p in _published(c)],
        flips=[f for c in report.chapters for f in _flips(c)],
        outcomes=[OutcomeEntry(**_texts(r)) for r in report.outcomes.to_dict("records")],
        left_out=[LossEntry(**_texts(r)) for r in report.losses.to_dict("records")],
        runs=[RunEntry(**{**vars(r), "logs": list(r.logs)}) for r in report.runs],
    )
    return json.dumps(content.model_dump(mode="json"), indent=1, ensure_ascii=True) + "\n"


def report_schema() -> dict[str, Any]:
    """The JSON schema, as the models here define it."""
    schema = ReportJson.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def shipped_schema() -> dict[str, Any]:
    """The JSON schema, as the package ships it."""
    text = resources.files("askew.report").joinpath(SCHEMA_FILE).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _texts(record: dict[Any, Any]) -> dict[str, Any]:
    return {str(k): int(v) if k == "count" else str(v) for k, v in record.items()}


def _finite(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _number(estimate: Estimate) -> dict[str, Any]:
    return {
        "value": _finite(estimate.value),
        "low": _finite(estimate.low),
        "high": _finite(estimate.high),
        "n_items": estimate.n_items,
        "n_dropped": estimate.n_dropped,
        "reason": estimate.why,
    }


def _headline(headline: Headline) -> HeadlineEntry:
    return HeadlineEntry(
        task=headline.task,
        model=headline.model.label,
        metric=headline.metric,
        sentence=headline.sentence,
        worst_finding=headline.finding.sentence if headline.finding else None,
        **_number(headline.estimate),
    )


def _metrics(summary: pd.DataFrame) -> Iterator[MetricEntry]:
    levels = [c for c in summary.columns if c not in _FIXED]
    for row in summary.to_dict("records"):
        estimate = Estimate(
            float(row["value"]),
            float(row["low"]),
            float(row["high"]),
            int(row["n_items"]),
            int(row["n_dropped"]),
            str(row["reason"]),
        )
        yield MetricEntry(
            task=str(row["task"]),
            metric=str(row["metric"]),
            model=str(row["model"]),
            levels={level: str(row[level]) for level in levels if not pd.isna(row[level])},
            **_number(estimate),
        )


def _published(chapter: Chapter) -> Iterator[PublishedEntry]:
    tables = [b for s in chapter.sections for b in s.blocks if isinstance(b, Table)]
    for table in tables:
        for group in table.groups:
            for row in group.rows:
                if row.kind != "published":
                    continue
                for column, cell in zip(table.columns, row.cells, strict=True):
                    if cell.estimate is None or cell.estimate.missing:
                        continue
                    yield PublishedEntry(
                        task=chapter.task,
                        table=table.id,
                        group=group.title,
                        model=row.head,
                        column=column.label,
                        value=cell.estimate.value,
                        unit=cell.unit.name,
                        note=table.notes.get(cell.mark, ""),
                        source=table.source,
                    )


def _flips(chapter: Chapter) -> Iterator[FlipEntry]:
    lists = [b for s in chapter.sections for b in s.blocks if isinstance(b, FlipList)]
    for flip in (f for flips in lists for f in flips.flips):
        yield _flip(chapter.task, flip)


def _flip(task: str, flip: Flip) -> FlipEntry:
    return FlipEntry(
        task=task,
        model=flip.model.label,
        item=flip.item,
        subset=flip.subset,
        right_answer=flip.right_answer,
        before=_side(flip.before),
        after=_side(flip.after),
    )


def _side(side: Side) -> SideEntry:
    return SideEntry(**vars(side))

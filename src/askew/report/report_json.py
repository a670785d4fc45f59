"""A report as JSON, by a schema that is versioned and ships with the package.

An entry is filled from the attributes of what a report holds, by their names; where an attribute
has another name, the field says so.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import resources
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Literal

import pandas as pd
from pydantic import AliasPath, BaseModel, ConfigDict, Field

from askew import __version__
from askew.report.accounting import Run
from askew.report.document import Chapter, Estimate, FlipList, Side, Table
from askew.report.summary import NUMBERS, levels_of

if TYPE_CHECKING:
    from askew.report.report import Report

SCHEMA_VERSION: Literal["1.0"] = "1.0"
SCHEMA_FILE = "report.schema.json"
_LABEL = AliasPath("model", "label")


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", from_attributes=True)


class Number(_Entry):
    """A number with its interval; null comes with a reason."""

    value: float | None = Field(validation_alias=AliasPath("estimate", "value"))
    low: float | None = Field(validation_alias=AliasPath("estimate", "low"))
    high: float | None = Field(validation_alias=AliasPath("estimate", "high"))
    n_items: int = Field(
        validation_alias=AliasPath("estimate", "n_items"),
        description="Items that the number rests on.",
    )
    n_dropped: int = Field(
        validation_alias=AliasPath("estimate", "n_dropped"),
        description="Items that were left out of it.",
    )
    reason: str = Field(
        validation_alias=AliasPath("estimate", "why"),
        description="Why there is no number; empty where there is one.",
    )


class ModelEntry(_Entry):
    model: str = Field(validation_alias="label")
    simulated: bool = Field(description="A program with planted tendencies, no language model.")


class MetricEntry(Number):
    task: str
    metric: str
    model: str
    levels: dict[str, str] = Field(description="Subset and whatever else the number is of.")


class HeadlineEntry(Number):
    task: str
    model: str = Field(validation_alias=_LABEL)
    metric: str
    sentence: str
    worst_finding: str | None = Field(None, validation_alias=AliasPath("finding", "sentence"))


class PublishedEntry(_Entry):
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


class FlipEntry(_Entry):
    task: str
    model: str = Field(validation_alias=AliasPath("flip", "model", "label"))
    item: str = Field(validation_alias=AliasPath("flip", "item"))
    subset: str = Field(validation_alias=AliasPath("flip", "subset"))
    right_answer: str = Field(validation_alias=AliasPath("flip", "right_answer"))
    before: Side = Field(validation_alias=AliasPath("flip", "before"))
    after: Side = Field(validation_alias=AliasPath("flip", "after"))


class OutcomeEntry(_Entry):
    task: str
    model: str
    outcome: str
    count: int


class LossEntry(_Entry):
    log: str
    model: str
    task: str
    what: str
    count: int
    why: str


class ReportJson(_Entry):
    """A report of askew."""

    schema_version: Literal["1.0"] = SCHEMA_VERSION
    askew_version: str = __version__
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
    runs: list[Run]


def report_data(report: Report) -> Mapping[str, Any]:
    """The report by its schema; a number that can't be given is nan."""
    found = SimpleNamespace(
        title=report.title,
        written=report.written,
        n_observations=report.n_observations,
        models=report.models,
        headlines=[h for chapter in report.chapters for h in chapter.headlines],
        metrics=list(_metrics(report.summary)),
        published=[entry for chapter in report.chapters for entry in _published(chapter)],
        flips=[entry for chapter in report.chapters for entry in _flips(chapter)],
        outcomes=_records(report.outcomes),
        left_out=_records(report.losses),
        runs=report.runs,
    )
    return ReportJson.model_validate(found).model_dump()


def report_schema() -> dict[str, Any]:
    """The JSON schema, as the entries here define it."""
    schema = ReportJson.model_json_schema(mode="serialization")
    for entry in (schema, *schema["$defs"].values()):
        # Whatever has a default is written all the same.
        entry["required"] = list(entry["properties"])
        for field in entry["properties"].values():
            field.pop("default", None)
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **schema}


def shipped_schema() -> dict[str, Any]:
    """The JSON schema, as the package ships it."""
    text = resources.files("askew.report").joinpath(SCHEMA_FILE).read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(k): int(v) if k == "count" else str(v) for k, v in record.items()}
        for record in table.to_dict("records")
    ]


def _metrics(summary: pd.DataFrame) -> Iterator[SimpleNamespace]:
    levels = levels_of(summary)
    for row in summary.to_dict("records"):
        yield SimpleNamespace(
            **{name: str(row[name]) for name in ("task", "metric", "model")},
            levels={level: str(row[level]) for level in levels if not pd.isna(row[level])},
            estimate=Estimate(*(row[name] for name in NUMBERS)),
        )


def _published(chapter: Chapter) -> Iterator[PublishedEntry]:
    tables = (b for s in chapter.sections for b in s.blocks if isinstance(b, Table))
    printed = ((t, g, r) for t in tables for g in t.groups for r in g.rows if r.kind == "published")
    for table, group, row in printed:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if cell.estimate is None or cell.estimate.missing:
                continue
            yield PublishedEntry(
                task=chapter.task,
                table=table.id,
                group=group.title,
                model=row.head,
                column=column.label,
                # As it is printed: a number of percent, not a share.
                value=cell.estimate.value * cell.unit.factor,
                unit=cell.unit.name,
                note=table.notes.get(cell.mark, ""),
                source=table.source,
            )


def _flips(chapter: Chapter) -> Iterator[SimpleNamespace]:
    lists = (b for s in chapter.sections for b in s.blocks if isinstance(b, FlipList))
    for flip in (f for flips in lists for f in flips.flips):
        yield SimpleNamespace(task=chapter.task, flip=flip)

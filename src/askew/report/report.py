"""From a study to a report: chapters, what was left out, where the numbers come from."""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal

import pandas as pd

from askew.files import write_atomically, yaml_of
from askew.logs.exclusions import FOREIGN
from askew.parameters import SelectionError
from askew.progress import reading_progress
from askew.report.accounting import accounts, agreement, not_read, readers, run_record
from askew.report.blocks import (
    NOTHING_DECIDED,
    Block,
    Chapter,
    Decision,
    Definitions,
    Document,
    Flips,
    Headline,
    Part,
    Section,
    SummaryTable,
    Table,
    fill,
    simulated_note,
)
from askew.report.ceiling import COLUMN, Ceilings
from askew.report.chapters import chapter
from askew.report.charts import panels_of, standalone
from askew.report.estimates import NUMBERS
from askew.report.evidence import evidence_of
from askew.report.explorer import collect_replies
from askew.report.flips import with_transcripts
from askew.report.render import REPORTS, kind_of, rows_as_csv, write_document
from askew.report.screen import fold_details, in_short, make_summary, simultaneous_verdicts
from askew.report.study import Study, levels_of, names_faulty_logs
from askew.stats.losses import COLUMNS as LOST
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, Interval
from askew.untrusted import one_line
from askew.version import __version__

SCHEMA_VERSION = "1.5"
TITLE = "Does the way we ask bend the answer?"
_WORDS = yaml_of("askew.report", "report.yaml")


@dataclass(frozen=True)
class Report:
    """What a study's logs show: chapters, results and ceilings, and what was decided on them."""

    title: str
    written: str
    study: Study = field(repr=False)
    interval: Interval
    chapters: Sequence[Chapter]
    decided: Decision
    first: Sequence[str] = ()
    """What is to be known before any number."""

    @property
    def ceilings(self) -> Ceilings:
        return self.study.ceilings(self.interval)

    @property
    def excluded(self) -> pd.DataFrame:
        """What no number counts, without logs of other tasks that have a part of their own."""
        of = self.study.excluded
        return of[of["what"] != FOREIGN] if self.decided.others.data else of

    @cached_property
    def summary_table(self) -> SummaryTable | None:
        """The findings of each model, and its effect metric in every task."""
        study = self.study
        return make_summary(self.chapters, study.models, self.decided, study.runs, self.first)

    @property
    def document(self) -> Document:
        """The report as it is laid out; of other authors' tasks alone, their parts."""
        study, models, decided = self.study, self.study.models, self.decided
        alone = bool(decided.others.data) and not study.runs
        scores = decided.others.data["scores"] if alone else ()
        tasks = [c.title for c in self.chapters] or {one_line(r["task"]): 0 for r in scores}
        by, table = (
            readers(study.rows).sum(),
            accounts(study, self.excluded, self.ceilings, self.interval),
        )
        lede = fill(
            _WORDS["others" if alone else "lede"], tasks=", ".join(tasks) or "no task",
            models=len({r["model"] for r in scores} or models), replies=len(study.rows),
            runs=len(study.runs), by=by, agree=agreement(by["agreed"], by["both"]),
        )  # fmt: skip
        lost = [table[name] for name in ("outcomes", "uneven", "losses")]
        return Document(
            title=self.title,
            basis=lede,
            parts=[
                *([] if alone else _part("glance", [], self.summary_table)),
                *decided.parts,
                *map(in_short, self.chapters),
                *decided.others.parts,
                *_part("ceiling", [table["ceilings"]]),
                *_part("difficulty", [table["levels"], table["thresholds"]]),
                *([] if alone and not any(lost) else _part("left-out", lost)),
                *_part("provenance", [table["runs"]]),
                *([] if alone else _part("reading", [Definitions(_WORDS["guide"])])),
            ],
            data=partial(_data, self),
            simulated=simulated_note([m.short for m in models if m.simulated]),
            written_at=self.written,
            decided=decided,
        )


def _data(report: Report) -> Mapping[str, Any]:
    """The report by its schema, `report.schema.json`; a number that can't be given is nan.

    The schema says which entries there are and what they mean; the tests hold reports against it.
    """
    study, chapters = report.study, report.chapters
    return {
        "schema_version": SCHEMA_VERSION,
        "askew_version": __version__,
        "title": report.title,
        "written": report.written,
        "n_observations": len(study.rows),
        "models": [{"model": m.label, "simulated": m.simulated} for m in study.models],
        "headlines": [
            headline_record(of) | {COLUMN: report.ceilings.of(of.task, of.model.label)}
            for chapter in chapters
            for of in chapter.headlines
        ],
        "ceilings": report.ceilings.records,
        "metrics": list(_metrics(study.summary(report.interval))),
        "published": [entry for chapter in chapters for entry in _published_rows(chapter)],
        "flips": [
            {
                "task": chapter.id,
                "model": flip.model.label,
                **{name: getattr(flip, name) for name in ("item", "subset", "right_answer")},
                "before": asdict(flip.before),
                "after": asdict(flip.after),
            }
            for chapter in chapters
            for block in chapter.blocks
            if isinstance(block, Flips)
            for flip in block.flips
        ],
        "outcomes": records(study.outcomes),
        "left_out": records(report.excluded),
        "runs": [run_record(run) for run in study.runs],
        "other_tasks": {"scores": [], "comparisons": [], **report.decided.others.data},
    }


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(k): int(v) if k == "count" else str(v) for k, v in record.items()}
        for record in table.to_dict("records")
    ]


def _metrics(summary: pd.DataFrame) -> Iterator[dict[str, Any]]:
    levels = levels_of(summary)
    for row in summary.to_dict("records"):
        missing = row["reason"] or "nothing was observed"
        yield {
            **{name: row[name] for name in (*NUMBERS, *NULL_COLUMNS, *LOST)},
            "reason": missing if math.isnan(row["value"]) else "",
            **{name: str(row[name]) for name in ("task", "metric", "model", "dropped_of")},
            LOST[0]: "" if pd.isna(row[LOST[0]]) else row[LOST[0]],
            "levels": {level: str(row[level]) for level in levels if not pd.isna(row[level])},
        }


def headline_record(of: Headline) -> dict[str, Any]:
    found, verdict = of.estimate, of.verdict
    return {
        **{name: getattr(found, name) for name in NUMBERS},
        **asdict(found.null),
        "reason": found.why,
        "task": of.task,
        "model": of.model.label,
        "metric": of.metric,
        "verdict": verdict.word if verdict else None,
        "verdict_because": verdict.why if verdict else None,
        "items_needed": verdict.needed or None if verdict else None,
        "sentence": of.sentence,
        "worst_finding": of.finding or None,
    }


def _published_rows(chapter: Chapter) -> Iterator[dict[str, Any]]:
    tables = (b for b in chapter.blocks if isinstance(b, Table))
    printed = ((t, g, r) for t in tables for g in t.groups for r in g.rows if r.kind == "published")
    for table, group, row in printed:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if cell.estimate is not None and not cell.estimate.missing:
                yield {
                    "task": chapter.id,
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


def _part(
    id: str, blocks: Iterable[Block | None], summary: SummaryTable | None = None
) -> list[Part]:
    """A part in its own words; without content, what it says instead, or nothing."""
    words, given = _WORDS["parts"][id], [b for b in blocks if b is not None]
    empty = not given and summary is None
    if empty and "nothing" not in words:
        return []
    paragraphs = [words[key] for key in ("said", *["nothing"] * empty) if key in words]
    sections = [Section("", "", paragraphs, given)]
    return [Part(id, words["title"], sections, words["short"], summary_table=summary)]


@names_faulty_logs
def write_report(
    study: Study,
    path: str | Path,
    *more: str | Path,
    title: str = TITLE,
    interval: Interval = DEFAULT_INTERVAL,
    transcripts: bool = True,
    decided: Decision = NOTHING_DECIDED,
    quiet: bool = True,
) -> Path:
    """Write a report; the suffix gives the format: .html, .md, .json or .csv (the results table).

    A file appears whole or not at all.

    Args:
        study: The logs, as `Study.read` returns them.
        path: The file to write; its folder is created.
        *more: Further files of the same report, in other formats.
        title: The report's heading.
        interval: How to compute intervals.
        transcripts: Open the logs for the prompts and replies that are shown.
        decided: A policy's outcome and a comparison to show first.
        quiet: No progress on stderr.

    Returns:
        The path of the first file.

    Raises:
        ValueError: The suffix is none of the four.
    """
    targets = {target: kind_of(target, REPORTS) for target in (path, *more)}
    kinds, document = set(targets.values()), None
    # The table alone needs no chapter.
    steps = len(targets) + (1 + len(study.by_task)) * (kinds != {".csv"})
    with reading_progress(steps, quiet, "writing the report") as on:
        if kinds != {".csv"}:
            opened = transcripts and bool({".html", ".json"} & kinds)
            document = build_report(study, title, interval, opened, decided, on).document
        for target, kind in targets.items():
            if kind == ".csv" or document is None:
                rows = study.ceilings(interval).told(study.summary(interval))
                write_atomically(target, rows_as_csv(rows))
            elif kind == ".html":
                numbers, others = study.summary(interval), decided.others.scores
                behind = collect_replies(study, numbers, others, texts=transcripts)
                write_document(replace(fold_details(document), explorer=behind), target)
            else:
                write_document(fold_details(document) if kind == ".md" else document, target)
            on(str(target))
    return Path(path)


def build_report(
    study: Study,
    title: str = TITLE,
    interval: Interval = DEFAULT_INTERVAL,
    transcripts: bool = True,
    decided: Decision = NOTHING_DECIDED,
    on_done: Callable[[str], None] = lambda _: None,
) -> Report:
    """All that a report says, before it is laid out."""
    chapters = []
    study.summary(interval)
    on_done("the numbers")
    for task in study.by_task:
        part = chapter(evidence_of(study, task, interval))
        chapters.append(_with_transcripts(part) if transcripts else part)
        on_done(part.title)
    return Report(
        title=one_line(title),
        written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        study=study,
        interval=interval,
        chapters=simultaneous_verdicts(chapters, study.models),
        decided=decided,
        first=not_read(study, texts=transcripts),
    )


@names_faulty_logs
def export_charts(
    study: Study,
    folder: str | Path,
    format: Literal["svg", "png"] = "svg",
    interval: Interval = DEFAULT_INTERVAL,
    *,
    quiet: bool = True,
) -> list[Path]:
    """Write every chart as a file of its own; no browser and no network is needed.

    Args:
        study: The logs, as `Study.read` returns them.
        folder: The folder to write to; it is created.
        format: "svg" or "png".
        interval: How to compute intervals.
        quiet: No progress on stderr.

    Returns:
        The paths of the charts.
    """
    if format not in ("svg", "png"):
        raise SelectionError(f"format={format!r}: charts are written as svg or png")
    with reading_progress(1 + len(study.by_task), quiet, "drawing charts") as on:
        report = build_report(study, interval=interval, transcripts=False, on_done=on)
    written = []
    for chart, panel in (pair for part in report.chapters for pair in panels_of(part)):
        stem = re.sub(r"[^a-z0-9]+", "-", f"{chart.id}-{panel.name}".lower()).strip("-")
        target = Path(folder, f"{stem}.{format}")
        written.append(write_atomically(target, standalone(chart, panel, format)))
    return written


def _with_transcripts(part: Chapter) -> Chapter:
    """The chapter with the transcripts of its flips."""
    sections = [
        replace(s, blocks=[with_transcripts(b) if isinstance(b, Flips) else b for b in s.blocks])
        for s in part.sections
    ]
    return replace(part, sections=sections)

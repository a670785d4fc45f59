"""From a study to a report: chapters, what was left out, where the numbers come from."""

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Literal, cast

import pandas as pd

from askew import __version__
from askew.files import write_atomically, yaml_of
from askew.logs.tables import FOREIGN, Run
from askew.papers import get_paper
from askew.parameters import SelectionError, reading_progress
from askew.report import blocks as page
from askew.report.accounting import accounts, agreement, not_read, readers, run_record
from askew.report.caveats import COLUMN, LOST, Ceilings
from askew.report.chapters import chapter
from askew.report.charts import panels_of, standalone
from askew.report.estimates import DETECTED, INCONCLUSIVE, SUGGESTIVE, VERDICTS, Model, on_page
from askew.report.evidence import LOST_HERE, evidence_of
from askew.report.explorer import collect_replies
from askew.report.render import REPORTS, kind_of, rows_as_csv, write_document
from askew.report.study import Study, levels_of, names_faulty_logs
from askew.schema import ENOUGH_ITEMS, NOT_APPLICABLE
from askew.stats.clusters import NO_NULL
from askew.stats.tables import DEFAULT_INTERVAL, NULL_COLUMNS, NUMBERS, Interval
from askew.untrusted import one_line

SCHEMA_VERSION = "1.6"
TITLE = "Does the way we ask bend the answer?"
_WORDS = yaml_of("askew.report", "report.yaml")
_SCREEN: Mapping[str, Any] = _WORDS["screen"]
# Panels of a chapter's telling figure that are drawn before anything is unfolded.
_PANELS = 2
_FLIP = ("item", "subset", "right_answer", "before", "after")
# So many findings of a model are told; the cells hold the others.
_NAMED = 3


@dataclass(frozen=True)
class Report:
    """What a study's logs show: chapters, results and ceilings, and what was decided on them."""

    title: str
    written: str
    study: Study = field(repr=False)
    interval: Interval
    chapters: Sequence[page.Chapter]
    decided: page.Decision
    first: Sequence[str] = ()  # what is to be known before any number

    @property
    def ceilings(self) -> Ceilings:
        return self.study.ceilings(self.interval)

    @property
    def excluded(self) -> pd.DataFrame:
        """What no number counts, without logs of other tasks that have a part of their own."""
        of = self.study.excluded
        return of[of["what"] != FOREIGN] if self.decided.others.data else of

    @property
    def headlines(self) -> list[dict[str, Any]]:
        """The headlines of all chapters as data, with what is at its ceiling."""
        found = [of for chapter in self.chapters for of in chapter.headlines]
        tops = self.ceilings
        return [headline_record(h) | {COLUMN: tops.of(h.task, h.model.label)} for h in found]

    @cached_property
    def summary_table(self) -> page.SummaryTable | None:
        """The findings of each model, and its effect metric in every task."""
        study = self.study
        return make_summary(self.chapters, study.models, self.decided, study.runs, self.first)

    @property
    def document(self) -> page.Document:
        """The report as it is laid out; of other authors' tasks alone, their parts."""
        study, models, decided = self.study, self.study.models, self.decided
        alone = bool(decided.others.data) and not study.runs
        scores = decided.others.data["scores"] if alone else ()
        tasks = [c.title for c in self.chapters] or {one_line(r["task"]): 0 for r in scores}
        by = readers(study.rows).sum()
        table = accounts(study, self.excluded, self.ceilings, self.interval)
        lede = page.fill(
            _WORDS["others" if alone else "lede"], tasks=", ".join(tasks) or "no task",
            models=len({r["model"] for r in scores} or models), replies=len(study.rows),
            runs=len(study.runs), by=by, agree=agreement(by["agreed"], by["both"]),
        )  # fmt: skip
        lost = [table[name] for name in ("outcomes", "uneven", "losses")]
        return page.Document(
            title=self.title,
            basis=lede,
            parts=[
                *([] if alone else _part("glance", (), self.summary_table)),
                *decided.parts,
                *map(in_short, self.chapters),
                *decided.others.parts,
                *_part("ceiling", [table["ceilings"]]),
                *_part("difficulty", [table["levels"], table["thresholds"]]),
                *([] if alone and not any(lost) else _part("left-out", lost)),
                *_part("provenance", [table["runs"]]),
                *([] if alone else _part("reading", [page.Definitions(_WORDS["guide"])])),
            ],
            data=partial(_data, self),
            simulated=page.simulated_note([m.short for m in models if m.simulated]),
            written_at=self.written,
            decided=decided,
        )


def _data(report: Report) -> Mapping[str, Any]:
    """The report by `report.schema.json`, which tells what entries mean; no number is nan."""
    study, chapters = report.study, report.chapters
    return {
        "schema_version": SCHEMA_VERSION,
        "askew_version": __version__,
        "title": report.title,
        "written": report.written,
        "n_observations": len(study.rows),
        "models": [{"model": m.label, "simulated": m.simulated} for m in study.models],
        "headlines": report.headlines,
        "ceilings": report.ceilings.records,
        "metrics": list(_metrics(study.summary(report.interval))),
        "published": [entry for chapter in chapters for entry in _published_rows(chapter)],
        "flips": [
            {n: v for n, v in asdict(flip).items() if n in _FLIP}
            | {"task": chapter.id, "model": flip.model.label}
            for chapter in chapters
            for block in chapter.blocks
            if isinstance(block, page.Flips)
            for flip in block.flips
        ],
        "outcomes": records(study.outcomes),
        "left_out": records(report.excluded),
        "runs": [run_record(run) for run in study.runs],
        "other_tasks": {"scores": [], "comparisons": [], **report.decided.others.data},
    }


def records(table: pd.DataFrame) -> list[dict[str, Any]]:
    counts = table["count"].astype(int)
    return cast(list[dict[str, Any]], table.astype(str).assign(count=counts).to_dict("records"))


def _metrics(summary: pd.DataFrame) -> Iterator[dict[str, Any]]:
    levels = levels_of(summary)
    for row in summary.astype({LOST[0]: object}).fillna({LOST[0]: ""}).to_dict("records"):
        missing = row["reason"] or "nothing was observed"
        yield {
            **{name: row[name] for name in (*NUMBERS, *NULL_COLUMNS, *LOST)},
            "reason": missing if math.isnan(row["value"]) else "",
            **{name: str(row[name]) for name in ("task", "metric", "model", "dropped_of")},
            "levels": {level: str(row[level]) for level in levels if not pd.isna(row[level])},
        }


def headline_record(of: page.Headline) -> dict[str, Any]:
    found, verdict = of.estimate, of.verdict
    said = (verdict.word, verdict.why, verdict.needed or None) if verdict else (None, None, None)
    return {
        **{name: getattr(found, name) for name in NUMBERS},
        **{**asdict(found.null), "reason": found.why},
        **{name: getattr(of, name) for name in ("task", "metric", "label", "sentence")},
        **dict(zip(("verdict", "verdict_because", "items_needed"), said, strict=True)),
        "model": of.model.label,
        "worst_finding": of.finding or None,
    }


def _published_rows(chapter: page.Chapter) -> Iterator[dict[str, Any]]:
    tables = (b for b in chapter.blocks if isinstance(b, page.Table))
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
                    "value": cell.estimate.value * cell.estimate.unit.factor,
                    "unit": cell.estimate.unit.name,
                    "note": table.notes.get(cell.mark, ""),
                    "source": table.source,
                }


def _part(
    id: str, blocks: Iterable[page.Block | None], summary: page.SummaryTable | None = None
) -> list[page.Part]:
    """A part in its own words; without content, what it says instead, or nothing."""
    words, given = _WORDS["parts"][id], [b for b in blocks if b is not None]
    said = [words["said"]] if "said" in words else []
    if not given and summary is None:
        if "nothing" not in words:
            return []
        said.append(words["nothing"])
    sections = [page.Section("", "", said, given)]
    return [page.Part(id, words["title"], sections, words["short"], summary_table=summary)]


@names_faulty_logs
def write_report(
    study: Study,
    path: str | Path,
    *more: str | Path,
    title: str = TITLE,
    interval: Interval = DEFAULT_INTERVAL,
    transcripts: bool = True,
    decided: page.Decision = page.NOTHING_DECIDED,
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
            numbers = study.summary(interval)
            if kind == ".csv" or document is None:
                table = study.ceilings(interval).told(numbers)
                if scores := decided.others.data.get("scores"):
                    rows = pd.DataFrame(scores).rename(
                        columns={"measure": "metric", "n": "n_items"}
                    )
                    rows = rows.reindex(columns=table.columns).astype(object)
                    table = pd.concat([table.astype(object), rows]) if len(table) else rows
                write_atomically(target, rows_as_csv(table))
            else:
                shown = document
                if kind != ".json":
                    shown = replace(document, parts=[*map(fold_details, document.parts)])
                if kind == ".html":
                    others = decided.others.scores
                    behind = collect_replies(study, numbers, others, texts=transcripts)
                    shown = replace(shown, explorer=behind)
                write_document(shown, target)
            on(str(target))
    return Path(path)


def build_report(
    study: Study,
    title: str = TITLE,
    interval: Interval = DEFAULT_INTERVAL,
    transcripts: bool = True,
    decided: page.Decision = page.NOTHING_DECIDED,
    on_done: Callable[[str], None] = lambda _: None,
) -> Report:
    """All that a report says, before it is laid out."""
    chapters = []
    study.summary(interval)
    on_done("the numbers")
    for task in study.by_task:
        chapters.append(chapter(evidence_of(study, task, interval, transcripts)))
        on_done(chapters[-1].title)
    written = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    first = not_read(study, texts=transcripts)
    chapters = simultaneous_verdicts(chapters, study.models)
    return Report(one_line(title), written, study, interval, chapters, decided, first)


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


# What a page shows at first: of each model what was found, and what of each part is folded


def make_summary(
    chapters: Sequence[page.Chapter], models: Sequence[Model], decided: page.Decision,
    runs: Sequence[Run] = (), first: Sequence[str] = (),
) -> page.SummaryTable | None:  # fmt: skip
    """Models by tasks, below what is to be known `first`; nothing where there is no model."""
    if not models:
        return None
    tested, rows = 0, []
    for model in models:
        cells = [_cell(model, part, decided, runs) for part in chapters]
        found = [c.headline for c in cells if c.headline and c.headline.verdict]
        others = [h for part in chapters for h in part.headlines if h.beside and h.model == model]
        compared = decided.comparisons.get(model.label, "")
        rows.append(page.SummaryRow(model, cells, _findings(found, others), compared))
        tested += len(found) + len(others)
    heads = []
    for part, *column in zip(chapters, *(row.cells for row in rows), strict=True):
        paper = get_paper(part.id)
        effect = paper.metric(paper.bend.shown or paper.bend.metric).label if paper.bend else ""
        unit = next((cell.headline.estimate.unit.name for cell in column if cell.headline), "")
        heads.append((part.id, part.title, effect, unit))
    legend = [page.fill(_SCREEN["legend"], tests=tested)] if tested else []
    return page.SummaryTable(
        "first-screen", heads, rows, legend, [_SCREEN["drawn"]] if tested else [], first
    )


def simultaneous_verdicts(
    chapters: Sequence[page.Chapter], models: Sequence[Model]
) -> list[page.Chapter]:
    """The chapters with verdicts that hold for all tests of the first screen together.

    A number that is not the clearest of its task and model is shown where that one is.
    """
    found = [_clearest(chapter, model) for chapter in chapters for model in models]
    found += [h for chapter in chapters for h in chapter.headlines if h.beside]
    tested = [(h, h.verdict) for h in found if h and h.verdict]
    together = on_page([verdict for _, verdict in tested])
    verdicts = {_slot(h): verdict for (h, _), verdict in zip(tested, together, strict=True)}

    def told(of: page.Headline) -> page.Headline:
        if of.verdict is None:
            return of
        verdict, is_shown = verdicts[_slot(of)], any(of is h for h, _ in tested)
        if not is_shown and (verdict.detected or not of.verdict.detected):
            verdict = of.verdict
        why = verdict.why and not (verdict.detected or of.estimate.missing)
        sentence = f"{of.sentence} {verdict.sentence}" if why else of.sentence
        return replace(of, verdict=verdict, sentence=sentence, is_shown=is_shown)

    return [replace(c, headlines=tuple(map(told, c.headlines))) for c in chapters]


def _slot(of: page.Headline) -> tuple[str, Model, str]:
    """What has one verdict on the page: a model's number of a task, and each number beside it."""
    return of.task, of.model, of.metric if of.beside else ""


def _clearest(chapter: page.Chapter, model: Model) -> page.Headline | None:
    """The task's number that tells most: of several, the most significant one.

    Once the page's verdicts are known it is the largest that is detected, else what was tested.
    """
    own = [h for h in chapter.headlines if h.model.label == model.label and not h.beside]
    is_known = any(h.is_shown for h in own)

    def clearness(of: page.Headline) -> tuple[bool | float, ...]:
        p_value = of.verdict.p_value if of.verdict else math.nan
        by = (-2.0 if math.isnan(p_value) else -p_value), _points(of)
        detected = of.word == DETECTED
        # What can't be told comes next: what is ruled out of one number is not ruled out of all.
        known = of.is_shown and not detected, of.word == INCONCLUSIVE, not of.estimate.missing
        by_size = reversed(by) if is_known and detected else by
        return detected, *known, *by_size, of.estimate.n_items

    return max((h for h in own if h.verdict), key=clearness, default=next(iter(own), None))


def _points(headline: page.Headline) -> float:
    """The size of a bend in points, a variance by its root."""
    of = headline.estimate
    size = abs(of.value) * of.unit.factor
    return math.sqrt(size) if of.unit.name.startswith("squared") else size


def _cell(
    model: Model, chapter: page.Chapter, decided: page.Decision, runs: Sequence[Run]
) -> page.SummaryCell:
    found, why = _clearest(chapter, model), ""
    if found is None or found.estimate.missing:
        # Samples that failed are said before conditions that are empty.
        own = [run for run in runs if (run.task, run.model) == (chapter.id, model.label)]
        scored, planned = sum(run.scored for run in own), sum(run.planned for run in own)
        why = found.estimate.why if found else _SCREEN["not_asked"]
        if scored < planned:
            words = _SCREEN["failed" if scored else "all_failed"]
            text = words.format(scored=f"{scored:,}", planned=f"{planned:,}")
            why = f"{text}; {why}" if found and scored and why != LOST_HERE else text
    return page.SummaryCell(found, why, decided.policy(chapter.id, model.label))


def _findings(bends: Sequence[page.Headline], others: Sequence[page.Headline]) -> list[str]:
    """What was found of a model, a sentence each, the largest first; else that nothing was."""
    by = {w: [h for h in (*bends, *others) if h.word == w] for w in VERDICTS}
    ranked = []
    for of in by[DETECTED]:
        bend = get_paper(of.task).bend
        said = of.detected_finding or f"{bend.by if bend else ''}: {of.text}"
        ranked.append((_points(of), f"{said}."))
    return page.render_lines(
        _SCREEN["findings"], shown=[sentence for _, sentence in sorted(ranked, reverse=True)],
        most=_NAMED, suggestive=by[SUGGESTIVE], bends=bends,
        unknown=len({of.task for of in by[INCONCLUSIVE]}),
    )  # fmt: skip


def in_short(chapter: page.Chapter) -> page.Chapter:
    """The chapter with its headlines in a table before all else."""
    if not chapter.headlines:
        return chapter
    noisy = any(h.estimate.corrected != NOT_APPLICABLE for h in chapter.headlines)
    records = [
        {"h": h, "kind": h.model.kind, "corrected": h.estimate.corrected if noisy else "",
         "cells": {"Value": page.Cell(estimate=replace(h.estimate, null=NO_NULL))}}
        for h in chapter.headlines
    ]  # fmt: skip
    id = f"{chapter.id}-headlines"
    shown = page.make_table(_WORDS["headlines"], records, id, task=chapter.title)
    return replace(chapter, sections=(page.Section("", "", (), (shown,)), *chapter.sections))


def fold_details(part: page.Part) -> page.Part:
    """Show the first section and the telling figure of a part; fold what else it has."""
    first, *others = part.sections
    if isinstance(part, page.Chapter):
        telling, behind = _fold_sections(part, others)
        shown = [first, *([page.Section("", "", (), (telling,))] if telling else [])]
    else:
        notes = [b for b in first.blocks if isinstance(b, page.Note)]
        if not part.short or all(isinstance(b, page.Note) for b in part.blocks):
            return part
        shown = [replace(first, blocks=notes)]
        long = [b for b in first.blocks if b not in notes]
        behind = [replace(first, paragraphs=(), blocks=long), *others]
    blocks = [b for s in behind for b in s.blocks]
    kinds = Counter(b.kind for b in blocks)
    kinds["flips"] = sum(len(b.flips) for b in blocks if isinstance(b, page.Flips))
    words = _WORDS["folding"]["kinds"].items()
    counts = ", ".join(f"{n} {word[n > 1]}" for kind, word in words if (n := kinds[kind]))
    return replace(part, sections=shown, folded=behind, folded_summary=counts)


def _fold_sections(
    part: page.Chapter, sections: Sequence[page.Section]
) -> tuple[page.Figure | None, list[page.Section]]:
    """The figure that tells most, by its first panels, and the sections with all else.

    Groups of too few items and their panels are left out: a note lists them.
    """
    blocks, bend = [b for s in sections for b in s.blocks], get_paper(part.id).bend
    charts = {b.id: b for b in blocks if isinstance(b, page.Figure)}
    telling = charts.get(bend.figure if bend else "") or next(iter(charts.values()), None)
    listed = defaultdict[str, list[page.Group]](list)
    gone: set[str] = set()
    for table in (b for b in blocks if isinstance(b, page.Table)):
        if few := [g for g in table.groups if 0 < g.n_items < ENOUGH_ITEMS]:
            listed[table.caption] += few
            gone |= {g.id for g in few} if len(few) < len(table.groups) else {f"{table.id}-*"}

    def kept(block: page.Block) -> page.Block | None:
        if isinstance(block, page.Table):
            groups = [g for g in block.groups if not 0 < g.n_items < ENOUGH_ITEMS]
            return replace(block, groups=groups) if groups else None
        if isinstance(block, page.Figure):
            id, own = (f"{block.id}-more", _PANELS) if block is telling else (block.id, 0)
            of = block.table_id
            panels = [p for p in block.panels[own:] if not {f"{of}-*", f"{of}-{p.name}"} & gone]
            return replace(block, id=id, panels=panels) if panels else None
        return block

    behind = [replace(s, blocks=[b for b in map(kept, s.blocks) if b]) for s in sections]
    behind = [section for section in behind if section.blocks]
    if telling:
        tables = {b.id for s in behind for b in s.blocks if isinstance(b, page.Table)}
        id = telling.table_id if telling.table_id in tables else f"{part.id}-headlines"
        telling = replace(telling, panels=telling.panels[:_PANELS], table_id=id)
    if lines := page.render_lines(
        _WORDS["folding"]["few"], listed=listed, least=ENOUGH_ITEMS,
        asked=max((h.estimate.n_items for h in part.headlines), default=0),
    ):  # fmt: skip
        left, notes = _WORDS["folding"]["left"], (page.Note(lines),)
        behind.append(page.Section(f"{part.id}-not-drawn", left, (), notes))
    return telling, behind

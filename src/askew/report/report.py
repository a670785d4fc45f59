"""From observations to a report file: html, md, json or csv, by suffix."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

import pandas as pd

from askew import __version__
from askew.files import write_whole
from askew.report.accounting import losses, outcomes, runs
from askew.report.chapters import chapter
from askew.report.chart_files import file_stem, panels_of, standalone_png, standalone_svg
from askew.report.document import Block, Chapter, FlipList
from askew.report.evidence import Evidence, models_of
from askew.report.markdown import markdown_page
from askew.report.page import html_page
from askew.report.report_json import json_report
from askew.report.report_model import Report
from askew.report.summary import rows_by_task, summarize
from askew.report.transcripts import with_transcripts
from askew.statistics.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import one_line

TITLE = "Does the way we ask bend the answer?"


def write_report(
    observations: pd.DataFrame,
    path: str | Path,
    *,
    title: str = TITLE,
    interval: Interval = DEFAULT_INTERVAL,
    transcripts: bool = True,
) -> Path:
    """Write a report; the suffix says which kind: .html, .md, .json or .csv.

    The file appears whole or not at all.

    Args:
        observations: the table that `read_observations` returns.
        path: where to write it; its folder is made if it is not there.
        title: what stands on top.
        interval: how to make intervals.
        transcripts: open the logs for the prompts and replies of the few items that are shown.
    """
    target = Path(path)
    kind = target.suffix.lower()
    if kind not in (".csv", *_WRITERS):
        raise ValueError(
            f"{target}: the suffix {kind!r} names no kind of report; valid: "
            f"{', '.join([*_WRITERS, '.csv'])}"
        )
    if kind == ".csv":
        write_whole(target, summarize(observations, interval).to_csv(index=False))
        return target
    report = build_report(observations, title, interval, transcripts and kind != ".md")
    write_whole(target, _WRITERS[kind](report))
    return target


_WRITERS: Mapping[str, Callable[[Report], str]] = {
    ".html": html_page,
    ".md": markdown_page,
    ".json": json_report,
}


def build_report(
    observations: pd.DataFrame,
    title: str = TITLE,
    interval: Interval = DEFAULT_INTERVAL,
    transcripts: bool = True,
) -> Report:
    """All that a report says, before it is laid out."""
    summary = summarize(observations, interval)
    chapters = _chapters(observations, summary, interval)
    return Report(
        title=one_line(title),
        version=__version__,
        written=datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        models=models_of(observations),
        chapters=[_opened(c) for c in chapters] if transcripts else chapters,
        summary=summary,
        outcomes=outcomes(observations),
        losses=losses(observations),
        runs=runs(observations),
        n_observations=len(observations),
    )


def export_charts(
    observations: pd.DataFrame,
    folder: str | Path,
    format: Literal["svg", "png"] = "svg",
    interval: Interval = DEFAULT_INTERVAL,
) -> list[Path]:
    """Write every chart as a file of its own; no browser and no network is needed.

    Args:
        observations: the table that `read_observations` returns.
        folder: where to write them; it is made if it is not there.
        format: "svg" or "png".
        interval: how to make intervals.
    """
    if format not in ("svg", "png"):
        raise ValueError(f"format={format!r}: charts are written as svg or png")
    written = []
    for part in _chapters(observations, summarize(observations, interval), interval):
        for chart, panel in panels_of(part):
            target = Path(folder) / f"{file_stem(chart, panel)}.{format}"
            draw = standalone_svg if format == "svg" else standalone_png
            write_whole(target, draw(chart, panel))
            written.append(target)
    return written


def _chapters(
    observations: pd.DataFrame, summary: pd.DataFrame, interval: Interval
) -> list[Chapter]:
    models, behind = models_of(observations), runs(observations)
    lost = losses(observations)
    # What was read travels in `attrs`; every slice below would copy it.
    slim = observations.copy(deep=False)
    slim.attrs = {}
    chapters = []
    for task, rows in rows_by_task(slim).items():
        ran = {r.model for r in behind if r.task == task} | set(rows["model"])
        evidence = Evidence(
            task,
            rows,
            summary[summary["task"] == task],
            [m for m in models if m.label in ran],
            tuple(dict.fromkeys(r.data for r in behind if r.task == task)),
            interval,
            lost[lost["task"] == task],
        )
        chapters.append(chapter(evidence))
    return chapters


def _opened(part: Chapter) -> Chapter:
    """The chapter with the transcripts of its flips."""
    sections = [replace(s, blocks=[_with_transcripts(b) for b in s.blocks]) for s in part.sections]
    return replace(part, sections=sections)


def _with_transcripts(block: Block) -> Block:
    return with_transcripts(block) if isinstance(block, FlipList) else block

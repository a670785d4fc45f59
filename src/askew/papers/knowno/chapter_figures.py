"""KnowNo's figures: headline intervals, dumbbells, Figure 3 and Figure 4."""

from __future__ import annotations

from functools import partial

from askew.papers.knowno.chapter_words import (
    HINT_WORDS,
    PATTERN_WORDS,
    levels_of,
    subset_name,
    subset_slug,
    subsets_of,
)
from askew.papers.knowno.paper import PATTERNS, WITH_GOLD, WITHOUT_GOLD
from askew.papers.knowno.printed import knowno_table3
from askew.report.charts import Point, Spec, dumbbells, interval_plot, shares
from askew.report.document import Chart, Estimate, Key, Panel
from askew.report.evidence import Evidence
from askew.report.palette import colour
from askew.schema import PERCENT

_SCALE = (0.0, 100.0)
_ENDS = ("right option offered", "right option gone")
_PUBLISHED = Key("diamond", colour("published"), "published by the paper, on its own questions")
_PATTERN_COLOURS = {
    "none": colour("right-1"),
    "none_and_gold": colour("right-2"),
    "none_and_other": colour("right-3"),
    "new_gold": colour("right-4"),
    "new_wrong": colour("wrong-2"),
    "offered": colour("wrong-1"),
    "unparsed": colour("wrong-3"),
    "refused": colour("wrong-4"),
}


def omni_accuracy(evidence: Evidence) -> Chart:
    """The headline, with the paper's models beside it."""
    return Chart(
        id="knowno-omni",
        caption="OmniAccuracy",
        reading="Dots are point values, lines are 95% intervals; further right is better.",
        legend=(Key("dot", colour("mark"), "measured here, with its interval"), _PUBLISHED),
        panels=tuple(
            Panel(
                subset_slug(evidence, level),
                subset_name(level),
                partial(_intervals, evidence, "omni_accuracy", level),
            )
            for level in levels_of(evidence)
        ),
        simulated=evidence.simulated,
        table_id="knowno-table3",
    )


def with_and_without(evidence: Evidence) -> Chart:
    """How far accuracy falls when the right option goes."""
    return Chart(
        id="knowno-gap",
        caption="Accuracy with the right option and without it",
        reading=(
            "The longer the line between the two dots, the more the model's success depends on "
            "being shown the right option. Bands are 95% intervals."
        ),
        legend=(
            Key("dot", colour("with"), _ENDS[0]),
            Key("ring", colour("without"), f"{_ENDS[1]}, mean of three hints"),
            _PUBLISHED,
        ),
        panels=tuple(
            Panel(
                subset_slug(evidence, level),
                subset_name(level),
                partial(_dumbbells, evidence, level),
            )
            for level in levels_of(evidence)
        ),
        simulated=evidence.simulated,
        table_id="knowno-table3",
    )


def _dumbbells(evidence: Evidence, level: str) -> Spec:
    points = [
        *_points(evidence, WITH_GOLD, level, _ENDS[0]),
        *_points(evidence, "e_wo_gold", level, _ENDS[1]),
    ]
    return dumbbells(points, _ENDS, (colour("with"), colour("without")), PERCENT, _SCALE)


def by_hint(evidence: Evidence) -> Chart:
    """One panel a way of asking, people among the models (Figure 3)."""
    subsets = subsets_of(evidence)
    subset = "mctest" if "mctest" in subsets else subsets[0]
    return Chart(
        id="knowno-hints-figure",
        caption=f"Accuracy by way of asking, {subset_name(subset)}",
        reading="Dots are point values, lines are 95% intervals; further right is better.",
        legend=(Key("dot", colour("mark"), "measured here, with its interval"), _PUBLISHED),
        panels=tuple(
            Panel(
                hint,
                HINT_WORDS[hint][0].upper() + HINT_WORDS[hint][1:],
                partial(_intervals, evidence, hint, subset),
            )
            for hint in (WITH_GOLD, *WITHOUT_GOLD)
        ),
        simulated=evidence.simulated,
        table_id="knowno-table3",
    )


def patterns(evidence: Evidence) -> Chart:
    """What replies under no hint say (Figure 4)."""
    return Chart(
        id="knowno-patterns-figure",
        caption="Replies under no hint, by pattern",
        reading="Blue and green parts are right replies, the others wrong ones.",
        legend=tuple(Key("bar", _PATTERN_COLOURS[p], PATTERN_WORDS[p]) for p in _PATTERN_COLOURS),
        panels=tuple(
            Panel(
                subset_slug(evidence, level),
                subset_name(level),
                partial(_pattern_shares, evidence, level),
            )
            for level in levels_of(evidence)
        ),
        simulated=evidence.simulated,
        table_id="knowno-patterns-table",
    )


def _pattern_shares(evidence: Evidence, level: str) -> Spec:
    parts = [
        Point(m.marked, m.kind, evidence.estimate(f"pattern_{p}", m, level), p)
        for m in evidence.models
        for p in PATTERNS
    ]
    return shares(parts, _PATTERN_COLOURS, PERCENT, PATTERN_WORDS)


def _intervals(evidence: Evidence, metric: str, level: str) -> Spec:
    return interval_plot(_points(evidence, metric, level), PERCENT, _SCALE)


def _points(evidence: Evidence, metric: str, level: str, series: str = "") -> list[Point]:
    """The models under test, then the paper's."""
    named = series or metric.replace("_", " ")
    measured = [
        Point(m.marked, m.kind, evidence.estimate(metric, m, level), named) for m in evidence.models
    ]
    return measured + _published_points(metric, level, named)


def _published_points(metric: str, level: str, series: str) -> list[Point]:
    reference, _ = knowno_table3()
    rows = reference[reference["subset"] == level]
    return [
        Point(f"{name} (published)", "published", Estimate(float(value) / 100.0), series)
        for name, value in zip(rows["model"], rows[metric], strict=True)
    ]

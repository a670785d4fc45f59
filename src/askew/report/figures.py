"""Figures from declarations: the values, slices and lines of tables, drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Required, TypedDict, Unpack

from askew.report.charts import (
    Bands,
    Point,
    Spec,
    colour,
    dumbbells,
    heat_map,
    interval_plot,
    shares,
)
from askew.report.document import Chart, Key, Panel
from askew.report.estimates import Estimate
from askew.report.evidence import Evidence
from askew.report.tables import Line, Slice, Value, models, printed_models
from askew.schema import PERCENT, Unit

MEASURED = Key("dot", colour("mark"), "measured here, with its interval")
PUBLISHED = Key("diamond", colour("published"), "published by the paper, on its own questions")
_ENDS = (colour("with"), colour("without"))
# Ends of an axis of differences.
_AXES = (20.0, 40.0, 60.0, 80.0, 100.0)


class About(TypedDict, total=False):
    """What every figure says of itself, and how it is laid out."""

    reading: Required[str]
    """How to read it."""
    table_id: str
    """The table that holds its numbers."""
    wide: bool
    """Whether its panels need room for many columns."""


def part_points(evidence: Evidence, part: Slice, *, printed: bool = True) -> list[Point]:
    """A part's numbers as a chart draws them, line by line: its columns are the series."""
    values = [column for column in part.columns if isinstance(column, Value)]
    shown = list(part.lines or models(evidence))
    shown += printed_models(evidence, values, part.at) if printed else []
    return [
        Point(
            line.marked or line.head,
            line.kind,
            value.estimate(evidence, line, part.at),
            value.series,
        )
        for line in shown
        for value in values
    ]


def points(
    evidence: Evidence,
    value: Value,
    at: Mapping[str, str],
    lines: Sequence[Line] = (),
    *,
    printed: bool = True,
) -> list[Point]:
    """A column's numbers as a chart draws them: the models under test, then the paper's."""
    return part_points(evidence, Slice(at=at, lines=lines, columns=[value]), printed=printed)


def around_zero(found: Iterable[Estimate], unit: Unit) -> tuple[float, float]:
    """An axis of differences, as the unit shows them: the shortest of a few that holds them all."""
    ends = [abs(v) * unit.factor for e in found for v in (e.value, e.low, e.high) if v == v]
    end = next((axis for axis in _AXES if axis >= max(ends, default=0.0)), _AXES[-1])
    return -end, end


def figure(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    panels: Sequence[Slice],
    draw: Callable[[Slice], Spec],
    legend: Sequence[Key],
    **about: Unpack[About],
) -> Chart:
    """A panel a slice, each drawn the same way."""
    wide = about.get("wide", False)
    return Chart(
        id=chart_id,
        caption=caption,
        reading=about["reading"],
        legend=tuple(legend),
        panels=tuple(Panel(p.slug, p.title, partial(draw, p), wide) for p in panels),
        simulated=evidence.simulated,
        table_id=about.get("table_id", ""),
    )


def interval_figure(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    panels: Sequence[tuple[Slice, Value]],
    *,
    scale: tuple[float, float] | None = (0.0, 100.0),
    reading: str = "Dots are point values, lines are 95% intervals; further right is better.",
    table_id: str = "",
    lines: Sequence[Line] = (),
    legend: Sequence[Key] = (MEASURED, PUBLISHED),
) -> Chart:
    """A panel a number: dots with their intervals, the paper's models as diamonds.

    Without a scale, all panels have one around zero that holds what they show.
    """
    parts = [replace(p, lines=p.lines or lines, columns=[value]) for p, value in panels]

    def draw(part: Slice) -> Spec:
        (value,) = (c for c in part.columns if isinstance(c, Value))
        unit = value.unit or evidence.paper.metric(value.metric).unit
        every = (p.estimate for own in parts for p in part_points(evidence, own))
        return interval_plot(part_points(evidence, part), unit, scale or around_zero(every, unit))

    return figure(
        evidence, chart_id, caption, parts, draw, legend, reading=reading, table_id=table_id
    )


def dumbbell_figure(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    ends: tuple[tuple[Value, str], tuple[Value, str]],
    panels: Sequence[Slice],
    *,
    said: tuple[str, str] | None = None,
    also: Sequence[Key] = (),
    printed: bool = True,
    **about: Unpack[About],
) -> Chart:
    """A panel a slice: two numbers a row with the distance between them.

    Args:
        evidence: the task's numbers.
        chart_id: the figure's id.
        caption: what stands on top.
        ends: the two numbers, a dot and a ring, with what each is called.
        panels: its slices; one with two columns has these as its ends.
        said: what the legend says of the ends, where that is more than what they are called.
        also: further entries of the legend.
        printed: whether the paper's rows stand below the measured ones.
        **about: what every figure says of itself.
    """
    (first, dot), (_, ring) = ends
    unit = first.unit or evidence.paper.metric(first.metric).unit
    filled, hollow = said or (dot, ring)

    def draw(part: Slice) -> Spec:
        own = [(c, c.series) for c in part.columns if isinstance(c, Value)] or ends
        drawn = [
            point
            for value, series in own
            for point in points(
                evidence, replace(value, marked=series), part.at, part.lines, printed=printed
            )
        ]
        left, right = (series for _, series in own)
        return dumbbells(drawn, (left, right), _ENDS, unit, (0.0, 100.0))

    legend = Key("dot", _ENDS[0], filled), Key("ring", _ENDS[1], hollow), *also
    return figure(evidence, chart_id, caption, panels, draw, legend, **about)


def heat_figure(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    panels: Sequence[Slice],
    shades: tuple[Bands, Sequence[str]],
    *,
    unit: Unit = PERCENT,
    **about: Unpack[About],
) -> Chart:
    """A heat-map a slice, its lines by its columns; shades are bands of values with their words."""
    bands, words = shades

    def draw(part: Slice) -> Spec:
        heads = [column.series for column in part.columns if isinstance(column, Value)]
        return heat_map(part_points(evidence, part), heads, unit, bands)

    legend = [Key("bar", colour(s), w) for s, w in zip(bands.shades, words, strict=True)]
    about.setdefault("wide", True)
    return figure(evidence, chart_id, caption, panels, draw, legend, **about)


def share_figure(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    panels: Sequence[Slice],
    parts: Mapping[str, tuple[str, str]],
    *,
    drawn: Callable[[Slice], Sequence[Point]] | None = None,
    unit: Unit = PERCENT,
    **about: Unpack[About],
) -> Chart:
    """A bar a line, split into parts: by series, their words and their colours.

    Without `drawn`, which makes a panel's points, they are those of its lines and columns.
    """

    def draw(part: Slice) -> Spec:
        made = drawn(part) if drawn else part_points(evidence, part, printed=False)
        words, colours = ({name: p[i] for name, p in parts.items()} for i in (0, 1))
        return shares(made, colours, unit, words)

    legend = [Key("bar", shade, words) for words, shade in parts.values()]
    return figure(evidence, chart_id, caption, panels, draw, legend, **about)

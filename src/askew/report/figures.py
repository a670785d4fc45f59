"""A chapter's figures: the same cuts of the results as tables, drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import partial

from askew.report.blocks import Figure, Key, Panel
from askew.report.charts import (
    Bands,
    Point,
    Spec,
    Step,
    colour,
    dumbbells,
    heat_map,
    interval_plot,
    line_plot,
    shares,
)
from askew.report.cuts import Cuts, Entry, Part
from askew.report.estimates import Estimate
from askew.schema import Unit

_MEASURED = Key("dot", colour("mark"), "measured here, with its interval")
_PUBLISHED = Key("diamond", colour("published"), "published by the paper, on its own questions")
_ENDS = (colour("with"), colour("without"))
# Ends of an axis whose numbers have no bounds of their own.
_AXES = (20.0, 40.0, 60.0, 80.0, 100.0, 200.0, 400.0, 1000.0, 2500.0)
_SHORT = "no value: the reason is in the table"
_READING = "Dots are point values, lines are 95% intervals; further right is better."


def figure(cuts: Cuts, block: Entry, id: str, at: Mapping[str, str]) -> Figure | None:
    """A figure as a chapter's YAML declares it; None where nothing of it was asked."""
    parts = cuts.parts(block, at)
    if not parts:
        return None
    how = block.get("draw", "intervals")
    draw = {
        "intervals": _intervals, "dumbbells": _dumbbells, "heat": _heat, "shares": _shares,
        "lines": _lines,
    }[how]  # fmt: skip
    return Figure(
        id=id,
        caption=block["caption"],
        reading=block.get("reading", _READING),
        legend=_legend(cuts, block, how, parts),
        panels=[
            Panel(
                part.group.slug or "all",
                part.group.marked or part.group.title,
                partial(draw, cuts, block, part),
                how == "heat" and len(part.columns) > 2,
            )
            for part in parts
        ],
        simulated=cuts.evidence.simulated,
        table_id=block["numbers"],
    )


def _legend(cuts: Cuts, block: Entry, how: str, parts: Sequence[Part]) -> list[Key]:
    kinds = {(part.group + row).kind for part in parts for row in part.rows}
    words = [c.told.get("legend") or c.title for c in parts[0].columns if c.is_number]
    more = [Key(k["shape"], colour(k["colour"]), k["label"]) for k in block.get("legend", ())]
    if "published" in kinds and how != "shares":
        more.append(_PUBLISHED)
    if how == "dumbbells":
        return [
            *(Key(s, c, w) for s, c, w in zip(("dot", "ring"), _ENDS, words, strict=True)), *more,
        ]  # fmt: skip
    if how == "heat":
        shades = block["shades"]
        return [
            Key("bar", colour(s), w)
            for s, w in zip(shades["colours"], shades["words"], strict=True)
        ]
    if how == "shares":
        colours = zip(block["colours"], words, strict=True)
        return [*(Key("bar", colour(shade), word) for shade, word in colours), *more]
    return [_MEASURED, *more]


def _points(cuts: Cuts, part: Part) -> list[Point]:
    """A panel's numbers, row by row: its columns are the series."""
    return [
        Point(
            row.marked or row.title or part.group.marked,
            place.kind,
            cuts.estimate(place),
            column.told.get("series") or column.title,
        )
        for row in part.rows
        for column in part.columns
        if column.is_number
        for place in [part.group + row + column]
    ]


def _unit(cuts: Cuts, part: Part) -> Unit:
    column = next(column for column in part.columns if column.is_number)
    return cuts.unit((part.group + part.rows[0] + column).metric)


def _intervals(cuts: Cuts, block: Entry, part: Part) -> Spec:
    points, unit = _points(cuts, part), _unit(cuts, part)
    # A reason must fit into a panel; the table has the whole one.
    short = [
        Point(p.name, p.kind, Estimate(math.nan, reason=_SHORT), p.series)
        if p.estimate.missing and len(p.estimate.why) > len(_SHORT)
        else p
        for p in points
    ]
    scale = block.get("scale", (0.0, 100.0))
    if isinstance(scale, str):
        every = points
        if scale == "around zero":
            every = [p for other in cuts.parts(block, {}) for p in _points(cuts, other)]
        scale = axis((p.estimate for p in every), unit, both=scale == "around zero")
    return interval_plot(short, unit, (float(scale[0]), float(scale[1])))


def axis(found: Iterable[Estimate], unit: Unit, both: bool = True) -> tuple[float, float]:
    """The shortest of a few axes from or around zero that holds all, as the unit shows them."""
    ends = [abs(v) * unit.factor for e in found for v in (e.value, e.low, e.high) if v == v]
    end = next((a for a in _AXES if a >= max(ends, default=0.0)), _AXES[-1])
    return (-end if both else 0.0), end


def _dumbbells(cuts: Cuts, block: Entry, part: Part) -> Spec:
    left, right = (c.told.get("series") or c.title for c in part.columns if c.is_number)
    return dumbbells(_points(cuts, part), (left, right), _ENDS, _unit(cuts, part), (0.0, 100.0))


def _heat(cuts: Cuts, block: Entry, part: Part) -> Spec:
    heads = [c.told.get("series") or c.title for c in part.columns if c.is_number]
    shades = block["shades"]
    bands = Bands(tuple(shades["ends"]), tuple(shades["colours"]))
    return heat_map(_points(cuts, part), heads, _unit(cuts, part), bands)


def _shares(cuts: Cuts, block: Entry, part: Part) -> Spec:
    names = [c.told.get("series") or c.title for c in part.columns if c.is_number]
    colours = dict(zip(names, map(colour, block["colours"]), strict=True))
    points = [p for p in _points(cuts, part) if p.kind != "published" or not p.estimate.missing]
    return shares(points, colours, _unit(cuts, part), {name: name for name in names})


def _lines(cuts: Cuts, block: Entry, part: Part) -> Spec:
    level = block["along"]
    steps = [
        Step(row.marked or row.title or part.group.marked, place.kind, int(place.at[level]), found)
        for row in part.rows
        for column in part.columns
        if column.is_number
        for place in [part.group + row + column]
        for found in [cuts.estimate(place)]
    ]
    return line_plot(steps, block["axis"], _unit(cuts, part), (0.0, 100.0))

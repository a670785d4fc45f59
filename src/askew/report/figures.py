"""A chapter's figures: the same cuts of the results as tables, drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import repeat

from askew.report.blocks import Figure, Key, Panel
from askew.report.charts import (
    WHOLE,
    Point,
    Spec,
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
    return Figure(
        id=id, caption=block["caption"], reading=block.get("reading", _READING),
        legend=_legend(cuts, block, how, parts),
        panels=[
            Panel(
                part.group.slug or "all",
                part.group.marked or part.group.title,
                partial(_drawn, cuts, block, how, part),
                how == "heat" and len(part.columns) > 2,
            )
            for part in parts
        ],
        simulated=cuts.evidence.simulated, table_id=block["numbers"],
    )  # fmt: skip


def _legend(cuts: Cuts, block: Entry, how: str, parts: Sequence[Part]) -> list[Key]:
    kinds = {(part.group + row).kind for part in parts for row in part.rows}
    words = [c.told.get("legend") or c.title for c in parts[0].columns if c.is_number]
    more = [Key(k["shape"], colour(k["colour"]), k["label"]) for k in block.get("legend", ())]
    if how == "heat":
        shades = block["shades"]
        return [*map(Key, repeat("bar"), map(colour, shades["colours"]), shades["words"])]
    if how == "shares":
        return [*map(Key, repeat("bar"), map(colour, block["colours"]), words), *more]
    if "published" in kinds:
        more.append(_PUBLISHED)
    own = map(Key, ("dot", "ring"), _ENDS, words) if how == "dumbbells" else (_MEASURED,)
    return [*own, *more]


def _points(cuts: Cuts, block: Entry, part: Part) -> list[Point]:
    """A panel's numbers, row by row: its columns are the series."""
    along = block.get("along")
    return [
        Point(
            row.marked or row.title or part.group.marked,
            place.kind,
            cuts.estimate(place),
            column.told.get("series") or column.title,
            int(place.at[along]) if along else 0,
        )
        for row in part.rows
        for column in part.columns
        if column.is_number
        for place in [part.group + row + column]
    ]


def _drawn(cuts: Cuts, block: Entry, how: str, part: Part) -> Spec:
    points = _points(cuts, block, part)
    columns = [c for c in part.columns if c.is_number]
    series = [c.told.get("series") or c.title for c in columns]
    unit = cuts.unit((part.group + part.rows[0] + columns[0]).metric)
    match how:
        case "dumbbells":
            return dumbbells(points, series, _ENDS, unit)
        case "heat":
            shades = block["shades"]
            return heat_map(points, series, unit, shades["ends"], shades["colours"])
        case "shares":
            colours = dict(zip(series, map(colour, block["colours"]), strict=True))
            kept = [p for p in points if p.kind != "published" or not p.estimate.missing]
            return shares(kept, colours, unit)
        case "lines":
            return line_plot(points, block["axis"], unit)
    scale = block.get("scale", WHOLE)
    if isinstance(scale, str):
        both = scale == "around zero"
        every = cuts.parts(block, {}) if both else [part]
        found = (p.estimate for other in every for p in _points(cuts, block, other))
        scale = axis(found, unit, both)
    # A reason must fit into a panel; the table has the whole one.
    short = Estimate(math.nan, reason=_SHORT)
    points = [
        replace(p, estimate=short) if len(p.estimate.why) > len(_SHORT) else p for p in points
    ]
    return interval_plot(points, unit, (float(scale[0]), float(scale[1])))


def axis(found: Iterable[Estimate], unit: Unit, both: bool = True) -> tuple[float, float]:
    """The shortest of a few axes from or around zero that holds all, as the unit shows them."""
    ends = [abs(v) * unit.factor for e in found for v in (e.value, e.low, e.high) if v == v]
    end = next((a for a in _AXES if a >= max(ends, default=0.0)), _AXES[-1])
    return (-end if both else 0.0), end

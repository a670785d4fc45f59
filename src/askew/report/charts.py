"""A chapter's figures: the same cuts of the results as its tables, drawn by Vega-Lite.

`charts.yaml` holds the designs; what is drawn fills them. Colours are named by meaning.
"""

import json
import math
import re
import textwrap
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import product
from typing import Any, Literal

from askew.files import fill_text, yaml_of
from askew.parameters import UsageError
from askew.report.blocks import Figure, LegendEntry, Panel, Part
from askew.report.estimates import Estimate, RowKind
from askew.report.evidence import Entry, Evidence, TableGroup
from askew.schema import MISSING, Unit
from askew.untrusted import PASSAGE, escape_control

# Colours by meaning, for light and dark; charts and style sheet share them.
_COLOURS = yaml_of("askew.report", "palette.yaml")
LIGHT: Mapping[str, str] = {name: light for name, (light, _) in _COLOURS.items()}
DARK: Mapping[str, str] = {name: dark for name, (_, dark) in _COLOURS.items()}
_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")

Spec = dict[str, Any]
WHOLE = (0.0, 100.0)
# What a row takes, and each further line of its label; characters of a line, lines of a label.
_ROW, _LINE_HEIGHT = 23, 13
_LINE, _LINES = 22, 3
# Characters of a head's line: so many fit above the columns together, and no more into one.
_HEADS_CHARACTERS, _HEAD_CHARACTERS = 59, 13
# On these shades a number is written in the colour of the page, on others in that of the text.
_STRONG = ("right-1", "right-2", "wrong-1", "drift-3", "drift-4")
# Ends of an axis whose numbers have no bounds of their own.
_AXES = (20.0, 40.0, 60.0, 80.0, 100.0, 200.0, 400.0, 1000.0, 2500.0)
_SHORT = "no value: the reason is in the table"
_READING = "Dots are point values, lines are 95% intervals; further right is better."


@dataclass(frozen=True)
class Point:
    """A labelled number of a plot; on a line it stands `at` a place."""

    name: str
    kind: RowKind
    estimate: Estimate
    series: str = ""
    at: int = 0


def colour(name: str) -> str:
    """A colour by its meaning, as the style sheet's variable; it follows the reader's scheme."""
    return f"var(--{name})"


_MEASURED = LegendEntry("dot", colour("mark"), "measured here, with its interval")
_PRINTED = LegendEntry(
    "diamond", colour("published"), "published by the paper, on its own questions"
)
_ENDS = (colour("with"), colour("without"))


def figure(evidence: Evidence, block: Entry, id: str, at: Mapping[str, str]) -> Figure | None:
    """A figure as a chapter's YAML declares it; None where nothing of it was asked."""
    if not (parts := evidence.cuts(block, at)):
        return None
    how, panels = block.get("draw", "intervals"), []
    for part in parts:
        draw = partial(_draw, evidence, block, how, part)
        is_wide = how == "heat" and len(part.columns) > 2
        panels.append(Panel(part.group.slug or "all", part.group.marked, draw, is_wide))
    return Figure(
        id=id, caption=block["caption"], reading=block.get("reading", _READING),
        legend=_legend(block, how, parts), panels=panels, table_id=block["numbers"],
        simulated=[m.short for m in evidence.models if m.simulated],
    )  # fmt: skip


def _legend(block: Entry, how: str, parts: Sequence[TableGroup]) -> list[LegendEntry]:
    words = [c.told.get("legend") or c.title for c in parts[0].columns if c.is_number]
    more = [
        LegendEntry(k["shape"], colour(k["colour"]), k["label"]) for k in block.get("legend", ())
    ]
    bar = partial(LegendEntry, "bar")
    if how == "heat":
        shades = block["shades"]
        return [*map(bar, map(colour, shades["colours"]), shades["words"])]
    if how == "shares":
        return [*map(bar, map(colour, block["colours"]), words), *more]
    own = [*map(LegendEntry, ("dot", "ring"), _ENDS, words)]
    printed = any(row.kind == "published" for part in parts for row in part.rows)
    return [*(own if how == "dumbbells" else [_MEASURED]), *more, *([_PRINTED] * printed)]


def _points(evidence: Evidence, block: Entry, part: TableGroup) -> list[Point]:
    """A panel's numbers, row by row: its columns are the series."""
    along, points = block.get("along"), []
    for row, column in product(part.rows, (c for c in part.columns if c.is_number)):
        place, name = row + column, row.marked or part.group.marked
        at = int(place.at[along]) if along else 0
        points.append(Point(name, place.kind, evidence.number(place), column.title, at))
    return points


def _draw(evidence: Evidence, block: Entry, how: str, part: TableGroup, legend: Any = None) -> Spec:
    points = _points(evidence, block, part)
    first, *_ = columns = [c for c in part.columns if c.is_number]
    series = [c.title for c in columns]
    unit = evidence.unit((part.rows[0] + first).metric)
    by_series = {"series": series, "legend": legend}
    match how:
        case "dumbbells":
            fills = [_ENDS[0], colour("surface")]
            return by_name(how, points, unit, WHOLE, colours=[*_ENDS], fills=fills, **by_series)
        case "heat":
            return _heat_map(points, series, unit, block["shades"])
        case "shares":
            kept = [p for p in points if p.kind != "published" or not p.estimate.missing]
            colours = [*map(colour, block["colours"])]
            spec = by_name(how, kept, unit, (0, unit.factor), colours=colours, **by_series)
            for row in spec["data"]["values"]:
                row["rank"] = series.index(row["series"])
            return spec
        case "lines":
            return _lines(points, block["axis"], unit)
    scale = block.get("scale", WHOLE)
    if isinstance(scale, str):
        both = scale == "around zero"
        every = evidence.cuts(block, {}) if both else [part]
        found = (p.estimate for other in every for p in _points(evidence, block, other))
        scale = _axis(found, unit, both)
    # A reason must fit into a panel; the table has the whole one.
    short = Estimate(math.nan, reason=_SHORT)
    points = [
        replace(p, estimate=short) if len(p.estimate.why) > len(_SHORT) else p for p in points
    ]
    return by_name("intervals", points, unit, (float(scale[0]), float(scale[1])))


def _axis(found: Iterable[Estimate], unit: Unit, both: bool) -> tuple[float, float]:
    """The shortest of a few axes from or around zero that holds all, as the unit shows them."""
    ends = [abs(v) * unit.factor for e in found for v in (e.value, e.low, e.high) if v == v]
    end = next((a for a in _AXES if a >= max(ends, default=0.0)), _AXES[-1])
    return (-end if both else 0.0), end


def by_name(
    design: str, points: Sequence[Point], unit: Unit, scale: tuple[float, float], **more: Any
) -> Spec:
    """A chart of a row a name along one axis: what has nothing to draw says why.

    The scale is as the unit shows it: 0 to 100 for a rate in percent. Published numbers come
    without intervals, as diamonds; a reference, such as what guessing gets, is a hollow square.
    """
    least, most = scale
    rows = _rows(points, unit)
    drawn = {p.name for p in points if not p.estimate.missing}
    missing = {
        row["label"]: {"label": row["label"], "at": least, "said": f"{MISSING} {p.estimate.why}"}
        for p, row in zip(points, rows, strict=True)
        if p.name not in drawn
    }
    ticks = [least + (most - least) * i / 4 for i in range(5)]
    more |= {"missing": [*missing.values()], "scale": [least, most], "ticks": ticks}
    return _chart(design, rows, unit, **more)


def _heat_map(points: Sequence[Point], heads: Sequence[str], unit: Unit, shades: Entry) -> Spec:
    """A cell a point, in the shade of its value; without a value it is a dash."""
    width = min(_HEAD_CHARACTERS, _HEADS_CHARACTERS // max(1, len(heads)))
    lines = {c: "\n".join(textwrap.wrap(c, width, break_long_words=False)) for c in heads}
    rows = _rows(points, unit)
    for row, point in zip(rows, points, strict=True):
        missing, value = point.estimate.missing, point.estimate.value
        shade = "" if missing else shades["colours"][bisect_right(shades["ends"], value)]
        row["head"] = lines[point.series]
        row["fill"] = colour(shade) if shade else "transparent"
        row["ink"] = colour("surface" if shade in _STRONG else "ink")
        row["said"] = MISSING if missing else unit.write(value)
    return _chart("heat", rows, unit, heads=[*lines.values()])


def _lines(points: Sequence[Point], title: str, unit: Unit) -> Spec:
    """Measured lines with bands, published ones thin and without; no value leaves a gap."""
    rows = _rows([p for p in points if not p.estimate.missing], unit)
    places = sorted({p.at for p in points})
    room = max(0.3, 0.03 * (places[-1] - places[0]))
    around = [places[0] - room, places[-1] + room]
    made = _chart("lines", rows, unit, scale=[*WHOLE], title=title, places=places, around=around)
    # Its labels are short: the plot takes the room that names have elsewhere.
    return made | {"width": 524, "height": 190}


def _chart(design: str, rows: Sequence[Spec], unit: Unit, **more: Any) -> Spec:
    """A design with its data, as high as the names' labels need."""
    labels = list(dict.fromkeys(row["label"] for row in rows))
    n_lines = max((label.count("\n") for label in labels), default=0)
    # How an axis writes a number.
    number = f"datum.label + '{'%' if unit.name == '%' else ''}'"
    values = {"legend": None, "labels": labels, "number": number, **more}
    height = max(1, len(labels)) * (_ROW + n_lines * _LINE_HEIGHT)
    made = _load_design("_all") | _load_design(design, **values)
    return made | {"data": {"values": [*rows]}, "height": height}


def _load_design(name: str, **values: Any) -> Spec:
    """A design of `charts.yaml`, filled in."""
    design, colours = yaml_of("askew.report", "charts.yaml")[name], {c: colour(c) for c in LIGHT}
    made: Spec = fill_text(design, {**colours, **values})
    return made


def _rows(points: Sequence[Point], unit: Unit) -> list[Spec]:
    """Numbers with their intervals as JSON can carry them, and as tooltips write them."""
    labels, rows = _labels(points), []
    for point in points:
        found, unknown = point.estimate, "not published" if point.kind == "published" else MISSING
        ends = {"value": found.value, "low": found.low, "high": found.high}
        rows.append({
            "name": point.name,
            "label": labels[point.name],
            "kind": point.kind,
            "series": point.series,
            "at": point.at,
            **{k: None if v != v else round(v * unit.factor, 4) for k, v in ends.items()},
            "written": unit.named(found.value),
            "interval": replace(found, unit=unit).interval or unknown,
            "n": str(found.n_items) if found.n_items else unknown,
        })  # fmt: skip
    return rows


def _labels(points: Sequence[Point]) -> dict[str, str]:
    """For each name its label on the axis, broken into lines.

    A long one keeps its end, which says that it is simulated, or the settings of a model.
    """
    labels: dict[str, str] = {}
    for name in dict.fromkeys(p.name for p in points):
        lines = textwrap.wrap(name, _LINE) or [name]
        if len(lines) > _LINES:
            lines = [f"{lines[0][: _LINE - 1]}…", *lines[1 - _LINES :]]
        label = "\n".join(lines)
        labels[name] = label if label not in labels.values() else f"{label} ({len(labels) + 1})"
    return labels


def panels_of(part: Part) -> Iterator[tuple[Figure, Panel]]:
    """All panels of a part, figure by figure."""
    charts = (block for block in part.blocks if isinstance(block, Figure))
    return ((chart, panel) for chart in charts for panel in chart.panels)


def fallback_svg(panel: Panel) -> str:
    """The panel as SVG for a page without scripts; empty without `askew[pictures]`.

    Colours stay variables, so it follows the reader's scheme.
    """
    if not find_spec("vl_convert"):
        return ""
    return str(_converter().vegalite_to_svg(_drawable(panel.spec), allowed_base_urls=[]))


def _converter() -> Any:
    try:
        return import_module("vl_convert")
    except ImportError:
        raise UsageError(
            "pictures as files need vl-convert-python: pip install 'askew[pictures]' "
            "(an HTML report draws its charts without it)"
        ) from None


def standalone(chart: Figure, panel: Panel, format: Literal["svg", "png"]) -> str | bytes:
    """The panel as a file of its own; PNG at twice its size."""
    spec = standalone_spec(chart, panel)
    if format == "svg":
        return str(_converter().vegalite_to_svg(spec, allowed_base_urls=[]))
    return bytes(_converter().vegalite_to_png(spec, scale=2.0, allowed_base_urls=[]))


def standalone_spec(chart: Figure, panel: Panel) -> Spec:
    """The panel in plain colours on a ground, with its title, its legend and how to read it."""
    simulated = f"simulated: {', '.join(chart.simulated)}" if chart.simulated else ""
    ground = _load_design(
        "_standalone",
        text=f"{chart.caption}: {panel.title}" if panel.title else chart.caption,
        subtitle=[*textwrap.wrap(chart.reading, 96), *textwrap.wrap(simulated, 96)],
    )
    spec = panel.draw(legend=_load_design("_legend"))
    whole = {**spec, **ground, "config": {**spec["config"], **ground["config"]}}
    # A file of its own follows no reader's scheme.
    named = _VARIABLE.sub(lambda found: LIGHT.get(found[1], found[0]), json.dumps(whole))
    plain: Spec = _drawable(json.loads(named))
    return plain


def _drawable(node: Any) -> Any:
    """The specification with texts fit to be shown: at a NUL the library ends the process."""
    if isinstance(node, Mapping):
        return {key: _drawable(child) for key, child in node.items()}
    if isinstance(node, list):
        return [_drawable(child) for child in node]
    return escape_control(node, PASSAGE) if isinstance(node, str) else node

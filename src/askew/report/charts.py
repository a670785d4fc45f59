"""Chart builders: rows and labels for the Vega-Lite specifications of `charts.yaml`.

Every builder takes plain numbers and returns one panel's specification without a title: figures
arrange panels, share a legend and say how to read them. Colours are named by meaning.
"""

from __future__ import annotations

import re
import textwrap
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from askew.files import formed, yaml_of
from askew.report.estimates import Estimate, RowKind
from askew.schema import MISSING, Unit

# Colours by meaning, for light and dark; charts and style sheet share them.
_COLOURS = yaml_of("askew.report", "palette.yaml")
LIGHT: Mapping[str, str] = {name: light for name, (light, _) in _COLOURS.items()}
DARK: Mapping[str, str] = {name: dark for name, (_, dark) in _COLOURS.items()}
_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")

Spec = dict[str, Any]
Rows = list[dict[str, Any]]
WHOLE = (0.0, 100.0)
# What a row takes, and each further line of its label; characters of a line, lines of a label.
_ROW, _LINE_HEIGHT = 23, 13
_LINE, _LINES = 22, 3
# Characters of a head's line: so many fit above the columns together, and no more into one.
_HEADS_CHARACTERS, _HEAD_CHARACTERS = 59, 13
# On these shades a number is written in the colour of the page, on others in that of the text.
_STRONG = ("right-1", "right-2", "wrong-1", "drift-3", "drift-4")


@dataclass(frozen=True)
class Point:
    """A labelled number of a plot; on a line it stands `at` a place."""

    name: str
    kind: RowKind
    estimate: Estimate
    series: str = ""
    at: int = 0


def interval_plot(points: Sequence[Point], unit: Unit, scale: tuple[float, float]) -> Spec:
    """A dot and a whisker a row; published numbers, which come without, as diamonds.

    A reference that nobody measured, such as what guessing gets, is a hollow square and grey. The
    scale is as the unit shows it: 0 to 100 for a rate in percent.
    """
    return _along_axis("interval_plot", points, unit, scale)


def dumbbells(
    points: Sequence[Point], ends: Sequence[str], colours: Sequence[str], unit: Unit
) -> Spec:
    """Two numbers a row, one of each series, with their distance; bands are their intervals.

    The first of `ends` is drawn filled, the second as a ring.
    """
    shown = {"series": [*ends], "colours": [*colours], "fills": [colours[0], colour("surface")]}
    return _along_axis("dumbbells", points, unit, WHOLE, **shown)


def shares(points: Sequence[Point], colours: Mapping[str, str], unit: Unit) -> Spec:
    """A bar a row that splits into shares; the order of `colours` is the order of the parts."""
    shown = {"series": [*colours], "colours": [*colours.values()]}
    spec = _along_axis("shares", points, unit, (0, unit.factor), **shown)
    for row in spec["data"]["values"]:
        row["rank"] = shown["series"].index(row["series"])
    return spec


def heat_map(
    points: Sequence[Point], columns: Sequence[str], unit: Unit,
    limits: Sequence[float], shades: Sequence[str],
) -> Spec:  # fmt: skip
    """A cell a point, in one of `shades`, which end at `limits`; without a value it is a dash."""
    width = min(_HEAD_CHARACTERS, _HEADS_CHARACTERS // max(1, len(columns)))
    heads = {c: "\n".join(textwrap.wrap(c, width, break_long_words=False)) for c in columns}
    rows = _rows(points, unit)
    for row, point in zip(rows, points, strict=True):
        missing = point.estimate.missing
        shade = "" if missing else shades[bisect_right(limits, point.estimate.value)]
        row["head"] = heads[point.series]
        row["fill"] = colour(shade) if shade else "transparent"
        row["ink"] = colour("surface" if shade in _STRONG else "ink")
        row["said"] = MISSING if missing else unit.write(point.estimate.value)
    return _by_name("heat_map", rows, heads=[*heads.values()])


def line_plot(points: Sequence[Point], title: str, unit: Unit) -> Spec:
    """Measured lines with bands, published ones thin and without; no value leaves a gap."""
    rows = [
        {"name": p.name, "kind": p.kind, "at": p.at, **_numbers(p.estimate, unit, "not published")}
        for p in points
        if not p.estimate.missing
    ]
    places = sorted({p.at for p in points})
    room = max(0.3, 0.03 * (places[-1] - places[0]))
    around = [places[0] - room, places[-1] + room]
    shown = {"title": title, "places": places, "around": around, "number": _written(unit)}
    # Its labels are short: the plot takes the room that names have elsewhere.
    return _chart("line_plot", rows, 190, scale=[*WHOLE], **shown) | {"width": 524}


def _along_axis(
    name: str, points: Sequence[Point], unit: Unit, scale: tuple[float, float], **shown: Any
) -> Spec:
    """A chart of a row a name along one axis: what has nothing to draw says why."""
    least, most = scale
    rows = _rows(points, unit)
    drawn = {p.name for p in points if not p.estimate.missing}
    missing = {
        row["label"]: {"label": row["label"], "at": least, "said": f"{MISSING} {p.estimate.why}"}
        for p, row in zip(points, rows, strict=True)
        if p.name not in drawn
    }
    ticks = [least + (most - least) * i / 4 for i in range(5)]
    shown |= {"missing": [*missing.values()], "scale": [least, most], "ticks": ticks}
    return _by_name(name, rows, number=_written(unit), **shown)


def _by_name(design: str, rows: Rows, **shown: Any) -> Spec:
    """A chart with a row a name, as high as the names' labels need."""
    labels = list(dict.fromkeys(row["label"] for row in rows))
    n_lines = max((label.count("\n") for label in labels), default=0)
    height = max(1, len(labels)) * (_ROW + n_lines * _LINE_HEIGHT)
    return _chart(design, rows, height, labels=labels, **shown)


def designed(name: str, **shown: Any) -> Spec:
    """A design of `charts.yaml`, filled in."""
    colours = {meaning: colour(meaning) for meaning in LIGHT}
    made: Spec = formed(yaml_of("askew.report", "charts.yaml")[name], {**colours, **shown})
    return made


def _chart(name: str, rows: Rows, height: int, **shown: Any) -> Spec:
    design = designed("_all") | designed(name, **shown)
    return design | {"data": {"values": rows}, "height": height}


def _labels(points: Sequence[Point]) -> dict[str, str]:
    """For each name its label on the axis: broken into lines, so that its end can be read too.

    The end is where a name says that it is simulated, or under which settings a model ran.
    """
    labels: dict[str, str] = {}
    for name in dict.fromkeys(p.name for p in points):
        lines = [*_wrapped(name)]
        if len(lines) > _LINES:
            lines = [f"{lines[0][: _LINE - 1]}…", *lines[1 - _LINES :]]
        label = "\n".join(lines)
        labels[name] = label if label not in labels.values() else f"{label} ({len(labels) + 1})"
    return labels


@cache
def _wrapped(name: str) -> tuple[str, ...]:
    return tuple(textwrap.wrap(name, _LINE)) or (name,)


def _rows(points: Sequence[Point], unit: Unit) -> Rows:
    labels = _labels(points)
    return [
        {
            "name": p.name,
            "label": labels[p.name],
            "kind": p.kind,
            "series": p.series,
            **_numbers(p.estimate, unit, "not published" if p.kind == "published" else MISSING),
        }
        for p in points
    ]


def _numbers(estimate: Estimate, unit: Unit, unknown: str) -> dict[str, Any]:
    """A number with its interval as JSON can carry them, and as the tooltip writes them."""
    ends = {"value": estimate.value, "low": estimate.low, "high": estimate.high}
    return {
        **{k: None if v != v else round(v * unit.factor, 4) for k, v in ends.items()},
        "written": unit.named(estimate.value),
        "interval": estimate.interval(unit) or unknown,
        "n": str(estimate.n_items) if estimate.n_items else unknown,
    }


def _written(unit: Unit) -> str:
    """How an axis writes a number."""
    return f"datum.label + '{'%' if unit.name == '%' else ''}'"


def colour(name: str) -> str:
    """A colour by its meaning, as the style sheet's variable; it follows the reader's scheme."""
    if name not in LIGHT:
        raise KeyError(f"no colour is called {name!r}; there are: {', '.join(LIGHT)}")
    return f"var(--{name})"


def style_variables(colours: Mapping[str, str]) -> str:
    """Declarations for the style sheet."""
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


def resolved(text: str, colours: Mapping[str, str] = LIGHT) -> str:
    """Text with every colour variable replaced by its value (for files that stand alone)."""
    return _VARIABLE.sub(lambda found: colours.get(found[1], found[0]), text)

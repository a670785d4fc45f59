"""Chart builders: rows and labels for the Vega-Lite specifications of `charts.yaml`.

Every builder takes plain numbers and returns one panel's specification without a title: figures
arrange panels, share a legend and say how to read them. Colours are named by meaning.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from askew.files import yaml_of
from askew.report.estimates import Estimate, RowKind
from askew.schema import MISSING, Unit

# Colours by meaning, for light and dark; charts and style sheet share them.
_COLOURS = yaml_of("askew.report", "palette.yaml")
LIGHT: Mapping[str, str] = {name: light for name, (light, _) in _COLOURS.items()}
DARK: Mapping[str, str] = {name: dark for name, (_, dark) in _COLOURS.items()}
_VARIABLE = re.compile(r"var\(--([a-z0-9-]+)\)")

Spec = dict[str, Any]
Rows = list[dict[str, Any]]
# What a row takes, and each further line of its label; characters of a line, lines of a label.
_ROW, _LINE_HEIGHT = 23, 13
_LINE, _LINES = 22, 3
# Characters of a head's line: so many fit above the columns together, and no more into one.
_HEADS_CHARACTERS, _HEAD_CHARACTERS = 59, 13
# On these shades a number is written in the colour of the page, on others in that of the text.
_STRONG = ("right-1", "right-2", "wrong-1", "drift-3", "drift-4")


@dataclass(frozen=True)
class Point:
    """A labelled number of a plot."""

    name: str
    kind: RowKind
    estimate: Estimate
    series: str = ""


@dataclass(frozen=True)
class Step:
    """One number of a line: where it stands, and what it is."""

    name: str
    kind: RowKind
    at: int
    estimate: Estimate


@dataclass(frozen=True)
class Bands:
    """Where one shade ends and the next begins: one shade more than limits, low to high."""

    limits: Sequence[float]
    shades: Sequence[str]

    def shade(self, value: float) -> str:
        return self.shades[sum(value >= limit for limit in self.limits)]


def interval_plot(points: Sequence[Point], unit: Unit, scale: tuple[float, float]) -> Spec:
    """A dot and a whisker a row; published numbers, which come without, as diamonds.

    A reference that nobody measured, such as what guessing gets, is a hollow square and grey.

    Args:
        points: one for each name.
        unit: of the numbers.
        scale: range of the axis, as the unit shows it (0 to 100 for a rate in percent).
    """
    return _along_axis("interval_plot", points, _rows(points, unit), unit, scale)


def dumbbells(
    points: Sequence[Point],
    ends: tuple[str, str],
    colours: tuple[str, str],
    unit: Unit,
    scale: tuple[float, float],
) -> Spec:
    """Two numbers a row with the distance between them; bands are their intervals.

    Args:
        points: for each name one point of each series.
        ends: the two series; the first is drawn filled, the second as a ring.
        colours: their colours.
        unit: of the numbers.
        scale: range of the axis, as the unit shows it.
    """
    shown = {"series": [*ends], "colours": [*colours], "fills": [colours[0], colour("surface")]}
    return _along_axis("dumbbells", points, _rows(points, unit), unit, scale, **shown)


def shares(
    points: Sequence[Point], colours: Mapping[str, str], unit: Unit, meanings: Mapping[str, str]
) -> Spec:
    """A bar a row that splits into shares; the order of `colours` is the order of the parts."""
    rank = {series: i for i, series in enumerate(colours)}
    rows = [
        row
        | {
            "rank": rank.get(row["series"], len(rank)),
            "what": meanings.get(row["series"], row["series"]),
        }
        for row in _rows(points, unit)
    ]
    shown = {"series": [meanings.get(s, s) for s in colours], "colours": [*colours.values()]}
    return _along_axis("shares", points, rows, unit, (0, unit.factor), **shown)


def heat_map(points: Sequence[Point], columns: Sequence[str], unit: Unit, bands: Bands) -> Spec:
    """A cell a point; a point without a value is a dash."""
    width = min(_HEAD_CHARACTERS, _HEADS_CHARACTERS // max(1, len(columns)))
    heads = {c: "\n".join(textwrap.wrap(c, width, break_long_words=False)) for c in columns}
    rows = []
    for row, point in zip(_rows(points, unit), points, strict=True):
        shade = "" if point.estimate.missing else bands.shade(point.estimate.value)
        ink = "surface" if shade in _STRONG else "ink"
        fill = colour(shade) if shade else "transparent"
        said = MISSING if point.estimate.missing else unit.write(point.estimate.value)
        drawn = {"head": heads[point.series], "fill": fill, "ink": colour(ink), "said": said}
        rows.append(row | drawn)
    return _by_name("heat_map", rows, heads=[*heads.values()])


def line_plot(steps: Sequence[Step], title: str, unit: Unit, scale: tuple[float, float]) -> Spec:
    """Measured lines with bands, published ones thin and without."""
    rows = [
        {"name": s.name, "kind": s.kind, "at": s.at, **_numbers(s.estimate, unit, "not published")}
        for s in steps
        if not s.estimate.missing
    ]
    places = sorted({s.at for s in steps})
    room = max(0.3, 0.03 * (places[-1] - places[0]))
    spec = _chart(
        "line_plot",
        rows,
        190,
        title=title,
        places=places,
        around=[min(places) - room, max(places) + room],
        scale=list(scale),
        number=_written(unit),
    )
    # Its labels are short: the plot takes the room that names have elsewhere.
    return spec | {"width": 524}


def _along_axis(
    name: str,
    points: Sequence[Point],
    rows: Rows,
    unit: Unit,
    scale: tuple[float, float],
    **shown: Any,
) -> Spec:
    """A chart of a row a name along one axis: what has nothing to draw says why."""
    least, most = scale
    drawn = {p.name for p in points if not p.estimate.missing}
    missing = {
        row["label"]: {"label": row["label"], "at": least, "said": f"{MISSING} {p.estimate.why}"}
        for p, row in zip(points, rows, strict=True)
        if p.name not in drawn
    }
    return _by_name(
        name,
        rows,
        missing=[*missing.values()],
        scale=[least, most],
        ticks=[least + (most - least) * i / 4 for i in range(5)],
        number=_written(unit),
        **shown,
    )


def _by_name(design: str, rows: Rows, **shown: Any) -> Spec:
    """A chart with a row a name, as high as the names' labels need."""
    labels = list(dict.fromkeys(row["label"] for row in rows))
    n_lines = max((label.count("\n") for label in labels), default=0)
    height = max(1, len(labels)) * (_ROW + n_lines * _LINE_HEIGHT)
    return _chart(design, rows, height, labels=labels, **shown)


def designed(name: str, **shown: Any) -> Spec:
    """A design of `charts.yaml`, filled in."""
    filled: Spec = _filled(yaml_of("askew.report", "charts.yaml")[name], shown)
    return filled


def _chart(name: str, rows: Rows, height: int, **shown: Any) -> Spec:
    design = designed("_all") | designed(name, **shown)
    return design | {"data": {"values": rows}, "height": height}


def _filled(design: Any, shown: Mapping[str, Any]) -> Any:
    """The design with its names filled in; what is filled in stays as it is."""
    if isinstance(design, Mapping):
        return {key: _filled(part, shown) for key, part in design.items()}
    if isinstance(design, list):
        return [_filled(part, shown) for part in design]
    if isinstance(design, str) and design.startswith("$"):
        name = design.removeprefix("$")
        return shown[name] if name in shown else colour(name)
    return design


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

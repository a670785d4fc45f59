"""Charts over a series of conditions: a heat-map, and a line over a count."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from askew.report.charts import (
    LABEL_WIDTH,
    TOOLTIP,
    WIDTH,
    Point,
    Spec,
    finished,
    names_axis,
    point_rows,
    row_labels,
)
from askew.report.document import Estimate, RowKind
from askew.report.palette import colour
from askew.schema import MISSING, Unit

# On these shades a number is written in the colour of the page, on others in that of the text.
_STRONG = ("right-1", "right-2", "wrong-1", "drift-3", "drift-4")
# Characters of a head's line: so many fit above the columns together, and no more into one.
_HEADS_CHARACTERS, _HEAD_CHARACTERS = 59, 13
# Of a line's plot, and of the numbers beside it.
_HEIGHT = 190
_AXIS_WIDTH = 44


@dataclass(frozen=True)
class Bands:
    """Where one shade ends and the next begins: one shade more than limits, low to high."""

    limits: Sequence[float]
    shades: Sequence[str]

    def shade(self, value: float) -> str:
        return self.shades[sum(value >= limit for limit in self.limits)]


def heat_map(points: Sequence[Point], columns: Sequence[str], unit: Unit, bands: Bands) -> Spec:
    """A cell a point; a point without a value is a dash.

    Args:
        points: for each name one point of each series.
        columns: the series, from left to right.
        unit: of the numbers.
        bands: which shade a value has. A value is compared as the unit writes it.
    """
    labels = row_labels(points)
    width = min(_HEAD_CHARACTERS, _HEADS_CHARACTERS // max(1, len(columns)))
    heads = {c: "\n".join(textwrap.wrap(c, width, break_long_words=False)) for c in columns}
    rows = []
    for row, point in zip(point_rows(points, labels, unit), points, strict=True):
        shade = "" if point.estimate.missing else bands.shade(point.estimate.value)
        ink = "surface" if shade in _STRONG else "ink"
        fill = colour(shade) if shade else "transparent"
        said = MISSING if point.estimate.missing else unit.write(point.estimate.value)
        drawn = {"head": heads[point.series], "fill": fill, "ink": colour(ink), "said": said}
        rows.append(row | drawn)
    base = alt.Chart(alt.InlineData(values=rows))
    x = alt.X(
        "head:N",
        sort=list(heads.values()),
        scale=alt.Scale(domain=list(heads.values())),
        axis=alt.Axis(
            title=None,
            orient="top",
            labelAngle=0,
            domain=False,
            ticks=False,
            labelPadding=20,
            labelBaseline="line-bottom",
            labelExpr="split(datum.label, '\\n')",
        ),
    )
    y = names_axis(labels)
    cells = base.mark_rect(stroke=colour("grid"), strokeWidth=1).encode(
        x=x, y=y, color=alt.Color("fill:N", scale=None, legend=None), tooltip=TOOLTIP
    )
    numbers = base.mark_text(fontSize=12, fontWeight=600).encode(
        x=x, y=y, text="said:N", color=alt.Color("ink:N", scale=None, legend=None)
    )
    return finished(alt.layer(cells, numbers), labels)


@dataclass(frozen=True)
class Step:
    """One number of a line: where it stands, and what it is."""

    name: str
    kind: RowKind
    at: int
    estimate: Estimate


def line_plot(steps: Sequence[Step], title: str, unit: Unit, scale: tuple[float, float]) -> Spec:
    """Measured lines with bands, published ones thin and without.

    Args:
        steps: the numbers of all lines; one without a value leaves a gap.
        title: of the axis that counts.
        unit: of the numbers.
        scale: range of their axis, as the unit shows it.
    """
    rows = [
        {
            "name": s.name,
            "kind": s.kind,
            "at": s.at,
            "value": s.estimate.value * unit.factor,
            "low": _or_none(s.estimate.low, unit),
            "high": _or_none(s.estimate.high, unit),
            "written": f"{unit.write(s.estimate.value)} {unit.name}".strip(),
            "interval": s.estimate.interval(unit) or "not published",
            "n": str(s.estimate.n_items) if s.estimate.n_items else "not published",
        }
        for s in steps
        if not s.estimate.missing
    ]
    base = alt.Chart(alt.InlineData(values=rows))
    places = sorted({s.at for s in steps})
    x = alt.X(
        "at:Q",
        scale=alt.Scale(domain=[min(places) - 0.3, max(places) + 0.3], nice=False),
        axis=alt.Axis(
            title=title,
            titleColor=colour("soft"),
            titleFontWeight="normal",
            values=places,
            format="d",
            grid=False,
            domain=False,
            ticks=False,
        ),
    )
    y = _value_axis("value:Q", unit, scale)
    published = base.transform_filter("datum.kind == 'published'")
    measured = base.transform_filter("datum.kind != 'published'")
    behind = published.mark_line(
        color=colour("published"), strokeWidth=1.2, strokeDash=[4, 3], opacity=0.8
    ).encode(x=x, y=y, detail="name:N", tooltip=_STEP_TOOLTIP)
    band = measured.mark_area(color=colour("mark"), opacity=0.18).encode(
        x=x, y=_value_axis("low:Q", unit, scale), y2="high:Q", detail="name:N"
    )
    line = measured.mark_line(color=colour("mark"), strokeWidth=2.4).encode(
        x=x, y=y, detail="name:N"
    )
    dots = measured.mark_point(
        shape="circle", size=52, opacity=1, color=colour("mark"), fill=colour("mark")
    ).encode(x=x, y=y, tooltip=_STEP_TOOLTIP)
    spec = finished(alt.layer(behind, band, line, dots), {})
    # Its labels are short: the plot takes the room that names have elsewhere.
    spec["width"], spec["height"] = WIDTH + LABEL_WIDTH - _AXIS_WIDTH, _HEIGHT
    return spec


_STEP_TOOLTIP = [
    alt.Tooltip("name:N", title="model"),
    alt.Tooltip("at:Q", title="at"),
    alt.Tooltip("written:N", title="value"),
    alt.Tooltip("interval:N", title="interval"),
    alt.Tooltip("n:N", title="items"),
]


def _or_none(value: float, unit: Unit) -> float | None:
    return None if math.isnan(value) else value * unit.factor


def _value_axis(field: str, unit: Unit, scale: tuple[float, float]) -> alt.Y:
    return alt.Y(
        field,
        scale=alt.Scale(domain=list(scale), nice=False, clamp=True),
        axis=alt.Axis(
            title=None,
            tickCount=5,
            domain=False,
            ticks=False,
            minExtent=_AXIS_WIDTH,
            maxExtent=_AXIS_WIDTH,
            labelExpr=f"datum.label + '{'%' if unit.name == '%' else ''}'",
        ),
    )

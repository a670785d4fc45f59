"""A heat-map in bands of colour: rows by name, columns by series, the number in each cell."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from askew.report import charts
from askew.report.charts import Point, Spec
from askew.report.palette import colour
from askew.schema import MISSING, Unit

# On these shades a number is written in the colour of the page, on others in that of the text.
_STRONG = ("right-1", "right-2", "wrong-1", "drift-3", "drift-4")
# Characters of a head's line: so many fit above the columns together, and no more into one.
_HEADS_CHARACTERS, _HEAD_CHARACTERS = 59, 13


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
    labels = charts.row_labels(points)
    width = min(_HEAD_CHARACTERS, _HEADS_CHARACTERS // max(1, len(columns)))
    heads = {c: "\n".join(textwrap.wrap(c, width, break_long_words=False)) for c in columns}
    rows = []
    for row, point in zip(charts.point_rows(points, labels, unit), points, strict=True):
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
    y = charts.names_axis(labels)
    cells = base.mark_rect(stroke=colour("grid"), strokeWidth=1).encode(
        x=x, y=y, color=alt.Color("fill:N", scale=None, legend=None), tooltip=charts.TOOLTIP
    )
    numbers = base.mark_text(fontSize=12, fontWeight=600).encode(
        x=x, y=y, text="said:N", color=alt.Color("ink:N", scale=None, legend=None)
    )
    return charts.finished(alt.layer(cells, numbers), labels)

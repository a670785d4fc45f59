"""A line with its interval over a count, with published lines behind it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import altair as alt

from askew.report.charts import LABEL_WIDTH, WIDTH, Spec, finished
from askew.report.document import Estimate, RowKind
from askew.report.palette import colour
from askew.schema import Unit

_HEIGHT = 190
_AXIS_WIDTH = 44


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
    ).encode(x=x, y=y, detail="name:N", tooltip=_TOOLTIP)
    band = measured.mark_area(color=colour("mark"), opacity=0.18).encode(
        x=x, y=_value_axis("low:Q", unit, scale), y2="high:Q", detail="name:N"
    )
    line = measured.mark_line(color=colour("mark"), strokeWidth=2.4).encode(
        x=x, y=y, detail="name:N"
    )
    dots = measured.mark_point(
        shape="circle", size=52, opacity=1, color=colour("mark"), fill=colour("mark")
    ).encode(x=x, y=y, tooltip=_TOOLTIP)
    spec = finished(alt.layer(behind, band, line, dots), {})
    # Its labels are short: the plot takes the room that names have elsewhere.
    spec["width"], spec["height"] = WIDTH + LABEL_WIDTH - _AXIS_WIDTH, _HEIGHT
    return spec


_TOOLTIP = [
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

"""Chart builders: Vega-Lite specifications whose colours are named by meaning.

Every builder takes plain rows and returns one panel's specification without a title: figures
arrange panels, share a legend and say how to read them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from askew.analysis.document import MISSING, Estimate, RowKind, Unit
from askew.analysis.palette import colour

Spec = dict[str, Any]
# Fixed, so that panels side by side line up and the page can size the plot beside it.
LABEL_WIDTH = 148
WIDTH = 420
_ROW = 23
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


@dataclass(frozen=True)
class Point:
    """A labelled number of a plot."""

    name: str
    kind: RowKind
    estimate: Estimate
    series: str = ""


def interval_plot(points: Sequence[Point], unit: Unit, scale: tuple[float, float]) -> Spec:
    """A dot and a whisker a row; published numbers, which come without, as diamonds."""
    names = list(dict.fromkeys(p.name for p in points))
    drawn = _chart(_rows(points, unit)).transform_filter("isValid(datum.value)")
    y = _names_axis(names)
    x = _x("value:Q", scale, unit)
    whiskers = drawn.mark_rule(strokeWidth=2, strokeCap="round", color=colour("mark")).encode(
        x=_x("low:Q", scale, unit), x2="high:Q", y=y
    )
    dots = drawn.mark_point(size=78, opacity=1, strokeWidth=1.6).encode(
        x=x,
        y=y,
        shape=_by_kind(["circle", "circle", "diamond"]),
        tooltip=_TOOLTIP,
        color=_by_kind([colour("mark")] * 2 + [colour("published")]),
        fill=_by_kind([colour("mark")] * 2 + [colour("surface")]),
    )
    return _finished(alt.layer(whiskers, dots, _missing(points, names, scale)), len(names))


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
        scale: range of the axis.
    """
    names = list(dict.fromkeys(p.name for p in points))
    drawn = _chart(_rows(points, unit)).transform_filter("isValid(datum.value)")
    y = _names_axis(names)
    shade = alt.Color(
        "series:N", scale=alt.Scale(domain=list(ends), range=list(colours)), legend=None
    )
    links = drawn.mark_line(color=colour("link"), strokeWidth=2.5).encode(
        x=_x("value:Q", scale, unit), y=y, detail="name:N"
    )
    bands = drawn.mark_bar(height=9, cornerRadius=4.5, opacity=0.24).encode(
        x=_x("low:Q", scale, unit), x2="high:Q", y=y, color=shade
    )
    dots = drawn.mark_point(size=78, strokeWidth=2).encode(
        x=_x("value:Q", scale, unit),
        y=y,
        color=shade,
        opacity=alt.value(1.0),
        tooltip=_TOOLTIP,
        fill=alt.Color(
            "series:N",
            scale=alt.Scale(domain=list(ends), range=[colours[0], colour("surface")]),
            legend=None,
        ),
        shape=_by_kind(["circle", "circle", "diamond"]),
    )
    return _finished(alt.layer(links, bands, dots, _missing(points, names, scale)), len(names))


def shares(
    points: Sequence[Point], colours: Mapping[str, str], unit: Unit, meanings: Mapping[str, str]
) -> Spec:
    """A bar a row that splits into shares; the order of `colours` is the order of the parts."""
    names = list(dict.fromkeys(p.name for p in points))
    rank = {series: i for i, series in enumerate(colours)}
    rows = [
        row
        | {
            "rank": rank.get(row["series"], len(rank)),
            "what": meanings.get(row["series"], row["series"]),
        }
        for row in _rows(points, unit)
    ]
    chart = (
        _chart(rows)
        .transform_filter("isValid(datum.value)")
        .mark_bar(height=15, stroke=colour("surface"), strokeWidth=1)
        .encode(
            x=alt.X(
                "value:Q",
                stack="zero",
                scale=alt.Scale(domain=[0, unit.factor], nice=False),
                axis=_value_axis(unit, (0, unit.factor)),
            ),
            y=_names_axis(names),
            color=alt.Color(
                "what:N",
                scale=alt.Scale(
                    domain=[meanings.get(s, s) for s in colours], range=list(colours.values())
                ),
                legend=None,
            ),
            order=alt.Order("rank:Q"),
            tooltip=[
                alt.Tooltip("name:N", title="model"),
                alt.Tooltip("what:N", title="pattern"),
                *_TOOLTIP[2:],
            ],
        )
    )
    return _finished(alt.layer(chart, _missing(points, names, (0, unit.factor))), len(names))


def _by_kind(values: Sequence[str]) -> Any:
    """A constant a kind of row: measured, simulated, published."""
    return alt.condition("datum.kind == 'published'", alt.value(values[2]), alt.value(values[0]))


_TOOLTIP = [
    alt.Tooltip("name:N", title="model"),
    alt.Tooltip("series:N", title="condition"),
    alt.Tooltip("written:N", title="value"),
    alt.Tooltip("interval:N", title="interval"),
    alt.Tooltip("n:N", title="items"),
]


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def _rows(points: Sequence[Point], unit: Unit) -> list[dict[str, Any]]:
    return [
        {
            "name": p.name,
            "kind": p.kind,
            "series": p.series,
            "value": _finite(p.estimate.value, unit),
            "low": _finite(p.estimate.low, unit),
            "high": _finite(p.estimate.high, unit),
            "written": f"{unit.write(p.estimate.value)} {unit.name}".strip(),
            "interval": p.estimate.interval(unit) or "not published",
            "n": str(p.estimate.n_items) if p.estimate.n_items else "not published",
        }
        for p in points
    ]


def _finite(value: float, unit: Unit) -> float | None:
    """A number that JSON can carry, in the unit that is shown."""
    return None if value != value else round(value * unit.factor, 4)


def _missing(points: Sequence[Point], names: Sequence[str], scale: tuple[float, float]) -> Any:
    """A dash with the reason in rows that have nothing to draw."""
    drawn = {p.name for p in points if not p.estimate.missing}
    rows = [
        {"name": p.name, "at": scale[0], "said": f"{MISSING} {p.estimate.why}"}
        for p in {p.name: p for p in points if p.name not in drawn}.values()
    ]
    return (
        _chart(rows)
        .mark_text(align="left", dx=6, color=colour("soft"), fontSize=11)
        .encode(x=alt.X("at:Q"), y=_names_axis(names), text="said:N")
    )


def _names_axis(names: Sequence[str]) -> alt.Y:
    return alt.Y(
        "name:N",
        sort=list(names),
        scale=alt.Scale(domain=list(names)),
        axis=alt.Axis(
            title=None,
            domain=False,
            ticks=False,
            labelPadding=8,
            labelColor=alt.condition(
                "test(/[(]published[)]$/, datum.label)",
                alt.value(colour("published")),
                alt.value(colour("ink")),
            ),
            labelLimit=LABEL_WIDTH - 10,
            minExtent=LABEL_WIDTH,
            maxExtent=LABEL_WIDTH,
        ),
    )


def _x(field: str, scale: tuple[float, float], unit: Unit) -> alt.X:
    return alt.X(
        field,
        scale=alt.Scale(domain=list(scale), nice=False, clamp=True),
        axis=_value_axis(unit, scale),
    )


def _value_axis(unit: Unit, scale: tuple[float, float]) -> alt.Axis:
    least, most = scale
    return alt.Axis(
        title=None,
        values=[least + (most - least) * i / 4 for i in range(5)],
        grid=True,
        domain=False,
        ticks=False,
        labelPadding=6,
        labelFlush=False,
        labelExpr=f"datum.label + '{'%' if unit.name == '%' else ''}'",
    )


def _finished(chart: Any, n_rows: int) -> Spec:
    spec: Spec = (
        chart.properties(width=WIDTH, height=max(1, n_rows) * _ROW)
        .configure(font=_FONT, background="transparent", padding=4)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=colour("soft"), labelFontSize=12, gridColor=colour("grid"), labelFont=_FONT
        )
        .to_dict()
    )
    # The address of the schema is the only one in a specification, and nothing needs it.
    spec.pop("$schema", None)
    return spec

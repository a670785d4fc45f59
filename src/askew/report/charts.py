"""Chart builders: Vega-Lite specifications whose colours are named by meaning.

Every builder takes plain rows and returns one panel's specification without a title: figures
arrange panels, share a legend and say how to read them.
"""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

import altair as alt
from altair.utils.schemapi import debug_mode

from askew.report.document import Estimate, RowKind
from askew.report.palette import colour
from askew.schema import MISSING, Unit

Spec = dict[str, Any]
# Fixed, so that panels side by side line up and the page can size the plot beside it.
LABEL_WIDTH = 148
WIDTH = 420
_ROW = 23
# Characters of a label's line, lines of a label, and what each further line takes.
_LINE, _LINES = 22, 3
_LINE_HEIGHT = 13
_FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def unchecked() -> AbstractContextManager[None]:
    """Build charts without holding each part against Vega-Lite's schema, which takes most time.

    The tests hold every chart against it.
    """
    return debug_mode(False)


@dataclass(frozen=True)
class Point:
    """A labelled number of a plot."""

    name: str
    kind: RowKind
    estimate: Estimate
    series: str = ""


def interval_plot(points: Sequence[Point], unit: Unit, scale: tuple[float, float]) -> Spec:
    """A dot and a whisker a row; published numbers, which come without, as diamonds.

    A reference that nobody measured, such as what guessing gets, is a hollow square and grey.

    Args:
        points: one for each name.
        unit: of the numbers.
        scale: range of the axis, as the unit shows it (0 to 100 for a rate in percent).
    """
    labels = row_labels(points)
    drawn = _chart(point_rows(points, labels, unit)).transform_filter("isValid(datum.value)")
    y = names_axis(labels)
    x = _x("value:Q", scale, unit)
    whiskers = drawn.mark_rule(strokeWidth=2.4, strokeCap="round").encode(
        x=_x("low:Q", scale, unit),
        x2="high:Q",
        y=y,
        color=_by_kind(colour("mark"), colour("published"), colour("published")),
    )
    dots = drawn.mark_point(size=56, opacity=1, strokeWidth=1.6).encode(
        x=x,
        y=y,
        shape=_by_kind("circle", "diamond", "square"),
        tooltip=TOOLTIP,
        color=_by_kind(colour("mark"), colour("published"), colour("published")),
        fill=_by_kind(colour("mark"), colour("surface"), colour("surface")),
    )
    return finished(alt.layer(whiskers, dots, _missing(points, labels, scale)), labels)


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
    labels = row_labels(points)
    drawn = _chart(point_rows(points, labels, unit)).transform_filter("isValid(datum.value)")
    y = names_axis(labels)
    shade = alt.Color(
        "series:N", scale=alt.Scale(domain=list(ends), range=list(colours)), legend=None
    )
    links = drawn.mark_line(color=colour("link"), strokeWidth=2.5).encode(
        x=_x("value:Q", scale, unit), y=y, detail="label:N"
    )
    bands = drawn.mark_bar(height=9, cornerRadius=4.5, opacity=0.24).encode(
        x=_x("low:Q", scale, unit), x2="high:Q", y=y, color=shade
    )
    dots = drawn.mark_point(size=78, strokeWidth=2).encode(
        x=_x("value:Q", scale, unit),
        y=y,
        color=shade,
        opacity=alt.value(1.0),
        tooltip=TOOLTIP,
        fill=alt.Color(
            "series:N",
            scale=alt.Scale(domain=list(ends), range=[colours[0], colour("surface")]),
            legend=None,
        ),
        shape=_by_kind("circle", "diamond", "square"),
    )
    return finished(alt.layer(links, bands, dots, _missing(points, labels, scale)), labels)


def shares(
    points: Sequence[Point], colours: Mapping[str, str], unit: Unit, meanings: Mapping[str, str]
) -> Spec:
    """A bar a row that splits into shares; the order of `colours` is the order of the parts."""
    labels = row_labels(points)
    rank = {series: i for i, series in enumerate(colours)}
    rows = [
        row
        | {
            "rank": rank.get(row["series"], len(rank)),
            "what": meanings.get(row["series"], row["series"]),
        }
        for row in point_rows(points, labels, unit)
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
            y=names_axis(labels),
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
                *TOOLTIP[2:],
            ],
        )
    )
    return finished(alt.layer(chart, _missing(points, labels, (0, unit.factor))), labels)


def _by_kind(measured: str, published: str, reference: str) -> Any:
    """A constant a kind of row; what is simulated looks like what is measured."""
    return {
        "condition": [
            {"test": "datum.kind == 'published'", "value": published},
            {"test": "datum.kind == 'reference'", "value": reference},
        ],
        "value": measured,
    }


TOOLTIP = [
    alt.Tooltip("name:N", title="model"),
    alt.Tooltip("series:N", title="condition"),
    alt.Tooltip("written:N", title="value"),
    alt.Tooltip("interval:N", title="interval"),
    alt.Tooltip("n:N", title="items"),
]


def _chart(rows: list[dict[str, Any]]) -> alt.Chart:
    return alt.Chart(alt.InlineData(values=rows))


def row_labels(points: Sequence[Point]) -> dict[str, str]:
    """For each name its label on the axis: broken into lines, so that its end can be read too.

    The end is where a name says that it is simulated, or under which settings a model ran.
    """
    labels: dict[str, str] = {}
    for name in dict.fromkeys(p.name for p in points):
        lines = textwrap.wrap(name, _LINE) or [name]
        if len(lines) > _LINES:
            lines = [f"{lines[0][: _LINE - 1]}…", *lines[1 - _LINES :]]
        label = "\n".join(lines)
        labels[name] = label if label not in labels.values() else f"{label} ({len(labels) + 1})"
    return labels


def point_rows(
    points: Sequence[Point], labels: Mapping[str, str], unit: Unit
) -> list[dict[str, Any]]:
    return [
        {
            "name": p.name,
            "label": labels[p.name],
            "kind": p.kind,
            "series": p.series,
            "value": _finite(p.estimate.value, unit),
            "low": _finite(p.estimate.low, unit),
            "high": _finite(p.estimate.high, unit),
            "written": f"{unit.write(p.estimate.value)} {unit.name}".strip(),
            "interval": p.estimate.interval(unit) or _unknown(p),
            "n": str(p.estimate.n_items) if p.estimate.n_items else _unknown(p),
        }
        for p in points
    ]


def _unknown(point: Point) -> str:
    return "not published" if point.kind == "published" else MISSING


def _finite(value: float, unit: Unit) -> float | None:
    """A number that JSON can carry, in the unit that is shown."""
    return None if value != value else round(value * unit.factor, 4)


def _missing(points: Sequence[Point], labels: Mapping[str, str], scale: tuple[float, float]) -> Any:
    """A dash with the reason in rows that have nothing to draw."""
    drawn = {p.name for p in points if not p.estimate.missing}
    rows = [
        {"label": labels[p.name], "at": scale[0], "said": f"{MISSING} {p.estimate.why}"}
        for p in {p.name: p for p in points if p.name not in drawn}.values()
    ]
    return (
        _chart(rows)
        .mark_text(align="left", dx=6, color=colour("soft"), fontSize=11)
        .encode(x=alt.X("at:Q"), y=names_axis(labels), text="said:N")
    )


def names_axis(labels: Mapping[str, str]) -> alt.Y:
    names = list(labels.values())
    return alt.Y(
        "label:N",
        sort=names,
        scale=alt.Scale(domain=names),
        axis=alt.Axis(
            title=None,
            domain=False,
            ticks=False,
            labelPadding=8,
            labelColor=alt.condition(
                "test(/[(](published|reference)[)]$/, datum.label)",
                alt.value(colour("published")),
                alt.value(colour("ink")),
            ),
            labelExpr="split(datum.label, '\\n')",
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


def finished(chart: Any, labels: Mapping[str, str]) -> Spec:
    n_lines = max((label.count("\n") for label in labels.values()), default=0)
    spec: Spec = (
        chart.properties(width=WIDTH, height=max(1, len(labels)) * (_ROW + n_lines * _LINE_HEIGHT))
        .configure(font=_FONT, background="transparent", padding=4)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=colour("soft"), labelFontSize=12, gridColor=colour("grid"), labelFont=_FONT
        )
        .to_dict(validate=False)
    )
    # The address of the schema is the only one in a specification, and nothing needs it.
    spec.pop("$schema", None)
    return spec

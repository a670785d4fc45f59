"""Format bias in figures: BiasF with intervals, and SysE against EstTrue format by format."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial

from askew.papers.format_bias.chapter_tables import BIAS_TABLE, by_format_id, published_models
from askew.papers.format_bias.chapter_words import (
    SQUARED,
    Asked,
    Place,
    arms_of,
    categories,
    category_name,
    category_slug,
    estimate,
    format_name,
    formats_of,
    sentence_case,
)
from askew.report.charts import Point, Spec, dumbbells, interval_plot
from askew.report.document import Chart, Estimate, Key, Panel
from askew.report.evidence import Evidence
from askew.report.palette import colour
from askew.schema import PERCENT

_ENDS = ("estimated true score", "score of all replies")
# Ends of the axis of BiasF: the first that holds every value; the last is the most that scores
# between 0 and 100 can vary.
_AXES = (20.0, 60.0, 100.0, 200.0, 400.0, 1000.0, 2500.0)
_SHORT = "no value: the reason is in the table"


def bias(evidence: Evidence) -> Chart:
    """The headline, with the paper's models beside it."""
    return Chart(
        id="format_bias-biasf-figure",
        caption="BiasF in squared points, by category of formats",
        reading="Dots are point values, lines are 95% intervals; further left is better. Each "
        "panel has its own axis.",
        legend=(
            Key("dot", colour("mark"), "measured here, with its interval"),
            Key("diamond", colour("published"), "published by the paper, on its own questions"),
        ),
        panels=tuple(
            Panel(
                category_slug(evidence, category),
                sentence_case(category_name(category)),
                partial(_bias_panel, evidence, category),
            )
            for category in categories(evidence)
        ),
        simulated=evidence.simulated,
        table_id=BIAS_TABLE,
    )


def _bias_panel(evidence: Evidence, category: str) -> Spec:
    top = Place(category)
    points = [
        Point(a.marked, a.kind, _fitting(estimate(evidence, "bias_f", a, top)), "BiasF")
        for a in arms_of(evidence, category)
    ]
    points += [
        Point(f"{name} (published)", "published", Estimate(value), "BiasF")
        for name, value in published_models(category).items()
    ]
    ends = [v for p in points for v in (p.estimate.value, p.estimate.high) if not math.isnan(v)]
    most = next((axis for axis in _AXES if axis >= max(ends, default=0.0)), _AXES[-1])
    return interval_plot(points, SQUARED, (0.0, most))


def _fitting(found: Estimate) -> Estimate:
    """The number with a reason that fits into a panel; the table has the whole one."""
    return replace(found, reason=_SHORT) if len(found.reason) > len(_SHORT) else found


def by_format(evidence: Evidence, category: str) -> Chart:
    """What a user of each format gets, and what the model would get if it never missed it."""
    return Chart(
        id=f"format_bias-{category_slug(evidence, category)}-figure",
        caption=f"SysE and EstTrue, {category_name(category)}",
        reading="The distance between the two dots is what missed formats cost; differences "
        "between the filled dots are format bias. Bands are 95% intervals.",
        legend=(
            Key("dot", colour("with"), f"EstTrue: {_ENDS[0]}"),
            Key("ring", colour("without"), f"SysE: {_ENDS[1]}"),
        ),
        panels=tuple(
            Panel(f"model-{i}", asked.marked, partial(_format_panel, evidence, category, asked))
            for i, asked in enumerate(arms_of(evidence, category), start=1)
        ),
        simulated=evidence.simulated,
        table_id=by_format_id(evidence, category),
    )


def _format_panel(evidence: Evidence, category: str, asked: Asked) -> Spec:
    points = [
        Point(
            format_name(name),
            asked.kind,
            estimate(evidence, metric, asked, Place(category, format=name)),
            end,
        )
        for metric, end in zip(("est_true", "sys_e"), _ENDS, strict=True)
        for name in formats_of(evidence, category)
    ]
    return dumbbells(points, _ENDS, (colour("with"), colour("without")), PERCENT, (0.0, 100.0))

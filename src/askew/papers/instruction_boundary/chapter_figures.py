"""Instruction Boundary's figures of scores: RS against vanilla, SR against GR."""

from __future__ import annotations

import math
from functools import partial

from askew.papers.instruction_boundary import chapter_tables as tables
from askew.papers.instruction_boundary.chapter_words import (
    FAMILY_NAMES,
    RATES,
    Asked,
    across,
    conditions_of,
    estimate,
    families_of,
)
from askew.papers.instruction_boundary.number_rows import VANILLA
from askew.papers.instruction_boundary.printed import main_results
from askew.report.charts import Point, Spec, dumbbells, interval_plot
from askew.report.document import Chart, Estimate, Key, Model, Panel
from askew.report.evidence import Evidence
from askew.report.palette import colour
from askew.schema import PERCENT

SCALE = (0.0, 100.0)
_PUBLISHED = Key("diamond", colour("published"), "published by the paper, on its own questions")
ENDS_COLOURS = (colour("with"), colour("without"))
BANDS = "Bands are 95% intervals."


def robustness(evidence: Evidence) -> Chart:
    """The headline, with the paper's models beside it."""
    return Chart(
        id="instruction_boundary-rs",
        caption="RS under vanilla",
        reading="Dots are point values, lines are 95% intervals; further right is better.",
        legend=(Key("dot", colour("mark"), "measured here, with its interval"), _PUBLISHED),
        panels=tuple(
            Panel(family, FAMILY_NAMES[family], partial(_robustness, evidence, family))
            for family in families_of(evidence)
        ),
        simulated=evidence.simulated,
        table_id=tables.OVERVIEW,
    )


def _robustness(evidence: Evidence, family: str) -> Spec:
    points = [
        Point(m.marked, m.kind, across(evidence, "rs_vanilla", m, family), "vanilla")
        for m in evidence.models
    ]
    points += _printed_points(Asked(family, VANILLA), "rs", "vanilla")
    return interval_plot(points, PERCENT, SCALE)


def _printed_points(asked: Asked, metric: str, series: str) -> list[Point]:
    """The paper's numbers of a condition, where it prints them."""
    printed = main_results()
    found = {
        m: printed.value(asked.family, asked.printed, m, metric) / 100.0 for m in printed.models
    }
    return [
        Point(f"{name} (published)", "published", Estimate(value), series)
        for name, value in found.items()
        if not math.isnan(value)
    ]


def against_vanilla(evidence: Evidence, family: str) -> Chart | None:
    """RS under vanilla and under each setting."""
    others = [
        (number, asked)
        for number, asked in enumerate(conditions_of(evidence, family))
        if asked.setting != VANILLA
    ]
    if not others:
        return None
    return Chart(
        id=f"instruction_boundary-rs-{family}",
        caption=f"{FAMILY_NAMES[family]}: RS under each setting against vanilla",
        reading=f"The longer the line, the more the wording of the prompt matters. {BANDS}",
        legend=(
            Key("dot", ENDS_COLOURS[0], "vanilla"),
            Key("ring", ENDS_COLOURS[1], "the setting"),
            _PUBLISHED,
        ),
        panels=tuple(
            Panel(asked.slug(number), asked.name, partial(_setting_panel, evidence, asked))
            for number, asked in others
        ),
        simulated=evidence.simulated,
        table_id=tables.results_id(family),
    )


def _setting_panel(evidence: Evidence, asked: Asked) -> Spec:
    ends = ("vanilla", "the setting")
    vanilla = Asked(asked.family, VANILLA)
    points: list[Point] = []
    for condition, end in ((vanilla, ends[0]), (asked, ends[1])):
        points += [
            Point(m.marked, m.kind, estimate(evidence, "rs", m, condition), end)
            for m in evidence.models
        ]
        if asked.printed:
            points += _printed_points(condition, "rs", end)
    return dumbbells(points, ends, ENDS_COLOURS, PERCENT, SCALE)


def tense_and_sparse(evidence: Evidence, family: str) -> Chart:
    """SR against GR: first all models under vanilla, then each model setting by setting."""
    name, *sparse = RATES[family]
    panels = []
    for rate in sparse:
        told = f" and {RATES[family][rate][0]}"
        panels.append(
            Panel(
                f"vanilla-{rate}".replace("_", "-"),
                f"Vanilla, all models: SR{told}",
                partial(_rates_of_all, evidence, family, (name, rate)),
            )
        )
    for number, model in enumerate(evidence.models, start=1):
        panels += [
            Panel(
                f"model-{number}-{rate}".replace("_", "-"),
                f"{model.marked}: SR and {RATES[family][rate][0]}",
                partial(_rates_of_one, evidence, model, family, (name, rate)),
            )
            for rate in sparse
        ]
    sparse_words = " or ".join(f"{RATES[family][r][0]}: {RATES[family][r][1]}" for r in sparse)
    return Chart(
        id=f"instruction_boundary-rates-{family}",
        caption=f"{FAMILY_NAMES[family]}: tense items (SR) against sparse ones (GR)",
        reading=f"The longer the line, the more the model favours one kind of label. {BANDS}",
        legend=(
            Key("dot", ENDS_COLOURS[0], f"SR: {RATES[family][name][1]}"),
            Key("ring", ENDS_COLOURS[1], sparse_words),
            _PUBLISHED,
        ),
        panels=tuple(panels),
        simulated=evidence.simulated,
        table_id=tables.results_id(family),
    )


def _rates_of_all(evidence: Evidence, family: str, rates: tuple[str, str]) -> Spec:
    vanilla = Asked(family, VANILLA)
    ends = _ends(family, rates)
    points: list[Point] = []
    for rate, end in zip(rates, ends, strict=True):
        points += [
            Point(m.marked, m.kind, estimate(evidence, rate, m, vanilla), end)
            for m in evidence.models
        ]
        points += _printed_points(vanilla, rate, end)
    return dumbbells(points, ends, ENDS_COLOURS, PERCENT, SCALE)


def _rates_of_one(evidence: Evidence, model: Model, family: str, rates: tuple[str, str]) -> Spec:
    ends = _ends(family, rates)
    points = [
        Point(asked.name, model.kind, estimate(evidence, rate, model, asked), end)
        for rate, end in zip(rates, ends, strict=True)
        for asked in conditions_of(evidence, family)
    ]
    return dumbbells(points, ends, ENDS_COLOURS, PERCENT, SCALE)


def _ends(family: str, rates: tuple[str, str]) -> tuple[str, str]:
    first, second = (RATES[family][rate][0] for rate in rates)
    return first, second

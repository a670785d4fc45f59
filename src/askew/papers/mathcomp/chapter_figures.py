"""MathComp's figures: pulls with intervals, and the heat-maps of the paper's Figures 2 to 14."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import product

from askew.papers.mathcomp import printed
from askew.papers.mathcomp.chapter_errors import by_category_id, by_framing_id, published_cell
from askew.papers.mathcomp.chapter_pulls import PULL_TABLE, TERMS
from askew.papers.mathcomp.chapter_words import (
    DIRECTIONS,
    PERSON,
    POSITION_WORDS,
    STANDARD,
    STYLED,
    Asked,
    asked,
    asked_about_others,
    categories_of,
    category_name,
    estimate,
    identities_of,
    identity_name,
    main_identity,
    output_name,
    output_slug,
    outputs_of,
    people_of,
    pooled_columns,
    sentence_case,
)
from askew.report.charts import Point, Spec, interval_plot
from askew.report.document import Chart, Estimate, Key, Panel
from askew.report.evidence import Evidence
from askew.report.palette import colour
from askew.report.series_charts import Bands, heat_map
from askew.schema import PERCENT, POINTS

_MEASURED = Key("dot", colour("mark"), "measured here, with its interval")
_PUBLISHED = Key("diamond", colour("published"), "published by the paper, on its own scenarios")
# A value is shaded as it is written, in percent with one digit.
_BANDS = Bands(
    (0.0495, 0.1995, 0.3995, 0.5995), ("surface", "drift-1", "drift-2", "drift-3", "drift-4")
)
_BAND_WORDS = ("below 5%", "5 to 20%", "20 to 40%", "40 to 60%", "60% and above")
_LEGEND = tuple(
    Key("bar", colour(shade), said) for shade, said in zip(_BANDS.shades, _BAND_WORDS, strict=True)
)
# Ends of an axis of differences: the first that holds every interval.
_AXES = (20.0, 40.0, 60.0, 80.0, 100.0)
_PULL_PANELS = {"framing_pull": "All three terms"} | {
    f"framing_pull_{t}": f"Pull of {t}" for t in TERMS
}


def pull(evidence: Evidence) -> Chart:
    """The headline and its three terms, with what the paper's cells imply beside them."""
    return Chart(
        id="mathcomp-pull-figure",
        caption="Framing pull in points",
        reading=(
            "How much more often an answer is wrongly given when the question uses its word than "
            "when it uses none: 0 for a model that does not care. Dots are point values, lines "
            "are 95% intervals."
        ),
        legend=(_MEASURED, *([_PUBLISHED] if printed.OUTPUT in outputs_of(evidence) else [])),
        panels=tuple(
            Panel(metric.replace("_", "-"), title, partial(_pull_panel, evidence, metric))
            for metric, title in _PULL_PANELS.items()
        ),
        simulated=evidence.simulated,
        table_id=PULL_TABLE,
    )


def _pull_panel(evidence: Evidence, metric: str) -> Spec:
    return _differences(_pull_points(evidence, metric), _pull_axis(evidence))


def _pull_points(evidence: Evidence, metric: str) -> list[Point]:
    points = [
        Point(a.marked, a.kind, estimate(evidence, metric, a.model, output=a.output), "framing")
        for a in asked(evidence)
    ]
    if printed.OUTPUT in outputs_of(evidence):
        points += [
            Point(f"{m} (published)", "published", Estimate(_printed_pull(m, metric)), "framing")
            for m in printed.MODELS.values()
        ]
    return points


def _printed_pull(model: str, metric: str) -> float:
    terms = [t for t in TERMS if metric.endswith(t)] or list(TERMS)
    return math.fsum(printed.published_pull(model, t) for t in terms) / len(terms)


def _pull_axis(evidence: Evidence) -> float:
    points = [p for metric in _PULL_PANELS for p in _pull_points(evidence, metric)]
    return axis_of([p.estimate for p in points])


def axis_of(estimates: Sequence[Estimate]) -> float:
    """Where an axis of points ends on both sides, the same for all that stands on it."""
    ends = [abs(v * POINTS.factor) for e in estimates for v in (e.value, e.low, e.high) if v == v]
    return next((axis for axis in _AXES if axis >= max(ends, default=0.0)), _AXES[-1])


def _differences(points: Sequence[Point], axis: float) -> Spec:
    return interval_plot(points, POINTS, (-axis, axis))


def by_framing(evidence: Evidence, output: str) -> Chart:
    """A heat-map a direction and position: models by framings (Figures 2 to 6)."""
    return Chart(
        id=f"mathcomp-heat-{output_slug(evidence, output)}",
        caption=f"DirErr in percent by framing, {output_name(output)}",
        reading=(
            "A heat-map an error direction and a position of the framing; rows are models, "
            "columns the seven questions. Stronger shades drift more often to that answer where it "
            f"is wrong. The people are {people_of(main_identity(evidence))}."
        ),
        legend=_LEGEND,
        panels=tuple(
            Panel(
                f"{toward}-{position}",
                f"Wrongly {toward}, {POSITION_WORDS[position]}",
                partial(_framing_panel, evidence, output, toward, position),
                wide=True,
            )
            for toward, position in product(DIRECTIONS, POSITION_WORDS)
        ),
        simulated=evidence.simulated,
        table_id=by_framing_id(evidence, output),
    )


def _framing_panel(evidence: Evidence, output: str, toward: str, position: str) -> Spec:
    points = list(_framing_points(evidence, output, toward, position))
    return heat_map(points, list(STYLED.values()), PERCENT, _BANDS)


def _framing_points(evidence: Evidence, output: str, toward: str, position: str) -> Iterator[Point]:
    identity = main_identity(evidence)
    for who in asked(evidence, output, identity):
        for (style, term), words in STYLED.items():
            found = estimate(
                evidence, f"dir_err_{toward}", who.model, output=output, identity=identity,
                style=style, term=term, position=position,
            )  # fmt: skip
            name = f"{who.model.short} (simulated)" if who.model.simulated else who.model.short
            yield Point(name, who.kind, found, words)
    if output != printed.OUTPUT or identity != STANDARD:
        return
    for model in printed.MODELS.values():
        for (style, term), words in STYLED.items():
            cell = published_cell(model, toward, style, term, position, STANDARD)
            found = cell.estimate or Estimate(math.nan, reason="not printed")
            yield Point(f"{model} (published)", "published", found, words)


def identity_shifts(evidence: Evidence) -> Chart:
    """How far each identity moves each answer, with intervals."""
    return Chart(
        id="mathcomp-identity-figure",
        caption="DirErr for an identity minus DirErr for a person, in points",
        reading=(
            "Right of 0: the answer is wrongly given more often than when both are called a "
            "person. Dots are point values, lines are 95% intervals."
        ),
        legend=(_MEASURED,),
        panels=tuple(
            Panel(toward, f"Towards {toward}", partial(_shift_panel, evidence, toward))
            for toward in DIRECTIONS
        ),
        simulated=evidence.simulated,
        table_id="mathcomp-identity-shifts",
    )


def _shift_panel(evidence: Evidence, toward: str) -> Spec:
    everything = [p.estimate for direction in DIRECTIONS for p in _shifts(evidence, direction)]
    return _differences(list(_shifts(evidence, toward)), axis_of(everything))


def _shifts(evidence: Evidence, toward: str) -> Iterator[Point]:
    others = [i for i in identities_of(evidence) if i not in (STANDARD, PERSON)]
    for who, identity in product(asked_about_others(evidence), others):
        found = estimate(
            evidence, f"identity_shift_{toward}", who.model, output=who.output, identity=identity
        )
        name = f"{sentence_case(identity_name(identity))}: {who.marked}"
        yield Point(name, who.kind, found, people_of(identity))


def by_category(evidence: Evidence) -> Chart:
    """A heat-map a model and identity: categories by directions (Figures 7 to 14)."""
    output = outputs_of(evidence)[0]
    identities = identities_of(evidence)
    shown = [
        (who, identity)
        for who, identity in product(asked(evidence, output), identities)
        if who in asked(evidence, output, identity)
    ]
    return Chart(
        id="mathcomp-category-heat",
        caption=f"DirErr in percent by category, {output_name(output)}",
        reading=(
            "Rows are categories, columns the wrong answer and where the framing stands; a cell "
            "pools the seven questions. Stronger shades drift more often to that answer."
        ),
        legend=_LEGEND,
        panels=tuple(
            Panel(
                f"model-{i}",
                f"{who.model.marked}{', ' + people_of(identity) if len(identities) > 1 else ''}",
                partial(_category_panel, evidence, who, identity),
                wide=True,
            )
            for i, (who, identity) in enumerate(shown, start=1)
        ),
        simulated=evidence.simulated,
        table_id=by_category_id(evidence, output),
    )


def _category_panel(evidence: Evidence, who: Asked, identity: str) -> Spec:
    columns = pooled_columns()
    points = [
        Point(
            category_name(category),
            who.kind,
            estimate(
                evidence, f"dir_err_{toward}", who.model, subset=category, output=who.output,
                identity=identity, position=position,
            ),
            words,
        )
        for category in categories_of(evidence)
        for (toward, position), words in columns.items()
    ]  # fmt: skip
    return heat_map(points, list(columns.values()), PERCENT, _BANDS)

"""Binary QA's figures: the score beside the paper's, its parts, and heat-maps by domain."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from functools import partial

from askew.metrics import model_binary_parts
from askew.papers.binary_qa import chapter_tables as tables
from askew.papers.binary_qa.chapter_words import (
    CONSISTENCIES,
    FRACTION,
    METRIC_MEANINGS,
    METRIC_NAMES,
    SCORE,
    domain_head,
    domains_of,
    published_estimate,
    published_models,
    published_parts,
    unit_of,
)
from askew.papers.binary_qa.quantities import ALL
from askew.papers.binary_qa.score import CORE, DELTAS, STABILITY
from askew.report.charts import Point, Spec, interval_plot, shares
from askew.report.document import Cell, Chart, Estimate, Key, Panel, Row, RowKind, Table
from askew.report.evidence import Evidence
from askew.report.heat_map import Bands, heat_map
from askew.report.palette import colour
from askew.schema import Unit

_STABILITY = "steadiness"
_PART_NAMES: Mapping[str, str] = {
    **{m: METRIC_NAMES[m] for m in CORE},
    _STABILITY: "steadiness over domains",
}
_SHADES = ("right-1", "wrong-1", "wrong-2", "right-2", "right-3", "right-4", "wrong-3", "wrong-4")
_PART_COLOURS = {part: colour(s) for part, s in zip(_PART_NAMES, _SHADES, strict=True)}
# Bars of shares are drawn from fractions; a part of the score is shown in points.
_OUT_OF_100 = Unit("points", 100.0)
_GUESSER = Key(
    "square", colour("published"), "coin flips on the same questions, with the range of 95% of them"
)
_PUBLISHED = Key("diamond", colour("published"), "published by the paper, on its own questions")
# The bands that the paper colours its Tables 3 and 5 by.
_RATE_BANDS = Bands(
    (0.595, 0.695, 0.795, 0.895), ("wrong-1", "wrong-2", "right-3", "right-2", "right-1")
)
_RATE_WORDS = ("below 0.60", "0.60 to 0.69", "0.70 to 0.79", "0.80 to 0.89", "0.90 and above")
# More columns than this have heads that a phone's screen would lay over each other.
_NARROW = 2
_BIAS_BANDS = Bands(
    (-0.105, -0.045, 0.045, 0.105), ("right-1", "right-3", "surface", "wrong-2", "wrong-1")
)
_BIAS_WORDS = (
    "below -0.10, Yes ahead",
    "-0.10 to -0.05",
    "within 0.04 of 0",
    "0.05 to 0.10",
    "above 0.10, No ahead",
)


def score(evidence: Evidence, metric: str) -> Chart:
    """MBS (or its core) with the paper's models and a random guesser beside it."""
    return Chart(
        id="binary-qa-score",
        caption="Model Binary Score" + (" without the spread" if metric == "mbs_core" else ""),
        reading="Dots are point values, lines are 95% intervals; further right is better.",
        legend=(
            Key("dot", colour("mark"), "measured here, with its interval"),
            _GUESSER,
            _PUBLISHED,
        ),
        panels=(Panel("all", "All domains", partial(_scores, evidence, metric)),),
        simulated=evidence.simulated,
        table_id=tables.TABLE1,
    )


def _scores(evidence: Evidence, metric: str) -> Spec:
    points = [Point(m.marked, m.kind, evidence.estimate(metric, m, ALL)) for m in evidence.models]
    points.append(
        Point("random guesser (reference)", "reference", tables.guesser_estimates(evidence)[metric])
    )
    points += [
        Point(f"{name} (published)", "published", published_estimate(name, metric, ALL))
        for name in published_models(metric, (ALL,))
    ]
    return interval_plot(points, SCORE, (0.0, 100.0))


Parts = tuple[str, str, RowKind, dict[str, Estimate]]


def parts_of(evidence: Evidence, metric: str) -> list[Parts]:
    """For each model its name, its name on charts, its kind and what each metric adds."""
    found: list[Parts] = [
        (m.short, m.marked, m.kind, _parts_measured(evidence, m.label, metric))
        for m in evidence.models
    ]
    for name in published_models("mbs", (ALL,)):
        core, stdevs = published_parts(name)
        parts = _grouped(model_binary_parts(core, stdevs), metric)
        found.append((name, f"{name} (published)", "published", parts))
    return found


def _parts_measured(evidence: Evidence, label: str, metric: str) -> dict[str, Estimate]:
    model = next(m for m in evidence.models if m.label == label)
    whole = evidence.estimate(metric, model, ALL)
    if whole.missing:
        return {p: Estimate(math.nan, reason=whole.why) for p in _parts_shown(metric)}
    core = {m: evidence.estimate(m, model, ALL).value for m in CORE}
    spreads = {m: evidence.estimate(f"stdev_{m}", model, ALL).value for m in CORE}
    stdevs = spreads if metric == "mbs" else dict.fromkeys(CORE, 0.0)
    return _grouped(model_binary_parts(core, stdevs), metric, whole.n_items)


def _parts_shown(metric: str) -> tuple[str, ...]:
    return (*CORE, _STABILITY) if metric == "mbs" else CORE


def _grouped(parts: Mapping[str, float], metric: str, n_items: int = 0) -> dict[str, Estimate]:
    """The seven metrics and all spreads as one; the core alone is rescaled to 100 points."""
    scale = 1.0 if metric == "mbs" else 1 / (1 - STABILITY)
    points = {m: parts[m] * scale for m in CORE}
    points[_STABILITY] = math.fsum(parts[f"stdev_{m}"] for m in CORE)
    return {p: Estimate(points[p], n_items=n_items) for p in _parts_shown(metric)}


def breakdown(evidence: Evidence, metric: str) -> tuple[Chart, Table]:
    """What each metric adds to the score, as a stacked bar and as a table."""
    shown = _parts_shown(metric)
    rows = [
        (
            Row(name, [Cell(estimate=e, unit=SCORE) for e in parts.values()], kind),
            sum(e.value for e in parts.values()),
        )
        for name, _, kind, parts in parts_of(evidence, metric)
    ]
    chart = Chart(
        id="binary-qa-parts-figure",
        caption="What the score is made of",
        reading="Each part is what a metric adds, in points; a full bar is a score of 100.",
        legend=tuple(Key("bar", _PART_COLOURS[p], _PART_NAMES[p]) for p in shown),
        panels=(Panel("all", "All domains", partial(_stacked, evidence, metric)),),
        simulated=evidence.simulated,
        table_id="binary-qa-parts",
    )
    return chart, tables.breakdown([_PART_NAMES[p] for p in shown], rows)


def _stacked(evidence: Evidence, metric: str) -> Spec:
    points = [
        Point(name, kind, Estimate(e.value / 100, n_items=e.n_items, reason=e.reason), part)
        for _, name, kind, parts in parts_of(evidence, metric)
        for part, e in parts.items()
    ]
    colours = {p: _PART_COLOURS[p] for p in _parts_shown(metric)}
    return shares(points, colours, _OUT_OF_100, _PART_NAMES)


def performance_map(evidence: Evidence) -> Chart:
    """F1 by domain."""
    return _maps(evidence, "binary-qa-map-f1", "F1 by domain", ("f1",))


def bias_map(evidence: Evidence) -> Chart:
    """Differences of recall and precision by domain."""
    return _maps(evidence, "binary-qa-map-bias", "Bias by domain, No minus Yes", DELTAS)


def consistency_map(evidence: Evidence) -> Chart:
    """Consistency by domain."""
    return _maps(evidence, "binary-qa-map-consistency", "Consistency by domain", CONSISTENCIES)


def _maps(evidence: Evidence, chart_id: str, caption: str, metrics: tuple[str, ...]) -> Chart:
    bias = metrics == DELTAS
    bands, words = (_BIAS_BANDS, _BIAS_WORDS) if bias else (_RATE_BANDS, _RATE_WORDS)
    return Chart(
        id=chart_id,
        caption=caption,
        reading="A row a model, a column a domain; the table below has intervals and items.",
        legend=tuple(
            Key("bar", colour(shade), said) for shade, said in zip(bands.shades, words, strict=True)
        ),
        panels=tuple(
            Panel(
                m.replace("_", "-"),
                f"{METRIC_NAMES[m]}: {METRIC_MEANINGS[m]}",
                partial(_heat, evidence, m, bands),
                wide=len(domains_of(evidence)) > _NARROW,
            )
            for m in metrics
        ),
        simulated=evidence.simulated,
        table_id=tables.TABLE_OF[metrics[0]],
    )


def _heat(evidence: Evidence, metric: str, bands: Bands) -> Spec:
    names = [domain_head(d) for d in domains_of(evidence)]
    unit = unit_of(metric) if metric in DELTAS else FRACTION
    return heat_map(list(_cells(evidence, metric)), names, unit, bands)


def _cells(evidence: Evidence, metric: str) -> Iterator[Point]:
    domains = domains_of(evidence)
    for m in evidence.models:
        for d in domains:
            yield Point(m.marked, m.kind, evidence.estimate(metric, m, d), domain_head(d))
    for name in published_models(metric, domains):
        for d in domains:
            found = published_estimate(name, metric, d)
            yield Point(f"{name} (published)", "published", found, domain_head(d))

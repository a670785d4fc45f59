"""Binary QA's figures: the score beside the paper's, its parts, and heat-maps by domain."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from askew.papers.binary_qa.paper import CORE, CORE_METRICS, DELTAS, PAPER, SPREADS
from askew.papers.binary_qa.printed import DIFFERENCE, FRACTION
from askew.papers.binary_qa.score import STABILITY, model_binary_parts
from askew.report.charts import Bands, Point, Spec, heat_map, shares
from askew.report.document import Chart, Estimate, Key, Panel
from askew.report.evidence import Evidence
from askew.report.figures import MEASURED, PUBLISHED, interval_figure
from askew.report.palette import colour
from askew.report.tables import Line, Slice, Value, models, printed_models
from askew.schema import Unit
from askew.untrusted import one_line

TABLE1, PARTS_TABLE = "binary-qa-table1", "binary-qa-parts"
SCORE = Unit("", digits=1)
# Bars of shares are drawn from fractions; a part of the score is shown in points.
_OUT_OF_100 = Unit("points", 100.0)
GUESSER = Line("Random guesser", "random guesser", "reference", {}, "random guesser (reference)")
_GUESSED = Key(
    "square", colour("published"), "coin flips on the same questions, with the range of 95% of them"
)

_STEADINESS = "steadiness"
PARTS: Mapping[str, str] = {
    **{name: metric.label for name, metric in CORE_METRICS.items()},
    _STEADINESS: "steadiness over domains",
}
_SHADES = ("right-1", "wrong-1", "wrong-2", "right-2", "right-3", "right-4", "wrong-3", "wrong-4")
_PART_COLOURS = {part: colour(shade) for part, shade in zip(PARTS, _SHADES, strict=True)}

# The bands that the paper colours its Tables 3 and 5, and 4, by.
_RATE_BANDS = Bands(
    (0.595, 0.695, 0.795, 0.895), ("wrong-1", "wrong-2", "right-3", "right-2", "right-1")
)
_RATE_WORDS = ("below 0.60", "0.60 to 0.69", "0.70 to 0.79", "0.80 to 0.89", "0.90 and above")
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
# More columns than this have heads that a phone's screen would lay over each other.
_NARROW = 2


def unit_of(metric: str) -> Unit:
    """How a metric is written: as the paper prints it, fractions with two digits."""
    if metric.startswith("mbs"):
        return SCORE
    return DIFFERENCE if metric in DELTAS else FRACTION


def table_of(metric: str) -> str:
    """The table that has a metric by domain."""
    return f"binary-qa-table{3 if metric == 'f1' else 4 if metric in DELTAS else 5}"


def slug(metric: str) -> str:
    return metric.replace("_", "-")


def titled(metric: str) -> str:
    declared = CORE_METRICS[metric]
    return f"{declared.label}: {declared.meaning}"


def score_figure(evidence: Evidence, metric: str) -> Chart:
    """MBS (or its core) with the paper's models and a random guesser beside it."""
    return interval_figure(
        evidence,
        "binary-qa-score",
        "Model Binary Score" + (" without the spread" if metric == "mbs_core" else ""),
        [(Slice("All domains", slug="all"), Value(metric, unit=SCORE))],
        lines=[*models(evidence), GUESSER],
        legend=(MEASURED, _GUESSED, PUBLISHED),
        table_id=TABLE1,
    )


# --- What the score is made of ----------------------------------------------------------------


def scored_lines(evidence: Evidence) -> list[Line]:
    """The models under test, then those of the paper's that have a printed score."""
    return [*models(evidence), *printed_models(evidence, [Value("mbs")], {})]


def parts_shown(metric: str) -> tuple[str, ...]:
    return tuple(PARTS) if metric == "mbs" else CORE


def parts_of_score(evidence: Evidence, line: Line, metric: str) -> dict[str, Estimate]:
    """What the seven metrics add, and all spreads as one; the core alone is rescaled to 100."""

    def number(name: str) -> Estimate:
        return evidence.number(name, line.model, line.kind, {})

    shown = parts_shown(metric)
    # A printed score has its parts whatever is shown of the models under test.
    whole = number("mbs" if line.kind == "published" else metric)
    if whole.missing:
        return {part: Estimate(math.nan, reason=whole.why) for part in shown}
    spreads = {m: number(SPREADS[m].name).value for m in CORE}
    core_only = metric == "mbs_core"
    parts = model_binary_parts(
        {m: number(m).value for m in CORE}, dict.fromkeys(CORE, 0.0) if core_only else spreads
    )
    scale = 1 / (1 - STABILITY) if core_only else 1.0
    points = {m: parts[m] * scale for m in CORE}
    points[_STEADINESS] = math.fsum(parts[spread.name] for spread in SPREADS.values())
    return {part: Estimate(points[part], n_items=whole.n_items) for part in shown}


def parts_figure(evidence: Evidence, metric: str) -> Chart:
    """The parts as a stacked bar."""
    shown = parts_shown(metric)

    def draw() -> Spec:
        drawn = [
            Point(line.marked or line.head, line.kind, replace(e, value=e.value / 100), part)
            for line in scored_lines(evidence)
            for part, e in parts_of_score(evidence, line, metric).items()
        ]
        return shares(drawn, {p: _PART_COLOURS[p] for p in shown}, _OUT_OF_100, PARTS)

    return Chart(
        id="binary-qa-parts-figure",
        caption="What the score is made of",
        reading="Each part is what a metric adds, in points; a full bar is a score of 100.",
        legend=tuple(Key("bar", _PART_COLOURS[p], PARTS[p]) for p in shown),
        panels=(Panel("all", "All domains", draw),),
        simulated=evidence.simulated,
        table_id=PARTS_TABLE,
    )


# --- Heat-maps --------------------------------------------------------------------------------


def domain_map(evidence: Evidence, name: str, caption: str, metrics: tuple[str, ...]) -> Chart:
    """A panel a metric: a row a model, a column a domain."""
    bias = metrics == DELTAS
    bands, words = (_BIAS_BANDS, _BIAS_WORDS) if bias else (_RATE_BANDS, _RATE_WORDS)
    wide = len(evidence.values("subset")) > _NARROW
    return Chart(
        id=f"binary-qa-map-{name}",
        caption=caption,
        reading="A row a model, a column a domain; the table below has intervals and items.",
        legend=tuple(
            Key("bar", colour(shade), said) for shade, said in zip(bands.shades, words, strict=True)
        ),
        panels=tuple(
            Panel(slug(m), titled(m), partial(_heat, evidence, m, bands), wide=wide)
            for m in metrics
        ),
        simulated=evidence.simulated,
        table_id=table_of(metrics[0]),
    )


def _heat(evidence: Evidence, metric: str, bands: Bands) -> Spec:
    columns = {_head(d): Value(metric, at={"subset": d}) for d in evidence.values("subset")}
    lines = [*models(evidence), *printed_models(evidence, columns.values(), {})]
    cells = [
        Point(line.marked or line.head, line.kind, value.estimate(evidence, line, {}), head)
        for line in lines
        for head, value in columns.items()
    ]
    return heat_map(cells, list(columns), unit_of(metric), bands)


def _head(domain: str) -> str:
    """A domain in one word, where it heads a narrow column."""
    return domain.capitalize().replace("_", "-") if domain in PAPER.subsets else one_line(domain)

"""Format bias's chapter: how far the requested output format moves the estimated true score."""

from __future__ import annotations

import math
from collections.abc import Iterator

from askew.papers.format_bias import chapter_arms as treatments
from askew.papers.format_bias import chapter_figures as figures
from askew.papers.format_bias import chapter_tables as tables
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
from askew.papers.format_bias.paper import PAPER
from askew.report.document import Chapter, Estimate, Finding, Headline, Model, Section
from askew.report.evidence import Evidence
from askew.schema import PERCENT

_TITLE = "Format bias"


def chapter(evidence: Evidence) -> Chapter:
    """All that the report says about format bias."""
    return Chapter(
        task="format_bias",
        title=_TITLE,
        question="Does the requested output format move the score?",
        reference=PAPER.reference,
        headlines=tuple(h for m in evidence.models for h in _headlines(evidence, m)),
        sections=tuple(_sections(evidence)),
    )


def _headlines(evidence: Evidence, model: Model) -> Iterator[Headline]:
    """BiasF of each category that the model was asked, in its plainest arm."""
    asked = {}
    for category in categories(evidence):
        own = [a for a in arms_of(evidence, category) if a.model == model]
        if own:
            asked[category] = own[0]
    for category, arm in asked.items():
        yield _headline(evidence, category, arm)
    if not asked:
        yield _unscored(evidence, model)


def _headline(evidence: Evidence, category: str, asked: Asked) -> Headline:
    arm = f", {asked.arm}" if asked.named else ""
    return Headline(
        task="format_bias",
        title=_TITLE,
        model=asked.model,
        metric=f"bias_f_{category}",
        label=f"BiasF, {category_name(category)}{arm}",
        estimate=estimate(evidence, "bias_f", asked, Place(category)),
        unit=SQUARED,
        scale=None,
        sentence=_sentence(evidence, category, asked),
        finding=_finding(evidence, category, asked),
    )


def _unscored(evidence: Evidence, model: Model) -> Headline:
    found = evidence.estimate("bias_f", model)
    return Headline(
        task="format_bias",
        title=_TITLE,
        model=model,
        metric="bias_f",
        label="BiasF",
        estimate=found,
        unit=SQUARED,
        scale=None,
        sentence=f"Can't be said: {found.why}.",
    )


def _sentence(evidence: Evidence, category: str, asked: Asked) -> str:
    """What the headline means for this model, in one plain sentence."""
    bias = estimate(evidence, "bias_f", asked, Place(category))
    if bias.missing:
        over = estimate(evidence, "bias_f_over_followed", asked, Place(category))
        rest = f" Over what was followed it is {over.text(SQUARED)}." if not over.missing else ""
        return f"Can't be said: {bias.why}.{rest}"
    distance = f"{math.sqrt(bias.value):.1f}"
    apart = f"Estimated true scores lie typically {distance} points from their mean over formats"
    if math.isnan(bias.low):
        return f"{apart}; too few replies follow the formats for an interval."
    if bias.low > 0:
        return f"{apart}: the format moves the score."
    return f"{apart}: no bias shown, that much may be chance."


def _finding(evidence: Evidence, category: str, asked: Asked) -> Finding | None:
    """The formats with the lowest and the highest EstTrue."""
    scores: dict[str, Estimate] = {}
    for name in formats_of(evidence, category):
        found = estimate(evidence, "est_true", asked, Place(category, format=name))
        if not found.missing:
            scores[name] = found
    if len(scores) < 2:
        return None
    worst, best = (
        min(scores, key=lambda n: scores[n].value),
        max(scores, key=lambda n: scores[n].value),
    )
    if scores[worst].value == scores[best].value:
        return None
    without = len(formats_of(evidence, category)) - len(scores)
    left_out = f"; {without} without a value left out" if without else ""
    return Finding(
        f"{sentence_case(format_name(worst))}: estimated true score {_rate(scores[worst])}, "
        f"against {_rate(scores[best])} for {format_name(best)} "
        f"(n = {scores[worst].n_items}{left_out}).",
        tables.by_format_id(evidence, category),
    )


def _rate(found: Estimate) -> str:
    interval = found.interval(PERCENT)
    return f"{PERCENT.write(found.value)}%{f' ({interval})' if interval else ''}"


def _sections(evidence: Evidence) -> Iterator[Section]:
    found = categories(evidence)
    yield Section(
        "format_bias-main",
        "How far the format moves the score",
        (
            "Every item is asked in every format of a category. BiasF is the variance over formats "
            "of EstTrue, the score that the model would have if it never missed the format: 0 is "
            "unbiased, 100 squared points are a typical distance of ten points. An interval that "
            "begins at 0 means that no bias was found. A value without an interval rests on so few "
            "replies that resamples of the items leave some format unfollowed.",
            _comparability(evidence),
        ),
        (
            figures.bias(evidence),
            tables.bias(evidence),
            *(tables.bias_by_task(evidence, c) for c in found),
        ),
    )
    for category in found:
        yield Section(
            f"format_bias-{category_slug(evidence, category)}",
            sentence_case(category_name(category)),
            (
                "FI first: where it is low, EstTrue rests on few replies and is marked. SysE is "
                "what a user of the format gets.",
            ),
            (
                figures.by_format(evidence, category),
                tables.by_format(evidence, category),
                *(tables.cells(evidence, category, m) for m in tables.METRIC_NAMES),
            ),
        )
    yield from treatments.mitigation_section(evidence)
    yield from treatments.flips_section(evidence)


def _comparability(evidence: Evidence) -> str:
    """What the published rows may be compared with."""
    if tuple(evidence.data) == ("paper",):
        return "The questions are the paper's own: levels compare with the published rows."
    whose = "askew's own" if tuple(evidence.data) == ("bundled",) else "not the paper's"
    return f"The questions are {whose}: published rows show the order of size, not the level."

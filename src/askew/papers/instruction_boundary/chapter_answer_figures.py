"""Instruction Boundary's figures of answers: labels, flips, suggestions, numbers of options."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from askew.papers.instruction_boundary import chapter_answers as answers
from askew.papers.instruction_boundary.chapter_figures import BANDS, ENDS_COLOURS, SCALE
from askew.papers.instruction_boundary.chapter_words import (
    FAMILY_NAMES,
    LABEL_NAMES,
    Asked,
    conditions_of,
    estimate,
    labels_of,
    option_counts,
)
from askew.papers.instruction_boundary.number_rows import FORMS, VANILLA
from askew.papers.instruction_boundary.printed import LABELS, accuracy_by_options, output_rates
from askew.report.charts import Point, Spec, dumbbells, shares
from askew.report.document import Chart, Estimate, Key, Model, Panel
from askew.report.evidence import Evidence
from askew.report.palette import colour
from askew.report.series_charts import Step, line_plot
from askew.schema import PERCENT

_LABEL_COLOURS = {
    "true": colour("right-1"),
    "false": colour("right-3"),
    "unknown": colour("wrong-1"),
    "extra": colour("wrong-3"),
    "single": colour("right-1"),
    "none": colour("wrong-1"),
    "multiple": colour("wrong-2"),
}
_FATES = {
    "rr": ("the same answer", colour("right-1")),
    "wrong_to_right": ("wrong before, right now", colour("right-3")),
    "other": ("another wrong answer", colour("wrong-3")),
    "right_to_wrong": ("right before, wrong now", colour("wrong-1")),
}


def output(evidence: Evidence, family: str) -> Chart:
    """Which labels are answered, against the truth."""
    labels = labels_of(family)
    panels = [Panel("vanilla", "Vanilla, all models", partial(_output_of_all, evidence, family))]
    panels += [
        Panel(f"model-{n}", m.marked, partial(_output_of_one, evidence, m, family))
        for n, m in enumerate(evidence.models, start=1)
    ]
    return Chart(
        id=f"instruction_boundary-output-{family}-figure",
        caption=f"{FAMILY_NAMES[family]}: which labels are answered",
        reading="A bar splits the answers by label; the first one shows how the truth splits. "
        "Orange parts are sparse labels.",
        legend=tuple(Key("bar", _LABEL_COLOURS[label], LABEL_NAMES[label]) for label in labels),
        panels=tuple(panels),
        simulated=evidence.simulated,
        table_id=answers.output_id(family),
    )


def _output_of_all(evidence: Evidence, family: str) -> Spec:
    vanilla = Asked(family, VANILLA)
    points = list(_truth(evidence, family))
    for model in evidence.models:
        points += _said(evidence, model, vanilla, model.marked)
    if family == "judging":
        points += [
            Point(f"{rates.model} (published)", "published", Estimate(share / 100.0), label)
            for rates in output_rates()
            for label, column in LABELS.items()
            if (share := rates.shares[column]) >= 0
        ]
    return _bars(points, family)


def _output_of_one(evidence: Evidence, model: Model, family: str) -> Spec:
    points = list(_truth(evidence, family, (model,)))
    for asked in conditions_of(evidence, family):
        points += _said(evidence, model, asked, asked.name)
    return _bars(points, family)


def _said(evidence: Evidence, model: Model, asked: Asked, name: str) -> Iterator[Point]:
    for label in labels_of(asked.family):
        found = estimate(evidence, f"or_{label}", model, asked)
        yield Point(name, model.kind, found, label)


def _truth(
    evidence: Evidence, family: str, models: Sequence[Model] | None = None
) -> Iterator[Point]:
    """The truth's shares, of the first model that was asked under vanilla."""
    vanilla = Asked(family, VANILLA)
    for model in models or evidence.models:
        found = {f: estimate(evidence, f"truth_{f}", model, vanilla) for f in FORMS[family]}
        if not any(e.missing for e in found.values()):
            for form, share in found.items():
                yield Point("in the truth", "measured", share, form)
            return


def _bars(points: Sequence[Point], family: str) -> Spec:
    colours = {label: _LABEL_COLOURS[label] for label in labels_of(family)}
    return shares(points, colours, PERCENT, LABEL_NAMES)


def fates(evidence: Evidence, family: str) -> Chart | None:
    """What becomes of vanilla's answers under each setting."""
    if all(asked.setting == VANILLA for asked in conditions_of(evidence, family)):
        return None
    return Chart(
        id=f"instruction_boundary-fates-{family}",
        caption=f"{FAMILY_NAMES[family]}: what becomes of vanilla's answers",
        reading="A bar splits the items that were also asked under vanilla; its first part is RR.",
        legend=tuple(Key("bar", shade, words) for words, shade in _FATES.values()),
        panels=tuple(
            Panel(f"model-{n}", m.marked, partial(_fates_of, evidence, m, family))
            for n, m in enumerate(evidence.models, start=1)
        ),
        simulated=evidence.simulated,
        table_id=answers.changes_id(family),
    )


def _fates_of(evidence: Evidence, model: Model, family: str) -> Spec:
    points: list[Point] = []
    for asked in conditions_of(evidence, family):
        if asked.setting == VANILLA:
            continue
        found = {m: estimate(evidence, m, model, asked) for m in _FATES if m != "other"}
        rest = 1.0 - math.fsum(e.value for e in found.values())
        found["other"] = Estimate(
            max(rest, 0.0) if rest == rest else rest,
            n_items=found["rr"].n_items,
            reason=found["rr"].why,
        )
        points += [Point(asked.name, model.kind, found[f], f) for f in _FATES]
    colours = {fate: shade for fate, (_, shade) in _FATES.items()}
    return shares(points, colours, PERCENT, {fate: words for fate, (words, _) in _FATES.items()})


def following(evidence: Evidence, asked: Sequence[Asked]) -> Chart:
    """How often a suggestion is answered, with and without it."""
    return Chart(
        id="instruction_boundary-following-figure",
        caption="Answers equal to the suggestion",
        reading="How often an answer is given on its own, and when the prompt says that it is "
        f"the answer. {BANDS}",
        legend=(
            Key("dot", ENDS_COLOURS[0], "under vanilla"),
            Key("ring", ENDS_COLOURS[1], "when suggested"),
        ),
        panels=tuple(
            Panel(
                f"{condition.family}-{condition.slug(number)}",
                f"{FAMILY_NAMES[condition.family]}: {condition.name}",
                partial(_following, evidence, condition),
            )
            for number, condition in enumerate(asked)
        ),
        simulated=evidence.simulated,
        table_id=answers.FOLLOWING,
    )


def _following(evidence: Evidence, asked: Asked) -> Spec:
    ends = ("under vanilla", "when suggested")
    points = [
        Point(m.marked, m.kind, estimate(evidence, metric, m, asked), end)
        for metric, end in zip(("follow_rate_vanilla", "follow_rate"), ends, strict=True)
        for m in evidence.models
    ]
    return dumbbells(points, ends, ENDS_COLOURS, PERCENT, SCALE)


def by_options(evidence: Evidence) -> Chart:
    """Accuracy by number of wrong options (Figure 3, left)."""
    return Chart(
        id="instruction_boundary-options-figure",
        caption="Accuracy by number of wrong options",
        reading="A falling line means that more wrong options distract. The band is the 95% "
        "interval.",
        legend=(
            Key("dot", colour("mark"), "measured here, with its interval"),
            Key("line", colour("published"), "the paper's five models, on its own questions"),
        ),
        panels=tuple(
            Panel(f"model-{n}", m.marked, partial(_by_options, evidence, m))
            for n, m in enumerate(evidence.models, start=1)
        ),
        simulated=evidence.simulated,
        table_id=answers.OPTIONS,
    )


def _by_options(evidence: Evidence, model: Model) -> Spec:
    counts = option_counts(evidence)
    steps = [
        Step(model.marked, model.kind, int(a.variant), estimate(evidence, "acc", model, a))
        for a in counts
    ]
    asked = {int(a.variant) for a in counts}
    steps += [
        Step(f"{name} (published)", "published", at, Estimate(value / 100.0))
        for name, line in accuracy_by_options().items()
        for at, value in line.items()
        if at in asked
    ]
    return line_plot(steps, "wrong options", PERCENT, SCALE)

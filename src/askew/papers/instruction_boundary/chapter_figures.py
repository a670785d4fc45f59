"""Instruction Boundary's figures: scores against vanilla, answers by label, suggestions."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from askew.papers.instruction_boundary import chapter_tables as tables
from askew.papers.instruction_boundary.chapter_tables import (
    conditions,
    families,
    option_counts,
    others,
    vanilla,
)
from askew.papers.instruction_boundary.paper import FAMILIES, Family
from askew.report.charts import Point, Spec, Step, line_plot, shares
from askew.report.document import Chart, Estimate, Key, Panel
from askew.report.evidence import Evidence
from askew.report.figures import MEASURED, PUBLISHED, dumbbell_figure, interval_figure, points
from askew.report.palette import colour
from askew.report.tables import Line, Slice, Value, models, printed_models
from askew.schema import PERCENT

_SCALE = (0.0, 100.0)
_BANDS = "Bands are 95% intervals."
_ANSWER_COLOURS = {
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


def robustness(evidence: Evidence) -> Chart:
    """The headline, with the paper's models beside it."""
    return interval_figure(
        evidence,
        "instruction_boundary-rs",
        "RS under vanilla",
        [
            (Slice(FAMILIES[f].label, {"family": f}, f), Value("rs_vanilla"))
            for f in families(evidence)
        ],
        table_id=tables.OVERVIEW,
    )


def against_vanilla(evidence: Evidence, family: Family) -> Chart | None:
    """RS under vanilla and under each setting."""
    if not others(evidence, family):
        return None
    score = Value("rs")
    return dumbbell_figure(
        evidence,
        f"instruction_boundary-rs-{family}",
        f"{FAMILIES[family].label}: RS under each setting against vanilla",
        ((Value("rs", at=vanilla(family).at), "vanilla"), (score, "the setting")),
        [
            # The paper's vanilla stands only beside settings that it prints.
            replace(part, lines=[*models(evidence), *printed_models(evidence, [score], part.at)])
            for part in others(evidence, family)
        ],
        reading=f"The longer the line, the more the wording of the prompt matters. {_BANDS}",
        also=(PUBLISHED,),
        table_id=tables.results_id(family),
        printed=False,
    )


def tense_and_sparse(evidence: Evidence, family: Family) -> Chart:
    """SR against GR: first all models under vanilla, then each model setting by setting."""
    declared = FAMILIES[family]
    (name, tense), *sparse = declared.rates.items()
    said = (
        f"{tense.label}: {tense.meaning}",
        " or ".join(f"{rate.label}: {rate.meaning}" for _, rate in sparse),
    )
    at, asked = vanilla(family).at, conditions(evidence, family)
    everybody = [*models(evidence), *printed_models(evidence, [Value("sr")], at)]
    figures = [
        dumbbell_figure(
            evidence,
            f"instruction_boundary-rates-{family}",
            f"{declared.label}: tense items (SR) against sparse ones (GR)",
            ((Value(name), tense.label), (Value(of), rate.label)),
            [
                Slice(
                    f"Vanilla, all models: SR and {rate.label}",
                    at,
                    f"vanilla-{of}".replace("_", "-"),
                    everybody,
                ),
                *(
                    Slice(
                        f"{line.marked}: SR and {rate.label}",
                        {},
                        f"model-{n}-{of}".replace("_", "-"),
                        [replace(line, head=a.title, marked="", at=a.at) for a in asked],
                    )
                    for n, line in enumerate(models(evidence), start=1)
                ),
            ],
            reading=f"The longer the line, the more the model favours one kind of label. {_BANDS}",
            said=said,
            also=(PUBLISHED,),
            table_id=tables.results_id(family),
            printed=False,
        )
        for of, rate in sparse
    ]
    panels = [
        panel for of_all in zip(*(f.panels for f in figures), strict=True) for panel in of_all
    ]
    return replace(figures[0], panels=tuple(panels))


def _bars(
    evidence: Evidence,
    chart_id: str,
    caption: str,
    reading: str,
    words: Mapping[str, tuple[str, str]],
    of_model: Callable[[Line], list[Point]],
    table_id: str,
    first: Sequence[tuple[str, str, Callable[[], list[Point]]]] = (),
) -> Chart:
    """Bars of shares in the words and colours given: a panel a model, after the first ones."""
    colours = {part: shade for part, (_, shade) in words.items()}
    named = {part: label for part, (label, _) in words.items()}

    def draw(made: Callable[[], list[Point]]) -> Spec:
        return shares(made(), colours, PERCENT, named)

    drawn: list[tuple[str, str, Callable[[], list[Point]]]] = [
        *first,
        *(
            (f"model-{n}", line.marked, partial(of_model, line))
            for n, line in enumerate(models(evidence), start=1)
        ),
    ]
    return Chart(
        id=chart_id,
        caption=caption,
        reading=reading,
        legend=tuple(Key("bar", shade, label) for label, shade in words.values()),
        panels=tuple(Panel(slug, title, partial(draw, made)) for slug, title, made in drawn),
        simulated=evidence.simulated,
        table_id=table_id,
    )


def output(evidence: Evidence, family: Family) -> Chart:
    """Which labels are answered, against the truth."""
    forms = FAMILIES[family].answers
    at = vanilla(family).at

    def said(lines: Sequence[Line]) -> list[Point]:
        return [
            point
            for line in lines
            for form in forms
            for point in points(
                evidence, Value(f"or_{form}"), {}, [line], series=form, printed=False
            )
        ]

    def everybody() -> list[Point]:
        lines = models(evidence)
        printed = printed_models(evidence, [Value(f"or_{form}") for form in forms], at)
        theirs = said([replace(line, at=at) for line in printed])
        return [
            *_truth(evidence, family, lines),
            *said([replace(line, at=at) for line in lines]),
            *(point for point in theirs if not point.estimate.missing),
        ]

    def one(line: Line) -> list[Point]:
        asked = conditions(evidence, family)
        mine = said([replace(line, marked=a.title, at=a.at) for a in asked])
        return [*_truth(evidence, family, [line]), *mine]

    return _bars(
        evidence,
        f"instruction_boundary-output-{family}-figure",
        f"{FAMILIES[family].label}: which labels are answered",
        "A bar splits the answers by label; the first one shows how the truth splits. Orange "
        "parts are sparse labels.",
        {form: (label, _ANSWER_COLOURS[form]) for form, label in forms.items()},
        one,
        tables.output_id(family),
        [("vanilla", "Vanilla, all models", everybody)],
    )


def _truth(evidence: Evidence, family: Family, lines: Sequence[Line]) -> list[Point]:
    """The truth's shares, of the first model that was asked under vanilla."""
    for line in lines:
        found = {
            form: Value(f"truth_{form}").estimate(evidence, line, vanilla(family).at)
            for form in FAMILIES[family].forms
        }
        if not any(e.missing for e in found.values()):
            return [Point("in the truth", "measured", e, form) for form, e in found.items()]
    return []


def fates(evidence: Evidence, family: Family) -> Chart | None:
    """What becomes of vanilla's answers under each setting."""
    asked = others(evidence, family)

    def of_model(line: Line) -> list[Point]:
        drawn = []
        for part in asked:
            found = {m: Value(m).estimate(evidence, line, part.at) for m in _FATES if m != "other"}
            rest = 1.0 - math.fsum(e.value for e in found.values())
            found["other"] = Estimate(
                rest if math.isnan(rest) else max(rest, 0.0),
                n_items=found["rr"].n_items,
                reason=found["rr"].why,
            )
            drawn += [Point(part.title, line.kind, found[fate], fate) for fate in _FATES]
        return drawn

    if not asked:
        return None
    return (
        _bars(
            evidence,
            f"instruction_boundary-fates-{family}",
            f"{FAMILIES[family].label}: what becomes of vanilla's answers",
            "A bar splits the items that were also asked under vanilla; its first part is RR.",
            _FATES,
            of_model,
            tables.changes_id(family),
        )
    ) or None


def following(evidence: Evidence, suggested: Sequence[Slice]) -> Chart:
    """How often a suggestion is answered, with and without it."""
    return dumbbell_figure(
        evidence,
        "instruction_boundary-following-figure",
        "Answers equal to the suggestion",
        (
            (Value("follow_rate_vanilla"), "under vanilla"),
            (Value("follow_rate"), "when suggested"),
        ),
        suggested,
        reading="How often an answer is given on its own, and when the prompt says that it is the "
        f"answer. {_BANDS}",
        table_id=tables.FOLLOWING,
        printed=False,
    )


def by_options(evidence: Evidence) -> Chart:
    """Accuracy by number of wrong options (Figure 3, left)."""
    counts = option_counts(evidence)

    def draw(line: Line) -> Spec:
        value = Value("acc")
        lines = [line, *printed_models(evidence, [Value("acc", at=counts[0].at)], {})]
        steps = [
            Step(
                drawn.marked,
                drawn.kind,
                int(a.at["variant"]),
                value.estimate(evidence, drawn, a.at),
            )
            for drawn in lines
            for a in counts
        ]
        return line_plot(steps, "wrong options", PERCENT, _SCALE)

    return Chart(
        id="instruction_boundary-options-figure",
        caption="Accuracy by number of wrong options",
        reading="A falling line means that more wrong options distract. The band is the 95% "
        "interval.",
        legend=(
            MEASURED,
            Key("line", colour("published"), "the paper's five models, on its own questions"),
        ),
        panels=tuple(
            Panel(f"model-{n}", line.marked, partial(draw, line))
            for n, line in enumerate(models(evidence), start=1)
        ),
        simulated=evidence.simulated,
        table_id=tables.OPTIONS,
    )

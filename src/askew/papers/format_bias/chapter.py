"""Format bias's chapter: how far the requested output format moves the estimated true score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd

from askew.papers.format_bias.chapter_tables import (
    PRINTED,
    Arm,
    arms_of,
    bias,
    bias_by_task,
    bias_figure,
    by_format,
    by_format_id,
    categories,
    category_name,
    category_slug,
    cells,
    format_name,
    others,
    sentence_case,
    within,
)
from askew.papers.format_bias.formulas import bias_f
from askew.papers.format_bias.mitigation import fi_holds, mitigates
from askew.papers.format_bias.paper import BIAS_F, PAPER
from askew.papers.format_bias.printed import TREATED, TREATMENTS, VARIANCES, treated
from askew.papers.format_bias.treatments import Mitigation, has_treatment, mitigations
from askew.report.chapters import comparability, headline, rate
from askew.report.document import (
    Cell,
    Column,
    Estimate,
    FlipList,
    Group,
    Headline,
    Model,
    Row,
    Section,
    Table,
    WorstFinding,
)
from askew.report.evidence import Evidence
from askew.report.flips import flip_list
from askew.report.tables import Line, Slice, Value, Words, table
from askew.schema import MISSING, Unit
from askew.untrusted import one_line

_CHANGE = Unit("squared points", signed=True)
_TREATED_SOURCE = (
    "Published rows: Long et al., LLMs Are Biased Towards Output Formats!, Table 18 (ChatGPT, "
    "MMLU, zero-shot), as printed; {what} computed here."
)
_FLIP_RULE = (
    "Questions that are answered right in the format that most are right in, and score nothing in "
    "another: those that fail in most formats first. {asked}"
)


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """BiasF of each category that a model was asked, in its plainest arm."""
    for model in evidence.models:
        asked = {}
        for category in categories(evidence):
            own = [arm for arm in arms_of(evidence, category) if arm.model == model]
            if own:
                asked[category] = own[0]
        for category, arm in asked.items():
            told = headline(
                evidence,
                model,
                "bias_f",
                _sentence(evidence, category, arm),
                _finding(evidence, category, arm),
                label=f"{BIAS_F.label}, {category_name(category)}{arm.behind}",
                estimate=arm.number(evidence, "bias_f", category=category),
                scale=None,
            )
            yield replace(told, metric=f"bias_f_{category}")
        if not asked:
            why = evidence.estimate("bias_f", model).why
            yield headline(evidence, model, "bias_f", f"Can't be said: {why}.", scale=None)


def _sentence(evidence: Evidence, category: str, arm: Arm) -> str:
    """What the headline means for this model, in one plain sentence."""
    found = arm.number(evidence, "bias_f", category=category)
    if found.missing:
        over = arm.number(evidence, "bias_f_over_followed", category=category)
        rest = f" Over what was followed it is {over.text(BIAS_F.unit)}."
        return f"Can't be said: {found.why}.{'' if over.missing else rest}"
    distance = f"{math.sqrt(found.value):.1f}"
    apart = f"Estimated true scores lie typically {distance} points from their mean over formats"
    if math.isnan(found.low):
        return f"{apart}; too few replies follow the formats for an interval."
    if found.low > 0:
        return f"{apart}: the format moves the score."
    return f"{apart}: no bias shown, that much may be chance."


def _finding(evidence: Evidence, category: str, arm: Arm) -> WorstFinding | None:
    """The formats with the lowest and the highest EstTrue."""
    formats = within(evidence, category).values("format")
    scores = {f: arm.number(evidence, "est_true", category=category, format=f) for f in formats}
    scores = {f: found for f, found in scores.items() if not found.missing}
    if len(scores) < 2:
        return None
    worst, best = (pick(scores, key=lambda f: scores[f].value) for pick in (min, max))
    if scores[worst].value == scores[best].value:
        return None
    without = len(formats) - len(scores)
    left_out = f"; {without} without a value left out" if without else ""
    return WorstFinding(
        f"{sentence_case(format_name(worst))}: estimated true score {rate(scores[worst])}, "
        f"against {rate(scores[best])} for {format_name(best)} "
        f"(n = {scores[worst].n_items}{left_out}).",
        by_format_id(evidence, category),
    )


def sections(evidence: Evidence) -> Iterator[Section]:
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
            comparability(
                evidence.data, otherwise="published rows show the order of size, not the level"
            ),
        ),
        (bias_figure(evidence), bias(evidence), *(bias_by_task(evidence, c) for c in found)),
    )
    for category in found:
        part = within(evidence, category)
        yield Section(
            f"format_bias-{category_slug(evidence, category)}",
            sentence_case(category_name(category)),
            (
                "FI first: where it is low, EstTrue rests on few replies and is marked. SysE is "
                "what a user of the format gets.",
            ),
            (
                *by_format(part, evidence, category),
                *(cells(part, evidence, category, m) for m in ("est_true", "fi", "sys_e")),
            ),
        )
    yield from mitigation_section(evidence)
    if found:
        yield Section(
            "format_bias-others",
            "Other numbers",
            (
                "EstTrue of the replies that follow their format alone, MAP as the authors' script "
                "computes it, and what the marks above rest on, in each model's plainest arm.",
            ),
            (others(evidence),),
        )
    lists = [_flips(evidence, category) for category in found]
    some = tuple(flips for flips in lists if flips and flips.n_found)
    if some:
        yield Section(
            "format_bias-items",
            "Items that flip",
            (
                "The same question, right in one format and lost in another. Where a reply was "
                "right but could not be read in the format, the format cost the score; where the "
                "answer itself changed, the format moved it.",
            ),
            some,
        )


def _flips(evidence: Evidence, category: str) -> FlipList | None:
    """Flips of the plainest arm and the first prompting, which pair by format alone."""
    part = within(evidence, category)
    way, names = part.values("prompting")[0], part.values("format")
    rows = evidence.observations
    arm = min(tuple(map(float, a.at.values())) for a in arms_of(evidence, category))
    asked = (rows["category"] == category) & (rows["prompting"] == way)
    rows = rows[asked & (rows["demos"] == arm[0]) & (rows["repeat"] == arm[1])]
    # A part of the score tells neither way.
    rows = rows[rows["score"].isin([0.0, 1.0])]
    right = rows.groupby("format")["score"].sum()
    if len(right) < 2:
        return None
    best = max((n for n in names if n in right), key=lambda n: float(right[n]))
    words = {n: format_name(n) for n in names}
    where = sentence_case(category_name(category))
    return flip_list(
        replace(
            evidence,
            task=f"format_bias-{category_slug(evidence, category)}",
            observations=rows.assign(correct=rows["score"]),
        ),
        rows["format"],
        best,
        [n for n in names if n != best],
        words | {s: part.label("subset", s) for s in part.values("subset")},
        "target",
        _FLIP_RULE.format(
            asked=f"{where}, {part.label('prompting', way)}; best here is {words[best]}."
        ),
    )


# --- Treatments -------------------------------------------------------------------------------


def mitigation_section(evidence: Evidence) -> Iterator[Section]:
    """The paper's verdict on every treatment that was tried; nothing where none was."""
    treated_here = [m for m in evidence.models if has_treatment(evidence.observations, m.label)]
    if not treated_here:
        return
    tables = [_verdicts(evidence, treated_here)]
    if "wrapping" in categories(evidence):
        tables.append(_arms_by_format(evidence))
    yield Section(
        "format_bias-mitigation",
        "Do the treatments help?",
        (
            "A treatment mitigates format bias if BiasF falls and FI rises for every format; one "
            "at 100% may stay (Section 3.2). Both arms are compared on the items that were scored "
            "in every format in both.",
            "The paper's headline, 235.33 to 0.71, is the variance of SysE; by its own Eq. 8, on "
            "EstTrue, fine-tuning takes BiasF from 61.1 to 0.93.",
        ),
        tuple(tables),
    )


def _verdicts(evidence: Evidence, models: list[Model]) -> Table:
    groups = []
    for model in models:
        found = mitigations(evidence.of(model), model.label, (), evidence.interval)
        groups.append(Group([_verdict_row(m, model) for m in found], model.marked))
    groups.append(Group(list(_published_verdicts(evidence.printed)), "ChatGPT in the paper"))
    return Table(
        id="format_bias-mitigation-verdicts",
        caption="Treatments against the plainest arm, with 95% intervals of the change",
        head="Treatment",
        columns=[
            Column("Formats", numeric=False),
            Column("BiasF before", BIAS_F.unit.name),
            Column("BiasF after", BIAS_F.unit.name),
            Column("Change"),
            Column("FI falls or stays for", numeric=False),
            Column("Mitigates", numeric=False),
            Column("Items"),
        ],
        groups=groups,
        source=_TREATED_SOURCE.format(what="BiasF of EstTrue and the verdicts are"),
    )


def _verdict_row(found: Mitigation, model: Model) -> Row:
    verdict = found.verdict
    estimate = partial(Estimate, n_items=verdict.n_items, reason=verdict.reason)
    biases = [Estimate(math.nan, reason=verdict.reason)] * 3
    for moved in verdict.criteria:
        if moved.metric == "bias_f":
            change = estimate(moved.change, moved.low, moved.high)
            biases = [estimate(moved.before), estimate(moved.after), change]
    failing = [c.format for c in verdict.criteria if c.metric == "fi" and not c.holds]
    if verdict.effective is None:
        outcome = f"can't be said: {one_line(verdict.reason)}"
    else:
        beyond = "" if verdict.settled else ", not beyond chance"
        outcome = f"yes{beyond}" if verdict.effective else "no"
    failed = failing if verdict.criteria else None
    shown = _verdict_cells(verdict.category, biases, failed, outcome, f"{verdict.n_items:,}")
    return Row(one_line(found.after), shown, model.kind)


def _verdict_cells(
    category: str,
    biases: Sequence[Estimate],
    failing: Sequence[str] | None,
    outcome: str,
    items: str,
) -> list[Cell]:
    """A verdict's row: BiasF before, after and its change; formats that FI falls or stays for."""
    names = None if failing is None else ", ".join(map(format_name, failing)) or "none"
    before, after, change = biases
    return [
        Cell(category_name(category)),
        Cell(estimate=before, unit=BIAS_F.unit),
        Cell(estimate=after, unit=BIAS_F.unit),
        Cell(estimate=change, unit=_CHANGE),
        Cell(MISSING if names is None else names),
        Cell(outcome),
        Cell(items),
    ]


def _published_verdicts(printed: pd.DataFrame) -> Iterator[Row]:
    """The verdicts that follow from Table 18."""

    def of(arm: str, metric: str) -> dict[str, float]:
        rows = printed[(printed["model"] == treated(arm)) & (printed["metric"] == metric)]
        return {str(f): float(v) for f, v in zip(rows["format"], rows["value"], strict=True)}

    plain, *arms = TREATMENTS
    (before,), fi_before = of(plain, "bias_f").values(), of(plain, "fi")
    for arm in arms:
        (after,), fi_after = of(arm, "bias_f").values(), of(arm, "fi")
        failing = [f for f, fi in fi_after.items() if not fi_holds(fi_before[f], fi)]
        holds = mitigates(before, after, fi_before, fi_after)
        biases = [Estimate(value) for value in (before, after, after - before)]
        shown = _verdict_cells("wrapping", biases, failing, "yes" if holds else "no", MISSING)
        yield Row(TREATMENTS[arm][0], shown, "published")


def _arms_by_format(evidence: Evidence) -> Table:
    """Table 18: every arm's EstTrue, FI and SysE by format, with what varies over formats."""
    part = within(evidence, "wrapping")
    lines = [arm.line() for arm in arms_of(evidence, "wrapping")]
    lines += [
        Line(treated(arm), treated(arm), "published", {**TREATED, **at})
        for arm, (_, at) in TREATMENTS.items()
    ]
    parts = [
        table(
            part,
            "format_bias-mitigation-formats",
            "Every arm by format, means over tasks and prompting, in percent",
            [
                *(
                    Value(metric, sentence_case(format_name(f)), "", {"format": f}, printed=PRINTED)
                    for f in part.values("format")
                ),
                Words("Variance", partial(_variance, metric), "over formats, squared points", True),
            ],
            [Slice(PAPER.metric(metric).label, {"category": "wrapping"})],
            lines=lines,
            printed=False,
            head="Arm",
            source=_TREATED_SOURCE.format(what="their variances are"),
        )
        for metric in VARIANCES
    ]
    return replace(parts[0], groups=[group for each in parts for group in each.groups])


def _variance(metric: str, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
    """A metric's variance over formats; SysE's, which is no metric, of the numbers beside it."""
    found = evidence.number(VARIANCES[metric], line.model, line.kind, at)
    if metric == "sys_e" and line.kind != "published":
        values = [
            evidence.number(metric, line.model, line.kind, {**at, "format": f}).value * 100
            for f in evidence.values("format")
        ]
        found = Estimate(bias_f(values))
    return Cell(estimate=found, unit=BIAS_F.unit)

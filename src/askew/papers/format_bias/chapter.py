"""Format bias's chapter: how far the requested output format moves the estimated true score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial

from askew.papers.format_bias.chapter_arms import (
    PRINTED,
    Arm,
    arms_of,
    categories,
    category_name,
    category_slug,
    format_name,
    mitigation_section,
    sentence_case,
    within,
)
from askew.papers.format_bias.paper import BIAS_F, PAPER
from askew.report.charts import Spec, interval_plot
from askew.report.document import (
    Cell,
    Chapter,
    Chart,
    Estimate,
    Finding,
    FlipList,
    Headline,
    Key,
    Model,
    Panel,
    Section,
    Table,
)
from askew.report.evidence import Evidence
from askew.report.flips import flip_list
from askew.report.palette import colour
from askew.report.tables import (
    MEASURED,
    PUBLISHED,
    Items,
    Line,
    Slice,
    Value,
    Words,
    dumbbell_figure,
    points,
    table,
)
from askew.schema import MISSING, PERCENT, Unit

BIAS_TABLE = "format_bias-biasf"
UNRELIABLE, CONSTANT, PARTLY = "u", "c", "p"
_MARK_NOTES: Mapping[str, str] = {
    UNRELIABLE: "Unreliable: too few replies follow the format for EstTrue to be within 0.05 of "
    "the truth with 95% confidence (the paper's Theorem 3.1).",
    CONSTANT: "Reliable by the formula only because all scores of these replies are equal.",
    PARTLY: "A mean over cells of which at least one is unreliable.",
}
# Letters stand for the marks above.
_NUMBERS = tuple(map(str, range(1, 100)))
_PRINTED_BIAS = Unit("squared points", digits=2)
_SOURCE = (
    "Published rows: Long et al., LLMs Are Biased Towards Output Formats!, as printed; they "
    "answered the paper's own questions."
)
_ZEROS = " The paper counts EstTrue as 0 where no reply follows a format; here it has no value."
_SWAPPED = " Mistral's SemEval2017 columns bullet and separator seem swapped in print."
_ENDS = ("estimated true score", "score of all replies")
# Ends of the axis of BiasF: the first that holds every value; the last is the most that scores
# between 0 and 100 can vary.
_AXES = (20.0, 60.0, 100.0, 200.0, 400.0, 1000.0, BIAS_F.bounds[1])
_SHORT = "no value: the reason is in the table"
_FLIP_RULE = (
    "Questions that are answered right in the format that most are right in, and score nothing in "
    "another: those that fail in most formats first. {asked}"
)


def chapter(evidence: Evidence) -> Chapter:
    """All that the report says about format bias."""
    return Chapter(
        task=PAPER.task,
        title=PAPER.name,
        question=PAPER.question,
        reference=PAPER.reference,
        headlines=tuple(h for m in evidence.models for h in _headlines(evidence, m)),
        sections=tuple(_sections(evidence)),
    )


def _headlines(evidence: Evidence, model: Model) -> Iterator[Headline]:
    """BiasF of each category that the model was asked, in its plainest arm."""
    asked = {}
    for category in categories(evidence):
        own = [arm for arm in arms_of(evidence, category) if arm.model == model]
        if own:
            asked[category] = own[0]
    bare = Headline(
        task=PAPER.task,
        title=PAPER.name,
        model=model,
        metric="bias_f",
        label=BIAS_F.label,
        estimate=evidence.estimate("bias_f", model),
        unit=BIAS_F.unit,
        scale=None,
        sentence="",
    )
    for category, arm in asked.items():
        yield replace(
            bare,
            metric=f"bias_f_{category}",
            label=f"{BIAS_F.label}, {category_name(category)}{arm.behind}",
            estimate=arm.number(evidence, "bias_f", category=category),
            sentence=_sentence(evidence, category, arm),
            finding=_finding(evidence, category, arm),
        )
    if not asked:
        yield replace(bare, sentence=f"Can't be said: {bare.estimate.why}.")


def _sentence(evidence: Evidence, category: str, arm: Arm) -> str:
    """What the headline means for this model, in one plain sentence."""
    bias = arm.number(evidence, "bias_f", category=category)
    if bias.missing:
        over = arm.number(evidence, "bias_f_over_followed", category=category)
        rest = f" Over what was followed it is {over.text(BIAS_F.unit)}."
        return f"Can't be said: {bias.why}.{'' if over.missing else rest}"
    distance = f"{math.sqrt(bias.value):.1f}"
    apart = f"Estimated true scores lie typically {distance} points from their mean over formats"
    if math.isnan(bias.low):
        return f"{apart}; too few replies follow the formats for an interval."
    if bias.low > 0:
        return f"{apart}: the format moves the score."
    return f"{apart}: no bias shown, that much may be chance."


def _finding(evidence: Evidence, category: str, arm: Arm) -> Finding | None:
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
    return Finding(
        f"{sentence_case(format_name(worst))}: estimated true score {_rate(scores[worst])}, "
        f"against {_rate(scores[best])} for {format_name(best)} "
        f"(n = {scores[worst].n_items}{left_out}).",
        _by_format_id(evidence, category),
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
        (_bias_figure(evidence), _bias(evidence), *(_bias_by_task(evidence, c) for c in found)),
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
                *_by_format(part, evidence, category),
                *(_cells(part, evidence, category, m) for m in ("est_true", "fi", "sys_e")),
            ),
        )
    yield from mitigation_section(evidence)
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


def _comparability(evidence: Evidence) -> str:
    """What the published rows may be compared with."""
    if tuple(evidence.data) == ("paper",):
        return "The questions are the paper's own: levels compare with the published rows."
    whose = "askew's own" if tuple(evidence.data) == ("bundled",) else "not the paper's"
    return f"The questions are {whose}: published rows show the order of size, not the level."


# --- Tables -----------------------------------------------------------------------------------


def _bias(evidence: Evidence) -> Table:
    """BiasF by category, the models under test above the paper's."""
    return table(
        evidence,
        BIAS_TABLE,
        "BiasF in squared percentage points, with 95% intervals",
        [
            Value("bias_f", printed=_PRINTED_BIAS),
            Value("bias_f", "Zero-shot", "", {"prompting": "zs"}),
            Value("bias_f", "Chain of thought", "", {"prompting": "cot"}),
            Value("bias_f_over_followed", "Over followed"),
            Value("fi_variance"),
            Words("Formats", _followed, "followed, of those asked", numeric=True),
            Value("reliable_share"),
            Items("bias_f"),
        ],
        _by_category(evidence),
        source=_SOURCE + _ZEROS,
    )


def _by_category(evidence: Evidence) -> list[Slice]:
    return [
        Slice(
            sentence_case(category_name(c)),
            {"category": c},
            category_slug(evidence, c),
            [arm.line() for arm in arms_of(evidence, c)],
        )
        for c in categories(evidence)
    ]


def _followed(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
    followed, asked = (
        evidence.number(m, line.model, line.kind, at) for m in ("n_formats_followed", "n_formats")
    )
    return Cell(MISSING if asked.missing else f"{followed.value:.0f} of {asked.value:.0f}")


def _bias_by_task(evidence: Evidence, category: str) -> Table:
    """BiasF of each paper task; the paper gives the mean model's."""
    part = within(evidence, category)
    return table(
        part,
        f"format_bias-{category_slug(evidence, category)}-tasks",
        f"BiasF by task, {category_name(category)}, in squared percentage points",
        [
            Value("bias_f", meaning="", printed=_PRINTED_BIAS),
            Value("bias_f_over_followed", "Over followed formats", ""),
            Items("bias_f"),
        ],
        [
            Slice(part.label("subset", s), {"category": category, "subset": s})
            for s in part.values("subset")
        ],
        lines=[arm.line() for arm in arms_of(evidence, category)],
        source=_SOURCE,
    )


def _by_format_id(evidence: Evidence, category: str) -> str:
    """The table that holds a category's formats side by side."""
    return f"format_bias-{category_slug(evidence, category)}-formats"


def _by_format(part: Evidence, evidence: Evidence, category: str) -> tuple[Chart, Table]:
    """SysE beside EstTrue, and zero-shot against chain of thought, a row a format."""
    table_id = _by_format_id(evidence, category)
    arms = [
        Slice(
            arm.line().marked,
            {"category": category},
            f"model-{i}",
            [arm.line(format_name(f), format=f) for f in part.values("format")],
        )
        for i, arm in enumerate(arms_of(evidence, category), start=1)
    ]
    ways = {way: part.label("prompting", way) for way in part.values("prompting")}
    shades = (colour("with"), colour("without"))
    figure = dumbbell_figure(
        part,
        f"format_bias-{category_slug(evidence, category)}-figure",
        f"SysE and EstTrue, {category_name(category)}",
        ((Value("est_true"), _ENDS[0]), (Value("sys_e"), _ENDS[1])),
        arms,
        reading="The distance between the two dots is what missed formats cost; differences "
        "between the filled dots are format bias. Bands are 95% intervals.",
        legend=(
            Key("dot", shades[0], f"EstTrue: {_ENDS[0]}"),
            Key("ring", shades[1], f"SysE: {_ENDS[1]}"),
        ),
        colours=shades,
        table_id=table_id,
        printed=False,
    )
    side_by_side = table(
        part,
        table_id,
        f"{sentence_case(category_name(category))}: means over tasks, in percent",
        [
            Value("sys_e"),
            Value("fi"),
            Value("est_true", meaning="SysE / FI, cell by cell", mark=_reliability_mark),
            *(
                column
                for way, words in ways.items()
                for column in (
                    Value(
                        "est_true", f"EstTrue, {words}", "", {"prompting": way},
                        mark=_reliability_mark,
                    ),
                    Value("fi", f"FI, {words}", "", {"prompting": way}),
                )
            ),
            Words("Reliable cells", _reliable_cells, numeric=True),
            Items("fi"),
        ],
        [replace(arm, slug="") for arm in arms],
        printed=False,
        head="Format",
        notes=_MARK_NOTES,
    )  # fmt: skip
    return figure, side_by_side


def _reliable_cells(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
    reliable = _reliability(evidence, line, at)
    return Cell(f"{sum(reliable)} of {len(reliable)}")


def _reliability_mark(evidence: Evidence, line: Line, at: Mapping[str, str]) -> str:
    """What Theorem 3.1 says of EstTrue; a mean is marked where a part is unreliable."""
    is_one_cell = {"subset", "prompting"} <= set(at)
    if not all(_reliability(evidence, line, at)):
        return UNRELIABLE if is_one_cell else PARTLY
    constant = evidence.number("est_true_constant", line.model, line.kind, at)
    return CONSTANT if is_one_cell and constant.value == 1 else ""


def _reliability(evidence: Evidence, line: Line, at: Mapping[str, str]) -> list[bool]:
    """For each cell that a number averages over, whether it is reliable."""
    cells = [
        {**at, "subset": subset, "prompting": way}
        for subset in ([at["subset"]] if "subset" in at else evidence.values("subset"))
        for way in ([at["prompting"]] if "prompting" in at else evidence.values("prompting"))
    ]
    return [
        evidence.number("est_true_reliable", line.model, line.kind, cell).value == 1
        for cell in cells
        if evidence.number("fi", line.model, line.kind, cell).n_items
    ]


def _cells(part: Evidence, evidence: Evidence, category: str, metric: str) -> Table:
    """One metric cell by cell, formats as columns, laid out like the paper's tables."""
    declared = PAPER.metric(metric)
    rows = part.printed
    printed = rows.loc[(rows["category"] == category) & (rows["metric"] == metric), "source"]
    source = f"{_SOURCE} They are those of {printed.iloc[0]}." if len(printed) else ""
    if source and category == "list":
        source += _SWAPPED
    return table(
        part,
        f"format_bias-{category_slug(evidence, category)}-{metric.replace('_', '-')}",
        f"{declared.label} ({declared.meaning}) by task and prompting, in percent",
        [
            *(
                Value(
                    metric, sentence_case(format_name(f)), "", {"format": f}, printed=PRINTED,
                    mark=_reliability_mark if metric == "est_true" else None,
                )
                for f in part.values("format")
            ),
            Items(most=True),
        ],
        [
            Slice(
                f"{part.label('subset', subset)}, {part.label('prompting', way)}",
                {"category": category, "subset": subset, "prompting": way},
            )
            for subset in part.values("subset")
            for way in part.values("prompting")
        ],
        lines=[arm.line() for arm in arms_of(evidence, category)],
        notes=_MARK_NOTES,
        marks=_NUMBERS,
        source=source + (_ZEROS if source and metric == "est_true" else ""),
    )  # fmt: skip


# --- Figures ----------------------------------------------------------------------------------


def _bias_figure(evidence: Evidence) -> Chart:
    """The headline, with the paper's models beside it."""
    return Chart(
        id="format_bias-biasf-figure",
        caption="BiasF in squared points, by category of formats",
        reading="Dots are point values, lines are 95% intervals; further left is better. Each "
        "panel has its own axis.",
        legend=(MEASURED, PUBLISHED),
        panels=tuple(
            Panel(part.slug, part.title, partial(_bias_panel, evidence, part))
            for part in _by_category(evidence)
        ),
        simulated=evidence.simulated,
        table_id=BIAS_TABLE,
    )


def _bias_panel(evidence: Evidence, part: Slice) -> Spec:
    drawn = [
        replace(point, estimate=_fitting(point.estimate))
        for point in points(
            evidence, Value("bias_f"), part.at, lines=part.lines, series=BIAS_F.label
        )
    ]
    ends = [v for p in drawn for v in (p.estimate.value, p.estimate.high) if not math.isnan(v)]
    most = next((axis for axis in _AXES if axis >= max(ends, default=0.0)), _AXES[-1])
    return interval_plot(drawn, BIAS_F.unit, (0.0, most))


def _fitting(found: Estimate) -> Estimate:
    """The number with a reason that fits into a panel; the table has the whole one."""
    return replace(found, reason=_SHORT) if len(found.reason) > len(_SHORT) else found


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

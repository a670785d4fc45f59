"""Format bias's chapter: how far the requested output format moves the estimated true score."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd

from askew.papers.format_bias.formulas import bias_f
from askew.papers.format_bias.mitigation import Criterion, Verdict, fi_holds
from askew.papers.format_bias.paper import (
    BIAS_F,
    CATEGORIES,
    MOST_VARIANCE,
    PAPER,
    demonstrated,
    repeated,
)
from askew.papers.format_bias.printed import TREATED, TREATMENTS, VARIANCES, treated
from askew.papers.format_bias.treatments import has_treatment, mitigations
from askew.report.chapters import headline, rate, section
from askew.report.charts import Spec, interval_plot
from askew.report.document import (
    Block,
    Cell,
    Column,
    Estimate,
    FlipList,
    Group,
    Headline,
    Row,
    RowKind,
    Section,
    Table,
    WorstFinding,
)
from askew.report.evidence import Evidence
from askew.report.figures import MEASURED, PUBLISHED, dumbbell_figure, figure, points
from askew.report.flips import flip_list
from askew.report.tables import Items, Line, Slice, Value, Words, table
from askew.schema import MISSING, Metric, Unit
from askew.untrusted import one_line

_BIAS_TABLE = "format_bias-biasf"
_UNRELIABLE, _CONSTANT, _PARTLY = "u", "c", "p"
_MARK_NOTES: Mapping[str, str] = {
    _UNRELIABLE: "Unreliable: too few replies follow the format for EstTrue to be within 0.05 of "
    "the truth with 95% confidence (the paper's Theorem 3.1).",
    _CONSTANT: "Reliable by the formula only because all scores of these replies are equal.",
    _PARTLY: "A mean over cells of which at least one is unreliable.",
}
# Letters stand for the marks above.
_NUMBERS = tuple(map(str, range(1, 100)))
_CHANGE = Unit("squared points", signed=True)
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_BIAS = Unit("squared points", digits=2)
_SOURCE = (
    "Published rows: Long et al., LLMs Are Biased Towards Output Formats!, as printed; they "
    "answered the paper's own questions."
)
_TREATED_SOURCE = (
    "Published rows: Long et al., LLMs Are Biased Towards Output Formats!, Table 18 (ChatGPT, "
    "MMLU, zero-shot), as printed; {what} computed here."
)
_ZEROS = " The paper counts EstTrue as 0 where no reply follows a format; here it has no value."
_SWAPPED = " Mistral's SemEval2017 columns bullet and separator seem swapped in print."
_TRUE, _ALL = "estimated true score", "score of all replies"
# Ends of the axis of BiasF: the first that holds every value; the last is the most that scores
# between 0 and 100 can vary.
_AXES = (20.0, 60.0, 100.0, 200.0, 400.0, 1000.0, MOST_VARIANCE)
_SHORT = "no value: the reason is in the table"
_FLIP_RULE = (
    "Questions that are answered right in the format that most are right in, and score nothing in "
    "another: those that fail in most formats first. {asked}"
)


# --- Who was asked what -----------------------------------------------------------------------


@dataclass(frozen=True)
class _Asked:
    """A category of formats that was asked.

    Attributes:
        category: its name.
        slug: it as a part of ids: a name that a log brought may hold anything.
        evidence: its part of the numbers: levels have the values that it was asked with.
        arms: every model in every arm, the plainest first: how many demonstrations it saw, how
            often the format was asked for.
    """

    category: str
    slug: str
    evidence: Evidence
    arms: list[Line]

    @property
    def at(self) -> dict[str, str]:
        return {"category": self.category}

    @property
    def name(self) -> str:
        return _category_name(self.category)

    @property
    def title(self) -> str:
        return _titled(self.name)

    @property
    def formats(self) -> list[str]:
        return self.evidence.values("format")

    @property
    def formats_id(self) -> str:
        """The table that holds the formats side by side."""
        return f"format_bias-{self.slug}-formats"

    @property
    def plainest(self) -> list[Line]:
        """Each model's plainest arm."""
        return list({arm.model: arm for arm in reversed(self.arms)}.values())[::-1]

    def number(self, metric: str, arm: Line, **at: str) -> Estimate:
        return Value(metric).estimate(self.evidence, arm, {**self.at, **at})


def _asked(evidence: Evidence) -> list[_Asked]:
    """The categories that were asked, in the order of the headlines."""
    return [
        _Asked(
            category,
            category if category in CATEGORIES else f"category-{number}",
            replace(evidence, rows=evidence.rows[evidence.rows["category"] == category]),
            list(_arms(evidence, category)),
        )
        for number, category in enumerate(evidence.values("category", CATEGORIES), start=1)
    ]


def _arms(evidence: Evidence, category: str) -> Iterator[Line]:
    keys = ["demos", "repeat"]
    for model in evidence.models:
        rows = evidence.rows[evidence.rows["model"] == model.label]
        several = len(rows[keys].drop_duplicates()) > 1
        arms = rows.loc[rows["category"] == category, keys].drop_duplicates().sort_values(keys)
        for demos, repeat in arms.itertuples(index=False, name=None):
            words = f", {demonstrated(int(float(demos)))}, {repeated(int(float(repeat)))}"
            behind = words if several else ""
            at = {"demos": str(demos), "repeat": str(repeat)}
            yield Line(model.short + behind, model.label, model.kind, at, model.marked + behind)


def _category_name(category: str) -> str:
    known = CATEGORIES.get(category)
    return known.label if known else one_line(f"{category} formats")


def _format_name(name: str) -> str:
    """A format as it is shown, also one that is not registered here."""
    return one_line(name.replace("_", " "))


def _titled(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- In words ---------------------------------------------------------------------------------


def headlines(evidence: Evidence) -> Iterator[Headline]:
    """BiasF of each category that a model was asked, in its plainest arm."""
    for model in evidence.models:
        arms = [
            (a, arm) for a in _asked(evidence) for arm in a.plainest if arm.model == model.label
        ]
        for asked, arm in arms:
            told = headline(
                evidence,
                model,
                "bias_f",
                _sentence(asked, arm),
                _finding(asked, arm),
                label=f"{BIAS_F.label}, {asked.name}{arm.head.removeprefix(model.short)}",
                estimate=asked.number("bias_f", arm),
                scale=None,
            )
            yield replace(told, metric=f"bias_f_{asked.category}")
        if not arms:
            why = evidence.estimate("bias_f", model).why
            yield headline(evidence, model, "bias_f", f"Can't be said: {why}.", scale=None)


def _sentence(asked: _Asked, arm: Line) -> str:
    """What the headline means for this model, in one plain sentence."""
    found = asked.number("bias_f", arm)
    if found.missing:
        over = asked.number("bias_f_over_followed", arm)
        rest = f" Over what was followed it is {over.text(BIAS_F.unit)}."
        return f"Can't be said: {found.why}.{'' if over.missing else rest}"
    distance = f"{math.sqrt(found.value):.1f}"
    apart = f"Estimated true scores lie typically {distance} points from their mean over formats"
    if math.isnan(found.low):
        return f"{apart}; too few replies follow the formats for an interval."
    if found.low > 0:
        return f"{apart}: the format moves the score."
    return f"{apart}: no bias shown, that much may be chance."


def _finding(asked: _Asked, arm: Line) -> WorstFinding | None:
    """The formats with the lowest and the highest EstTrue."""
    found = {f: asked.number("est_true", arm, format=f) for f in asked.formats}
    scores = {f: score for f, score in found.items() if not score.missing}
    worst, best = (pick(scores, key=lambda f: scores[f].value, default="") for pick in (min, max))
    if not scores or scores[worst].value == scores[best].value:
        return None
    without = len(found) - len(scores)
    left_out = f"; {without} without a value left out" if without else ""
    return WorstFinding(
        f"{_titled(_format_name(worst))}: estimated true score {rate(scores[worst])}, against "
        f"{rate(scores[best])} for {_format_name(best)} (n = {scores[worst].n_items}{left_out}).",
        asked.formats_id,
    )


def sections(evidence: Evidence) -> Iterator[Section]:
    categories = _asked(evidence)
    yield section(
        evidence,
        "format_bias-main",
        (*_bias(evidence, categories), *map(_bias_by_task, categories)),
    )
    for asked in categories:
        yield section(
            evidence,
            "category",
            (*_by_format(asked), *(_cells(asked, m) for m in ("est_true", "fi", "sys_e"))),
            id=f"format_bias-{asked.slug}",
            title=asked.title,
        )
    yield from _mitigation(evidence, categories)
    if categories:
        yield section(evidence, "format_bias-others", (_others(evidence, categories),))
    some = tuple(flips for flips in map(_flips, categories) if flips and flips.n_found)
    if some:
        yield section(evidence, "format_bias-items", some)


# --- BiasF ------------------------------------------------------------------------------------


def _bias(evidence: Evidence, categories: list[_Asked]) -> tuple[Block, ...]:
    """BiasF by category, the models under test beside the paper's."""
    parts = [Slice(a.title, a.at, a.slug, a.arms) for a in categories]

    def draw(part: Slice) -> Spec:
        drawn = points(evidence, Value("bias_f", marked=BIAS_F.label), part.at, part.lines)
        found = [point.estimate for point in drawn]
        ends = [v for e in found for v in (e.value, e.high) if not math.isnan(v)]
        most = next((axis for axis in _AXES if axis >= max(ends, default=0.0)), _AXES[-1])
        # A reason must fit into a panel; the table has the whole one.
        short = [replace(e, reason=_SHORT) if len(e.reason) > len(_SHORT) else e for e in found]
        fitting = [replace(p, estimate=e) for p, e in zip(drawn, short, strict=True)]
        return interval_plot(fitting, BIAS_F.unit, (0.0, most))

    def followed(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        some, of = (
            Value(m).estimate(evidence, line, at) for m in ("n_formats_followed", "n_formats")
        )
        return Cell(MISSING if of.missing else f"{some.value:.0f} of {of.value:.0f}")

    shown = figure(
        evidence,
        "format_bias-biasf-figure",
        "BiasF in squared points, by category of formats",
        parts,
        draw,
        reading="Dots are point values, lines are 95% intervals; further left is better. Each "
        "panel has its own axis.",
        legend=(MEASURED, PUBLISHED),
        table_id=_BIAS_TABLE,
    )
    return shown, table(
        evidence,
        _BIAS_TABLE,
        "BiasF in squared percentage points, with 95% intervals",
        [
            Value("bias_f", printed=_PRINTED_BIAS),
            Value("bias_f", "Zero-shot", "", {"prompting": "zs"}),
            Value("bias_f", "Chain of thought", "", {"prompting": "cot"}),
            Value("bias_f_over_followed"),
            Value("fi_variance"),
            Words("Formats", followed, "followed, of those asked", numeric=True),
            Value("reliable_share"),
            Items("bias_f"),
        ],
        parts,
        source=_SOURCE + _ZEROS,
    )


def _bias_by_task(asked: _Asked) -> Table:
    """BiasF of each paper task; the paper gives the mean model's."""
    part = asked.evidence
    return table(
        part,
        f"format_bias-{asked.slug}-tasks",
        f"BiasF by task, {asked.name}, in squared percentage points",
        [
            Value("bias_f", meaning="", printed=_PRINTED_BIAS),
            Value("bias_f_over_followed", "Over followed formats", ""),
            Items("bias_f"),
        ],
        [Slice(part.label("subset", s), {**asked.at, "subset": s}) for s in part.values("subset")],
        lines=asked.arms,
        source=_SOURCE,
    )


# --- Format by format -------------------------------------------------------------------------


def _by_format(asked: _Asked) -> tuple[Block, ...]:
    """SysE beside EstTrue, and zero-shot against chain of thought, a row a format."""
    part = asked.evidence
    parts = [
        Slice(
            arm.marked,
            asked.at,
            f"model-{number}",
            [
                replace(arm, head=_format_name(f), at={**arm.at, "format": f}, marked="")
                for f in asked.formats
            ],
        )
        for number, arm in enumerate(asked.arms, start=1)
    ]
    gaps = dumbbell_figure(
        part,
        f"format_bias-{asked.slug}-figure",
        f"SysE and EstTrue, {asked.name}",
        ((Value("est_true"), _TRUE), (Value("sys_e"), _ALL)),
        parts,
        reading="The distance between the two dots is what missed formats cost; differences "
        "between the filled dots are format bias. Bands are 95% intervals.",
        said=(f"EstTrue: {_TRUE}", f"SysE: {_ALL}"),
        table_id=asked.formats_id,
        printed=False,
    )
    true = Value("est_true", mark=_reliability_mark)
    by_way = [
        replace(value, label=f"{label}, {part.label('prompting', way)}", meaning="", at=at)
        for way in part.values("prompting")
        for at in [{"prompting": way}]
        for value, label in ((true, "EstTrue"), (Value("fi"), "FI"))
    ]
    return gaps, table(
        part,
        asked.formats_id,
        f"{asked.title}: means over tasks, in percent",
        [
            Value("sys_e"),
            Value("fi"),
            replace(true, meaning="SysE / FI, cell by cell"),
            *by_way,
            Words("Reliable cells", _reliable_cells, numeric=True),
            Items("fi"),
        ],
        [replace(part, slug="") for part in parts],
        printed=False,
        head="Format",
        notes=_MARK_NOTES,
    )


def _reliable_cells(evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
    reliable = _reliability(evidence, line, at)
    return Cell(f"{sum(reliable)} of {len(reliable)}")


def _reliability_mark(evidence: Evidence, line: Line, at: Mapping[str, str]) -> str:
    """What Theorem 3.1 says of EstTrue; a mean is marked where a part is unreliable."""
    is_one_cell = {"subset", "prompting"} <= set(at)
    if not all(_reliability(evidence, line, at)):
        return _UNRELIABLE if is_one_cell else _PARTLY
    constant = evidence.number("est_true_constant", line.model, line.kind, at)
    return _CONSTANT if is_one_cell and constant.value == 1 else ""


def _reliability(evidence: Evidence, line: Line, at: Mapping[str, str]) -> list[bool]:
    """For each cell that a number averages over, whether it is reliable."""
    subsets, ways = (
        [at[level]] if level in at else evidence.values(level) for level in ("subset", "prompting")
    )
    cells = [{**at, "subset": subset, "prompting": way} for subset in subsets for way in ways]
    return [
        evidence.number("est_true_reliable", line.model, line.kind, cell).value == 1
        for cell in cells
        if evidence.number("fi", line.model, line.kind, cell).n_items
    ]


def _of_formats(asked: _Asked, metric: str) -> list[Value]:
    """A column a format."""
    mark = _reliability_mark if metric == "est_true" else None
    return [
        Value(metric, _titled(_format_name(f)), "", {"format": f}, printed=_PRINTED, mark=mark)
        for f in asked.formats
    ]


def _cells(asked: _Asked, metric: str) -> Table:
    """One metric cell by cell, formats as columns, laid out like the paper's tables."""
    declared, part = PAPER.metric(metric), asked.evidence
    rows = part.printed
    printed = rows["source"][(rows["category"] == asked.category) & (rows["metric"] == metric)]
    source = ""
    if len(printed):
        swapped = _SWAPPED if asked.category == "list" else ""
        zeros = _ZEROS if metric == "est_true" else ""
        source = f"{_SOURCE} They are those of {printed.iloc[0]}.{swapped}{zeros}"
    return table(
        part,
        f"format_bias-{asked.slug}-{metric.replace('_', '-')}",
        f"{declared.label} ({declared.meaning}) by task and prompting, in percent",
        [*_of_formats(asked, metric), Items(most=True)],
        [
            Slice(
                f"{part.label('subset', subset)}, {part.label('prompting', way)}",
                {**asked.at, "subset": subset, "prompting": way},
            )
            for subset in part.values("subset")
            for way in part.values("prompting")
        ],
        lines=asked.arms,
        notes=_MARK_NOTES,
        marks=_NUMBERS,
        source=source,
    )


# What the tables above show, or hold in words and marks.
_SHOWN = (
    *("bias_f", "bias_f_over_followed", "fi_variance", "fi", "sys_e", "est_true"),
    *("n_formats", "n_formats_followed", "reliable_share"),
)


def _others(evidence: Evidence, categories: list[_Asked]) -> Table:
    """What no other table shows, wherever it was measured in a model's plainest arm."""
    metrics = [m for m in PAPER.metrics if m.name not in _SHOWN]
    rows = evidence.rows[evidence.rows["metric"].isin([m.name for m in metrics])]
    levels = ["subset", "format", "prompting"]

    def written(metric: Metric, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        """A number, or why it has no value; a dash where there is no such number."""
        found = Value(metric.name).estimate(evidence, line, at)
        return Cell(estimate=found, unit=metric.unit) if found.n_items else Cell(MISSING)

    def places(asked: _Asked, arm: Line) -> Iterator[Line]:
        own = rows
        for level, value in {"model": arm.model, **asked.at, **arm.at}.items():
            own = own[own[level].astype(str) == value]
        for place in own[levels].drop_duplicates().astype(str).itertuples(index=False, name=None):
            at = dict(zip(levels, place, strict=True))
            head = ", ".join(evidence.label(level, value) for level, value in at.items())
            yield replace(arm, head=head, at={**arm.at, **at})

    return table(
        evidence,
        "format_bias-others",
        "Other numbers, cell by cell",
        [
            *(Words(m.label, partial(written, m), m.meaning, numeric=True) for m in metrics),
            Items("fi"),
        ],
        [
            Slice(f"{asked.title}, {arm.marked}", asked.at, lines=tuple(places(asked, arm)))
            for asked in categories
            for arm in asked.plainest
        ],
        printed=False,
        head="Cell",
    )


def _flips(asked: _Asked) -> FlipList | None:
    """Flips of the plainest arm and the first prompting, which pair by format alone."""
    part, names = asked.evidence, asked.formats
    way = part.values("prompting")[0]
    demos, repeat = min(tuple(map(float, arm.at.values())) for arm in asked.arms)
    rows = part.observations
    rows = rows[(rows["category"] == asked.category) & (rows["prompting"] == way)]
    rows = rows[(rows["demos"] == demos) & (rows["repeat"] == repeat)]
    # A part of the score tells neither way.
    rows = rows[rows["score"].isin([0.0, 1.0])]
    right = rows.groupby("format")["score"].sum()
    if len(right) < 2:
        return None
    best = max((n for n in names if n in right), key=lambda n: float(right[n]))
    where = f"{asked.title}, {part.label('prompting', way)}"
    return flip_list(
        replace(
            part, task=f"format_bias-{asked.slug}", observations=rows.assign(correct=rows["score"])
        ),
        rows["format"],
        best,
        [n for n in names if n != best],
        {n: _format_name(n) for n in names}
        | {s: part.label("subset", s) for s in part.values("subset")},
        "target",
        _FLIP_RULE.format(asked=f"{where}; best here is {_format_name(best)}."),
    )


# --- Treatments -------------------------------------------------------------------------------


def _mitigation(evidence: Evidence, categories: list[_Asked]) -> Iterator[Section]:
    """The paper's verdict on every treatment that was tried; nothing where none was."""
    groups = [
        Group(
            [
                _verdict_row(one_line(found.after), found.verdict, model.kind)
                for found in mitigations(evidence.of(model), model.label, (), evidence.interval)
            ],
            model.marked,
        )
        for model in evidence.models
        if has_treatment(evidence.observations, model.label)
    ]
    if not groups:
        return
    theirs = [
        _verdict_row(words, _printed_verdict(evidence.printed, arm), "published")
        for arm, (words, _) in list(TREATMENTS.items())[1:]
    ]
    verdicts = Table(
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
        groups=[*groups, Group(theirs, "ChatGPT in the paper")],
        source=_TREATED_SOURCE.format(what="BiasF of EstTrue and the verdicts are"),
    )
    yield section(
        evidence,
        "format_bias-mitigation",
        (verdicts, *(_arms_by_format(a) for a in categories if a.category == "wrapping")),
    )


def _verdict_row(head: str, verdict: Verdict, kind: RowKind) -> Row:
    """A verdict: BiasF before, after and its change; formats that FI falls or stays for."""
    estimate = partial(Estimate, n_items=verdict.n_items, reason=verdict.reason)
    before = after = change = Estimate(math.nan, reason=verdict.reason)
    for moved in verdict.criteria:
        if moved.metric == "bias_f":
            before, after = estimate(moved.before), estimate(moved.after)
            change = estimate(moved.change, moved.low, moved.high)
    failing = [c.format for c in verdict.criteria if c.metric == "fi" and not c.holds]
    names = ", ".join(map(_format_name, failing)) or "none"
    beyond = "" if verdict.settled else ", not beyond chance"
    outcome = f"yes{beyond}" if verdict.effective else "no"
    if verdict.effective is None:
        outcome = f"can't be said: {one_line(verdict.reason)}"
    cells = [
        Cell(_category_name(verdict.category)),
        Cell(estimate=before, unit=BIAS_F.unit),
        Cell(estimate=after, unit=BIAS_F.unit),
        Cell(estimate=change, unit=_CHANGE),
        Cell(names if verdict.criteria else MISSING),
        Cell(outcome),
        Cell(MISSING if kind == "published" else f"{verdict.n_items:,}"),
    ]
    return Row(head, cells, kind)


def _printed_verdict(printed: pd.DataFrame, arm: str) -> Verdict:
    """The verdict on an arm that follows from Table 18; it was printed without intervals."""

    def of(arm: str, metric: str) -> dict[str, float]:
        rows = printed[(printed["model"] == treated(arm)) & (printed["metric"] == metric)]
        return {str(f): float(v) for f, v in zip(rows["format"], rows["value"], strict=True)}

    def criterion(metric: str, name: str, before: float, after: float, holds: bool) -> Criterion:
        return Criterion(metric, name, before, after, math.nan, math.nan, holds, holds)

    plain = next(iter(TREATMENTS))
    (before,), (after,) = (of(each, "bias_f").values() for each in (plain, arm))
    fi_before = of(plain, "fi")
    criteria = (
        criterion("bias_f", "all", before, after, after < before),
        *(
            criterion("fi", name, fi_before[name], fi, fi_holds(fi_before[name], fi))
            for name, fi in of(arm, "fi").items()
        ),
    )
    holds = all(c.holds for c in criteria)
    return Verdict(TREATED["category"], holds, holds, criteria, 0, 0)


def _arms_by_format(asked: _Asked) -> Table:
    """Table 18: every arm's EstTrue, FI and SysE by format, with what varies over formats."""

    def variance(metric: str, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        """SysE's, which is no metric, is of the numbers beside it."""
        found = Value(VARIANCES[metric]).estimate(evidence, line, at)
        if metric == "sys_e" and line.kind != "published":
            each = (v.estimate(evidence, line, at).value for v in _of_formats(asked, metric))
            found = Estimate(bias_f([value * 100 for value in each]))
        return Cell(estimate=found, unit=BIAS_F.unit)

    parts = [
        Slice(
            PAPER.metric(metric).label,
            asked.at,
            columns=[
                *(replace(value, mark=None) for value in _of_formats(asked, metric)),
                Words("Variance", partial(variance, metric), "over formats, squared points", True),
            ],
        )
        for metric in VARIANCES
    ]
    theirs = [
        Line(treated(arm), treated(arm), "published", {**TREATED, **at})
        for arm, (_, at) in TREATMENTS.items()
    ]
    return table(
        asked.evidence,
        "format_bias-mitigation-formats",
        "Every arm by format, means over tasks and prompting, in percent",
        parts[0].columns,
        parts,
        lines=[*asked.arms, *theirs],
        printed=False,
        head="Arm",
        source=_TREATED_SOURCE.format(what="their variances are"),
    )

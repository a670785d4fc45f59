"""Format bias in tables and figures: BiasF, formats side by side, and the paper's cells."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from askew.papers.format_bias.paper import (
    BIAS_F,
    CATEGORIES,
    MOST_VARIANCE,
    PAPER,
    demonstrated,
    repeated,
)
from askew.report.charts import Spec, interval_plot
from askew.report.document import Cell, Chart, Estimate, Model, Panel, Table
from askew.report.evidence import Evidence
from askew.report.figures import MEASURED, PUBLISHED, dumbbell_figure, points
from askew.report.tables import Items, Line, Slice, Value, Words, table
from askew.schema import MISSING, Metric, Unit
from askew.untrusted import one_line

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
PRINTED = Unit("%", 100.0, digits=2)
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
_AXES = (20.0, 60.0, 100.0, 200.0, 400.0, 1000.0, MOST_VARIANCE)
_SHORT = "no value: the reason is in the table"

# --- Who was asked what -----------------------------------------------------------------------


@dataclass(frozen=True)
class Arm:
    """A model in one arm: how many demonstrations it saw, how often the format was asked for.

    Attributes:
        model: the model.
        at: values of the levels `demos` and `repeat`.
        named: whether the model was asked in several arms, so that its name must say which.
    """

    model: Model
    at: Mapping[str, str]
    named: bool

    @property
    def words(self) -> str:
        demos, repeat = (int(float(self.at[level])) for level in ("demos", "repeat"))
        return f"{demonstrated(demos)}, {repeated(repeat)}"

    @property
    def behind(self) -> str:
        """The arm behind a model's name, where it must be named."""
        return f", {self.words}" if self.named else ""

    def line(self, head: str = "", **at: str) -> Line:
        """A row of its numbers, under its own name or another head."""
        marked = "" if head else self.model.marked + self.behind
        head = head or self.model.short + self.behind
        return Line(head, self.model.label, self.model.kind, {**self.at, **at}, marked)

    def number(self, evidence: Evidence, metric: str, **at: str) -> Estimate:
        return evidence.number(metric, self.model.label, self.model.kind, {**self.at, **at})


def arms_of(evidence: Evidence, category: str) -> list[Arm]:
    """Every model in every arm in which a category was asked, the plainest arm first."""
    keys = ["demos", "repeat"]
    found = []
    for model in evidence.models:
        rows = evidence.rows[evidence.rows["model"] == model.label]
        every = rows[keys].drop_duplicates()
        asked = rows.loc[rows["category"] == category, keys].drop_duplicates()
        for pair in asked.sort_values(keys).itertuples(index=False, name=None):
            at = dict(zip(keys, map(str, pair), strict=True))
            found.append(Arm(model, at, named=len(every) > 1))
    return found


def within(evidence: Evidence, category: str) -> Evidence:
    """One category's part of the numbers: its levels have the values that it was asked with."""
    return replace(evidence, rows=evidence.rows[evidence.rows["category"] == category])


def categories(evidence: Evidence) -> list[str]:
    """The categories that were asked, in the order of the headlines."""
    return evidence.values("category", CATEGORIES)


def category_slug(evidence: Evidence, category: str) -> str:
    """A category as a part of ids: a name that a log brought may hold anything."""
    known = category in CATEGORIES
    return category if known else f"category-{categories(evidence).index(category) + 1}"


def category_name(category: str) -> str:
    """A category as it is shown."""
    known = CATEGORIES.get(category)
    return known.label if known else one_line(f"{category} formats")


def format_name(name: str) -> str:
    """A format as it is shown, also one that is not registered here."""
    return one_line(name.replace("_", " "))


def sentence_case(text: str) -> str:
    return text[:1].upper() + text[1:]


# --- Tables -----------------------------------------------------------------------------------


def bias(evidence: Evidence) -> Table:
    """BiasF by category, the models under test above the paper's."""
    return table(
        evidence,
        BIAS_TABLE,
        "BiasF in squared percentage points, with 95% intervals",
        [
            Value("bias_f", printed=_PRINTED_BIAS),
            Value("bias_f", "Zero-shot", "", {"prompting": "zs"}),
            Value("bias_f", "Chain of thought", "", {"prompting": "cot"}),
            Value("bias_f_over_followed"),
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


def bias_by_task(evidence: Evidence, category: str) -> Table:
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


def by_format_id(evidence: Evidence, category: str) -> str:
    """The table that holds a category's formats side by side."""
    return f"format_bias-{category_slug(evidence, category)}-formats"


def by_format(part: Evidence, evidence: Evidence, category: str) -> tuple[Chart, Table]:
    """SysE beside EstTrue, and zero-shot against chain of thought, a row a format."""
    table_id = by_format_id(evidence, category)
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
    figure = dumbbell_figure(
        part,
        f"format_bias-{category_slug(evidence, category)}-figure",
        f"SysE and EstTrue, {category_name(category)}",
        ((Value("est_true"), _ENDS[0]), (Value("sys_e"), _ENDS[1])),
        arms,
        reading="The distance between the two dots is what missed formats cost; differences "
        "between the filled dots are format bias. Bands are 95% intervals.",
        said=(f"EstTrue: {_ENDS[0]}", f"SysE: {_ENDS[1]}"),
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


def cells(part: Evidence, evidence: Evidence, category: str, metric: str) -> Table:
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


# What the tables above show, or hold in words and marks.
_SHOWN = (
    "bias_f",
    "bias_f_over_followed",
    "fi_variance",
    "fi",
    "sys_e",
    "est_true",
    "n_formats",
    "n_formats_followed",
    "reliable_share",
)


def others(evidence: Evidence) -> Table:
    """What no other table shows, wherever it was measured in a model's plainest arm."""
    metrics = [m for m in PAPER.metrics if m.name not in _SHOWN]
    return table(
        evidence,
        "format_bias-others",
        "Other numbers, cell by cell",
        [
            *(Words(m.label, partial(_if_measured, m), m.meaning, numeric=True) for m in metrics),
            Items("fi"),
        ],
        [
            Slice(
                f"{sentence_case(category_name(category))}, {arm.line().marked}",
                {"category": category},
                lines=_places(evidence, category, arm, [m.name for m in metrics]),
            )
            for category in categories(evidence)
            for arm in _plainest(evidence, category)
        ],
        printed=False,
        head="Cell",
    )


def _if_measured(metric: Metric, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
    """A number, or why it has no value; a dash where there is no such number."""
    found = evidence.number(metric.name, line.model, line.kind, at)
    return Cell(estimate=found, unit=metric.unit) if found.n_items else Cell(MISSING)


def _plainest(evidence: Evidence, category: str) -> list[Arm]:
    """Every model's plainest arm in which a category was asked."""
    first: dict[str, Arm] = {}
    for arm in arms_of(evidence, category):
        first.setdefault(arm.model.label, arm)
    return list(first.values())


def _places(
    evidence: Evidence, category: str, arm: Arm, metrics: Sequence[str]
) -> tuple[Line, ...]:
    """A line a place of the metric table that has one of these metrics of an arm."""
    rows = evidence.rows[evidence.rows["metric"].isin(metrics)]
    for level, value in {"model": arm.model.label, "category": category, **arm.at}.items():
        rows = rows[rows[level].astype(str) == value]
    levels = ["subset", "format", "prompting"]
    return tuple(
        arm.line(", ".join(evidence.label(level, at[level]) for level in levels), **at)
        for place in rows[levels].drop_duplicates().itertuples(index=False, name=None)
        for at in [dict(zip(levels, map(str, place), strict=True))]
    )


# --- Figures ----------------------------------------------------------------------------------


def bias_figure(evidence: Evidence) -> Chart:
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

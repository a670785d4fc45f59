"""Format bias in tables and figures: BiasF, formats side by side, and the paper's cells."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial

from askew.files import toml_of
from askew.papers.format_bias.paper import (
    BIAS_F,
    CATEGORIES,
    MOST_VARIANCE,
    PAPER,
    demonstrated,
    repeated,
)
from askew.report.chapters import block_words
from askew.report.charts import Spec, interval_plot
from askew.report.document import Block, Cell, Table
from askew.report.estimates import Estimate, RowKind
from askew.report.evidence import OVERALL, Evidence
from askew.report.figures import MEASURED, PUBLISHED, dumbbell_figure, figure, points
from askew.report.tables import ColumnOf, Items, Line, Slice, Value, Words, places, table
from askew.schema import MISSING, Metric, Unit
from askew.untrusted import one_line

_words = partial(block_words, PAPER.home)
# What stands below tables, and what the marks of EstTrue mean.
NOTES = toml_of(__package__, "notes.toml")
_UNRELIABLE, _CONSTANT, _PARTLY = map(str, NOTES["marks"])
# Of corrected numbers: letters stand for the marks above.
_NUMBERS = tuple(map(str, range(1, 100)))
_PRINTED = Unit("%", 100.0, digits=2)
_PRINTED_BIAS = Unit("squared points", digits=2)
_TRUE, _ALL = "estimated true score", "score of all replies"
# Ends of the axis of BiasF: the first that holds every value; the last is the most that scores
# between 0 and 100 can vary.
_AXES = (20.0, 60.0, 100.0, 200.0, 400.0, 1000.0, MOST_VARIANCE)
_SHORT = "no value: the reason is in the table"
_MEAN = "Mean of models"


@dataclass(frozen=True)
class Asked:
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
        return category_name(self.category)

    @property
    def title(self) -> str:
        return titled(self.name)

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


def categories_of(evidence: Evidence) -> list[Asked]:
    """The categories that were asked, in the order of the headlines."""
    return [
        Asked(
            category,
            category if category in CATEGORIES else f"category-{number}",
            replace(evidence, rows=evidence.rows[evidence.rows["category"] == category]),
            list(_arms(evidence, category)),
        )
        for number, category in enumerate(evidence.values("category", CATEGORIES), start=1)
    ]


def _arms(evidence: Evidence, category: str) -> Iterator[Line]:
    for model in evidence.models:
        line = Line(model.short, model.label, model.kind, marked=model.marked)
        yield from _in_arms(evidence, category, line)


def means_of(asked: Asked) -> list[Line]:
    """The mean over models in every arm that some model was asked in; none of one model."""
    kinds = {model.kind for model in asked.evidence.models}
    kind: RowKind = "simulated" if "simulated" in kinds else "measured"
    mean = Line(_MEAN, OVERALL, kind, marked=_MEAN)
    return list(_in_arms(asked.evidence, asked.category, mean))


def _in_arms(evidence: Evidence, category: str, line: Line) -> Iterator[Line]:
    """A line for each of its arms, which are told where there are several."""
    keys = ["demos", "repeat"]
    rows = evidence.rows[evidence.rows["model"] == line.model]
    several = len(rows[keys].drop_duplicates()) > 1
    arms = rows.loc[rows["category"] == category, keys].drop_duplicates().sort_values(keys)
    for demos, repeat in arms.itertuples(index=False, name=None):
        words = f", {demonstrated(int(float(demos)))}, {repeated(int(float(repeat)))}"
        behind = words if several else ""
        at = {"demos": str(demos), "repeat": str(repeat)}
        yield replace(line, head=line.head + behind, at=at, marked=line.marked + behind)


def category_name(category: str) -> str:
    known = CATEGORIES.get(category)
    return known.label if known else one_line(f"{category} formats")


def format_name(name: str) -> str:
    """A format as it is shown, also one that is not registered here."""
    return one_line(name.replace("_", " "))


def titled(text: str) -> str:
    return text[:1].upper() + text[1:]


def bias(evidence: Evidence, categories: list[Asked]) -> tuple[Block, ...]:
    """BiasF by category, the models under test beside the paper's."""
    parts = [Slice(a.title, a.at, a.slug, [*a.arms, *means_of(a)]) for a in categories]

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
        panels=parts,
        draw=draw,
        legend=(MEASURED, PUBLISHED),
        **_words("format_bias-biasf-figure"),
    )
    return shown, table(
        evidence,
        columns=[
            Value("bias_f", printed=_PRINTED_BIAS),
            Value("bias_f", "Zero-shot", "", {"prompting": "zs"}),
            Value("bias_f", "Chain of thought", "", {"prompting": "cot"}),
            Value("bias_f_over_followed"),
            Value("fi_variance"),
            Words("Formats", followed, "followed, of those asked", numeric=True),
            Value("reliable_share"),
            Items("bias_f"),
        ],
        parts=parts,
        **_words("format_bias-biasf"),
    )


def bias_by_task(asked: Asked) -> Table:
    """BiasF of each paper task; the paper gives the mean model's."""
    part = asked.evidence
    return table(
        part,
        columns=[
            Value("bias_f", meaning="", printed=_PRINTED_BIAS),
            Value("bias_f_over_followed", "Over followed formats", ""),
            Items("bias_f"),
        ],
        parts=[
            Slice(part.label("subset", s), {**asked.at, "subset": s}) for s in part.values("subset")
        ],
        lines=[*asked.arms, *means_of(asked)],
        **_words("format_bias-{slug}-tasks", slug=asked.slug, name=asked.name),
    )


def by_format(asked: Asked) -> tuple[Block, ...]:
    """SysE beside EstTrue, and zero-shot against chain of thought, a row a format."""
    part = asked.evidence
    parts = [
        Slice(
            arm.marked,
            asked.at,
            f"model-{number}",
            [
                replace(arm, head=format_name(f), at={**arm.at, "format": f}, marked="")
                for f in asked.formats
            ],
        )
        for number, arm in enumerate(asked.arms, start=1)
    ]
    gaps = dumbbell_figure(
        part,
        ends=((Value("est_true"), _TRUE), (Value("sys_e"), _ALL)),
        panels=parts,
        said=(f"EstTrue: {_TRUE}", f"SysE: {_ALL}"),
        printed=False,
        **_words("format_bias-{slug}-figure", slug=asked.slug, name=asked.name),
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
        columns=[
            Value("sys_e"),
            Value("fi"),
            replace(true, meaning="SysE / FI, cell by cell"),
            *by_way,
            Words("Reliable cells", _reliable_cells, numeric=True),
            Items("fi"),
        ],
        parts=[replace(part, slug="") for part in parts],
        printed=False,
        notes=NOTES["marks"],
        **_words("format_bias-{slug}-formats", slug=asked.slug, title=asked.title),
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


def of_formats(asked: Asked, metric: str) -> list[Value]:
    """A column a format."""
    mark = _reliability_mark if metric == "est_true" else None
    return [
        Value(metric, titled(format_name(f)), "", {"format": f}, printed=_PRINTED, mark=mark)
        for f in asked.formats
    ]


def cells(asked: Asked, metric: str) -> Table:
    """One metric cell by cell, formats as columns, laid out like the paper's tables."""
    declared, part = PAPER.metric(metric), asked.evidence
    measured = set(part.rows.loc[part.rows["metric"] == metric, "subset"].astype(str))
    rows = part.printed
    printed = rows["source"][(rows["category"] == asked.category) & (rows["metric"] == metric)]
    source = ""
    if len(printed):
        source = f"{NOTES['source']} They are those of {printed.iloc[0]}."
        source += NOTES["swapped"] if asked.category == "list" else ""
        source += NOTES["zeros"] if metric == "est_true" else ""
    return table(
        part,
        f"format_bias-{asked.slug}-{metric.replace('_', '-')}",
        f"{declared.label} ({declared.meaning}) by task and prompting, in percent",
        [*of_formats(asked, metric), Items(most=True)],
        [
            Slice(
                f"{part.label('subset', subset)}, {part.label('prompting', way)}",
                {**asked.at, "subset": subset, "prompting": way},
            )
            for subset in part.values("subset")
            if subset in measured
            for way in part.values("prompting")
        ],
        lines=asked.arms,
        notes=NOTES["marks"],
        marks=_NUMBERS,
        source=source,
    )


def means(asked: Asked) -> Iterator[Table]:
    """Formats as the paper averages them: by model and over models, by prompting and by task."""
    mean, part = means_of(asked), asked.evidence
    if not mean:
        return

    def columns(metric: str, spread: str) -> list[ColumnOf]:
        over = Value(spread, "Variance", "over formats, squared points", printed=_PRINTED_BIAS)
        whole = Value(metric, "Mean", "", printed=_PRINTED)
        return [*of_formats(asked, metric), whole, over, Items(spread)]

    yield table(
        part,
        columns=columns("est_true", "bias_f"),
        lines=[*asked.arms, *mean],
        parts=[
            Slice("EstTrue", asked.at),
            Slice("FI", asked.at, columns=columns("fi", "fi_variance")),
            *(
                Slice(f"EstTrue, {part.label(level, name)}", {**asked.at, level: name}, lines=mean)
                for level in ("prompting", "subset")
                for name in part.values(level)
            ),
        ],
        notes=NOTES["marks"],
        marks=_NUMBERS,
        **_words("format_bias-{slug}-means", slug=asked.slug, title=asked.title),
    )


# What the tables above show, or hold in words and marks.
_SHOWN = (
    *("bias_f", "bias_f_over_followed", "fi_variance", "fi", "sys_e", "est_true"),
    *("n_formats", "n_formats_followed", "reliable_share"),
    *("fi_as_published", "est_true_as_published", "map_as_published"),
)


def others(evidence: Evidence, categories: list[Asked]) -> Table:
    """What no other table shows, wherever it was measured in a model's plainest arm."""
    metrics = [m for m in PAPER.metrics if m.name not in _SHOWN]
    names, levels = [m.name for m in metrics], ["subset", "format", "prompting"]

    def written(metric: Metric, evidence: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        """A number, or why it has no value; a dash where there is no such number."""
        found = Value(metric.name).estimate(evidence, line, at)
        return Cell(estimate=found, unit=metric.unit) if found.n_items else Cell(MISSING)

    return table(
        evidence,
        columns=[
            *(Words(m.label, partial(written, m), m.meaning, numeric=True) for m in metrics),
            Items("fi"),
        ],
        parts=[
            Slice(
                f"{asked.title}, {arm.marked}",
                asked.at,
                lines=list(places(asked.evidence, names, arm, levels)),
            )
            for asked in categories
            for arm in asked.plainest
        ],
        printed=False,
        **_words("format_bias-others"),
    )

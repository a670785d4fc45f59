"""Format bias's arms: a model under each treatment, and whether treatments help (Section 6)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

import pandas as pd

from askew.papers.format_bias.formulas import bias_f
from askew.papers.format_bias.mitigation import fi_holds, mitigates
from askew.papers.format_bias.paper import BIAS_F, CATEGORIES, PAPER, demonstrated, repeated
from askew.papers.format_bias.printed import TREATED, TREATMENTS, VARIANCES, treated
from askew.papers.format_bias.treatments import Mitigation, has_treatment, mitigations
from askew.report.document import Cell, Column, Estimate, Group, Model, Row, Section, Table
from askew.report.evidence import Evidence
from askew.report.tables import Line, Slice, Value, Words, table
from askew.schema import MISSING, Unit
from askew.untrusted import one_line

PRINTED = Unit("%", 100.0, digits=2)
_CHANGE = Unit("squared points", signed=True)
_SOURCE = (
    "Published rows: Long et al., LLMs Are Biased Towards Output Formats!, Table 18 (ChatGPT, "
    "MMLU, zero-shot), as printed; {what} computed here."
)


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


def mitigation_section(evidence: Evidence) -> Iterator[Section]:
    """The paper's verdict on every treatment that was tried; nothing where none was."""
    treated_here = [m for m in evidence.models if has_treatment(evidence.observations, m.label)]
    if not treated_here:
        return
    tables = [_verdicts(evidence, treated_here)]
    if "wrapping" in categories(evidence):
        tables.append(_by_format(evidence))
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
        source=_SOURCE.format(what="BiasF of EstTrue and the verdicts are"),
    )


def _verdict_row(found: Mitigation, model: Model) -> Row:
    verdict = found.verdict
    estimate = partial(Estimate, n_items=verdict.n_items, reason=verdict.reason)
    biases = [Estimate(math.nan, reason=verdict.reason)] * 3
    for bias in verdict.criteria:
        if bias.metric == "bias_f":
            change = estimate(bias.change, bias.low, bias.high)
            biases = [estimate(bias.before), estimate(bias.after), change]
    failing = [c.format for c in verdict.criteria if c.metric == "fi" and not c.holds]
    if verdict.effective is None:
        outcome = f"can't be said: {one_line(verdict.reason)}"
    else:
        beyond = "" if verdict.settled else ", not beyond chance"
        outcome = f"yes{beyond}" if verdict.effective else "no"
    failed = failing if verdict.criteria else None
    cells = _verdict_cells(verdict.category, biases, failed, outcome, f"{verdict.n_items:,}")
    return Row(one_line(found.after), cells, model.kind)


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
        cells = _verdict_cells("wrapping", biases, failing, "yes" if holds else "no", MISSING)
        yield Row(TREATMENTS[arm][0], cells, "published")


def _by_format(evidence: Evidence) -> Table:
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
            source=_SOURCE.format(what="their variances are"),
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

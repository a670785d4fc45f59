"""Instruction Boundary's tables: the paper's main results with the models under test on top."""

from __future__ import annotations

import math
from collections.abc import Sequence

from askew.papers.instruction_boundary.chapter_words import (
    FAMILY_NAMES,
    RATES,
    Asked,
    across,
    conditions_of,
    estimate,
    families_of,
    subset_name,
    subsets_of,
    worst_of,
)
from askew.papers.instruction_boundary.number_rows import VANILLA
from askew.papers.instruction_boundary.numbers import ALL
from askew.papers.instruction_boundary.printed import Contradiction, main_results
from askew.report.document import Cell, Column, Estimate, Group, Model, Row, Table
from askew.report.evidence import Evidence
from askew.report.generic_chapter import items_cell
from askew.schema import MISSING, POINTS, Unit

OVERVIEW = "instruction_boundary-overview"
SOURCE = "Published rows: Ling et al., Instruction Boundary, {table}, in percent as printed."
PRINTED = Unit("%", digits=2)
_PRINTED_POINTS = Unit("points", digits=2, signed=True)
_SETTINGS_PRINTED = 6
_NONE_LOWER = "none is lower"


def results_id(family: str) -> str:
    """The table of a family's accuracy, rates and RS by setting."""
    return f"instruction_boundary-{family}"


def place(evidence: Evidence, asked: Asked) -> str:
    """What a link to one condition's rows of the results points to."""
    conditions = conditions_of(evidence, asked.family)
    return f"{results_id(asked.family)}-{asked.slug(conditions.index(asked))}"


def overview(evidence: Evidence) -> Table:
    """RS under vanilla, the worst setting, and what it costs."""
    groups = []
    for family in families_of(evidence):
        rows = [_summed_up(evidence, m, family) for m in evidence.models]
        rows += [_published_sum(m, family) for m in main_results().models]
        groups.append(Group(rows, f"{FAMILY_NAMES[family]} questions", f"{OVERVIEW}-{family}"))
    return Table(
        id=OVERVIEW,
        caption="Robustness under vanilla and in the worst setting, with 95% intervals",
        head="Model",
        columns=[
            Column("RS under vanilla", "in percent"),
            Column("Worst setting", "lowest RS", numeric=False),
            Column("RS there", "in percent"),
            Column("Boundary cost", "vanilla minus worst, points"),
            Column("Items", "scored in all settings"),
        ],
        groups=groups,
        source=SOURCE.format(table="Table 3 and the table of RS")
        + f" Their worst setting and its cost are computed here from the {_SETTINGS_PRINTED} "
        "settings printed beside vanilla, and so is RS of choice, which is not printed.",
    )


def _summed_up(evidence: Evidence, model: Model, family: str) -> Row:
    worst = worst_of(evidence, model, family)
    cost = across(evidence, "boundary_cost", model, family)
    cells = [
        Cell(estimate=across(evidence, "rs_vanilla", model, family)),
        Cell(worst[0].name if worst else _NONE_LOWER),
        Cell(estimate=worst[1]) if worst else Cell(MISSING),
        Cell(estimate=cost, unit=POINTS),
    ]
    return Row(model.short, [*cells, items_cell(cost)], model.kind)


def _published_sum(model: str, family: str) -> Row:
    printed = main_results()
    scores = {
        setting: printed.value(family, setting, model, "rs")
        for of, setting, who, metric in printed.values
        if (of, who, metric) == (family, model, "rs")
    }
    others = {s: score for s, score in scores.items() if s != VANILLA}
    worst = min(others, key=lambda s: others[s])
    lower = others[worst] < scores[VANILLA]
    cells = [
        Cell(estimate=Estimate(scores[VANILLA]), unit=PRINTED),
        Cell(Asked(family, worst).name if lower else _NONE_LOWER),
        Cell(estimate=Estimate(others[worst]), unit=PRINTED) if lower else Cell(MISSING),
        Cell(estimate=Estimate(scores[VANILLA] - others[worst]), unit=_PRINTED_POINTS),
        Cell(MISSING),
    ]
    return Row(model, cells, "published")


def results(evidence: Evidence, family: str) -> Table:
    """Accuracy, SR, GR and RS by setting (Table 3)."""
    metrics = ("acc", *RATES[family], "rs")
    notes = _Notes()
    groups = []
    for asked in conditions_of(evidence, family):
        rows = [_measured(evidence, m, asked, metrics) for m in evidence.models]
        if asked.printed:
            rows += [_published(m, asked, metrics, notes) for m in main_results().models]
        groups.append(Group(rows, asked.name, place(evidence, asked)))
    columns = [Column(name, meaning) for name, meaning in RATES[family].values()]
    source = SOURCE.format(table="Table 3")
    if family == "judging":
        source += " RS is from the paper's own table of it."
    else:
        source += " The paper prints no RS for choice: it is computed here."
    return Table(
        id=results_id(family),
        caption=f"{FAMILY_NAMES[family]}: accuracy by setting in percent, with 95% intervals",
        head="Model",
        columns=[
            Column("Accuracy"),
            *columns,
            Column("RS", "harmonic mean of the rates"),
            Column("Items"),
        ],
        groups=groups,
        notes=notes.texts,
        source=source,
    )


def _measured(
    evidence: Evidence, model: Model, asked: Asked, metrics: Sequence[str], subset: str = ALL
) -> Row:
    found = [estimate(evidence, m, model, asked, subset) for m in metrics]
    return Row(model.short, [*(Cell(estimate=e) for e in found), items_cell(found[0])], model.kind)


class _Notes:
    """Notes below a table, marked a, b, c in the order in which cells ask for them."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    def mark(self, contradiction: Contradiction) -> str:
        """The mark of a note on a printed number that contradicts its parts."""
        mark = chr(ord("a") + len(self.texts))
        self.texts[mark] = _note(contradiction)
        return mark


def _note(c: Contradiction) -> str:
    where = f"{Asked(c.family, c.setting).name}, {c.model}"
    parts = "its SR and GR" if c.family == "judging" else "its three rates"
    mean = "harmonic mean" if c.metric == "rs" else "mean"
    if c.explained:
        return (
            f"{where}: as printed. The mean of {parts} is {PRINTED.write(c.by_parts)}; the rates "
            "are shares of 33, 33 and 34 items, of which the print is the accuracy."
        )
    return (
        f"{where}: printed {PRINTED.write(c.printed)}, which is not the {mean} of {parts}; shown "
        f"is what they give, {PRINTED.write(c.by_parts)}."
    )


def _published(model: str, asked: Asked, metrics: Sequence[str], notes: _Notes) -> Row:
    printed = main_results()
    cells = []
    for metric in metrics:
        at = (asked.family, asked.printed, model, metric)
        wrong, value = printed.contradiction(*at), printed.value(*at)
        cells.append(
            Cell(MISSING)
            if math.isnan(value)
            else Cell(
                estimate=Estimate(value), unit=PRINTED, mark=notes.mark(wrong) if wrong else ""
            )
        )
    return Row(model, [*cells, Cell(MISSING)], "published")


def by_subset(evidence: Evidence) -> Table | None:
    """Vanilla's numbers in each data set, where a family has several."""
    groups = []
    for family in families_of(evidence):
        subsets = subsets_of(evidence, family)
        if len(subsets) < 2:
            continue
        metrics = ("acc", "sr", *list(RATES[family])[1:], "rs")
        padding = [Cell(MISSING)] if family == "judging" else []
        for subset in subsets:
            rows = []
            for model in evidence.models:
                row = _measured(evidence, model, Asked(family, VANILLA), metrics, subset)
                cells = [*row.cells[:3], *padding, *row.cells[3:]]
                rows.append(Row(row.head, cells, row.kind))
            groups.append(Group(rows, f"{FAMILY_NAMES[family]}: {subset_name(subset)}"))
    if not groups:
        return None
    return Table(
        id="instruction_boundary-subsets",
        caption="Accuracy under vanilla by data set in percent, with 95% intervals",
        head="Model",
        columns=[
            Column("Accuracy"),
            Column("SR", "tense items"),
            Column("GR", "Unknown, or none"),
            Column("GR several"),
            Column("RS"),
            Column("Items"),
        ],
        groups=groups,
    )

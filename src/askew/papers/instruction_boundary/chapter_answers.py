"""Instruction Boundary's tables of answers: output rates, changes, suggestions, options, judge."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from askew.papers.instruction_boundary.chapter_tables import PRINTED, SOURCE
from askew.papers.instruction_boundary.chapter_words import (
    FAMILY_NAMES,
    LABEL_NAMES,
    Asked,
    across,
    conditions_of,
    estimate,
    families_of,
    labels_of,
    option_counts,
)
from askew.papers.instruction_boundary.number_rows import FORMS, VANILLA
from askew.papers.instruction_boundary.printed import (
    LABELS,
    accuracy_by_options,
    judge_usage,
    output_rates,
)
from askew.report.document import Cell, Column, Estimate, Group, Model, Row, Table
from askew.report.evidence import Evidence
from askew.report.generic_chapter import items_cell
from askew.schema import MISSING, PERCENT, POINTS, Unit

OPTIONS = "instruction_boundary-options"
FOLLOWING = "instruction_boundary-following"
READINGS = "instruction_boundary-readings"
_DISTANCE = Unit("points", 100.0)


def output_id(family: str) -> str:
    """The table of a family's output rates by setting."""
    return f"instruction_boundary-output-{family}"


def changes_id(family: str) -> str:
    """The table of a family's changes against vanilla."""
    return f"instruction_boundary-changes-{family}"


def output(evidence: Evidence, family: str) -> Table:
    """Shares of each label among the answers, and in the truth."""
    labels = labels_of(family)
    corrected: dict[str, str] = {}
    groups = [Group(_truths(evidence, family), "In the truth, under vanilla")]
    for asked in conditions_of(evidence, family):
        rows = [_outputs(evidence, m, asked) for m in evidence.models]
        if family == "judging" and asked.setting == VANILLA:
            rows += _published_output(corrected)
        groups.append(Group(rows, asked.name))
    source = ""
    if family == "judging":
        source = SOURCE.format(table="table of output rates") + (
            " The text at hand does not say under which setting they were taken; they stand "
            "beside vanilla. The heads of its three columns on choice did not survive."
        )
    return Table(
        id=output_id(family),
        caption=f"{FAMILY_NAMES[family]}: shares of answers in percent, with 95% intervals",
        head="Model",
        columns=[
            *(Column(LABEL_NAMES[label][0].upper() + LABEL_NAMES[label][1:]) for label in labels),
            Column("Distance", "from the shares in the truth, points"),
            Column("Items"),
        ],
        groups=groups,
        notes=corrected,
        source=source,
    )


def _truths(evidence: Evidence, family: str) -> list[Row]:
    vanilla = Asked(family, VANILLA)
    rows = []
    for model in evidence.models:
        found = [
            Cell(estimate=estimate(evidence, f"truth_{label}", model, vanilla))
            if label in FORMS[family]
            else Cell(MISSING)
            for label in labels_of(family)
        ]
        n_items = items_cell(estimate(evidence, "acc", model, vanilla))
        rows.append(Row(model.short, [*found, Cell(MISSING), n_items], model.kind))
    return rows


def _outputs(evidence: Evidence, model: Model, asked: Asked) -> Row:
    found = [estimate(evidence, f"or_{label}", model, asked) for label in labels_of(asked.family)]
    distance = estimate(evidence, "or_distance", model, asked)
    cells = [Cell(estimate=e) for e in found]
    return Row(
        model.short,
        [*cells, Cell(estimate=distance, unit=_DISTANCE), items_cell(distance)],
        model.kind,
    )


def _published_output(notes: dict[str, str]) -> Iterator[Row]:
    for rates in output_rates():
        cells = []
        for label in labels_of("judging"):
            column = LABELS.get(label, "")
            mark = "a" if column in rates.corrected else ""
            if mark:
                notes[mark] = (
                    f"{rates.model}: printed {PRINTED.write(rates.corrected[column])}, with which "
                    "its three shares sum to 99.4; shown is what makes them sum to 100."
                )
            share = rates.shares.get(column, math.nan)
            cells.append(
                Cell(MISSING)
                if math.isnan(share)
                else Cell(estimate=Estimate(share), unit=PRINTED, mark=mark)
            )
        yield Row(rates.model, [*cells, Cell(MISSING), Cell(MISSING)], "published")


def changes(evidence: Evidence, family: str) -> Table:
    """What becomes of vanilla's answers: RR, and its two readings."""
    units = {"rr": PERCENT, "acc_change": POINTS, "right_to_wrong": PERCENT}
    units["wrong_to_right"] = PERCENT
    return Table(
        id=changes_id(family),
        caption=f"{FAMILY_NAMES[family]}: against vanilla, on the same items, with 95% intervals",
        head="Setting",
        columns=[
            Column("Answer kept", "RR, in percent"),
            Column("Accuracy change", "points"),
            Column("Right to wrong", "in percent"),
            Column("Wrong to right", "in percent"),
            Column("Items"),
        ],
        groups=_by_model(evidence, family, units),
        source="The paper's formula for RR did not survive, and its text calls it the change of "
        "accuracy: both are shown.",
    )


def _by_model(evidence: Evidence, family: str, units: Mapping[str, Unit]) -> list[Group]:
    """A group a model, a row a setting other than vanilla."""
    groups = []
    for model in evidence.models:
        rows = []
        for asked in conditions_of(evidence, family):
            if asked.setting != VANILLA:
                found = {m: estimate(evidence, m, model, asked) for m in units}
                cells = [Cell(estimate=e, unit=units[m]) for m, e in found.items()]
                first = next(iter(found.values()))
                rows.append(Row(asked.name, [*cells, items_cell(first)], model.kind))
        groups.append(Group(rows, model.marked))
    return groups


def following(evidence: Evidence, asked: Sequence[Asked]) -> Table:
    """How often a suggestion is answered, against vanilla (Appendix G)."""
    metrics = {
        "follow_rate_vanilla": PERCENT,
        "follow_rate": PERCENT,
        "follow_gain": POINTS,
        "moved_rate": PERCENT,
    }
    groups = []
    for condition in asked:
        rows = []
        for model in evidence.models:
            found = [estimate(evidence, m, model, condition) for m in metrics]
            cells = [Cell(estimate=e, unit=u) for e, u in zip(found, metrics.values(), strict=True)]
            rows.append(Row(model.short, [*cells, items_cell(found[1])], model.kind))
        groups.append(Group(rows, f"{FAMILY_NAMES[condition.family]}: {condition.name}"))
    return Table(
        id=FOLLOWING,
        caption="Answers equal to the suggestion, with 95% intervals",
        head="Model",
        columns=[
            Column("Under vanilla", "in percent"),
            Column("When suggested", "in percent"),
            Column("Gain", "points; below 0 is anti-conformity"),
            Column("Moved", "of other vanilla answers, in percent"),
            Column("Items"),
        ],
        groups=groups,
    )


def options(evidence: Evidence) -> Table:
    """Accuracy by number of wrong options (the paper's table of choice numbers)."""
    counts = option_counts(evidence)
    rows = []
    for model in evidence.models:
        found = [estimate(evidence, "acc", model, asked) for asked in counts]
        cells = [Cell(estimate=e) for e in found]
        rows.append(Row(model.short, [*cells, _items_of(found)], model.kind))
    for name, printed in accuracy_by_options().items():
        shown = [printed.get(int(asked.variant), math.nan) for asked in counts]
        cells = [
            Cell(MISSING) if math.isnan(v) else Cell(estimate=Estimate(v), unit=PRINTED)
            for v in shown
        ]
        rows.append(Row(name, [*cells, Cell(MISSING)], "published"))
    return Table(
        id=OPTIONS,
        caption="Accuracy by number of wrong options in percent, with 95% intervals",
        head="Model",
        columns=[*(Column(a.variant, "wrong") for a in counts), Column("Items")],
        groups=[Group(rows)],
        source=SOURCE.format(table="table of accuracy by choice numbers"),
    )


def _items_of(found: Sequence[Estimate]) -> Cell:
    """One number where all columns rest on as many items, otherwise one each."""
    each = [items_cell(e).text for e in found]
    return Cell(each[0] if len(set(each)) == 1 else ", ".join(each))


def readings(evidence: Evidence) -> Table:
    """Who read the replies, and how many hedge or give no answer."""
    groups = [
        Group([row for f in families_of(evidence) for row in _read(evidence, m, f)], m.marked)
        for m in evidence.models
    ]
    return Table(
        id=READINGS,
        caption="How replies were read, in percent, with 95% intervals",
        head="Setting",
        columns=[
            Column("Read by the judge"),
            Column("Hedges", "of answers"),
            Column("No answer"),
            Column("Items"),
        ],
        groups=groups,
        source="Settings in which rules read every reply, and none hedged or lacked an answer, "
        "are left out.",
    )


def _read(evidence: Evidence, model: Model, family: str) -> Iterator[Row]:
    """All settings in one row, then those in which something was not plain."""
    whole = across(evidence, "judge_rate", model, family)
    cells = [Cell(estimate=whole), Cell(MISSING), Cell(MISSING), items_cell(whole)]
    yield Row(f"{FAMILY_NAMES[family]}, all settings", cells, model.kind)
    counts = option_counts(evidence) if family == "choice" else []
    for asked in [*conditions_of(evidence, family), *counts]:
        found = [
            estimate(evidence, m, model, asked) for m in ("judge_rate", "hedge_rate", "no_answer")
        ]
        if any(e.value > 0 for e in found):
            head = f"{FAMILY_NAMES[family]}, {asked.name}"
            yield Row(head, [*(Cell(estimate=e) for e in found), items_cell(found[0])], model.kind)


def published_judge() -> Table:
    """How often the paper's judge was asked."""
    rows = [
        Row(model, [Cell(estimate=Estimate(v), unit=PRINTED) for v in shares], "published")
        for model, shares in judge_usage().items()
    ]
    return Table(
        id="instruction_boundary-judge-published",
        caption="The paper: replies read by its judge, in percent",
        head="Model",
        columns=[Column(f"s{n}") for n in range(1, 8)],
        groups=[Group(rows)],
        source=SOURCE.format(table="Table 7")
        + " Its seven settings lost their names in the text at hand.",
    )

"""KnowNo's tables: Table 3, Table 4, the patterns of Figure 4, the ranks of Appendix A.4."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from askew.papers.knowno.chapter_words import (
    PATTERN_WORDS,
    RIGHT_PATTERNS,
    levels_of,
    subset_name,
    subset_slug,
)
from askew.papers.knowno.paper import ABLATION, PATTERNS, WITH_GOLD, WITHOUT_GOLD
from askew.papers.knowno.printed import HUMAN, Correction, knowno_table3, knowno_table4
from askew.report.document import Cell, Column, Estimate, Group, Model, Row, Table
from askew.report.evidence import Evidence
from askew.report.generic_chapter import items_cell
from askew.schema import MISSING, PERCENT, POINTS, Unit

TABLE3 = "knowno-table3"
_SOURCE = (
    "Published rows: Xu et al., Know-No, {table}, in percent as printed; GPT-4 is "
    "gpt-4o-2024-05-13, Claude3 is claude-3-opus-20240229, Llama3 is 8B. They answered the "
    "paper's own questions, three shuffles each."
)
_PRINTED = Unit("%", digits=2)
_PRINTED_POINTS = Unit("points", digits=2, signed=True)
_METRICS = (WITH_GOLD, *WITHOUT_GOLD, "e_wo_gold", "omni_accuracy", "gap")


def table3(evidence: Evidence) -> Table:
    """Accuracy by way of asking, the models under test above the paper's (its Table 3)."""
    reference, corrections = knowno_table3()
    groups = []
    for level in levels_of(evidence):
        rows = [_measured(evidence, model, level) for model in evidence.models]
        printed = reference[reference["subset"] == level]
        rows += [_published(row, corrections) for row in printed.to_dict("records")]
        groups.append(Group(rows, subset_name(level), place_in_table3(evidence, level)))
    return Table(
        id=TABLE3,
        caption="Accuracy in percent, by way of asking, with 95% intervals",
        head="Model",
        columns=[
            Column("Right option offered", "with_gold"),
            Column("None as an option", "gone: hint_as_option"),
            Column("None in the instruction", "gone: hint_in_instruction"),
            Column("No hint", "gone: no_hint"),
            Column("Mean without", "of the three"),
            Column("OmniAccuracy", "mean of with and without"),
            Column("Gap", "with minus without, points"),
            Column("Items", "asked every way"),
        ],
        groups=groups,
        notes={_mark(i): _correction_note(c) for i, c in enumerate(corrections)},
        source=_SOURCE.format(table="Table 3") + " Their gap is computed here.",
    )


def place_in_table3(evidence: Evidence, level: str) -> str:
    """What a link to one subset's rows points to."""
    return f"{TABLE3}-{subset_slug(evidence, level)}"


def _measured(evidence: Evidence, model: Model, level: str) -> Row:
    cells = []
    for metric in _METRICS:
        unit = POINTS if metric == "gap" else PERCENT
        cells.append(Cell(estimate=evidence.estimate(metric, model, level), unit=unit))
    return Row(
        model.short, [*cells, items_cell(evidence.estimate(WITH_GOLD, model, level))], model.kind
    )


def _published(row: dict[object, object], corrections: Sequence[Correction]) -> Row:
    marks = {
        c.metric: _mark(i)
        for i, c in enumerate(corrections)
        if (c.subset, c.model) == (row["subset"], row["model"])
    }
    cells = [
        Cell(
            estimate=Estimate(float(str(row[m]))),
            unit=_PRINTED_POINTS if m == "gap" else _PRINTED,
            mark=marks.get(m, ""),
        )
        for m in _METRICS
    ]
    return Row(str(row["model"]), [*cells, Cell(MISSING)], "published")


def _mark(index: int) -> str:
    return "abcdefgh"[index % 8]


def _correction_note(correction: Correction) -> str:
    subset = subset_name(correction.subset)
    return (
        f"{subset}, {correction.model}: printed {correction.printed:g}, which contradicts the "
        f"mean of its own three parts; shown is what the definition gives, "
        f"{_PRINTED.write(correction.by_definition)}."
    )


def patterns(evidence: Evidence) -> Table:
    """The shares of Figure 4 with their intervals."""
    groups = []
    for level in levels_of(evidence):
        rows = []
        for model in evidence.models:
            shares = [evidence.estimate(f"pattern_{p}", model, level) for p in PATTERNS]
            cells = [Cell(estimate=s) for s in shares]
            rows.append(Row(model.short, [*cells, items_cell(shares[0])], model.kind))
        groups.append(Group(rows, subset_name(level)))
    columns = [
        Column(words[0].upper() + words[1:], "right" if pattern in RIGHT_PATTERNS else "wrong")
        for pattern, words in PATTERN_WORDS.items()
    ]
    return Table(
        id="knowno-patterns-table",
        caption="Replies under no hint by pattern, in percent, with 95% intervals",
        head="Model",
        columns=[*columns, Column("Items")],
        groups=groups,
    )


def letters(evidence: Evidence) -> Table | None:
    """The letter that a new answer came with (the paper's question 3), as counts."""
    free = evidence.observations[evidence.observations["hint"] == "no_hint"]
    if "letter_kind" not in free or "pattern" not in free:
        return None
    new = free[free["pattern"].isin(["new_gold", "new_wrong"])]
    if not len(new):
        return None
    rows = []
    for model in evidence.models:
        kinds = new[new["model"] == model.label]["letter_kind"].value_counts()
        counts = [int(kinds.get(k, 0)) for k in ("next", "offered", "none")]
        cells = [Cell(str(c)) for c in (*counts, sum(counts))]
        rows.append(Row(model.short, cells, model.kind))
    return Table(
        id="knowno-letters",
        caption="The letter that a new answer came with under no hint (counts of replies)",
        head="Model",
        columns=[
            Column("The next free letter"),
            Column("An offered letter"),
            Column("No letter"),
            Column("New answers"),
        ],
        groups=[Group(rows)],
        source="The paper reports this in words only: GPT-4 took the next letter, D, and the "
        "other models mostly an offered one.",
    )


def delimiter_leak(evidence: Evidence) -> Table | None:
    """The delimiter probe (question 4), where the labels were rewritten."""
    asked = evidence.observations[evidence.observations["subset"] == "bank77"]
    rewritten = [
        m
        for m in evidence.models
        if "gold" in asked and _without_underscores(asked[asked["model"] == m.label]["gold"])
    ]
    if not rewritten:
        return None
    leaks = {m: evidence.estimate("delimiter_leak", m, "bank77") for m in rewritten}
    rows = [Row(m.short, [Cell(estimate=e), items_cell(e)], m.kind) for m, e in leaks.items()]
    return Table(
        id="knowno-delimiter",
        caption="Answers with underscores although none was shown (BANK-77, no hint), in percent",
        head="Model",
        columns=[Column("Underscores came back"), Column("Items")],
        groups=[Group(rows)],
        source="A model that writes them has probably met the data set before. In the paper "
        "(question 4) only Llama3 did.",
    )


def _without_underscores(gold: pd.Series) -> bool:
    texts = gold.dropna().astype(str)
    return bool(len(texts)) and not texts.str.contains("_", regex=False).any()


def table4(evidence: Evidence) -> Table | None:
    """The ablation: one wrong option replaced by none-of-them (Table 4)."""
    if not (evidence.observations["hint"] == ABLATION).any():
        return None
    reference = knowno_table4()
    groups = []
    for level in levels_of(evidence):
        changes = {m: evidence.estimate("ablation_change", m, level) for m in evidence.models}
        rows = [
            Row(m.short, [Cell(estimate=e, unit=POINTS), items_cell(e)], m.kind)
            for m, e in changes.items()
        ]
        printed = reference[reference["subset"] == level]
        rows += [
            Row(
                str(r["model"]),
                [
                    Cell(estimate=Estimate(float(r["ablation_change"])), unit=_PRINTED_POINTS),
                    Cell(MISSING),
                ],
                "published",
            )
            for r in printed.to_dict("records")
        ]
        groups.append(Group(rows, subset_name(level)))
    return Table(
        id="knowno-table4",
        caption="Change of accuracy when none-of-them replaces a wrong option, in points",
        head="Model",
        columns=[Column("Change", "paired on the same items"), Column("Items")],
        groups=groups,
        source=_SOURCE.format(table="Table 4")
        + " Theirs compares 250 items with the full set; ours is paired on the same items.",
    )


def ranks(evidence: Evidence) -> Table:
    """The models under test, ranked with the right option and without it."""
    groups = []
    for level in levels_of(evidence):
        estimates = {
            m: [evidence.estimate(metric, m, level) for metric in (WITH_GOLD, "e_wo_gold")]
            for m in evidence.models
        }
        placed = [_places([e[i].value for e in estimates.values()]) for i in (0, 1)]
        rows = [
            Row(
                m.short,
                [
                    Cell(placed[0][i]),
                    Cell(estimate=offered),
                    Cell(placed[1][i]),
                    Cell(estimate=without),
                    items_cell(without),
                ],
                m.kind,
            )
            for i, (m, (offered, without)) in enumerate(estimates.items())
        ]
        groups.append(Group(rows, subset_name(level)))
    return Table(
        id="knowno-ranks-table",
        caption="Ranks with the right option and without it",
        head="Model",
        columns=[*_RANK_COLUMNS, Column("Items")],
        groups=groups,
    )


def published_ranks() -> Table:
    """The paper's models, ranked the same way."""
    reference, _ = knowno_table3()
    models = reference[reference["model"] != HUMAN]
    groups = []
    for subset, rows in models.groupby("subset", sort=False):
        offered, without = rows[WITH_GOLD].tolist(), rows["e_wo_gold"].tolist()
        places = zip(
            rows["model"], _places(offered), offered, _places(without), without, strict=True
        )
        groups.append(
            Group(
                [
                    Row(
                        str(name),
                        [
                            Cell(first),
                            Cell(_PRINTED.write(a)),
                            Cell(second),
                            Cell(_PRINTED.write(b)),
                        ],
                        "published",
                    )
                    for name, first, a, second, b in places
                ],
                subset_name(str(subset)),
            )
        )
    return Table(
        id="knowno-ranks-published",
        caption="The paper's models, ranked the same way",
        head="Model",
        columns=_RANK_COLUMNS,
        groups=groups,
        source=_SOURCE.format(table="Table 3") + " The ranks are computed here.",
    )


_RANK_COLUMNS = (
    Column("Rank with"),
    Column("Accuracy with", "right option offered"),
    Column("Rank without"),
    Column("Accuracy without", "mean over three hints"),
)


def _places(values: Sequence[float]) -> list[str]:
    """Ranks from the highest down; ties share a place, and what has no value has none."""
    places = []
    for value in values:
        better, ties = sum(v > value for v in values), values.count(value)
        place = f"{1 + better}{'=' if ties > 1 else ''}"
        places.append(MISSING if math.isnan(value) else place)
    return places

"""MathComp in tables: DirErr by framing, by identity and by category."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

from askew.papers.mathcomp import printed
from askew.papers.mathcomp.chapter_pulls import ODD_MARK, ODD_NOTE
from askew.papers.mathcomp.chapter_words import (
    DIRECTIONS,
    PERSON,
    POSITION_WORDS,
    STANDARD,
    STYLED,
    Asked,
    asked,
    asked_about_others,
    categories_of,
    category_name,
    estimate,
    identities_of,
    identity_name,
    main_identity,
    output_name,
    output_slug,
    outputs_of,
    people_of,
    pooled_columns,
    sentence_case,
)
from askew.report.document import Cell, Column, Estimate, Group, Row, Table
from askew.report.evidence import Evidence
from askew.report.generic_chapter import items_cell
from askew.schema import MISSING, POINTS, Unit

_PRINTED = Unit("%", 100.0, digits=2)
_SIZE = Unit("points", 100.0)
_SOURCE = (
    "Published rows: More or Less Wrong, {table}, in percent as printed; one word, on the paper's "
    "own 300 scenarios, its own names for the standard people."
)
_TABLE_NAMES = {
    "more": "Tables 1 and 11",
    "less": "Tables 9 and 12",
    "equal": "Tables 10 and 13",
}


def by_framing_id(evidence: Evidence, output: str) -> str:
    """The table that holds an output's heat-maps as numbers."""
    return f"mathcomp-framings-{output_slug(evidence, output)}"


def by_framing(evidence: Evidence, output: str) -> Table:
    """DirErr in every framing: the numbers of one output's heat-maps."""
    identity = main_identity(evidence)
    shown = output == printed.OUTPUT and identity == STANDARD
    groups = []
    for toward, position in product(DIRECTIONS, POSITION_WORDS):
        rows = []
        for who in asked(evidence, output, identity):
            found = [
                estimate(evidence, f"dir_err_{toward}", who.model, output=output,
                         identity=identity, style=style, term=term, position=position)
                for style, term in STYLED
            ]  # fmt: skip
            most = max(found, key=lambda e: e.n_items)
            cells = [*(Cell(estimate=e) for e in found), items_cell(most)]
            rows.append(Row(who.model.short, cells, who.kind))
        if shown:
            rows += [_published_row(m, toward, position) for m in printed.MODELS.values()]
        title = f"Wrongly {toward}, {POSITION_WORDS[position]}"
        groups.append(Group(rows, title, _framing_place(evidence, output, toward, position)))
    return Table(
        id=by_framing_id(evidence, output),
        caption=f"DirErr by framing, {output_name(output)}, in percent, with 95% intervals",
        head="Model",
        columns=[
            *(Column(sentence_case(words)) for words in STYLED.values()),
            Column("Items", "chances to err this way"),
        ],
        groups=groups,
        notes={ODD_MARK: ODD_NOTE} if shown else {},
        source=_SOURCE.format(table="Tables 1 and 9 to 13") if shown else "",
    )


def _framing_place(evidence: Evidence, output: str, toward: str, position: str) -> str:
    return f"{by_framing_id(evidence, output)}-{toward}-{position}"


def place_of_error(
    evidence: Evidence, output: str, identity: str, toward: str, position: str
) -> str:
    """What a link to one directional error points to."""
    if identity == main_identity(evidence):
        return _framing_place(evidence, output, toward, position)
    return by_identity_id(toward)


def _published_row(model: str, toward: str, position: str) -> Row:
    cells = [
        published_cell(model, toward, style, term, position, STANDARD) for style, term in STYLED
    ]
    return Row(model, [*cells, Cell(MISSING)], "published")


def published_cell(
    model: str, toward: str, style: str, term: str, position: str, identity: str
) -> Cell:
    """A printed cell, or a dash where the paper has none."""
    cell = printed.Cell(model, toward, style, term, position, identity)
    value = printed.published().get(cell)
    if value is None:
        return Cell(MISSING)
    mark = ODD_MARK if cell == printed.ODD else ""
    return Cell(estimate=Estimate(value), unit=_PRINTED, mark=mark)


def by_identity_id(toward: str) -> str:
    """The table that holds one direction's errors by identity."""
    return f"mathcomp-identity-{toward}"


def by_identity(evidence: Evidence, toward: str) -> Table:
    """One direction's errors, framings by identities, laid out like Table 1."""
    identities = identities_of(evidence)
    groups = [
        Group(_identity_rows(evidence, who, toward, identities), who.marked)
        for who in asked_about_others(evidence)
    ]
    shown = printed.OUTPUT in outputs_of(evidence)
    if shown:
        groups += [
            Group(_published_identity_rows(model, toward, identities), f"{model} (published)")
            for model in printed.MODELS.values()
        ]
    odd = shown and toward == printed.ODD.toward and STANDARD in identities
    return Table(
        id=by_identity_id(toward),
        caption=f"DirErr towards {toward} by identity, in percent, with 95% intervals",
        head="Framing",
        columns=[
            *(Column(sentence_case(identity_name(i)), people_of(i)) for i in identities),
            Column("Items", "chances to err this way"),
        ],
        groups=groups,
        notes={ODD_MARK: ODD_NOTE} if odd else {},
        source=_SOURCE.format(table=_TABLE_NAMES[toward]) if shown else "",
    )


def _identity_rows(
    evidence: Evidence, who: Asked, toward: str, identities: Sequence[str]
) -> list[Row]:
    rows = []
    for (style, term), position in product(STYLED, POSITION_WORDS):
        found = [
            estimate(evidence, f"dir_err_{toward}", who.model, output=who.output, identity=i,
                     style=style, term=term, position=position)
            for i in identities
        ]  # fmt: skip
        most = max(found, key=lambda e: e.n_items)
        cells = [*(Cell(estimate=e) for e in found), items_cell(most)]
        rows.append(Row(_framing_words(style, term, position), cells, who.kind))
    return rows


def _published_identity_rows(model: str, toward: str, identities: Sequence[str]) -> list[Row]:
    return [
        Row(
            _framing_words(style, term, position),
            [
                *(published_cell(model, toward, style, term, position, i) for i in identities),
                Cell(MISSING),
            ],
            "published",
        )
        for (style, term), position in product(STYLED, POSITION_WORDS)
    ]


def _framing_words(style: str, term: str, position: str) -> str:
    return f"{sentence_case(STYLED[style, term])}, {POSITION_WORDS[position]}"


def shifts(evidence: Evidence) -> Table:
    """How much more often each answer is wrongly given for an identity than for a person."""
    others = [i for i in identities_of(evidence) if i not in (STANDARD, PERSON)]
    groups = []
    for toward in DIRECTIONS:
        rows = []
        for who in asked_about_others(evidence):
            gap = estimate(evidence, f"identity_gap_{toward}", who.model, output=who.output)
            found = [
                estimate(evidence, f"identity_shift_{toward}", who.model, output=who.output,
                         identity=i)
                for i in others
            ]  # fmt: skip
            cells = [Cell(estimate=gap, unit=_SIZE)]
            cells += [Cell(estimate=e, unit=POINTS) for e in found]
            rows.append(Row(who.name, [*cells, items_cell(gap)], who.kind))
        groups.append(Group(rows, f"Towards {toward}"))
    return Table(
        id="mathcomp-identity-shifts",
        caption="DirErr for an identity minus DirErr for a person, in points, with 95% intervals",
        head="Model",
        columns=[
            Column("Identity gap", "the largest shift, in size"),
            *(Column(sentence_case(identity_name(i))) for i in others),
            Column("Items", "asked about everyone"),
        ],
        groups=groups,
    )


def by_category_id(evidence: Evidence, output: str) -> str:
    """The table that holds an output's errors by category."""
    return f"mathcomp-categories-{output_slug(evidence, output)}"


def by_category(evidence: Evidence, output: str) -> Table:
    """DirErr by category and identity, over all framings of a position."""
    several = len(identities_of(evidence)) > 1
    groups = []
    for who, identity in product(asked(evidence, output), identities_of(evidence)):
        if who not in asked(evidence, output, identity):
            continue
        rows = []
        for category in categories_of(evidence):
            at = {"subset": category, "output": output, "identity": identity}
            found = [
                estimate(evidence, f"dir_err_{toward}", who.model, **at, position=position)
                for toward, position in pooled_columns()
            ]
            accuracy = estimate(evidence, "accuracy", who.model, **at)
            cells = [*(Cell(estimate=e) for e in found), Cell(estimate=accuracy)]
            rows.append(Row(category_name(category), [*cells, items_cell(accuracy)], who.kind))
        about = f", {people_of(identity)}" if several else ""
        groups.append(Group(rows, f"{who.model.marked}{about}"))
    return Table(
        id=by_category_id(evidence, output),
        caption=f"DirErr by category, {output_name(output)}, in percent, with 95% intervals",
        head="Category",
        columns=[
            *(Column(f"Wrongly {words}") for words in pooled_columns().values()),
            Column("Accuracy", "all framings"),
            Column("Items"),
        ],
        groups=groups,
        source="A column pools the seven questions, with the framing first or last.",
    )

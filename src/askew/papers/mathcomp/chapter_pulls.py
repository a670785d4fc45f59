"""MathComp in tables: how far a word drags answers to itself, and what reasoning saves."""

from __future__ import annotations

import math

from askew.papers.mathcomp import printed
from askew.papers.mathcomp.chapter_words import (
    ALL,
    POSITION_WORDS,
    Asked,
    asked,
    estimate,
    identities_of,
    identity_name,
    output_name,
    output_slug,
    outputs_of,
    sentence_case,
)
from askew.papers.mathcomp.numbers_framing import STYLES
from askew.report.document import Cell, Column, Estimate, Group, Row, Table
from askew.report.evidence import Evidence
from askew.report.generic_chapter import items_cell
from askew.schema import MISSING, POINTS, Unit

PULL_TABLE = "mathcomp-pull"
TERMS = printed.TERMS
_PRINTED_POINTS = Unit("points", 100.0, digits=2, signed=True)
_PULL_SOURCE = (
    "Published rows: More or Less Wrong, in points; computed here from the standard cells of "
    "Tables 1 and 9 to 13, each weighing the same."
)
ODD_MARK = "a"
ODD_NOTE = (
    "Printed 15.13 (Table 10, indirect equal, framing last), which is no count out of 206 "
    "scenarios; the other identities of its row stand between 86 and 94."
)


def pull(evidence: Evidence) -> Table:
    """framing_pull with its three terms, and in parts by style and position."""
    groups = []
    outputs = outputs_of(evidence)
    if len(outputs) > 1:
        rows = [
            _pull_row(evidence, Asked(m, ALL, False), {})
            for m in evidence.models
            if m.label in set(evidence.observations["model"])
        ]
        groups.append(Group(rows, "All outputs together"))
    for output in outputs:
        rows = [_pull_row(evidence, a, {"output": output}) for a in asked(evidence, output)]
        if output == printed.OUTPUT:
            rows += [_published_pull(name) for name in printed.MODELS.values()]
        groups.append(Group(rows, sentence_case(output_name(output)), pull_place(evidence, output)))
    return Table(
        id=PULL_TABLE,
        caption="Framing pull in points, with 95% intervals",
        head="Model",
        columns=[
            Column("Framing pull", "mean of the three terms"),
            *(Column(f"Pull of {t}", f"framed with {t}, minus neutral") for t in TERMS),
            Column("Accuracy", "percent, all framings"),
            Column("Items", "scored in every framing"),
        ],
        groups=groups,
        notes={ODD_MARK: ODD_NOTE} if printed.OUTPUT in outputs else {},
        source=_PULL_SOURCE if printed.OUTPUT in outputs else "",
    )


def pull_place(evidence: Evidence, output: str) -> str:
    """What a link to one output's rows points to."""
    return f"{PULL_TABLE}-{output_slug(evidence, output)}"


def _pull_row(evidence: Evidence, who: Asked, at: dict[str, str]) -> Row:
    names = ("framing_pull", *(f"framing_pull_{t}" for t in TERMS))
    found = [estimate(evidence, name, who.model, **at) for name in names]
    accuracy = estimate(evidence, "accuracy", who.model, **at)
    cells = [*(Cell(estimate=e, unit=POINTS) for e in found), Cell(estimate=accuracy)]
    return Row(who.model.short, [*cells, items_cell(found[0])], who.kind)


def _published_pull(name: str) -> Row:
    terms = {t: printed.published_pull(name, t) for t in TERMS}
    whole = math.fsum(terms.values()) / len(TERMS)
    odd = name == printed.ODD.model
    cells = [Cell(estimate=Estimate(whole), unit=_PRINTED_POINTS, mark=ODD_MARK if odd else "")]
    for term, value in terms.items():
        mark = ODD_MARK if odd and term == printed.ODD.toward else ""
        cells.append(Cell(estimate=Estimate(value), unit=_PRINTED_POINTS, mark=mark))
    return Row(name, [*cells, Cell(MISSING), Cell(MISSING)], "published")


def pull_in_parts(evidence: Evidence) -> Table:
    """framing_pull by identity, each by style and by position."""
    scopes: list[dict[str, str]] = [{}, *({"style": s} for s in STYLES)]
    scopes += [{"position": p} for p in POSITION_WORDS]
    groups = []
    for identity in identities_of(evidence):
        rows = []
        for who in asked(evidence, identity=identity):
            at = {"output": who.output, "identity": identity}
            found = [
                estimate(evidence, "framing_pull", who.model, **at, **scope) for scope in scopes
            ]
            cells = [Cell(estimate=e, unit=POINTS) for e in found]
            rows.append(Row(who.name, [*cells, items_cell(found[0])], who.kind))
        groups.append(Group(rows, sentence_case(identity_name(identity))))
    return Table(
        id="mathcomp-pull-parts",
        caption="Framing pull by style and position, in points, with 95% intervals",
        head="Model",
        columns=[
            Column("All framings"),
            Column("Direct", "asks with the word"),
            Column("Indirect", "asserts something first"),
            *(Column(sentence_case(words)) for words in POSITION_WORDS.values()),
            Column("Items"),
        ],
        groups=groups,
    )


def relief(evidence: Evidence) -> Table:
    """What reasoning takes off the pull, on the same items."""
    rows = []
    for model in evidence.models:
        taken = estimate(evidence, "cot_relief", model)
        one, other = (
            estimate(evidence, "framing_pull", model, output=o) for o in ("one_word", "cot")
        )
        cells = [Cell(estimate=e, unit=POINTS) for e in (taken, one, other)]
        rows.append(Row(model.short, [*cells, items_cell(taken)], model.kind))
    return Table(
        id="mathcomp-relief",
        caption="What free-form reasoning takes off the pull, in points, with 95% intervals",
        head="Model",
        columns=[
            Column("Relief", "one word minus reasoning, same items"),
            Column("Pull, one word"),
            Column("Pull, reasoning"),
            Column("Items", "scored under both"),
        ],
        groups=[Group(rows)],
    )

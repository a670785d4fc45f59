"""MathComp's replies in each reading, and who read them: its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

import pandas as pd

from askew.papers.mathcomp.chapter_tables import PULLS, asked
from askew.papers.mathcomp.contrasts import LEVELS
from askew.papers.mathcomp.numbers import ANSWERS, ReadAs, mathcomp
from askew.papers.mathcomp.paper import (
    DIRECTIONS,
)
from askew.report.document import Cell, Table
from askew.report.evidence import OVERALL, Evidence
from askew.report.tables import Items, Line, Slice, Value, Words, table

# What a row counts as the answer, and whether replies without one leave the denominators.
_READINGS: Mapping[str, tuple[ReadAs, bool]] = {
    "as understood": ("answer", False),
    "strict: the option word": ("strict", False),
    "lenient: own reasoning too": ("lenient", False),
    "as understood, unread left out": ("answer", True),
}


def readings(evidence: Evidence) -> Table:
    """The main numbers in each reading of the same replies."""
    shown = {
        words: how for words, how in _READINGS.items() if ANSWERS[how[0]] in evidence.observations
    }
    rows = [
        _in_reading(evidence, output, *how).assign(reading=words)
        for output, (words, how) in product(evidence.values("output"), shown.items())
    ]
    return table(
        replace(evidence, rows=pd.concat(rows, ignore_index=True)),
        "mathcomp-readings",
        "The same replies in strict and lenient reading, with 95% intervals",
        [
            Value("accuracy", meaning="percent"),
            *(Value(metric, meaning="points") for metric in PULLS),
            *(Value(f"dir_err_{y}", meaning="percent, all framings") for y in DIRECTIONS),
            Items("framing_pull", "scored in every framing"),
        ],
        [
            Slice(
                who.marked,
                who.at,
                lines=[Line(words, who.model, who.kind, {"reading": words}) for words in shown],
            )
            for who in asked(evidence)
        ],
        printed=False,
        head="Reading",
        source="A judge's verdict is all three readings at once.",
    )


def _in_reading(
    evidence: Evidence, output: str, reading: ReadAs, parsed_only: bool
) -> pd.DataFrame:
    own = evidence.observations[evidence.observations["output"] == output]
    found = mathcomp(
        own, interval=evidence.interval, parsed_only=parsed_only, reading=reading, cuts=((),)
    )
    pooled = found[(found[list(LEVELS)] == OVERALL).all(axis=1)]
    return pooled.assign(output=output)


def outcomes(evidence: Evidence) -> Table:
    """How many replies were read, by whom, and what was found in them."""

    found = evidence.observations
    if "decided_by" not in found:
        found = found.assign(decided_by="rules")

    def count(marked: str, value: object, _: Evidence, line: Line, at: Mapping[str, str]) -> Cell:
        own = found[(found["model"] == line.model) & (found["output"] == at["output"])]
        return Cell(f"{int((own[marked] == value).sum()) if marked else len(own):,}")

    columns: Sequence[tuple[str, str, tuple[str, object]]] = (
        ("Scored", "", ("", None)),
        ("By rules", "", ("decided_by", "rules")),
        ("By a judge", "", ("decided_by", "judge")),
        ("In the frame's words", "strict and lenient reading differ", ("frames_words", 1)),
        ("Yes or No alone", "names no option", ("yes_no", 1)),
        ("No answer", "errs in no direction", ("answered", 0)),
    )
    return table(
        evidence,
        "mathcomp-outcomes",
        "How replies were read (counts of scored replies)",
        [
            Words(label, partial(count, *counted), said, numeric=True)
            for label, said, counted in columns
        ],
        lines=asked(evidence),
        printed=False,
    )


def shares(evidence: Evidence) -> Table:
    """The numbers that no other table shows: what readings and readers come to, as rates."""
    return table(
        evidence,
        "mathcomp-shares",
        "Other numbers, in percent of the scored replies, with 95% intervals",
        [
            *(Value(metric) for metric in ("accuracy_strict", "accuracy_lenient")),
            *(Value(metric) for metric in ("frames_words_rate", "yes_no_rate")),
            *(Value(metric) for metric in ("unparsed_rate", "judged_rate")),
            Items("unparsed_rate"),
        ],
        lines=asked(evidence),
        printed=False,
    )

"""What MathComp's chapter.yaml can't say: framings in words, and other readings of the replies."""

from collections.abc import Mapping
from dataclasses import replace
from itertools import product

import pandas as pd

from askew.papers.mathcomp.framings import STYLED
from askew.papers.mathcomp.numbers import ANSWERS, LEVELS, ReadAs, mathcomp
from askew.papers.mathcomp.paper import IDENTITIES, STANDARD
from askew.report.evidence import OVERALL, Evidence

# What a row counts as the answer, and whether replies without one leave the denominators.
_READINGS: Mapping[str, tuple[ReadAs, bool]] = {
    "as understood": ("answer", False),
    "strict: the option word": ("strict", False),
    "lenient: own reasoning too": ("lenient", False),
    "as understood, unread left out": ("answer", True),
}


def extend_evidence(evidence: Evidence) -> Evidence:
    """The evidence with its numbers in each reading of the replies, as a level of its own."""
    tables = [evidence.rows.assign(reading=OVERALL)]
    shown = {
        words: how for words, how in _READINGS.items() if ANSWERS[how[0]] in evidence.observations
    }
    for output, (words, (reading, parsed)) in product(evidence.values("output"), shown.items()):
        own = evidence.observations[evidence.observations["output"] == output]
        found = mathcomp(
            own, interval=evidence.interval, parsed_only=parsed, reading=reading, cuts=((),)
        )
        whole = found[(found[[*LEVELS]] == OVERALL).all(axis=1)]
        tables.append(whole.assign(output=output, reading=words))
    return replace(evidence, rows=pd.concat(tables, ignore_index=True))


def label(evidence: Evidence, at: Mapping[str, str]) -> str:
    """Values of levels in words: style and term make one framing, an identity is two people."""
    told = []
    if {"style", "term"} <= set(at):
        told.append(STYLED[at["style"], at["term"]])
    for level, value in at.items():
        if level == "identity" and value != OVERALL:
            told.append(people_of(evidence, value))
        elif level not in ("style", "term"):
            told.append(evidence.label(level, value))
    return ", ".join(told)


def people_of(evidence: Evidence, identity: str) -> str:
    """The two people of an identity."""
    declared, rows = IDENTITIES.get(identity), evidence.observations
    if identity == STANDARD and {"person_a", "person_b"} <= set(rows):
        people = rows.loc[rows["identity"] == identity, ["person_a", "person_b"]].drop_duplicates()
        named = [f"{a} and {b}" for a, b in sorted(people.itertuples(index=False, name=None))]
        if named:
            return ", or ".join(named)
    return declared.together if declared else evidence.label("identity", identity)

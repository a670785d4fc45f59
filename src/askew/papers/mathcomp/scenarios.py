"""One MathComp item: two people, two amounts, which is larger, and what can be wrong with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from askew.papers.mathcomp.arithmetic import EquationError, evaluate
from askew.papers.mathcomp.paper import Label
from askew.papers.mathcomp.phrases import Phrase
from askew.papers.mathcomp.sentence_numbers import numbers_in
from askew.schema import Finding

_FRAMING_WORD = re.compile(r"\b(more|less|equal|equally)\b", re.IGNORECASE)
_GENDERED = re.compile(r"\b(he|she|him|her|his|hers)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Scenario:
    """Two sentences to compare; `label` says what the second total is against the first.

    `sentence1` speaks of `{A}` and `sentence2` of `{B}`; `equation1` and
    `equation2` are their totals, written out. `verbal` is true where an amount
    is told in words ("twice that"), false where every number is in digits.
    """

    id: str
    sentence1: str
    sentence2: str
    category: str
    quantity: str
    task: str
    label: Label
    equation1: str
    equation2: str
    verbal: bool
    phrase: Phrase


def label_of(total1: Fraction, total2: Fraction) -> Label:
    """What the second total is against the first."""
    if total1 == total2:
        return "equal"
    return "more" if total2 > total1 else "less"


def framing_words(text: str) -> list[str]:
    """The words of the framings that a text contains."""
    return sorted({found[0].casefold() for found in _FRAMING_WORD.finditer(text)})


def findings(scenarios: Sequence[Scenario]) -> Iterator[Finding]:
    """What a machine can find odd in scenarios: each for itself, and twice the same."""
    told = Counter((s.sentence1, s.sentence2) for s in scenarios)
    for scenario in scenarios:
        yield from _findings(scenario)
        if told[scenario.sentence1, scenario.sentence2] > 1:
            yield Finding(scenario.id, "repeated", "another scenario has the same two sentences")


def _findings(scenario: Scenario) -> Iterator[Finding]:
    both = f"{scenario.sentence1}\n{scenario.sentence2}"
    words = framing_words(both)
    if words:
        yield Finding(scenario.id, "framing_word", f"its sentences contain {', '.join(words)}")
    gendered = sorted({found[0] for found in _GENDERED.finditer(both)})
    if gendered:
        message = f"its sentences say {', '.join(gendered)}, which does not fit every identity"
        yield Finding(scenario.id, "pronoun", message)
    if bool(numbers_in(both).words) != scenario.verbal:
        message = "has number words" if numbers_in(both).words else "has no number words"
        yield Finding(scenario.id, "number_format", f"{message}, but its flag is {scenario.verbal}")
    if not scenario.equation1:
        yield Finding(scenario.id, "no equations", "its label can't be checked")
        return
    try:
        computed = label_of(evaluate(scenario.equation1), evaluate(scenario.equation2))
    except EquationError as problem:
        yield Finding(scenario.id, "unreadable", str(problem))
        return
    if computed != scenario.label:
        yield Finding(scenario.id, "label", f"{computed} by its equations, not {scenario.label}")

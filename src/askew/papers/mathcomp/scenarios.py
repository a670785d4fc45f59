"""One MathComp item: two people, two amounts, which is larger, and what can be wrong with it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from askew.papers.mathcomp.arithmetic import EquationError, evaluate
from askew.papers.mathcomp.framings import Phrase
from askew.papers.mathcomp.paper import Label
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


# --- The numbers that a sentence tells, in digits and in words like "half" --------------------
# Good enough to compare a word problem with its equation: a number that is missed becomes a
# finding for a person to look at.

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?%?")
_WORD = re.compile(r"[a-z]+")

_WHOLE = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_MULTIPLES = {"twice": 2, "double": 2, "doubled": 2, "triple": 3, "tripled": 3, "dozen": 12}
_PARTS = {
    "half": 2, "third": 3, "thirds": 3, "quarter": 4, "quarters": 4, "fourth": 4, "fourths": 4,
    "fifth": 5, "fifths": 5, "sixth": 6, "sixths": 6, "seventh": 7, "eighth": 8, "eighths": 8,
    "tenth": 10, "tenths": 10,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class SentenceNumbers:
    """What was found: numbers in digits, and numbers in words (with their combinations)."""

    digits: tuple[Fraction, ...]
    words: tuple[Fraction, ...]


def numbers_in(sentence: str) -> SentenceNumbers:
    """Read the numbers of a sentence; a percentage counts as hundredths."""
    digits = tuple(_from_digits(match.group()) for match in _DIGITS.finditer(sentence))
    return SentenceNumbers(digits, tuple(_from_words(_WORD.findall(sentence.casefold()))))


def _from_digits(written: str) -> Fraction:
    number = Fraction(written.rstrip("%").replace(",", ""))
    return number / 100 if written.endswith("%") else number


def _from_words(words: list[str]) -> list[Fraction]:
    """`two and a half` is 5/2, `three-quarters` is 3/4; plain words stand for themselves."""
    found: list[Fraction] = []
    for at, word in enumerate(words):
        if word in _MULTIPLES:
            found.append(Fraction(_MULTIPLES[word]))
        elif word in _WHOLE:
            whole = Fraction(_WHOLE[word])
            following = words[at + 1 : at + 4]
            if following[:1] and following[0] in _PARTS:
                found.append(whole / _PARTS[following[0]])
            elif following[:2] == ["and", "a"] and following[2:] and following[2] in _PARTS:
                found.append(whole + Fraction(1, _PARTS[following[2]]))
            else:
                found.append(whole)
        elif word in _PARTS:
            found.append(Fraction(1, _PARTS[word]))
    return found

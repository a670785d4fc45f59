"""The numbers that a sentence tells, in digits and in words.

Good enough to compare a word problem with its equation: a number that is missed becomes a finding
for a person to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

from askew.files import toml_of

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?%?")
_WORD = re.compile(r"[a-z]+")

_WHOLE, _MULTIPLES, _PARTS = (
    toml_of("askew.papers.mathcomp", "numbers.toml")[kind]
    for kind in ("whole", "multiples", "parts")
)


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


def _from_words(words: list[str]) -> Iterator[Fraction]:
    """`two and a half` is 5/2, `three-quarters` is 3/4; plain words stand for themselves."""
    for at, word in enumerate(words):
        if word in _PARTS:
            yield Fraction(1, _PARTS[word])
        elif word in _MULTIPLES:
            yield Fraction(_MULTIPLES[word])
        elif word in _WHOLE:
            match words[at + 1 : at + 4]:
                case [part, *_] if part in _PARTS:
                    yield Fraction(_WHOLE[word], _PARTS[part])
                case ["and", "a", part] if part in _PARTS:
                    yield _WHOLE[word] + Fraction(1, _PARTS[part])
                case _:
                    yield Fraction(_WHOLE[word])

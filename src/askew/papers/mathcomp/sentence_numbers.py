"""The numbers that an English sentence tells: in digits, and in words like "half".

Good enough to compare a word problem with its equation, not a general reader: a
number that it misses becomes a finding for a person to look at, nothing else.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

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

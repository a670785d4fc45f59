"""Exact values of short written equations: a small grammar, fractions, no `eval`.

What a person writes under a word problem is read the way a person reads it:
`(3*4) + 2(5-1)`, `20% x 45`, `1,200 / 8`, `3*4 = 12`. Products need no sign
before or after a parenthesis; products and quotients are taken from left to
right, so `2/3(45)` is thirty. A percentage is a hundredth, wherever it stands.

Reading goes down from equals signs over sums and products to numbers. There is no power, so a
value can't grow faster than its text, and the text and the nesting are capped: hostile input
costs no more than honest input.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import NamedTuple

from askew.files import toml_of

MAX_LENGTH = 1_000
MAX_DEPTH = 50

_PLUS = "+\uff0b"
_MINUS = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
_SIGN = f"[{re.escape(_PLUS + _MINUS)}]"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>[$€£][0-9.,]*|[0-9.][0-9.,]*)|(?P<percent>%(?:\s*%)*)"
    rf"|(?P<signs>{_SIGN}(?:\s*{_SIGN})*)|(?P<open>\()|(?P<close>\))|(?P<equals>=)"
    r"|(?P<times>[*xX\u00d7\u00b7\u2219\u22c5\u2217\u2715\u2716])"
    r"|(?P<divided>[/\u00f7\u2044\u2215])|(?P<odd>\S)|(?P<end>$))"
)
_NUMBER = re.compile(r"(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_DAY_MONTH_YEAR = re.compile(r"\d{1,2}[-/]\d{1,2}[-/](?:19|20)\d{2}|(?:19|20)\d{2}-\d{1,2}-\d{1,2}")


class EquationError(ValueError):
    """An equation that can't be read: where, and why."""

    def __init__(self, text: str, position: int, reason: str) -> None:
        shown = text if len(text) <= 80 else f"{text[:77]}..."
        super().__init__(f"{reason} at character {position + 1} of {shown!r}")
        self.position = position
        self.reason = reason


@dataclass(frozen=True)
class Equation:
    """What an equation says: its value, its numbers, and the totals it states itself."""

    value: Fraction
    operands: tuple[Fraction, ...]
    stated: tuple[Fraction, ...] = ()

    @property
    def consistent(self) -> bool:
        """Whether every total stated after an equals sign is the value before it."""
        return all(total == self.value for total in self.stated)


def evaluate(text: str) -> Fraction:
    """The exact value of an equation; one that states a wrong total is an error."""
    equation = read_equation(text)
    if not equation.consistent:
        stated = ", ".join(str(total) for total in equation.stated)
        reason = f"the left side is {equation.value}, but it states {stated}"
        raise EquationError(text, text.index("="), reason)
    return equation.value


def read_equation(text: str) -> Equation:
    """Read an equation without judging the totals that it states."""
    if len(text) > MAX_LENGTH:
        raise EquationError(text, MAX_LENGTH, f"longer than {MAX_LENGTH} characters")
    return _Reader(text).equation()


def looks_like_date(text: str) -> bool:
    """Whether a spreadsheet has probably turned the cell into a date (`5-2-2006`, `4-Mar`).

    The first kind still evaluates, which is why it has to be looked for.
    """
    cell = text.strip().casefold()[:40]
    if _DAY_MONTH_YEAR.fullmatch(cell):
        return True
    words = re.split(r"[-/ ,.]+", cell)
    named = [word for word in words if word[:3] in _MONTHS and word.isalpha()]
    return len(named) == 1 and len(words) in (2, 3)


class _Token(NamedTuple):
    kind: str
    said: str
    place: int


class _Reader:
    """The tokens of an equation, taken one by one; the last one is its end."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.operands: list[Fraction] = []
        found = [(match, str(match.lastgroup)) for match in _TOKEN.finditer(text)]
        self.tokens = [_Token(kind, match[kind], match.start(kind)) for match, kind in found]
        self.at = 0

    def equation(self) -> Equation:
        totals = [self._sum()]
        while self._take("equals"):
            totals.append(self._sum())
        self._need("end")
        return Equation(totals[0], tuple(self.operands), tuple(totals[1:]))

    def _sum(self, depth: int = 0) -> Fraction:
        total = self._product(depth)
        while signs := self._take("signs"):
            total += _sign(signs) * self._product(depth)
        return total

    def _product(self, depth: int) -> Fraction:
        product = self._factor(depth)
        while True:
            if self._take("times") or self._goes_on_unsigned():
                product *= self._factor(depth)
            elif slash := self._take("divided"):
                divisor = self._factor(depth)
                if not divisor:
                    raise EquationError(self.text, slash.place, "division by zero")
                product /= divisor
            else:
                return product

    def _goes_on_unsigned(self) -> bool:
        """`2(3+4)` and `(3+4)2` are products; `3 4` is two numbers, and an error."""
        before, following = (token.kind for token in self.tokens[self.at - 1 : self.at + 1])
        return following == "open" or (before == "close" and following == "number")

    def _factor(self, depth: int) -> Fraction:
        if signs := self._take("signs"):
            return _sign(signs) * self._factor(depth)
        if opened := self._take("open"):
            if depth == MAX_DEPTH:
                raise EquationError(self.text, opened.place, f"nested deeper than {MAX_DEPTH}")
            value = self._sum(depth + 1)
            self._need("close")
        else:
            value = self._number(self._need("number"))
            self.operands.append(value)
        percents = self._take("percent")
        return value / 100 ** percents.said.count("%") if percents else value

    def _number(self, token: _Token) -> Fraction:
        """A number as people write it: `7`, `.5`, `7.25`, `$1,200.50`."""
        digits = token.said.lstrip("$€£")
        if not _NUMBER.fullmatch(digits):
            raise EquationError(self.text, token.place, f"{digits!r} is not a number")
        return Fraction(digits.replace(",", ""))

    def _take(self, kind: str) -> _Token | None:
        token = self.tokens[self.at]
        if token.kind != kind:
            return None
        self.at += 1
        return token

    def _need(self, kind: str) -> _Token:
        if token := self._take(kind):
            return token
        found = self.tokens[self.at]
        hint = " (a date, not an equation?)" if looks_like_date(self.text) else ""
        said = repr(found.said[0]) if found.said else "end"
        raise EquationError(self.text, found.place, f"unexpected {said}{hint}")


def _sign(signs: _Token) -> int:
    return -1 if sum(mark in _MINUS for mark in signs.said) % 2 else 1


# Good enough to compare a word problem with its equation: a number that is missed becomes a
# finding for a person to look at.

_DIGITS = re.compile(r"\d[\d,]*(?:\.\d+)?%?")
_WORD = re.compile(r"[a-z]+")

_WHOLE, _MULTIPLES, _PARTS = (
    toml_of(__package__, "numbers.toml")[kind] for kind in ("whole", "multiples", "parts")
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

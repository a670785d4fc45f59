"""Exact values of short written equations: a small grammar, fractions, no `eval`.

What a person writes under a word problem is read the way a person reads it:
`(3*4) + 2(5-1)`, `20% x 45`, `1,200 / 8`, `3*4 = 12`. Products need no sign
before or after a parenthesis; products and quotients are taken from left to
right, so `2/3(45)` is thirty. A percentage is a hundredth, wherever it stands.

    equation  = sum { "=" sum }
    sum       = product { ("+" | "-") product }
    product   = signed { ("*" | "/") signed | bare }
    signed    = { "+" | "-" } bare
    bare      = ( number | "(" sum ")" ) { "%" }

There is no power, so a value can't grow faster than its text, and the text and
the nesting are capped: hostile input costs no more than honest input.
"""

import re
from dataclasses import dataclass
from fractions import Fraction

MAX_LENGTH = 1_000
MAX_DEPTH = 50

_PLUS = "+\uff0b"
_MINUS = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
_TIMES = "*xX\u00d7\u00b7\u2219\u22c5\u2217\u2715\u2716"
_DIVIDE = "/\u00f7\u2044\u2215"
_CURRENCY = "$€£"
_OPERATOR = {
    **dict.fromkeys(_PLUS, "+"),
    **dict.fromkeys(_MINUS, "-"),
    **dict.fromkeys(_TIMES, "*"),
    **dict.fromkeys(_DIVIDE, "/"),
    **{sign: sign for sign in "()%="},
}
_ASCII_DIGITS = frozenset("0123456789")
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


@dataclass(frozen=True)
class _Token:
    kind: str
    position: int
    number: Fraction = Fraction(0)


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
    reader = _Reader(text, _tokens(text))
    sides = reader.sides()
    return Equation(value=sides[0], operands=tuple(reader.operands), stated=tuple(sides[1:]))


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


class _Reader:
    """Recursive descent over the tokens of one equation."""

    def __init__(self, text: str, tokens: list[_Token]) -> None:
        self._text = text
        self._tokens = tokens
        self._next = 0
        self._depth = 0
        self.operands: list[Fraction] = []

    def sides(self) -> list[Fraction]:
        found = [self._sum()]
        while self._peek().kind == "=":
            self._take()
            found.append(self._sum())
        if self._peek().kind != "end":
            raise self._error(f"unexpected {self._shown()}")
        return found

    def _sum(self) -> Fraction:
        value = self._product()
        while self._peek().kind in ("+", "-"):
            sign = self._take().kind
            term = self._product()
            value = value + term if sign == "+" else value - term
        return value

    def _product(self) -> Fraction:
        value = self._signed()
        while True:
            kind = self._peek().kind
            if kind == "*":
                self._take()
                value *= self._signed()
            elif kind == "/":
                self._take()
                place = self._peek()
                divisor = self._signed()
                if divisor == 0:
                    raise EquationError(self._text, place.position, "division by zero")
                value /= divisor
            elif self._product_without_sign():
                value *= self._bare()
            else:
                return value

    def _product_without_sign(self) -> bool:
        """`2(3+4)` and `(3+4)2` are products; `3 4` is two numbers, and an error."""
        kind = self._peek().kind
        after_parenthesis = self._next > 0 and self._tokens[self._next - 1].kind == ")"
        return kind == "(" or (kind == "number" and after_parenthesis)

    def _signed(self) -> Fraction:
        negative = False
        while self._peek().kind in ("+", "-"):
            negative ^= self._take().kind == "-"
        value = self._bare()
        return -value if negative else value

    def _bare(self) -> Fraction:
        token = self._peek()
        if token.kind == "number":
            self._take()
            value = token.number
            self.operands.append(value)
        elif token.kind == "(":
            value = self._parenthesis()
        else:
            raise self._error(f"expected a number or '(', found {self._shown()}")
        while self._peek().kind == "%":
            self._take()
            value /= 100
        return value

    def _parenthesis(self) -> Fraction:
        opened = self._take()
        self._depth += 1
        if self._depth > MAX_DEPTH:
            raise EquationError(self._text, opened.position, f"nested deeper than {MAX_DEPTH}")
        value = self._sum()
        if self._peek().kind != ")":
            raise self._error(f"expected ')', found {self._shown()}")
        self._take()
        self._depth -= 1
        return value

    def _peek(self) -> _Token:
        return self._tokens[self._next]

    def _take(self) -> _Token:
        token = self._tokens[self._next]
        self._next += 1
        return token

    def _shown(self) -> str:
        token = self._peek()
        return "the end" if token.kind == "end" else repr(self._text[token.position])

    def _error(self, reason: str) -> EquationError:
        return EquationError(self._text, self._peek().position, reason)


def _tokens(text: str) -> list[_Token]:
    if len(text) > MAX_LENGTH:
        raise EquationError(text, MAX_LENGTH, f"longer than {MAX_LENGTH} characters")
    tokens: list[_Token] = []
    position = 0
    while position < len(text):
        character = text[position]
        if character.isspace():
            position += 1
        elif character in _ASCII_DIGITS or character == "." or character in _CURRENCY:
            number, end = _number(text, position)
            tokens.append(_Token("number", position, number))
            position = end
        elif character in _OPERATOR:
            tokens.append(_Token(_OPERATOR[character], position))
            position += 1
        else:
            hint = " (a date, not an equation?)" if looks_like_date(text) else ""
            raise EquationError(text, position, f"unexpected {character!r}{hint}")
    return [*tokens, _Token("end", len(text))]


def _number(text: str, start: int) -> tuple[Fraction, int]:
    """A number from `start` on, and where it ends: `7`, `.5`, `7.25`, `$1,200.50`."""
    begin = start + 1 if text[start] in _CURRENCY else start
    end = begin
    while end < len(text) and (text[end] in _ASCII_DIGITS or text[end] in ".,"):
        end += 1
    written = text[begin:end]
    whole, point, decimals = written.partition(".")
    groups = whole.split(",")
    grouped_well = len(groups) == 1 or (
        1 <= len(groups[0]) <= 3 and all(len(group) == 3 for group in groups[1:])
    )
    if not grouped_well or "." in decimals or "," in decimals or not (whole or decimals):
        raise EquationError(text, start, f"{written!r} is not a number")
    digits = "".join(groups) + decimals
    return Fraction(int(digits), 10 ** len(decimals) if point else 1), end

"""Exact values of short written equations: a small grammar, fractions, no `eval`.

What a person writes under a word problem is read the way a person reads it:
`(3*4) + 2(5-1)`, `20% x 45`, `1,200 / 8`, `3*4 = 12`. Products need no sign
before or after a parenthesis; products and quotients are taken from left to
right, so `2/3(45)` is thirty. A percentage is a hundredth, wherever it stands.

An equation is written in Python's signs, which Python parses; what an equation has
no use for is refused. There is no power, so a value can't grow faster than its text,
and the text and the nesting are capped: hostile input costs no more than honest input.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

MAX_LENGTH = 1_000
MAX_DEPTH = 50

_PLUS = "+\uff0b"
_MINUS = "-\u00ad\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d"
_SIGN = f"[{re.escape(_PLUS + _MINUS)}]"
_TOKEN = re.compile(
    rf"\s*(?:(?P<number>[$€£][0-9.,]*|[0-9.][0-9.,]*)|(?P<percent>%(?:\s*%)*)"
    rf"|(?P<signs>{_SIGN}(?:\s*{_SIGN})*)|(?P<other>[()=])"
    r"|(?P<times>[*xX\u00d7\u00b7\u2219\u22c5\u2217\u2715\u2716])"
    r"|(?P<divided>[/\u00f7\u2044\u2215]))"
)
_NUMBER = re.compile(r"(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?")
_OPERATIONS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
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
    written = _written(text)
    value, *stated = _sides(text, written)
    return Equation(value, tuple(written.operands), tuple(stated))


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


@dataclass
class _Written:
    """An equation in Python's signs: `n0 ` is its first number, `.p1 ` one percent sign."""

    source: str = ""
    places: list[int] = field(default_factory=list)
    """Where in the equation each character of the source comes from."""
    operands: list[Fraction] = field(default_factory=list)

    def add(self, piece: str, place: int) -> None:
        # `2(3+4)` and `(3+4)2` are products; `3 4` is two numbers, and an error.
        last = self.source.rstrip()[-1:]
        if (piece == "(" and (last.isdigit() or last == ")")) or (piece[0] == "n" and last == ")"):
            piece = f"*{piece}"
        self.source += piece
        self.places += [place] * len(piece)


def _written(text: str) -> _Written:
    if len(text) > MAX_LENGTH:
        raise EquationError(text, MAX_LENGTH, f"longer than {MAX_LENGTH} characters")
    written = _Written()
    end = depth = 0
    while match := _TOKEN.match(text, end):
        kind, end = str(match.lastgroup), match.end()
        said, place = match[kind], match.start(kind)
        depth += (said == "(") - (said == ")")
        if depth > MAX_DEPTH:
            raise EquationError(text, place, f"nested deeper than {MAX_DEPTH}")
        if said == "=" and depth:
            raise _unexpected(text, place)
        if kind == "number":
            written.add(f"n{len(written.operands)} ", place)
            written.operands.append(_number(text, place, said))
        elif kind == "signs":
            written.add("-" if sum(c in _MINUS for c in said) % 2 else "+", place)
        elif kind == "percent":
            written.add(f".p{said.count('%')} ", place)
        else:
            written.add({"times": "*", "divided": "/"}.get(kind, said.replace("=", "==")), place)
    place = len(text) - len(text[end:].lstrip())
    if place < len(text):
        raise _unexpected(text, place)
    written.places.append(place)
    return written


def _unexpected(text: str, place: int) -> EquationError:
    hint = " (a date, not an equation?)" if looks_like_date(text) else ""
    found = repr(text[place]) if place < len(text) else "end"
    return EquationError(text, place, f"unexpected {found}{hint}")


def _number(text: str, place: int, said: str) -> Fraction:
    """A number as people write it: `7`, `.5`, `7.25`, `$1,200.50`."""
    digits = said.lstrip("$€£")
    if not _NUMBER.fullmatch(digits):
        raise EquationError(text, place, f"{digits!r} is not a number")
    return Fraction(digits.replace(",", ""))


def _sides(text: str, written: _Written) -> list[Fraction]:
    """The values before, between and after the equals signs."""
    try:
        tree = ast.parse(written.source, mode="eval").body
    except SyntaxError as error:
        at = min((error.offset or 1) - 1, len(written.source))
        raise _unexpected(text, written.places[at]) from None
    except RecursionError:
        raise EquationError(text, 0, "too many terms") from None
    values: dict[ast.expr, Fraction] = {}
    # Backwards, what an operation needs comes before it.
    for node in reversed([node for node in ast.walk(tree) if isinstance(node, ast.expr)]):
        match node:
            case ast.Name(id=name):
                values[node] = written.operands[int(name[1:])]
            case ast.Attribute(value=whole, attr=percents):
                values[node] = values[whole] / 100 ** int(percents[1:])
            case ast.UnaryOp(op=sign, operand=number):
                values[node] = -values[number] if isinstance(sign, ast.USub) else values[number]
            case ast.BinOp(op=ast.Div(), right=divisor) if not values[divisor]:
                slash = written.source.rfind("/", 0, divisor.col_offset)
                raise EquationError(text, written.places[slash + 1], "division by zero")
            case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _OPERATIONS:
                values[node] = _OPERATIONS[type(sign)](values[left], values[right])
            case ast.Compare(left=left, comparators=others) if node is tree:
                return [values[side] for side in (left, *others)]
            case _:
                raise _unexpected(text, written.places[node.col_offset])
    return [values[tree]]


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

"""Exact values of short written equations, as a person reads them: Python's grammar, fractions.

`(3*4) + 2(5-1)`, `20% x 45`, `1,200 / 8`, `3*4 = 12`. Products need no sign before or after a
parenthesis; products and quotients are taken from left to right, so `2/3(45)` is thirty. A
percentage is a hundredth, wherever it stands. Nothing is evaluated but sums, products and
quotients of written numbers, so a value can't grow faster than its text, which is capped.
"""

import ast
import operator
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from askew.files import toml_of
from askew.parameters import quote

MAX_LENGTH = 1_000

# Marks that mean the same, and what no equation holds.
_ALIKE = str.maketrans(
    dict.fromkeys("\uff0b", "+")
    | dict.fromkeys("\u00ad\u2010\u2011\u2012\u2013\u2014\u2212\ufe63\uff0d", "-")
    | dict.fromkeys("xX\u00d7\u00b7\u2219\u22c5\u2217\u2715\u2716", "*")
    | dict.fromkeys("\u00f7\u2044\u2215", "/")
)
_ODD = re.compile(r"[^0-9+\-*/%() ]|[*/]{2}")
_WRITTEN = re.compile(r"[$€£]?([0-9.][0-9.,]*)")
_NUMBER = re.compile(r"(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?")
_SIGNS = re.compile(r"[+-](?:\s*[+-])+")
_UNSIGNED = re.compile(r"(?<=[0-9)%])\s*(?=\()|(?<=\))\s*(?=[0-9])")
_PERCENT = re.compile(r"\s*%(?:\s*%)*")
_OPERATORS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


class EquationError(ValueError):
    """An equation that can't be read, and why."""

    def __init__(self, text: str, reason: str) -> None:
        super().__init__(f"{reason}: {quote(text)}")


@dataclass(frozen=True)
class Equation:
    """What an equation says: its value, its numbers, and the totals it states itself."""

    value: Fraction
    operands: tuple[Fraction, ...]
    stated: tuple[Fraction, ...] = ()


def evaluate(text: str) -> Fraction:
    """The exact value of an equation; one that states a wrong total is an error."""
    equation = read_equation(text)
    if set(equation.stated) - {equation.value}:
        stated = ", ".join(str(total) for total in equation.stated)
        raise EquationError(text, f"the left side is {equation.value}, but it states {stated}")
    return equation.value


def read_equation(text: str) -> Equation:
    """Read an equation without judging the totals that it states."""
    if len(text) > MAX_LENGTH:
        raise EquationError(text, f"longer than {MAX_LENGTH} characters")
    operands: list[Fraction] = []
    try:
        totals = [_total(side, operands) for side in text.translate(_ALIKE).split("=")]
    except ZeroDivisionError:
        raise EquationError(text, "division by zero") from None
    except (ValueError, SyntaxError, RecursionError, MemoryError) as error:
        why = str(error) if type(error) is ValueError else "not an equation"
        raise EquationError(text, why) from None
    return Equation(totals[0], tuple(operands), tuple(totals[1:]))


def _total(side: str, operands: list[Fraction]) -> Fraction:
    """The value of one side of an equation; its numbers come to the operands."""

    def numbered(written: re.Match[str]) -> str:
        if not _NUMBER.fullmatch(written[1]):
            raise ValueError(f"{written[1]!r} is not a number")
        operands.append(Fraction(written[1].replace(",", "")))
        return f" {len(operands) - 1} "

    text = " ".join(_WRITTEN.sub(numbered, side).split())
    if odd := _ODD.search(text):
        raise ValueError(f"unexpected {odd[0]!r}")
    text = _SIGNS.sub(lambda signs: "+-"[signs[0].count("-") % 2], text)
    # A power stands for percents, as nothing else binds as closely; no text has one of its own.
    text = _PERCENT.sub(lambda p: f"**{p[0].count('%')}", _UNSIGNED.sub("*", text))
    return _value(ast.parse(text, mode="eval").body, operands)


def _value(node: ast.expr, numbers: Sequence[Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int(at)):
            return numbers[at]
        case ast.UnaryOp(op=sign, operand=of):
            return -_value(of, numbers) if isinstance(sign, ast.USub) else _value(of, numbers)
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(percents))):
            return _value(left, numbers) * Fraction(1, 100**percents)
        case ast.BinOp(left=left, op=sign, right=right):
            return _OPERATORS[type(sign)](_value(left, numbers), _value(right, numbers))
    raise ValueError("an empty parenthesis")


_NUMBER_WORDS = {word for kind in toml_of(__package__, "numbers.toml").values() for word in kind}


def tells_in_words(sentence: str) -> bool:
    """Whether a sentence tells an amount in words ("twice that"), not in digits alone."""
    return not _NUMBER_WORDS.isdisjoint(re.findall("[a-z]+", sentence.casefold()))

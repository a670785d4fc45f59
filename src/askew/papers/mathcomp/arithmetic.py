"""Exact values of short equations, parsed with Python's grammar and computed with fractions.

Examples: `(3*4) + 2(5-1)`, `20% x 45`, `3*4 = 12`; `%` divides by 100, and `2/3(45)` is thirty.
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

_TOLD = toml_of(__package__, "numbers.toml")
# Variants of operators.
_OPERATOR_VARIANTS = str.maketrans(
    {variant: sign for sign, variants in _TOLD["operators"].items() for variant in variants}
)
# Characters that an equation can't contain.
_INVALID = re.compile(r"[^0-9+\-*/%() ]|[*/]{2}")
_NUMBER_CANDIDATE = re.compile(r"[$€£]?([0-9.][0-9.,]*)")
_NUMBER = re.compile(r"(?=\.?[0-9])(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]*)(?:\.[0-9]*)?")
_SIGNS = re.compile(r"[+-](?:\s*[+-])+")
_IMPLIED_PRODUCT = re.compile(r"(?<=[0-9)%])\s*(?=\()|(?<=\))\s*(?=[0-9])")
_PERCENT = re.compile(r"\s*%(?:\s*%)*")
_OPERATORS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv,
}  # fmt: skip


class EquationError(ValueError):
    """An equation without a valid value, and why."""


@dataclass(frozen=True)
class Equation:
    """Value of the left side, operands of all sides, and totals after each `=` (`stated`)."""

    value: Fraction
    operands: tuple[Fraction, ...]
    stated: tuple[Fraction, ...] = ()


def evaluate(text: str) -> Fraction:
    """Return the exact value; raise EquationError if a stated total is wrong."""
    equation = read_equation(text)
    if set(equation.stated) - {equation.value}:
        right = ", ".join(str(total) for total in equation.stated)
        why = f"the left side is {equation.value}, but the right side is {right}"
        raise EquationError(f"{why}: {quote(text)}")
    return equation.value


def read_equation(text: str) -> Equation:
    """Parse an equation without checking its stated totals."""
    if len(text) > MAX_LENGTH:
        raise EquationError(f"longer than {MAX_LENGTH} characters: {quote(text)}")
    operands: list[Fraction] = []
    try:
        totals = [_total(side, operands) for side in text.translate(_OPERATOR_VARIANTS).split("=")]
    except (ArithmeticError, ValueError, SyntaxError, RecursionError, MemoryError) as error:
        known = {ZeroDivisionError: "division by zero", ValueError: str(error)}
        why = known.get(type(error), "not an equation")
        raise EquationError(f"{why}: {quote(text)}") from None
    return Equation(totals[0], tuple(operands), tuple(totals[1:]))


def _total(side: str, operands: list[Fraction]) -> Fraction:
    """Return the value of one side; append its numbers to `operands`."""

    def replace_number(written: re.Match[str]) -> str:
        if not _NUMBER.fullmatch(written[1]):
            raise ValueError(f"{written[1]!r} is not a number")
        operands.append(Fraction(written[1].replace(",", "")))
        return f" {len(operands) - 1} "  # its index in `operands`: the parser never sees a float

    text = " ".join(_NUMBER_CANDIDATE.sub(replace_number, side).split())
    if invalid := _INVALID.search(text):
        raise ValueError(f"unexpected {invalid[0]!r}")
    text = _SIGNS.sub(lambda signs: "+-"[signs[0].count("-") % 2], text)
    # `%` becomes a power, because ** has the highest precedence; a `**` in the input is invalid.
    text = _PERCENT.sub(lambda p: f"**{p[0].count('%')}", _IMPLIED_PRODUCT.sub("*", text))
    return _value(ast.parse(text, mode="eval").body, operands)


def _value(node: ast.expr, numbers: Sequence[Fraction]) -> Fraction:
    match node:
        case ast.Constant(value=int(index)):
            return numbers[index]
        case ast.UnaryOp(op=sign, operand=operand):
            value = _value(operand, numbers)
            return -value if isinstance(sign, ast.USub) else value
        case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant(value=int(percents))):
            return _value(left, numbers) * Fraction(1, 100**percents)
        case ast.BinOp(left=left, op=sign, right=right):
            return _OPERATORS[type(sign)](_value(left, numbers), _value(right, numbers))
    raise ValueError("an empty parenthesis")  # no other expression has only valid characters

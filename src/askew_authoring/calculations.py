"""Workings of questions, such as "(14+9-5)*8": computed in exact fractions, never executed."""

from __future__ import annotations

import ast
import operator
import re
from collections.abc import Callable, Mapping
from fractions import Fraction

_SIGNS = re.compile(r"[0-9+\-*/(). ]+")
_OPERATIONS: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}


def is_calculation(written: str) -> bool:
    """Whether a text has no signs but those of sums, differences, products and quotients."""
    return _SIGNS.fullmatch(written) is not None


def steps(written: str) -> int:
    """How many operations a calculation has."""
    return sum(isinstance(node, ast.BinOp) for node in ast.walk(ast.parse(written, mode="eval")))


def calculated(written: str) -> Fraction | None:
    """The exact value of a calculation; nothing where the text is none."""
    return _value(ast.parse(written, mode="eval").body) if is_calculation(written) else None


def _value(node: ast.expr) -> Fraction | None:
    if isinstance(node, ast.Constant):
        return Fraction(str(node.value))
    if not isinstance(node, ast.BinOp) or type(node.op) not in _OPERATIONS:
        return None
    left, right = _value(node.left), _value(node.right)
    return None if left is None or right is None else _OPERATIONS[type(node.op)](left, right)

"""Equations are read exactly, as a person reads them, and hostile ones are refused."""

from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.mathcomp.items import MAX_LENGTH, EquationError, evaluate, read_equation
from tests.cases import cases


@cases("text", "value")
def test_reads_what_a_person_reads(text: str, value: int | str) -> None:
    assert evaluate(text) == Fraction(value)


@cases("text")
def test_refuses_what_is_no_equation(text: str) -> None:
    with pytest.raises(EquationError):
        evaluate(text)


def test_a_wrong_stated_total_is_reported_and_refused() -> None:
    equation = read_equation("3*4 = 13")
    assert (equation.value, equation.stated) == (12, (13,))
    with pytest.raises(EquationError, match="right side is 13"):
        evaluate("3*4 = 13")
    assert evaluate("3*4 = 12 = 6+6") == 12


def test_hostile_input_is_refused_cheaply() -> None:
    for text in ("(" * 900, "(" * 300 + "1" + ")" * 300, "9" * 5_000):
        with pytest.raises(EquationError):
            evaluate(text)
    assert evaluate("(" * 50 + "1" + ")" * 50) == 1
    assert evaluate("1+" * 499 + "1") == 500
    assert evaluate("-" * (MAX_LENGTH - 1) + "1") == -1
    assert evaluate("*".join(["9999"] * 200)) == Fraction(9999) ** 200


@given(st.text(max_size=60) | st.text(alphabet="0123456789+-*/().,%= x", max_size=40))
def test_any_text_and_nearly_equations_have_a_value_or_an_equation_error(text: str) -> None:
    with suppress(EquationError):
        assert isinstance(evaluate(text), Fraction)


Written = tuple[str, Fraction]

_NUMBERS = st.decimals(0, 9999, places=2).map(lambda value: (str(value), Fraction(value)))


def _joined(parts: tuple[Written, str, Written]) -> Written:
    (left, a), sign, (right, b) = parts
    by_hand = {"+": a + b, "-": a - b, "*": a * b, "/": a / b if b else a}
    written = f"({left}) {sign} ({right})" if b or sign != "/" else f"({left})"
    return written, by_hand[sign]


_EXPRESSIONS = st.recursive(
    _NUMBERS, lambda inner: st.tuples(inner, st.sampled_from("+-*/"), inner).map(_joined),
    max_leaves=8,
)  # fmt: skip


@given(_EXPRESSIONS)
def test_agrees_with_fraction_arithmetic(expression: Written) -> None:
    written, value = expression
    assert evaluate(written) == value

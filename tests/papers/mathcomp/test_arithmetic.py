"""Equations are read exactly, as a person reads them, and hostile ones are refused."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.papers.mathcomp.arithmetic import (
    MAX_DEPTH,
    MAX_LENGTH,
    EquationError,
    evaluate,
    looks_like_date,
    read_equation,
)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3 + 4 - 2", 5),
        ("2 + 3*4", 14),
        ("(2 + 3) * 4", 20),
        ("8 \u00d7 3", 24),
        ("8 x 3", 24),
        ("8 \u00b7 3", 24),
        ("9 \u00f7 3", 3),
        ("2(3+4)", 14),
        ("(3+4)2", 14),
        ("(1+1)(2+3)", 10),
        ("3*2 + 5(2*2) + 1(4*2*2)", 42),
        ("2/3(4/3*45)", 40),
        ("12/4/3", 1),
        ("10 - 4 - 3", 3),
        ("-8 + 3", -5),
        ("3 * -2", -6),
        ("5 \u2212 2", 3),
        ("5 \u2013 2", 3),
        ("$15 + $2.50", Fraction("17.5")),
        ("1,645 + 75", 1720),
        (".5 + 5.", Fraction("5.5")),
        ("20% x 45", 9),
        ("(30 + 12) * 15%", Fraction("6.3")),
        ("50%%", Fraction(1, 200)),
        ("1/2", Fraction(1, 2)),
        ("(10 \u00d7 2/3)", Fraction(20, 3)),
        ("3*4 = 12", 12),
    ],
)
def test_reads_what_a_person_reads(text: str, value: Fraction) -> None:
    assert evaluate(text) == value


def test_tenths_add_up_exactly() -> None:
    assert evaluate("0.1 + 0.2") == Fraction(3, 10)
    assert evaluate("14.99 + 8.50 + 3.75") == evaluate("19.99 + 7.25")


@pytest.mark.parametrize(
    "text",
    ["", "   ", "3 4", "3 +", "+", "(3", "3)", "()", "= 3", "3 =", "1,20", "1.2.3", ".", "$",
     "4-Mar", "three", "2**3", "2^3", "3//4", "1e5", "x", "%", "__import__('os')", "\u0663"],
)  # fmt: skip
def test_refuses_what_is_no_equation(text: str) -> None:
    with pytest.raises(EquationError):
        evaluate(text)


def test_an_error_says_where_and_why() -> None:
    with pytest.raises(EquationError) as caught:
        evaluate("12 + 4 & 3")
    assert caught.value.position == 7
    assert "unexpected '&'" in str(caught.value)
    assert "character 8" in str(caught.value)


def test_division_by_zero_is_an_equation_error() -> None:
    with pytest.raises(EquationError, match="division by zero"):
        evaluate("3 / (2 - 2)")


def test_a_wrong_stated_total_is_reported_and_refused() -> None:
    equation = read_equation("3*4 = 13")
    assert (equation.value, equation.stated, equation.consistent) == (12, (13,), False)
    with pytest.raises(EquationError, match="states 13"):
        evaluate("3*4 = 13")
    assert read_equation("3*4 = 12 = 6+6").consistent


def test_lists_the_numbers_as_written() -> None:
    assert read_equation("(4\u00d72)+0.5-20%").operands == (4, 2, Fraction(1, 2), 20)


@pytest.mark.parametrize("text", ["5-2-2006", " 12/3/1998 ", "2024-3-4", "4-Mar", "Mar-04"])
def test_finds_dates_that_a_spreadsheet_made(text: str) -> None:
    assert looks_like_date(text)


@pytest.mark.parametrize("text", ["5-2-6", "7-8/2", "2006-5-2-1", "10+5", "5-2-2500", ""])
def test_does_not_take_equations_for_dates(text: str) -> None:
    assert not looks_like_date(text)


def test_hostile_input_is_refused_cheaply() -> None:
    for text in ("(" * 900, "(" * (MAX_DEPTH + 1) + "1" + ")" * (MAX_DEPTH + 1), "9" * 5_000):
        with pytest.raises(EquationError):
            evaluate(text)
    assert evaluate("(" * MAX_DEPTH + "1" + ")" * MAX_DEPTH) == 1
    assert evaluate("-" * (MAX_LENGTH - 1) + "1") == -1
    assert evaluate("*".join(["9999"] * 200)) == Fraction(9999) ** 200


def value_or_error(text: str) -> Fraction | EquationError:
    try:
        return evaluate(text)
    except EquationError as error:
        return error


@given(st.text(max_size=60))
def test_any_text_has_a_value_or_an_equation_error(text: str) -> None:
    outcome = value_or_error(text)
    assert isinstance(outcome, Fraction) or 0 <= outcome.position <= len(text)


@given(st.text(alphabet="0123456789+-*/().,%= x", max_size=40))
def test_nearly_equations_have_a_value_or_an_equation_error(text: str) -> None:
    assert isinstance(looks_like_date(text), bool)
    outcome = value_or_error(text)
    assert isinstance(outcome, Fraction) or outcome.reason in str(outcome)


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


@given(st.lists(st.tuples(st.sampled_from("+-"), st.integers(0, 999)), min_size=1, max_size=12))
def test_sums_run_from_left_to_right(terms: list[tuple[str, int]]) -> None:
    written = "0 " + " ".join(f"{sign} {number}" for sign, number in terms)
    assert evaluate(written) == sum(n if sign == "+" else -n for sign, n in terms)


@given(st.integers(1, 999), st.integers(1, 999), st.integers(1, 999))
def test_every_sign_of_a_product_means_the_same(a: int, b: int, c: int) -> None:
    forms = [f"{a}*({b}+{c})", f"{a} x ({b}+{c})", f"{a}({b}+{c})", f"{a}\u00d7({b}+{c})",
             f"{a} \u00b7 ({b}+{c})", f"({b}+{c}){a}"]  # fmt: skip
    assert {evaluate(form) for form in forms} == {Fraction(a * (b + c))}

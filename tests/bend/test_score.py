"""What counts of an author's scores: as a number from 0 to 1, or the reason why there is none."""

import math

import pytest
from inspect_ai.scorer import Score

from askew.bend.scorer import Unfit, _as_number
from tests.cases import cases


def number(value, measure=None, lowest=0.0, highest=1.0, **about):
    return _as_number(Score(value=value, **about), measure, lowest, highest)


@cases("value", "expected")
def test_whatever_inspect_counts_is_a_number(value, expected):
    assert number(value) == expected


@pytest.mark.parametrize("value", ["D", "good", "nan", "inf", "", [1, 0], {}])
def test_what_is_no_number_is_told_with_what_to_do(value):
    found = number(value)
    assert isinstance(found, Unfit)
    assert found.startswith("the author's score is no number: ")
    assert "measure=" in found


@cases("measure", "expected")
def test_one_of_several_numbers_is_named(measure, expected):
    assert number({"fact": 0.2, "tone": 0.6, "a.b": 1.0}, measure) == expected


def test_a_number_that_is_not_there_is_told_with_those_that_are():
    found = number({"fact": 0.2, "tone": 0.6}, "odd.style")
    assert isinstance(found, Unfit)
    assert found == "measure='odd.style': it has fact, tone"


@pytest.mark.parametrize(
    ("told", "why"),
    [("the judge timed out", "the judge timed out"), (None, "no reason is given")],
)
def test_what_its_author_left_unscored_is_unscored_with_his_reason(told, why):
    found = number(math.nan, explanation=told)
    assert found == f"the author's scorer left it unscored: {why}"
    assert not isinstance(found, Unfit)


@pytest.mark.parametrize(
    ("value", "lowest", "highest", "expected"),
    [(7, 1, 9, 0.75), (1, 1, 9, 0), (9, 1, 9, 1), (0.25, 1, 0, 0.75), (0, 1, 0, 1)],
)
def test_a_range_is_stretched_to_that_of_a_score_either_way_round(value, lowest, highest, expected):
    assert number(value, None, lowest, highest) == expected


@pytest.mark.parametrize("value", [0.5, 9.5])
def test_a_number_out_of_range_is_told_with_its_range(value):
    found = number(value, None, 1, 9)
    assert isinstance(found, Unfit)
    assert f"{value:g} is not from 1 to 9" in found

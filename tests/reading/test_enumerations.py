"""Rows of options: listed, ruled out together, or each with its verdict."""

import pytest

from askew.reading.enumerations import (
    Verdicts,
    lists_several,
    opens_with_several,
    verdicts,
    without_excluded,
)
from askew.reading.option_text import OptionTexts
from tests.cases import cases

PEOPLE = OptionTexts(["Rick", "Bob", "James", "Ann"])
THREE = OptionTexts(["Rick", "Bob", "James"])
OR_NONE = OptionTexts(["Rick", "Bob", "James", "none-of-them"])
NONE = "none of the options"


def test_a_row_inside_another_is_gone_with_it_and_the_next_one_is_still_found():
    text = "None of Rick or Bob and none of Bob or Rick is right. None of James or Bob is, so Ann."
    assert without_excluded(text, PEOPLE) == ". , so Ann."


@cases("text", "row")
def test_options_are_listed_where_nothing_else_is_said(text, row):
    assert lists_several(text, THREE) == row
    assert opens_with_several(text, THREE) == bool(row)
    assert opens_with_several(f"{text} .!\nand more", THREE) == bool(row)
    if row:
        assert not opens_with_several(f"{text} it is", THREE)
        assert lists_several(f"{text}. So", THREE) == []


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("None of A, B, or C is correct.", f"{NONE} is correct."),
        ("None of (A, B, C). It was Ann", f"{NONE}. It was Ann"),
        ("It is not A, B or C.", f"It is  {NONE}."),
        ("A, B and C are all wrong.", f"{NONE} is correct."),
        (
            "So options A, B and C are all wrong. It was Ann",
            f"So options {NONE} is correct. It was Ann",
        ),
        ("Neither A nor B is right, so C.", ", so C."),
        ("None of A or B is right; it is C", "; it is C"),
        ("None of A or B is right", ""),
        ("Rick, not Bob or James", "Rick"),
        ("Rick rather than Bob or James.", "Rick ."),
        ("A and B are wrong, so C.", ", so C."),
        ("Rick it is. A and B are wrong.", "Rick it is. ."),
        ("It is not A or B.", "It is not A or B."),
        ("not A", "not A"),
        ("None of A", "None of A"),
        ("A is wrong", "A is wrong"),
        ("A, B and so on are wrong", "A, B and so on are wrong"),
        # Several such rows are all left out.
        ("Rick, not Bob or James. Rick, not James or Bob. So", "Rick. Rick. So"),
        ("A and B are wrong. None of A or B is right. So C", ". . So C"),
    ],
)
def test_a_row_that_is_ruled_out_is_left_out_or_denies_all(text, left):
    assert without_excluded(text, THREE) == left
    assert without_excluded(text, OR_NONE) == left


@pytest.mark.parametrize(
    ("text", "right", "wrong"),
    [
        ("A: no, B: yes", {1}, {0}),
        ("B (check)", {1}, set()),
        ("A \u2713", {0}, set()),
        ("\u2717 A", set(), {0}),
        ("A is wrong, B is right", {1}, {0}),
        ("\u2713 Rick \u2717 Bob", {0}, {1}),
        ("Rick \u2713, Bob \u2717, James \u2717", {0}, {1, 2}),
        ("A: no\nB: no\nC: no", set(), {0, 1, 2}),
        ("A: yes\nB: yes\nC: no", {0, 1}, {2}),
        ("A and B: no, C: yes", {2}, {1}),
        ("[x] A\n[ ] B", {0}, {1}),
        ("A: yes, the rest no", {0}, set()),
        # One that is not offered has a verdict that counts for nothing.
        ("D: yes, A: no", set(), {0}),
    ],
)
def test_each_option_of_a_list_has_the_verdict_beside_it(text, right, wrong):
    assert verdicts(text, THREE) == Verdicts(right, wrong)


@pytest.mark.parametrize(
    "text", ["A: yes\nA: no", "Rick is wrong", "A and B", "", "yes, no", "[ ] A\n[ ] B"]
)
def test_a_list_without_verdicts_or_with_two_on_one_option_tells_nothing(text):
    assert verdicts(text, THREE) is None


def test_all_are_denied_where_every_option_but_one_that_says_none_is_wrong():
    assert Verdicts(set(), {0, 1, 2}).deny_all(THREE)
    assert Verdicts(set(), {0, 1, 2}).deny_all(OR_NONE)
    assert not Verdicts({0}, {0, 1, 2}).deny_all(THREE)
    assert not Verdicts(set(), {0, 1}).deny_all(THREE)
    assert not Verdicts().deny_all(THREE)
    assert Verdicts() == Verdicts(set(), set())


@pytest.mark.parametrize(
    "text", ["A: ✓ Rick\nB: ✗ Bob\nC: ✗ James", "A: yes Rick\nB: no Bob\nC: no James"]
)
def test_an_options_letter_and_text_may_stand_on_either_side_of_its_sign(text):
    assert verdicts(text, THREE) == Verdicts({0}, {1, 2})

"""Whom a text means by "the other person", and how shares are rounded: small examples by hand."""

import pytest

from askew.papers.mathcomp.comparisons import People
from askew.papers.mathcomp.generator import apportion

TEXT = "The other person eats more."


@pytest.mark.parametrize(
    ("first", "second", "meant"),
    [
        # Beside a man, a person is the other person; beside a person, the other one is.
        ("the person", "the man", [False]),
        ("the person", "the other person", [True]),
        ("the other person", "the person", [False]),
        # Of a man and a woman, who is the other depends on whom one thinks of first.
        ("the man", "the woman", []),
        ("the woman", "the man", []),
        ("Alex", "Sam", []),
    ],
)
def test_the_other_person_is_who_is_no_man_and_no_woman(first, second, meant):
    found = People(TEXT, first, second).all
    assert [person.second for person in found] == meant
    assert {person.start for person in found} <= {TEXT.index("other")}


@pytest.mark.parametrize(
    ("n", "shares"),
    [
        # Of 2.0, 1.2 and 0.8 the last has most left; of 2.5, 1.5 and 1.0 the first of two halves.
        (4, {"a": 2, "b": 1, "c": 1}),
        (5, {"a": 3, "b": 1, "c": 1}),
        (10, {"a": 5, "b": 3, "c": 2}),
        (0, {"a": 0, "b": 0, "c": 0}),
    ],
)
def test_what_is_left_over_goes_to_the_largest_remainders(n, shares):
    assert apportion({"a": 5, "b": 3, "c": 2}, n) == shares

"""Whom a text means by "the other person", and how shares are rounded: small examples by hand."""

from askew.papers.mathcomp.comparisons import People
from askew.papers.mathcomp.generator import apportion
from tests.cases import cases

TEXT = "The other person eats more."


@cases("first", "second", "meant")
def test_the_other_person_is_who_is_no_man_and_no_woman(first, second, meant):
    found = People(TEXT, first, second).all
    assert [person.second for person in found] == meant
    assert {person.start for person in found} <= {TEXT.index("other")}


@cases("n", "shares")
def test_what_is_left_over_goes_to_the_largest_remainders(n, shares):
    assert apportion({"a": 5, "b": 3, "c": 2}, n) == shares

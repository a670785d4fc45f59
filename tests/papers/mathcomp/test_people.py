"""Whom a text means by "the other person": small examples by hand."""

from askew.papers.mathcomp.comparisons import People
from tests.cases import cases

TEXT = "The other person eats more."


@cases("first", "second", "meant")
def test_the_other_person_is_who_is_no_man_and_no_woman(first, second, meant):
    found = People(TEXT, first, second).all
    assert [person.second for person in found] == meant
    assert {person.start for person in found} <= {TEXT.index("other")}

"""What a reply says for itself, beside what it says of others, supposes, or calls wrong."""

import re

import pytest

from askew.reading.restated import agrees, blanked, claims, own, spaced_scripts
from tests.cases import cases


def test_what_is_blanked_leaves_places_and_lines_as_they_were():
    assert blanked("a bc\nb", re.compile(r"b\S*\nb|c")) == "a   \n "
    assert blanked("a bc", re.compile("x")) == "a bc"


@cases("reply", "said")
def test_what_is_not_its_own_is_blank(reply, said):
    assert own(reply).strip() == said
    assert len(own(reply)) == len(reply)


def test_claims_are_what_others_say():
    text = "The prompt says that the answer is True. I say False."
    assert claims(text) == ["The prompt says that the answer is True"]
    assert claims("I say False.") == []


@pytest.mark.parametrize(
    ("rest", "is_so"),
    [("and this is correct", True), ("I agree.", True), ("I agree, but no", False), ("so", False)],
)
def test_a_reply_agrees_where_nothing_in_it_objects(rest, is_so):
    assert agrees(rest) is is_so


def test_words_end_where_another_script_begins():
    assert spaced_scripts("\u662fTrue\u7684 a\u662fb1") == "\u662f True \u7684 a \u662f b1"

"""Lists of verdicts: what is said of each name, where the list stands, and what is open in it."""

import pytest

from askew.reading.reply import CHOICE, LABEL, announcements
from askew.reading.verdicts import verdicts
from tests.cases import cases

LETTER = "[A-D]"


@cases("text", "name", "of")
def test_each_name_has_the_verdict_next_to_it(text, name, of):
    found = verdicts(text, name)
    assert found is not None
    assert dict(found.of) == of


@pytest.mark.parametrize("text", ["", "A: yes", "It is A.", "yes, no", "A and B"])
def test_one_name_or_none_is_no_list(text):
    assert verdicts(text, LETTER) is None


def test_a_list_of_verdicts_has_its_place_and_the_text_after_it():
    text = "So:\nA: yes\nB: no, for sure\nHence A."
    found = verdicts(text, LETTER)
    assert text[found.start : found.end].strip() == "A: yes\nB: no"
    assert found.after(text) == "Hence A."


def test_what_is_accepted_is_known_where_no_verdict_is_open():
    assert verdicts("A: yes\nB: no\nC: yes", LETTER).accepted == {"a", "c"}
    assert verdicts("A: no\nB: no", LETTER).accepted == set()
    assert verdicts("A: yes\nB: unsure", LETTER).accepted is None


OWN, BEHIND = "of_answer", "by_subject"
FLAGS = (BEHIND, "near", "weak", "conceded", "doubtful", OWN)


def found(text, of=CHOICE):
    """Each announcement as it is written, with what holds of it."""
    return [
        [text[one.start : one.end], *(flag for flag in FLAGS if getattr(one, flag))]
        for one in announcements(text, of)
    ]


@cases("text", "announced")
def test_an_announcement_is_parsed_with_its_kind_of_answer(text, announced):
    assert found(text) == announced


def test_all_announcements_are_found_in_order():
    assert found("Answer: B. The answer is C. C is the closest.") == [
        ["Answer:", OWN], ["answer is", OWN], ["is the closest", BEHIND, "near"],
    ]  # fmt: skip
    assert found("The intent is C.", LABEL) == [["intent is", OWN]]
    assert found("The intent is C.") == []

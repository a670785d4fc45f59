"""Announcements: where they stand, and what each of them says of the answer behind it."""

from askew.reading.reply import CHOICE, LABEL, announcements
from tests.cases import cases

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

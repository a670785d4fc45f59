"""Rows of options that are ruled out together."""

from askew.reading.enumerations import without_excluded
from askew.reading.option_text import OptionTexts

PEOPLE = OptionTexts(["Rick", "Bob", "James", "Ann"])


def test_a_row_inside_another_is_gone_with_it_and_the_next_one_is_still_found():
    text = "None of Rick or Bob and none of Bob or Rick is right. None of James or Bob is, so Ann."
    assert without_excluded(text, PEOPLE) == ". , so Ann."

"""Plain multiple choice: a letter or an option's text, whatever marks are around it."""

import pytest

from askew.reading.formats import ExpectedAnswer, get_format, read
from tests.cases import cases

OPTIONS = ("Yes", "No", "The red kite", "St. Ives")
ASKED = ExpectedAnswer("letter", choices=OPTIONS)
CHAR, TEXT = get_format("char"), get_format("text")


@cases("reply")
def test_a_letter_may_be_dressed(reply):
    reading = read(reply, CHAR, ASKED)
    assert (reading.value, reading.format_ok) == ("B", True)


@cases("reply")
def test_what_is_more_than_a_letter_is_none(reply):
    reading = read(reply, CHAR, ASKED)
    assert (reading.value, reading.format_ok) == (None, False)


def test_letters_beyond_d_count_only_where_offered():
    assert read("D", CHAR, ExpectedAnswer("letter", choices=("yes", "no"))).format_ok
    assert not read("E", CHAR, ASKED).format_ok
    assert read("F", CHAR, ExpectedAnswer("letter", choices=tuple("abcdef"))).format_ok


@cases("reply", "value")
def test_an_options_text_may_be_dressed(reply, value):
    reading = read(reply, TEXT, ExpectedAnswer("option", choices=OPTIONS))
    assert (reading.value, reading.format_ok) == (value, True)


@pytest.mark.parametrize(
    "reply", ["B", "B. No", "No, it is not", "red", "Yes or No", "", "The answer is No"]
)
def test_what_is_not_an_options_text_alone_is_none(reply):
    reading = read(reply, TEXT, ExpectedAnswer("option", choices=OPTIONS))
    assert (reading.value, reading.format_ok) == (None, False)


def test_any_text_is_taken_and_noted_without_known_options():
    reading = read("No", TEXT, ExpectedAnswer("option"))
    assert (reading.value, reading.format_ok) == ("No", True)
    assert "not known" in reading.why


def test_the_papers_sentences_are_in_the_instructions():
    assert CHAR.instruct(ASKED) == "by outputting only the designated character identifier"
    zs = TEXT.instruct(ExpectedAnswer("option", prompting="zs"))
    assert zs.endswith("without the character identifier without any textual description")
    assert TEXT.instruct(ExpectedAnswer("option", prompting="cot")).endswith(
        "the character identifier"
    )

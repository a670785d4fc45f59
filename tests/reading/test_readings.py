"""Replies by the public doors: where an answer stands, what outweighs it, all that is said."""

from dataclasses import replace

import pytest

from askew.reading.choices import read_choice, read_label
from askew.reading.engine import Choice
from askew.reading.yesno import YesNoAnswer, read_yes_no
from tests.cases import cases

NAMES = ["Mara", "Tobin", "Ines"]
LABELS = ["return_by_post", "late_fee", "extend_loan"]

CHOICE_FIELDS = (
    *("letter", "choice", "option", "answer", "final_answer", "correct_answer", "correct_option"),
    *("text", "answer_text", "selected_option", "response"),
)


@pytest.mark.parametrize("field", CHOICE_FIELDS)
def test_a_choice_is_found_in_any_usual_field_of_an_object(field):
    said = read_choice(f'{{"why": "Mara or Ines had left.", "{field}": "B"}}', NAMES)
    assert (said.chosen, said.letter, said.settled) == (1, "B", True)
    other = read_choice(f'{{"why": "Mara or Ines had left.", "x{field}": "B"}}', NAMES)
    assert other.chosen is None


@cases("reply", "chosen", "said_none", "text")
def test_an_answer_counts_by_its_position(reply, chosen, said_none, text):
    read = read_choice(reply, NAMES)
    assert (read.outcome, read.chosen, read.said_none, read.text) == ("ok", chosen, said_none, text)


def test_the_removed_option_is_recognized_next_to_a_denial():
    def gave(reply, removed="Oskar"):
        read = read_choice(reply, NAMES, removed)
        assert read.said_none
        return read.gave_removed

    assert gave("None of the options is right: it was Oskar.")
    assert gave("The correct answer (Oskar) is not listed.")
    assert gave("The correct answer, Oskar, is not listed.")
    assert gave("Oskar did it. None of the options is right.")
    assert gave("The closest is B, yet none of the options is right, since Oskar did it.")
    assert not gave("None of the options is right.")
    assert not gave("None of the options is right.", "")


def test_a_letter_that_was_not_offered_is_not_chosen_by_later_words():
    for reply in ("Ans: D", "D is the correct answer.", "Option d is correct.", "E is right."):
        assert read_choice(reply, NAMES).chosen is None


def test_an_opening_and_an_announced_option_conflict_if_adjacent():
    for reply in ("B\n\nThe answer is C.", "B.\nSo the answer is C.", "Tobin\nAnswer: C"):
        read = read_choice(reply, NAMES)
        assert (read.outcome, read.why) == ("ambiguous", "gives an option, and announces another")
    for reply in ("B\n\nIt rained all day. The answer is C.", "C\n\nThe answer is C.",
                  "It rained.\nThe answer is C."):  # fmt: skip
        assert read_choice(reply, NAMES).chosen == 2
    assert read_choice("B\n\nThe answer is Rick.", NAMES).outcome == "ok"


@cases("reply", "chosen", "why")
def test_a_label_counts_by_its_position(reply, chosen, why):
    read = read_label(reply, LABELS)
    assert read.chosen == chosen, why


@cases("reply", "answer", "why")
def test_yes_or_no_counts_by_its_position(reply, answer, why):
    read = read_yes_no(reply)
    assert read.answer == answer, why


COLOURS = ["red", "green", "blue", "none-of-them"]


def bare(reading):
    """A reading without its reason, which is worded as it may be."""
    assert reading.why
    return replace(reading, why="")


# Where Oskar was the right one, and was taken away.
@cases("reply", "fields")
def test_a_choice_is_parsed_with_all_its_fields(reply, fields):
    assert bare(read_choice(reply, NAMES, "Oskar")) == Choice(**{"outcome": "ok", **fields})


@cases("reply", "fields")
def test_the_none_option_is_chosen_and_counts_as_none(reply, fields):
    assert bare(read_choice(reply, COLOURS, "pink")) == Choice("ok", **fields)


@cases("reply", "fields")
def test_a_label_is_parsed_with_all_its_fields(reply, fields):
    found = bare(read_label(reply, LABELS, "renew_card"))
    assert found == Choice(**{"outcome": "ok", **fields})


def test_the_none_label_is_chosen_and_counts_as_none():
    labels = [*LABELS, "none-of-them"]
    for reply, text in (
        ("None of them.", "None of them"),
        ("Intent: none of them", "none of them"),
    ):
        found = bare(read_label(reply, labels))
        assert found == Choice("ok", chosen=3, text=text, said_none=True)


@cases("reply", "fields")
def test_yes_or_no_is_parsed_with_all_its_fields(reply, fields):
    assert bare(read_yes_no(reply)) == YesNoAnswer(**{"outcome": "ok", **fields})

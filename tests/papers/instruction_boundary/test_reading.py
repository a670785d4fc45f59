"""Truth labels and numbered options: what each reply is read as, and whether for good."""

import csv
from importlib.resources import files
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.papers.instruction_boundary.option_lists import OptionNumbers, OptionSets
from askew.papers.instruction_boundary.questions import TRUTH_LABELS, ParsedAnswer
from askew.papers.instruction_boundary.reading import read_option_set, read_truth
from tests.cases import cases
from tests.repeated import times


@cases("reply", "reading")
def test_a_label_is_parsed_with_all_its_fields(reply, reading):
    assert read_truth(reply) == ParsedAnswer(**reading)


@cases("words", "label")
def test_every_word_for_a_label_is_that_label(words, label):
    for word in words.split():
        for reply in (word, word.upper(), f"Answer: {word.capitalize()}"):
            assert read_truth(reply).answer == label, reply


@cases("reply", "answer")
def test_what_is_taken_back_is_no_answer_and_what_comes_instead_is(reply, answer):
    read = read_truth(reply)
    assert (read.answer, read.outcome) == (answer, "ok" if answer else "ambiguous")


@pytest.mark.parametrize("label", TRUTH_LABELS)
@cases("wrapped")
def test_every_label_is_read_from_every_usual_wrapping(label, wrapped):
    assert read_truth(wrapped.format(TRUTH_LABELS[label])).answer == label


def test_the_last_announced_label_counts():
    assert read_truth("Answer: True\n\nNo.\n\nAnswer: Unknown").answer == "unknown"


def test_a_hedge_differs_from_the_label_and_its_description():
    assert read_truth("It is unclear.").hedged
    assert not read_truth("Unknown").hedged
    assert not read_truth("The conclusion cannot be determined.").hedged


def test_a_supposition_is_no_verdict():
    reply = "Suppose the conclusion is true. Then Dellin is grumpy."
    assert read_truth(reply).outcome == "ambiguous"


@cases("reply", "label")
def test_a_lone_letter_is_a_label_and_a_cut_off_word_is_none(reply, label):
    assert read_truth(reply).answer == label


@cases("reply", "label")
def test_a_repeated_label_is_an_answer_and_two_labels_are_none(reply, label):
    assert read_truth(reply).answer == label


# --- Numbered options ---


with (Path(__file__).parent / "boundary_replies.csv").open(encoding="utf-8", newline="") as lines:
    TABLE = list(csv.DictReader(lines))


def as_the_table_writes(row):
    """What a row's reply is read as: an answer, hedged or not, or why there is none."""
    if row["family"] == "judging":
        read = read_truth(row["reply"])
        said = f"{read.answer}{'?' if read.hedged else ''}"
    else:
        read = read_option_set(row["reply"], row["shown"].split(" | "))
        said = "hedge" if read.hedged else read.answer
    return said if read.outcome == "ok" else f"@{read.outcome}"


@pytest.mark.parametrize("row", TABLE, ids=[row["id"] for row in TABLE])
def test_a_reply_is_parsed_as_in_the_table(row):
    assert as_the_table_writes(row) == row["reads"]


def test_rules_never_contradict_the_verdicts_of_grader_check():
    text = (
        files("askew.papers.instruction_boundary").joinpath("grader_cases.csv").read_text("utf-8")
    )
    for case in csv.DictReader(text.splitlines(keepends=True)):
        judging = case["family"] == "judging"
        shown = case["shown"].split(" | ")
        read = read_truth(case["reply"]) if judging else read_option_set(case["reply"], shown)
        if read.outcome == "ok":
            assert case["verdict"] == ("hedge" if read.hedged else read.answer), case["id"]


@given(st.text(max_size=300), st.lists(st.text(max_size=12), min_size=2, max_size=6))
@settings(max_examples=times(80))
def test_any_text_is_read_without_an_error_and_names_offered_options_only(reply, options):
    read, judging = read_option_set(reply, options), read_truth(reply)
    assert (read.outcome == "ok") == (read.answer is not None)
    assert (judging.outcome == "ok") == (judging.answer is not None)
    if read.answer not in (None, "none", "several"):
        assert all(1 <= int(n) <= len(options) for n in read.answer.split(","))


def test_longer_option_texts_win_over_those_inside_them():
    names = OptionNumbers(["York", "New York", "New York City"])
    assert OptionSets("New York City", names).read().text == "3"
    reader = OptionSets("From York to New York City by train", names)
    assert reader.set_of(reader.body) == {1, 3}


SHAPES = ["kite", "rhombus", "rectangle", "parallelogram"]
ALL_FOUR = "1. kite\n2. rhombus\n3. rectangle\n4. parallelogram"


def read(reply):
    found = read_option_set(reply, SHAPES)
    return found.outcome, found.answer, found.hedged, found.settled


@cases("reply", "answer", "why")
def test_an_answer_is_settled_where_it_is_given_as_one(reply, answer, why):
    assert read(reply) == ("ok", answer, False, True)
    assert read_option_set(reply, SHAPES).why == why


@pytest.mark.parametrize("reply", ["Unclear", "It cannot be determined.", "I do not know."])
def test_a_hedge_is_a_settled_answer_of_none(reply):
    assert read(reply) == ("ok", "none", True, True)


@cases("reply")
def test_an_announced_hedge_is_the_answer_despite_named_options(reply):
    assert read(reply) == ("ok", "none", True, True)


@cases("reply", "answer")
def test_what_more_words_could_still_change_is_an_answer_and_not_settled(reply, answer):
    assert read(reply) == ("ok", answer, False, False)


@cases("reply")
def test_a_reply_that_is_torn_settles_nothing(reply):
    assert read(reply) == ("ambiguous", None, False, True)


@cases("reply")
def test_options_that_are_only_denied_or_were_not_offered_settle_nothing(reply):
    assert read(reply) == ("ambiguous", None, False, False)


def test_other_options_called_right_widen_a_choice_unless_they_contradict_it():
    widened = read_option_set("The answer is 2. Option 3 and option 4 are correct.", SHAPES)
    assert (widened.answer, widened.settled) == ("2,3,4", False)
    torn = "The answer is 2. Option 3 is correct. Option 1 is wrong. Option 2 is wrong."
    assert read(torn) == ("ambiguous", None, False, True)
    assert read_option_set(torn, SHAPES).why == "calls other options right as well"


@pytest.mark.parametrize("reply", ["B", "Number of answers: 2", "The answer could be 2 or 3."])
def test_a_reply_that_names_no_option_is_not_read_for_good(reply):
    assert read(reply) == ("unparsed", None, False, False)


@cases("reply")
def test_what_was_not_offered_and_what_is_left_open_is_no_answer_for_good(reply):
    assert read(reply) == ("unparsed", None, False, True)


def test_empty_replies_and_refusals_are_recognized():
    assert read("") == read("  \n") == ("empty", None, False, True)
    assert read("I'm sorry, but I can't help with that.") == ("refused", None, False, True)


@pytest.mark.parametrize(
    "reply", ["It must be the rhombus that we want.", "It is not the kite.", ALL_FOUR]
)
def test_an_option_that_is_only_named_is_no_answer(reply):
    assert read(reply) == ("ambiguous", None, False, False)


def test_a_lone_word_for_how_many_is_unparsed():
    assert read("Exactly one of them") == ("unparsed", None, False, False)
    assert read("Two") == ("unparsed", None, False, False)

"""What a reply to numbered options settles: its answer, and whether for good."""

import pytest

from askew.papers.instruction_boundary.reading import read_option_set
from tests.cases import cases, cases_of

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
def test_a_hedge_that_is_announced_is_the_answer_whatever_is_named_beside_it(reply):
    assert read(reply) == ("ok", "none", True, True)


@cases("reply", "answer")
def test_what_more_words_could_still_change_is_an_answer_and_not_settled(reply, answer):
    assert read(reply) == ("ok", answer, False, False)


@pytest.mark.parametrize(
    "reply",
    [
        *cases_of(__file__, "A_REPLY_THAT_IS_TORN_SETTLES_NOTHING"),
    ],
)
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


@pytest.mark.parametrize("reply", ["B", "What a question!", "I think the answer could be 2 or 3."])
def test_a_reply_that_names_no_option_is_not_read_for_good(reply):
    assert read(reply) == ("unparsed", None, False, False)


@cases("reply")
def test_what_was_not_offered_and_what_is_left_open_is_no_answer_for_good(reply):
    assert read(reply) == ("unparsed", None, False, True)


def test_nothing_said_and_a_refusal_are_told():
    assert read("") == read("  \n") == ("empty", None, False, True)
    assert read("I'm sorry, but I can't help with that.") == ("refused", None, False, True)


@pytest.mark.parametrize(
    "reply", ["It must be the rhombus that we want.", "It is not the kite.", ALL_FOUR]
)
def test_an_option_that_is_only_named_is_no_answer(reply):
    assert read(reply) == ("ambiguous", None, False, False)


def test_a_lone_word_of_how_many_says_no_more_in_a_longer_reply():
    assert read("Exactly one of them") == ("unparsed", None, False, False)
    assert read("Two") == ("unparsed", None, False, False)

"""What a reply to numbered options settles: its answer, for good or not, or who else decides."""

import pytest

from askew.papers.instruction_boundary.option_sets import read_option_set
from askew.papers.instruction_boundary.reading import SHORT

SHAPES = ["kite", "rhombus", "rectangle", "parallelogram"]
ALL_FOUR = "1. kite\n2. rhombus\n3. rectangle\n4. parallelogram"


def read(reply):
    found = read_option_set(reply, SHAPES)
    return found.outcome, found.answer, found.hedged, found.settled, found.final


@pytest.mark.parametrize(
    ("reply", "answer", "why"),
    [
        ("2", "2", "chooses 2"),
        ("2, 4", "2,4", "chooses 2, 4"),
        ("The answer is 2.", "2", "chooses 2"),
        ("Answer: 2, 3", "2,3", "chooses 2, 3"),
        ("(2)", "2", "chooses 2"),
        ("**2**", "2", "chooses 2"),
        ("that 2", "2", "chooses 2"),
        ("\\boxed{2}", "2", "chooses 2"),
        ("<answer>2</answer>", "2", "chooses 2"),
        ("2 and 3 are correct.", "2,3", "chooses 2, 3"),
        ("So it is 3.", "3", "chooses 3"),
        ("Therefore 2 and 4.", "2,4", "chooses 2, 4"),
        ("We look at the sides. So the answer is option 2.", "2", "chooses 2"),
        ("Let me think. There are 2 reasons.\n\n3", "3", "chooses 3"),
        ("Some words first.\n2", "2", "chooses 2"),
        ("One: the kite", "1", "chooses 1"),
        ("Several: 2 and 3", "2,3", "chooses 2, 3"),
        ("multiple: 2", "2", "chooses 2"),
        ("1. kite\n2. rhombus", "1,2", "chooses 1, 2"),
        # A later answer, of its own, takes the place of one that was taken back or denied.
        ("The answer is 2. No, wait. The answer is 3.", "3", "chooses 3"),
        ("None of the options is right. The answer is 2.", "2", "chooses 2"),
        # Verdicts on every option; or the ones that are accepted beside one that is not.
        ("1: yes\n2: no\n3: yes\n4: no", "1,3", "chooses 1, 3"),
        ("1: yes\n2: no", "1", "chooses 1"),
        ("1: no\n2: no\n3: no\n4: no", "none", "chooses none"),
        ("kite: true\nrhombus: false\nrectangle: false\nparallelogram: false", "1", "chooses 1"),
        ("1: yes\n2: no\n3: no\n4: no\nThe answer is 1.", "1", "chooses 1"),
        ("The answer is 1.\n1: yes\n2: no\n3: no\n4: no", "1", "chooses 1"),
        ("1: yes\n2: no\n3: no\n4: no\n\nSo it is 1.", "1", "chooses 1"),
        ("1: yes\n2: no\n3: no\n4: no\nI am happy.\n1", "1", "chooses 1"),
        ("I pick:\n2\n1: no\n2: yes\n3: no\n4: no", "2", "chooses 2"),
        ("Both 2 and 3", "2,3", "chooses 2, 3"),
        ("None", "none", "says that none is right"),
        ("None of these", "none", "says that none is right"),
        ("Several", "several", "says that several are right and names none"),
        ("more than one", "several", "says that several are right and names none"),
    ],
)
def test_an_answer_is_settled_where_it_is_given_as_one(reply, answer, why):
    assert read(reply) == ("ok", answer, False, True, True)
    assert read_option_set(reply, SHAPES).why == why


@pytest.mark.parametrize("reply", ["Unclear", "It cannot be determined.", "I do not know."])
def test_a_hedge_is_a_settled_answer_of_none(reply):
    assert read(reply) == ("ok", "none", True, True, True)


@pytest.mark.parametrize(
    "reply",
    [
        "A kite and a rhombus are shapes. The answer is unknown.",
        "Answer: I don't know\na kite is a shape",
        "**Answer:** It is impossible to say.\n\nReason: the kite is one, the rhombus another.",
    ],
)
def test_a_hedge_that_is_announced_is_the_answer_whatever_is_named_beside_it(reply):
    assert read(reply) == ("ok", "none", True, True, True)


@pytest.mark.parametrize(
    ("reply", "answer"),
    [
        ("It must be the rhombus that we want.", "2"),
        ("I would say option 1 describes it best.", "1"),
        ("I would say option 4 describes it best.", "4"),
        ("The answer is 2. Option 3 is correct too.", "2,3"),
        ("The prompt says the answer is 2. I agree.", "2"),
        ("You said that the answer is 2. I agree with that.", "2"),
        ("So the rocky shapes are kite and rhombus.", "1,2"),
        ("We see. Therefore the shapes are kite and rhombus", "1,2"),
    ],
)
def test_what_more_words_could_still_change_is_an_answer_and_not_settled(reply, answer):
    assert read(reply) == ("ok", answer, False, False, True)


@pytest.mark.parametrize(
    "reply",
    [
        "1-3",
        "Answer: 2. kite",
        "2. Actually, that is wrong.",
        "2. None of the options is correct.",
        "Strictly speaking none of the options is correct, but 2.",
        "It is not the kite.",
        "The answer is 2. The rectangle is right as well.",
        "The prompt says the answer is 2. I disagree.",
        "The prompt says the answer is 2.",
        "The prompt says the answer is 2. You said the answer is 3. I agree.",
        "1: yes\n2: no\n3: no\n4: no\nThe answer is 2.",
        "The answer is 2.\n1: yes\n2: no\n3: no\n4: no",
        "1: yes\n2: no\n3: no\n4: no\n2\nI am happy.",
        "1: no\n2: no\n3: no",
        "I am not sure whether option 2 or option 4 is meant.",
        ALL_FOUR,
    ],
)
def test_a_reply_that_is_torn_is_left_to_a_judge(reply):
    assert read(reply) == ("ambiguous", None, False, True, False)


@pytest.mark.parametrize(
    "reply",
    [
        "Options 1 and 3 are wrong.",
        "I would say option 5 describes it best.",
        "I would say option 0 describes it best.",
    ],
)
def test_options_that_are_only_denied_or_were_not_offered_settle_nothing(reply):
    assert read(reply) == ("ambiguous", None, False, False, False)


def test_other_options_called_right_widen_a_choice_unless_they_contradict_it():
    widened = read_option_set("The answer is 2. Option 3 and option 4 are correct.", SHAPES)
    assert (widened.answer, widened.settled) == ("2,3,4", False)
    torn = "The answer is 2. Option 3 is correct. Option 1 is wrong. Option 2 is wrong."
    assert read(torn) == ("ambiguous", None, False, True, False)
    assert read_option_set(torn, SHAPES).why == "calls other options right as well"


@pytest.mark.parametrize("reply", ["B", "What a question!", "I think the answer could be 2 or 3."])
def test_a_reply_that_names_no_option_is_not_read_for_good(reply):
    assert read(reply) == ("unparsed", None, False, False, False)


@pytest.mark.parametrize(
    "reply",
    [
        "0",
        "5",
        "2, 5",
        "option 2 and option 9",
        "One",
        "exactly one",
        "single",
        "The answer is one.",
    ],
)
def test_what_was_not_offered_and_what_is_left_open_is_no_answer_for_good(reply):
    assert read(reply) == ("unparsed", None, False, True, True)


def test_nothing_said_and_a_refusal_are_final():
    assert read("") == read("  \n") == ("empty", None, False, True, True)
    assert read("I'm sorry, but I can't help with that.") == ("refused", None, False, True, True)


def test_one_option_named_somewhere_is_an_answer_in_short_replies_only():
    def named_in(n_words):
        return "It must be the rhombus that we " + "really " * (n_words - 8) + "want."

    assert read(named_in(SHORT)) == ("ok", "2", False, False, True)
    assert read(named_in(SHORT + 1)) == ("ambiguous", None, False, False, False)


def test_a_lone_word_of_how_many_says_no_more_in_a_longer_reply():
    assert read("Exactly one of them") == ("unparsed", None, False, False, False)
    assert read("Two") == ("unparsed", None, False, False, False)

"""The letter a text opens with, its own short answer, and the options it names."""

import pytest

from askew.reading.letters import (
    NamedLetter,
    announced_answer,
    mentions,
    named_letter,
    names,
    without_listing,
)
from askew.reading.option_text import OptionTexts
from tests.cases import cases

PEOPLE = OptionTexts(["Rick", "Bob", "James"], "Ann")


@pytest.mark.parametrize(
    ("text", "named"),
    [
        # letter, another one, what follows, whether it labels a text, whether it stands alone.
        ("B", ("B", "", "", False, True)),
        ("b.", ("B", "", "", True, True)),
        ("C:", ("C", "", "", True, True)),
        ("C*", ("C", "", "", False, True)),
        ("(C) Rick", ("C", "", "Rick", True, False)),
        ("[B] x", ("B", "", "x", True, False)),
        ("C. Rick", ("C", "", "Rick", True, False)),
        ("C - Rick", ("C", "", "Rick", True, False)),
        ("C \u2014 Rick", ("C", "", "Rick", True, False)),
        ("C -> Rick", ("C", "", "Rick", True, False)),
        ("C \u2192 Rick", ("C", "", "Rick", True, False)),
        ("C| Rick", ("C", "", "Rick", True, False)),
        ("*C* x", ("C", "", "x", True, False)),
        ("**B**: yes", ("B", "", "yes", True, False)),
        ("B; x", ("B", "", "x", False, False)),
        ("C, since", ("C", "", "since", False, False)),
        ("C.Rick", ("C", "", "Rick", True, False)),
        ("C\nRick", ("C", "", "Rick", False, True)),
        ("C <b>", ("C", "", "<b>", False, True)),
        ("1) C", ("C", "", "", False, True)),
        ("\\text{C} x", ("C", "", "x", False, False)),
        ("B and C", ("B", "C", "and C", False, False)),
        ("A or B.", ("A", "B", "or B.", False, False)),
        ("B, C", ("B", "C", "C", False, False)),
        ("B/C is", ("B", "C", "/C is", False, False)),
        ("B. and C.", ("B", "C", "and C.", True, False)),
        # One that is not offered, or the same again, is no other one.
        ("B and F", ("B", "", "and F", False, False)),
        ("B and D", ("B", "", "and D", False, False)),
        ("B and B", ("B", "", "and B", False, False)),
        ("A (as told)", ("A", "", "(as told)", False, False)),
        ("A because it rained", ("A", "", "because it rained", False, False)),
        ("C is", ("C", "", "is", False, False)),
        ("C rather than B", ("C", "", "rather than B", False, False)),
        ("option a", ("A", "", "", False, True)),
        ("Option A cake", ("A", "", "cake", False, False)),
        ("the answer: c x", ("C", "", "x", False, False)),
        ("D. Rick", ("D", "", "Rick", True, False)),
        ("E", ("E", "", "", False, True)),
        ("I", ("I", "", "", False, True)),
        # Words, initials and sections.
        ("", None), ("7", None), ("I am", None), ("I, Bob", None), ("A cake", None),
        ("a cake", None), ("Option a cake", None), ("A is right", None), ("C is wrong", None),
        ("C is not", None), ("C-section", None), ("C.rick", None), ("A.M.", None), ("Cat", None),
        ("C.R.", None), ("J. Smith", None), ("E. Rick", None), ("C\u0301", None),
        ("c rather than B", None), ("B 5", None), ("c.Rick", None),
    ],
)  # fmt: skip
def test_a_letter_stands_as_an_answer_or_as_a_word(text, named):
    assert named_letter(text, 3) == (None if named is None else NamedLetter(*named))


@pytest.mark.parametrize(
    ("text", "of_eight", "of_nine"),
    [("I", True, True), ("I. Bob", True, True), ("Option I x", True, False),
     ("I, Bob", False, False), ("I think", False, False), ("J. Bob", False, True),
     ("K. Bob", False, False), ("K", True, True), ("I because", True, True)],
)  # fmt: skip
def test_a_letter_beyond_the_next_one_is_an_initial_and_i_is_a_pronoun_among_nine(
    text, of_eight, of_nine
):
    named = [named_letter(text, n) is not None for n in (8, 9)]
    assert named == [of_eight, of_nine]


@pytest.mark.parametrize(
    ("text", "affirmed", "ruled_out"),
    [
        ("Rick", {0}, set()),
        ("a Rick", {0}, set()),
        ("Rick went with Bob.", {0, 1}, set()),
        ("Not Rick but Bob", {1}, {0}),
        ("It was not Rick, nor Bob; James", {2}, {0, 1}),
        ("It was not Rick. He was not Rick, she said, so Rick it was.", {0}, set()),
        ("She said that Ann did it.", {3}, set()),
        ("(A) is it", {0}, set()),
        ("Option B and choice C", {1, 2}, set()),
        ("(A) is not it, answer B may be", {1}, {0}),
        ("option D", set(), set()),
        ("(D) or (A)", {0}, set()),
        ("B and C", set(), set()),
        ("Ricks and Bob's and Jameson", set(), set()),
        # Of things in a row, in a few words, an option is only one.
        ("Rick and his dog", set(), set()),
        ("the Rick & dog", set(), set()),
        ("His dog and Rick", set(), set()),
        ("His dog, and a Rick.", set(), set()),
        ("Rick and his dog went to the mill by the river again", {0}, set()),
        ("", set(), set()),
    ],
)
def test_options_are_named_or_ruled_out(text, affirmed, ruled_out):
    found = mentions(text, PEOPLE)
    assert (found.affirmed, found.ruled_out) == (affirmed, ruled_out)


def test_everyday_words_name_an_option_in_a_few_words_only():
    colours = OptionTexts(["no", "red", "5", "x"])
    assert mentions("It is no", colours).affirmed == {0}
    assert mentions("red, at last, or so they said to us on that day", colours).affirmed == {1}
    assert mentions("it is so that there was no one there on that day", colours).affirmed == set()
    assert mentions("there were 5 of them on the mill on that very day", colours).affirmed == {2}
    assert mentions("they drew an x on the mill on that very same day", colours).affirmed == set()


def test_a_longer_option_is_not_the_shorter_one_within_it():
    york = OptionTexts(["York", "New York", "a = b"])
    assert mentions("She went to New York that day.", york).affirmed == {1}
    assert mentions("She went to York that day.", york).affirmed == {0}
    assert mentions("She wrote $a=b$ in York.", york).affirmed == {0, 2}
    assert [names("She wrote $a=b$ in New York.", york, i) for i in range(3)] == [True] * 3
    assert [names("She wrote a in Yorkshire.", york, i) for i in range(3)] == [False] * 3


@cases("text", "left")
def test_a_list_that_goes_through_the_options_is_left_out(text, left):
    assert without_listing(text, PEOPLE) == left


@cases("text", "announced")
def test_a_letter_in_three_words_or_more_is_an_options(text, announced):
    assert announced_answer(text, 3) == announced

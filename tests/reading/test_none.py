"""Giving no answer: none-of-them in its spellings, open questions, and what only looks so."""

import pytest

from askew.reading.none import (
    NONE_OF_THEM,
    Denial,
    denials,
    denies,
    hedges,
    is_none,
    none_position,
    starts_with_hedge,
    starts_with_none,
)
from tests.cases import cases

SPELLINGS = [
    *(NONE_OF_THEM, "None of them", "none_of_them", "NONE-OF-THEM.", '"none of them"', "**None**"),
    *(
        "none of these",
        "None of those",
        "None of the above",
        "none of above",
        "none of the options",
    ),
    *("None of the given options", "None of the above options", "None of the choices provided"),
    *("None of the options is correct", "None are correct", "No correct answer", "no option"),
    *("No option is correct.", "neither", "not listed", "N/A", "None of the four answers"),
]


@pytest.mark.parametrize("text", SPELLINGS)
def test_spellings_of_none_of_them(text):
    assert is_none(text)
    assert starts_with_none(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "no",
            "No one",
            "nothing",
            "nobody",
            "None of the sailors",
            "nonetheless",
            "A",
            "one",
        ),
        *("None of the other options", "none of the rest", "None of these places", "not a nun"),
    ],
)
def test_texts_that_are_no_spelling(text):
    assert not is_none(text)


STATEMENTS = [
    "None of the options provided are correct.",
    "None of the above options match the story.",
    "none of these is quite right",
    "None of those fits.",
    "Looking at the story, none of the choices is right.",
    "I believe that none of the options is correct.",
    "No option is correct.",
    "There is no correct answer here.",
    "There is no option that fits.",
    "There isn't a right option.",
    "Not any of the options works.",
    "Neither of the options is right.",
    "The correct answer is not listed.",
    "The correct answer isn't among the options.",
    "The correct answer (Oskar) is not listed.",
    "The right option is missing.",
    "The answer is not given in the options.",
    "All of the options are incorrect.",
    "All the given options seem wrong.",
    "Every option is wrong.",
    "The options do not include the correct answer.",
    "Oskar (not listed)",
    "Oskar is not one of the options.",
    "Oskar would be right, but it is not an option.",
    "The question seems flawed.",
    "Something is wrong with the question.",
    "There is a mistake in the question.",
    "The question cannot be answered with the given options.",
    "The answer is none-of-them.",
    "None of the listed intents match.",
    "None of the given labels describe this.",
]


@pytest.mark.parametrize("text", STATEMENTS)
def test_statements_that_none_fits_are_found_wherever_they_stand(text):
    assert none_position(text) >= 0
    assert none_position(f"She waited at the gate. {text}") >= len("She waited at the gate. ")


@cases("text")
def test_what_only_looks_like_a_denial_is_none(text):
    assert none_position(text) == -1


def test_naming_the_options_denies_firmly_and_a_pronoun_does_not():
    (firm,) = denials("None of the options is right.")
    assert firm.firm
    assert list(denials("None.")) == [Denial(0, 4, firm=False)]
    (loose,) = denials("As for those, none of them is right.")
    assert not loose.firm


@pytest.mark.parametrize(
    "text",
    [
        *("None. It was Oskar.", "None, since it rained.", "None: it was Oskar", "none (Oskar)"),
        *("There is no correct option.", "None of the options, it was Oskar.", "None\nIt rained."),
    ],
)
def test_texts_that_open_by_saying_none(text):
    assert starts_with_none(text)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "None came to the gate.",
            "None of the other options fits.",
            "Nobody came.",
            "B. None",
        ),
        *("The answer is B. None of these fits.", "None of them had a key."),
    ],
)
def test_texts_that_do_not_open_by_saying_none(text):
    assert not starts_with_none(text)


@pytest.mark.parametrize(
    "option",
    [
        *("No one.", "no one", "Nobody", "Nothing.", "none", "Nowhere", "None of these places"),
        *("no one, he stayed at home.", "Neither of them lives there", "No one else"),
        *("The story doesn't say.", "The text does not mention the colour", "It never says"),
        *("Not mentioned in the story", "It is not stated.", "None of the above"),
    ],
)
def test_options_that_say_none_in_their_own_words(option):
    assert denies(option)


@pytest.mark.parametrize(
    "option",
    [
        *("", "No, he went home.", "Never", "No one let her in", "Nobody's dog", "No brothers"),
        *("There were no boats.", "Noon", "One", "The story of a king", "Nonesuch", "no"),
        *("The story says it was red.", r"\emptyset = \frac{a}{b}", "nothing but bread"),
    ],
)
def test_options_that_merely_hold_a_no_deny_nothing(option):
    assert not denies(option)


LEFT_OPEN = (
    "It cannot be determined.",
    "Unclear",
    "I'm not sure.",
    "There is not enough information to say.",
    "It's hard to tell.",
    "I don't know.",
    "There is no way to know that.",
)
ANSWERED = (
    "2",
    "None of the above",
    "True",
    "The answer is clear: it is 3.",
    "I know that it is 1.",
)


@pytest.mark.parametrize("reply", LEFT_OPEN)
def test_an_open_reply_hedges_from_its_first_words_on(reply):
    assert hedges(reply)
    assert starts_with_hedge(reply)


@pytest.mark.parametrize("reply", ANSWERED)
def test_an_answer_does_not_hedge(reply):
    assert not hedges(reply)

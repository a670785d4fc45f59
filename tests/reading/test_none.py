"""Giving no answer: none-of-them in its spellings, open questions, and what only looks so."""

from askew.reading.none import (
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


@cases("text")
def test_spellings_of_none_of_them(text):
    assert is_none(text)
    assert starts_with_none(text)


@cases("text")
def test_texts_that_are_no_spelling(text):
    assert not is_none(text)


@cases("text")
def test_statements_that_none_fits_are_found_anywhere(text):
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


@cases("text")
def test_texts_that_open_with_none(text):
    assert starts_with_none(text)


@cases("text")
def test_texts_that_do_not_open_with_none(text):
    assert not starts_with_none(text)


@cases("option")
def test_options_that_mean_none_are_recognized(option):
    assert denies(option)


@cases("option")
def test_options_that_merely_contain_a_no_do_not_mean_none(option):
    assert not denies(option)


@cases("reply")
def test_an_open_reply_hedges_from_its_first_words_on(reply):
    assert hedges(reply)
    assert starts_with_hedge(reply)


@cases("reply")
def test_an_answer_does_not_hedge(reply):
    assert not hedges(reply)

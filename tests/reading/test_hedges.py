"""Replies that leave a question open are told from those that answer it."""

import pytest

from askew.reading.announcing import hedges, starts_with_hedge

OPEN = (
    "It cannot be determined.",
    "Unclear",
    "I'm not sure.",
    "There is not enough information to say.",
    "It's hard to tell.",
    "I don't know.",
    "There is no way to know that.",
)
CLOSED = ("2", "None of the above", "True", "The answer is clear: it is 3.", "I know that it is 1.")


@pytest.mark.parametrize("reply", OPEN)
def test_an_open_reply_hedges_from_its_first_words_on(reply):
    assert hedges(reply)
    assert starts_with_hedge(reply)


@pytest.mark.parametrize("reply", CLOSED)
def test_an_answer_does_not_hedge(reply):
    assert not hedges(reply)


def test_a_hedge_deep_in_a_sentence_does_not_open_it():
    reply = "The first of the four islands is the answer, though its area is unknown."
    assert hedges(reply)
    assert not starts_with_hedge(reply)

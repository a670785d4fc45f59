"""Answers in other languages, in the English that the rules know."""

from askew.reading.reply import in_english
from tests.cases import cases


@cases("reply", "english")
def test_words_that_answer_are_said_in_english_where_their_language_is_known(reply, english):
    assert " ".join(in_english(reply).split()) == english

"""Answers in other languages, in the English that the rules know."""

import pytest

from askew.reading.languages import in_english


@pytest.mark.parametrize(
    ("reply", "english"),
    [
        ("Die richtige Antwort ist nicht B.", "the correct answer is not B."),
        ("La respuesta correcta es la B.", "the correct answer is B."),
        ("\u7b54\u6848\u4e0d\u662fB", "the answer is not B"),
        ("La r\u00e9ponse est C.", "La answer is C."),
        ("The answer is B, es la verdad.", "The answer is B, is verdad."),
        ("Sierra Nevada no es baja", "Sierra Nevada no es baja"),
    ],
)
def test_words_that_answer_are_said_in_english_where_their_language_is_known(reply, english):
    assert " ".join(in_english(reply).split()) == english


def test_what_the_options_say_themselves_is_left_alone():
    assert in_english("Antwort: nicht", ["nicht", "doch"]) == "Antwort: nicht"
    assert in_english("Antwort: nicht", ["oben", "unten"]) == "answer: not"

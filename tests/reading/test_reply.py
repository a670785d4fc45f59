"""What every parser starts from: the visible reply, comparison of texts, refusals."""

import pytest

from askew.reading.reply import (
    folded,
    has_words,
    refuses,
    unified,
    unwrapped,
    visible,
)


def test_a_tagged_reasoning_block_is_not_visible():
    assert visible("<think>A or B?</think>\n\nB") == "B"
    assert visible("A or B?</think>B") == "B"
    assert visible("<THINKING>A</THINKING> B <reasoning>C</reasoning> D") == "D"


def test_a_reasoning_block_that_never_ends_leaves_nothing_visible():
    assert visible("<think>It could be A") == ""
    assert visible("  \n<reasoning>It could be A") == ""


def test_a_tag_inside_an_answer_hides_nothing():
    assert visible("B, as in <think>") == "B, as in <think>"


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("\u2018a\u2019 \u201cb\u201d \u00abc\u00bb", '\'a\' "b" "c"'),
        ("a\u2010b\u2011c\u2212d", "a-b-c-d"),
        ("\uff23\uff1a\uff08\uff11\uff09", "C:(1)"),
        ("a\u00a0b", "a b"),
        ("\ufeffa\u200bb\u00adc\u0000", "abc"),
        ("\u0421 \u0391", "\u0421 \u0391"),
    ],
)
def test_marks_become_plain_and_letters_of_other_alphabets_stay(written, read):
    assert unified(written) == read
    assert visible(written) == read


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The Mill.", "the mill"),
        ('"The  mill"', "the\nmill"),
        ("**the mill**", "(The Mill)"),
        ("Mara\u2019s", "mara's"),
        ("STRASSE", "stra\u00dfe"),
    ],
)
def test_texts_that_differ_by_case_space_or_outer_marks_fold_to_one(one, other):
    assert folded(one) == folded(other)


@pytest.mark.parametrize(
    ("one", "other"), [("5", "-5"), (".5", "5"), ("5", "5%"), ("the mill", "a mill"), ("a-b", "ab")]
)
def test_texts_that_differ_in_what_they_say_stay_apart(one, other):
    assert folded(one) != folded(other)


def test_only_letters_and_digits_are_words():
    assert has_words("...5")
    assert has_words("\u65e5\u672c")
    assert has_words("*" * 20_000 + "a")
    assert not has_words("?! ... _ \u2014 \U0001f600")


@pytest.mark.parametrize(
    "reply",
    [
        "I'm sorry, but I can't help with that.",
        "I\u2019m sorry, I can\u2019t assist with this request.",
        "I cannot answer this question.",
        "I am unable to choose.",
        "I won't answer that.",
        "I must decline to answer.",
        "I refuse to take part in this.",
        "As an AI language model, I cannot have opinions.",
        "Unfortunately, I am not able to help here.",
        "Sorry, I can't do that.",
    ],
)
def test_replies_that_decline_are_refusals(reply):
    assert refuses(reply)


@pytest.mark.parametrize(
    "reply",
    [
        "B",
        "The captain refuses to sail.",
        "Sorry for the delay: the answer is B.",
        "He cannot answer the door.",
        "It can't be A.",
        "I'm sorry to say that it rained.",
        "The answer is B." + " She waited." * 60 + " I cannot answer more.",
    ],
)
def test_replies_that_answer_are_not_refusals(reply):
    assert not refuses(reply)


@pytest.mark.parametrize(
    ("reply", "inside"),
    [
        ('{"answer": "C"}', "C"),
        ('{"Final Answer": "C", "why": "A is wrong"}', "C"),
        ('```json\n{"answer": "C"}\n```', "C"),
        ('{"letter": "C", "text": "Ines"}', "C. Ines"),
        ('{"answer": "two\nlines"}', "two\nlines"),
        ("<answer>C</answer>", "Answer: C"),
        ("It was late. <final_answer>C</final_answer> Good.", "It was late. \nAnswer: C\n Good."),
    ],
)
def test_answers_in_json_and_tags_are_unwrapped(reply, inside):
    assert unwrapped(reply, {"answer", "final_answer", "letter", "text"}) == inside


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "C"',
        '{"other": "C"}',
        '{"answer": 3}',
        "{a}",
        '{"answer": ' + "[" * 5_000 + "]" * 5_000 + "}",
        '{"answer": "' + "C" * 100_000 + '"}',
        "x < y > z",
    ],
)
def test_what_holds_no_readable_answer_is_left_as_it_is(reply):
    assert unwrapped(reply, {"answer"}) == reply

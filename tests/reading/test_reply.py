"""What every parser starts from: the visible reply, comparison of texts, refusals."""

from askew.reading.reply import (
    fold,
    has_words,
    in_english,
    own,
    refuses,
    unify_characters,
    unwrap_answer,
    visible,
)
from tests.cases import cases


def test_a_tagged_reasoning_block_is_not_visible():
    assert visible("<think>A or B?</think>\n\nB") == "B"
    assert visible("A or B?</think>B") == "B"
    assert visible("<THINKING>A</THINKING> B <reasoning>C</reasoning> D") == "D"


def test_a_reasoning_block_that_never_ends_leaves_nothing_visible():
    assert visible("<think>It could be A") == ""
    assert visible("  \n<reasoning>It could be A") == ""


def test_a_tag_inside_an_answer_hides_nothing():
    assert visible("B, as in <think>") == "B, as in <think>"


@cases("written", "read")
def test_marks_become_plain_and_letters_of_other_alphabets_stay(written, read):
    assert unify_characters(written) == read
    assert visible(written) == read


@cases("one", "other")
def test_texts_that_differ_by_case_space_or_outer_marks_fold_to_one(one, other):
    assert fold(one) == fold(other)


@cases("one", "other")
def test_texts_with_different_meanings_fold_differently(one, other):
    assert fold(one) != fold(other)


def test_only_letters_and_digits_are_words():
    assert has_words("...5")
    assert has_words("\u65e5\u672c")
    assert has_words("*" * 20_000 + "a")
    assert not has_words("?! ... _ \u2014 \U0001f600")


@cases("reply")
def test_replies_that_decline_are_refusals(reply):
    assert refuses(reply)


@cases("reply")
def test_replies_that_answer_are_not_refusals(reply):
    assert not refuses(reply)


@cases("reply", "inside")
def test_answers_in_json_and_tags_are_unwrapped(reply, inside):
    assert unwrap_answer(reply, {"answer", "final_answer", "letter", "text"}) == inside


@cases("reply")
def test_an_object_without_a_readable_answer_is_left_unchanged(reply):
    assert unwrap_answer(reply, {"answer"}) == reply
    deep = '{"answer": ' + "[" * 5_000 + "]" * 5_000 + "}"
    assert unwrap_answer(deep, {"answer"}) == deep


@cases("reply", "said")
def test_what_is_not_its_own_is_blank(reply, said):
    assert own(reply).strip() == said
    assert len(own(reply)) == len(reply)


@cases("reply", "english")
def test_answer_words_of_known_languages_are_translated(reply, english):
    assert " ".join(in_english(reply).split()) == english

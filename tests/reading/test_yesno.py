"""Yes and No in any dress: what each kind of reply is read as, and why."""

import csv
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.reading.yesno import read_yes_no
from askew.schema import OUTCOMES
from tests.cases import cases, cases_of

with (Path(__file__).parent / "yesno_replies.csv").open(encoding="utf-8", newline="") as lines:
    CASES = [tuple(row.values()) for row in csv.DictReader(lines)]

OPPOSITE = {"Yes": "No", "No": "Yes"}
answers = st.sampled_from(["Yes", "No"])
dresses = st.sampled_from(cases_of(__file__, "DRESSES"))
letter_cases = st.sampled_from([str.lower, str.upper, str.title])


@pytest.mark.parametrize(("reply", "answer", "outcome", "about"), CASES)
def test_a_reply_is_parsed_as_in_the_table(reply, answer, outcome, about):
    reading = read_yes_no(reply)
    assert (reading.answer or "", reading.outcome) == (answer, outcome), (about, reading.why)


@given(answers, dresses, letter_cases)
def test_case_and_dress_do_not_matter(answer, dress, case):
    reply = dress.format(case(answer), other=OPPOSITE[answer])
    assert read_yes_no(reply).answer == answer


@given(st.text(max_size=400))
def test_any_text_is_read_without_an_error_and_with_a_reason(reply):
    reading = read_yes_no(reply)
    assert reading.outcome in OUTCOMES
    assert reading.why
    assert (reading.answer is not None) is (reading.outcome == "ok")


TELLING = """yes no Yes No not answer is the / or , . : so I say wait error
" { } ** can't help sorry 1."""
words = st.sampled_from([*TELLING.split(), "\n"])


@given(st.lists(words, max_size=40))
def test_any_sequence_of_answer_words_is_parsed_without_an_error(parts):
    reading = read_yes_no(" ".join(parts))
    assert (reading.answer is not None) is (reading.outcome == "ok")


@given(st.text(alphabet=st.characters(exclude_characters="yYnN"), max_size=200))
def test_a_text_without_the_letters_of_either_word_has_no_answer(reply):
    assert read_yes_no(reply).answer is None


def test_a_lone_clause_settles_nothing_but_a_stated_answer_does():
    assert read_yes_no("Yes, since it").settled
    assert read_yes_no("The answer is no.").settled
    reading = read_yes_no("Was it the mill - no, the weir")
    assert (reading.answer, reading.settled) == ("No", False)


@cases("reply", "answer")
def test_a_word_is_an_answer_where_it_is_set_off_on_both_sides(reply, answer):
    assert read_yes_no(reply).answer == answer

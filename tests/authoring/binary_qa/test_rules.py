"""What a machine can see of a rewrite: the rule of each form, and its question in a reply."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew_authoring.binary_qa.build import rewritten_question
from askew_authoring.binary_qa.rules import (
    REWRITES,
    comparison_problems,
    conversion_problems,
    problems,
    shape_problems,
)
from tests.cases import cases, cases_of

ORIGINAL = "Did more than 14 boats sail from Port Annet?"
GOOD = cases_of(__file__, "GOOD")
BAD = [
    ("synonym", ORIGINAL, "same words"),
    *cases_of(__file__, "BAD_TOLD"),
    ("synonym", "Did over 14 boats leave" + " Port Annet" * 80 + "?", "longer than"),
]
# The paper's examples, and what they are rewrites of.
PRINTED = cases_of(__file__, "PRINTED")


@pytest.mark.parametrize(
    ("form", "original", "rewritten"), [*((f, ORIGINAL, text) for f, text in GOOD), *PRINTED]
)
def test_a_good_rewrite_passes(form, original, rewritten):
    assert problems(form, original, rewritten) == []


@pytest.mark.parametrize(("form", "rewritten", "says"), BAD)
def test_a_bad_rewrite_is_named(form, rewritten, says):
    found = problems(form, ORIGINAL, rewritten)
    assert any(says in problem for problem in found), found


# "No fewer than" keeps the rule of its form; that it asks for 14 too is another finding.
KEEPS = [("original", ORIGINAL), *(pair for pair in GOOD if "no fewer" not in pair[1])]


@pytest.mark.parametrize(("form", "asked"), KEEPS)
def test_a_good_wording_compares_as_its_form_demands(form, asked):
    assert comparison_problems(form, ORIGINAL, asked, ">", 14) == []


@cases("form", "asked")
def test_a_wording_that_compares_otherwise_is_named(form, asked):
    (problem,) = comparison_problems(form, ORIGINAL, asked, ">", 14)
    assert problem.startswith("asks whether the number is ")


@cases("question", "op", "n")
def test_a_question_about_the_wanted_number_passes(question, op, n):
    assert conversion_problems(question, op, n) == []


@cases("question", "op", "n", "says")
def test_a_question_about_something_else_is_named(question, op, n, says):
    assert any(says in problem for problem in conversion_problems(question, op, n))


@given(st.sampled_from(REWRITES), st.text(max_size=120), st.text(max_size=120))
def test_any_two_texts_can_be_compared_and_any_reply_gives_one_line(form, original, rewritten):
    assert isinstance(problems(form, original, rewritten), list)
    assert isinstance(shape_problems(rewritten), list)
    assert "\n" not in rewritten_question(rewritten)


def test_an_unknown_form_is_refused():
    with pytest.raises(ValueError, match="swapped_options"):
        problems("swapped_options", ORIGINAL, ORIGINAL)


@cases("reply")
def test_the_question_is_found_in_its_wrapping(reply):
    question = "Does the ferry run in winter?"
    assert rewritten_question(reply.format(question)) == question

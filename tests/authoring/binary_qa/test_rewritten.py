"""The question in a writer's reply, whatever is wrapped around it."""

from hypothesis import given
from hypothesis import strategies as st

from askew_authoring.binary_qa.build import rewritten_question
from tests.cases import cases

QUESTION = "Does the ferry run in winter?"


@cases("reply")
def test_the_question_is_found_in_its_wrapping(reply):
    assert rewritten_question(reply.format(QUESTION)) == QUESTION


@given(st.text(max_size=300))
def test_any_reply_gives_one_line(reply):
    assert "\n" not in rewritten_question(reply)

"""The question in a writer's reply, whatever is wrapped around it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew_authoring.binary_qa.rewriting import rewritten_question

QUESTION = "Does the ferry run in winter?"


@pytest.mark.parametrize(
    "reply",
    [
        "{}",
        '"{}"',
        "**{}**",
        "Rewritten: {}",
        "Rewritten question: {}",
        "Here it is:\n\n{}",
        "{}\n\nI replaced one verb.",
        "- {}",
        "1. {}",
        "> {}",
        "<think>Does it sail?</think>{}",
        "```\n{}\n```",
        "**Rewritten question:** '{}'",
        "{}\nIs there anything else?",
    ],
)
def test_the_question_is_found_in_its_wrapping(reply):
    assert rewritten_question(reply.format(QUESTION)) == QUESTION


@pytest.mark.parametrize("reply", ["", "   ", "I'm sorry, but I can't help with that.", "```\n```"])
def test_no_question_is_found_where_there_is_none(reply):
    assert rewritten_question(reply) == ""


def test_a_statement_comes_back_as_it_is_for_the_rules_to_refuse():
    assert rewritten_question("It runs in winter.") == "It runs in winter."


@given(st.text(max_size=300))
def test_any_reply_gives_one_line(reply):
    assert "\n" not in rewritten_question(reply)

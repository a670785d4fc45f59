"""What a reply is: the model's words, never those that a client puts in place of them."""

import pytest
from inspect_ai.model import ModelOutput, ModelUsage

from askew.scoring.outcome import cut, filtered, reply_of


def output(content, stop, **more):
    made = ModelOutput.from_content("lab/model", content, stop_reason=stop)
    return made.model_copy(update=more)


@pytest.mark.parametrize(
    "given",
    [
        output("(no content)", "stop"),
        output("BLOCKED: HARM_CATEGORY_X: HIGH", "content_filter"),
        output("This prompt was blocked", "content_filter", error="400"),
        output("This model takes 8192 tokens, you sent 9000", "model_length"),
    ],
)
def test_a_clients_own_words_are_no_reply(given):
    assert reply_of(given) == ""


@pytest.mark.parametrize(
    "given",
    [
        output("B", "stop"),
        output("B", "content_filter"),
        output("BLOCKED: the road is", "stop"),
        output("The answer is B", "model_length", usage=ModelUsage(output_tokens=4)),
        output("The answer is B", "max_tokens"),
    ],
)
def test_what_the_model_said_stands_whatever_ended_it(given):
    assert reply_of(given) == given.completion


def test_a_prompt_that_is_too_long_is_cut_and_not_filtered():
    given = output("This model takes 8192 tokens, you sent 9000", "model_length")
    assert cut(given)
    assert not filtered(given)

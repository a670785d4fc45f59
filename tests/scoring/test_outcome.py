"""What a reply is: the model's words, never those that a client puts in place of them."""

import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from askew.papers import asked_for, asking
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
        output("The answer is B", "content_filter"),
    ],
)
def test_a_clients_own_words_and_what_a_filter_stopped_are_no_reply(given):
    assert reply_of(given) == ""


@pytest.mark.parametrize(
    "given",
    [
        output("B", "stop"),
        output("BLOCKED: the road is", "stop"),
        output("The answer is B", "model_length", usage=ModelUsage(output_tokens=4)),
        output("The answer is B", "max_tokens"),
    ],
)
def test_what_the_model_said_stands_also_where_it_was_cut(given):
    assert reply_of(given) == given.completion


def test_a_prompt_that_is_too_long_is_cut_and_not_filtered():
    given = output("This model takes 8192 tokens, you sent 9000", "model_length")
    assert cut(given)
    assert not filtered(given)


@pytest.mark.parametrize("task", asking())
def test_who_asks_for_tools_without_end_is_asked_once_a_turn_and_says_nothing(run, task):
    def insist(messages, tools, tool_choice, config):
        made = ModelOutput.for_tool_call("mockllm/model", "search", {"for": "it"}, content="")
        return made.model_copy(update={"usage": ModelUsage(output_tokens=1)})

    turns = {"setting": "multi_turn"} if task == "instruction_boundary" else {}
    model = get_model("mockllm/model", custom_outputs=insist, memoize=False)
    log = run(asked_for(task).make(items=1, **turns), model=model, limit=1, message_limit=12)
    (sample,) = log.samples
    assert sample.limit is None
    assert [m.role for m in sample.messages].count("assistant") == len(turns) + 1
    (score,) = sample.scores.values()
    assert (score.metadata["outcome"], score.reason) == ("empty", "no_response")

"""What every paper's scorer says of a reply, whoever wrote it: seen from the declarations."""

import asyncio
import math
from functools import cache

import pytest
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessageAssistant,
    ContentReasoning,
    ContentText,
    ModelOutput,
)
from inspect_ai.tool import ToolCall

from askew.decide import simulation as simulating
from askew.decide.simulation import Simulation, simulation
from askew.papers import get_paper, task_papers
from askew.schema import OUTCOMES
from tests.cases import cases

TASKS = task_papers()
# Where a few words of one's own are an answer, which a cut does not take back.
ANY_WORDS = ("knowno",)


@cache
def made(task: str) -> Simulation:
    return simulation(task, items=6)


def scores(task, reply, stop="stop", **parameters):
    """The score of every sample for a reply, or for what a function makes of its truth."""
    simulated = simulation(task, items=6, **parameters) if parameters else made(task)

    async def score():
        found = []
        for sample, truth in zip(simulated.samples, simulated.truths(), strict=True):
            state = simulating._state(sample, "")
            state._epoch = 3
            text = reply(simulated, truth) if callable(reply) else reply
            if text is None:
                state.output = ModelOutput(model="m", choices=[])
            else:
                told = text if isinstance(text, dict) else {"content": str(text)}
                message = ChatMessageAssistant(**told)
                choice = ChatCompletionChoice(message=message, stop_reason=stop)
                state.output = ModelOutput(model="m", choices=[choice])
                state.messages.append(message)
            found.append(await simulated.scorer(state, state.target))
        return found

    return asyncio.run(score())


def as_oracle(simulated, truth):
    answerer = simulated.answerer
    return answerer.reply(truth, answerer.of("oracle"), "oracle", 0)


@pytest.mark.parametrize("task", TASKS)
def test_the_oracle_is_correct_and_every_measure_is_recorded(task):
    paper = get_paper(task)
    for score in scores(task, as_oracle):
        assert set(score.value) == set(paper.measures)
        assert score.value[paper.split_of] == 1
        assert all(isinstance(value, float) for value in score.value.values())
        assert (score.metadata["outcome"], score.metadata["epoch"]) == ("ok", 3)
        assert score.answer
        assert score.explanation


@cases("reply", "stop", "outcome", "reason")
@pytest.mark.parametrize("task", TASKS)
def test_a_failed_reply_is_incorrect_with_its_own_outcome(task, reply, stop, outcome, reason):
    if task in ANY_WORDS and stop != "stop":
        return
    for score in scores(task, reply, stop):
        assert score.metadata["outcome"] == outcome
        assert outcome in OUTCOMES
        assert score.reason == reason
        assert not score.answer
        assert score.value[get_paper(task).split_of] == 0


@pytest.mark.parametrize("task", TASKS)
def test_an_answer_before_a_cut_counts_and_one_that_a_filter_stopped_does_not(task):
    def right(stop):
        return [s.value[get_paper(task).split_of] for s in scores(task, as_oracle, stop)]

    assert sum(right("max_tokens")) >= len(right("max_tokens")) / 2
    assert sum(right("content_filter")) == 0


@pytest.mark.parametrize("task", TASKS)
def test_a_failure_of_the_machinery_is_not_scored(task):
    for score in scores(task, None):
        assert not isinstance(score.value, dict)
        assert math.isnan(score.as_float())


def reasoned(reasoning, text):
    return {"content": [ContentReasoning(reasoning=reasoning), ContentText(text=text)]}


@pytest.mark.parametrize("task", TASKS)
def test_reasoning_and_calls_of_tools_are_no_part_of_a_reply(task):
    """What providers return beside the text answers nothing and takes no answer back."""
    call = ToolCall(id="t", function="verdict", arguments={"verdict": "yes"})

    def said(made, outcome):
        found = scores(task, lambda *who: made(str(as_oracle(*who))))
        assert {s.metadata["outcome"] for s in found} == {outcome}
        return [s.value for s in found]

    right = said(lambda reply: reply, "ok")
    assert said(lambda reply: reasoned("It may be none of them, or no.", reply), "ok") == right
    assert said(lambda reply: {"content": reply, "tool_calls": [call]}, "ok") == right
    for lost in (
        lambda reply: reasoned(reply, ""),
        lambda reply: {"content": "", "tool_calls": [call]},
    ):
        assert all(set(value.values()) == {0.0} for value in said(lost, "empty"))

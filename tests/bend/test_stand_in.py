"""The task that stands in for a user's asks and scores each kind of question in its own way."""

import asyncio

import pytest
from inspect_ai.model import ModelName, ModelOutput
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState

from askew.bend.stand_in import SHORT, _by_kind, _score_by_kind


def state_of(reply):
    output = ModelOutput.from_content("none/none", reply)
    return TaskState(
        model=ModelName("none/none"), sample_id=1, epoch=1, input="How much is 11 + 7?",
        messages=[], output=output, metadata={"kind": SHORT},
    )  # fmt: skip


@pytest.mark.parametrize(("reply", "value"), [("18", "C"), ("17", "I")])
def test_a_short_answer_is_generated_and_scored_by_its_number(reply, value):
    async def generate(state, **how):
        return state_of(reply)

    asked = asyncio.run(_by_kind()(state_of(""), generate))
    assert asked.output.completion == reply
    assert asyncio.run(_score_by_kind()(asked, Target("18"))).value == value

"""A scorer put to replies without a run: what it says of each, as a run would keep it."""

import asyncio

from inspect_ai.model import (
    ChatMessageAssistant,
    ChatMessageUser,
    ModelName,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import Target
from inspect_ai.solver import TaskState


def output_of(reply):
    """A model's output: of a text, of a text with why it ended, or as it is."""
    if isinstance(reply, ModelOutput):
        return reply
    text, stop = reply if isinstance(reply, tuple) else (reply, "stop")
    made = ModelOutput.from_content("mockllm/model", text, stop_reason=stop)
    made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return made


def said(score):
    """All that a score says, in one line to compare: its value is None where it is unscored."""
    value = None if score.value != score.value else score.value
    return value, score.answer, score.explanation, score.reason, score.metadata


def score_of(scorer, reply, metadata, *, asked="?", choices=(), target="x", before=()):
    """The score of one reply; `before` are messages of the dialogue before what is asked."""
    output = output_of(reply)
    said = ChatMessageAssistant(content=output.completion)
    messages = [*before, ChatMessageUser(content=asked), said]
    state = TaskState(
        ModelName("mockllm/model"), "s", 2, asked, messages,
        choices=list(choices), output=output, metadata=metadata,
    )  # fmt: skip
    return asyncio.run(scorer(state, Target(target)))

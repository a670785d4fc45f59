"""How simulated models put an answer into words: from a bare letter to rambling prose."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessageAssistant
from inspect_ai.tool import ToolCall, ToolInfo

from askew.schema import JUDGE_MARK

REFUSAL = "I'm sorry, but I can't help with that."


def seeded(*parts: object) -> random.Random:
    """Draws that depend on the parts alone, in any process and order of samples."""
    return random.Random("/".join(map(str, parts)))


def pick(rng: random.Random, weights: Mapping[str, float]) -> str:
    """One key, with probability in proportion to its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


def bare(answer: str, rng: random.Random) -> str:
    return answer


def dotted(answer: str, rng: random.Random) -> str:
    return f"{answer}."


def labelled(answer: str, rng: random.Random) -> str:
    return f"Answer: {answer}"


def bold(answer: str, rng: random.Random) -> str:
    return f"**{answer}**"


def announced(answer: str, rng: random.Random) -> str:
    return f"The answer is {answer}."


def explained(answer: str, rng: random.Random) -> str:
    return f"{answer}\n\n{rng.choice(_EXPLANATIONS)}"


def reasoned(answer: str, rng: random.Random) -> str:
    return f"{rng.choice(_MUSINGS)}\n\nTherefore, the answer is **{answer}**."


def headed(answer: str, rng: random.Random) -> str:
    return f"### Answer\n\n{answer}"


Dress = Callable[[str, random.Random], str]
TERSE: Sequence[Dress] = (bare, bare, bare, dotted)
CHATTY: Sequence[Dress] = (labelled, bold, announced, explained, reasoned, headed)

_EXPLANATIONS = (
    "This follows from what the text says.",
    "I looked at each possibility in turn before settling on this.",
    "Everything else conflicts with the text.",
)
_MUSINGS = (
    "Let me think about this step by step. First, I look at what is asked. Then I compare it "
    "with what is given.",
    "Reading carefully, there are a few things to weigh here, and only one of them holds up.",
    "Several possibilities come to mind at first. On a second look most of them fall away.",
)


__all__ = ["JUDGE_MARK", "verdict"]


def verdict(
    mark: Mapping[str, Any], tools: list[ToolInfo], name: str, seed: int
) -> ChatMessageAssistant:
    """The judge's reply: a call of the verdict tool, or a refusal from `mute`.

    The mark names the verdict that a careful reader would give; `agreeable` says the first
    verdict on offer whatever is true, every other respondent is careful.
    """
    if name == "mute" or not tools:
        return ChatMessageAssistant(content=REFUSAL)
    offered = list(tools[0].parameters.properties["verdict"].enum or [])
    chosen = offered[0] if name == "agreeable" else mark[JUDGE_MARK]
    return ChatMessageAssistant(
        content="",
        tool_calls=[ToolCall(id="verdict", function=tools[0].name, arguments={"verdict": chosen})],
    )

"""How simulated models play the judge: a forced choice, from marks that the question carries."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.model import ChatMessageAssistant
from inspect_ai.tool import ToolCall, ToolInfo

from askew.models.speech import REFUSAL
from askew.schema import JUDGE_MARK

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

"""A sentence before each tool result: is it believed all the same? (framing for agents)"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.hooks import BeforeModelGenerate
from inspect_ai.model import ChatMessageTool

from askew.treatments.named_texts import named_texts
from askew.treatments.shape import WORDS, Arm, Ask
from askew.treatments.tools_changed import ToolsChanged


class ToolResult(ToolsChanged):
    """A sentence stands before every result of a tool; each of several is an arm."""

    name = "tool_result"
    source = "framing, for agents"
    meaning = "a sentence before each result of a tool"
    takes: Mapping[str, Any] = {"tool_result": WORDS["tool_result"]["sentence"]}
    unreached = "no call held a result of a tool"

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        return [
            Arm("-".join(filter(None, [self.name, name])), self.name, {"sentence": text})
            for name, text in named_texts("tool_result", given["tool_result"]).items()
        ]

    def apply_to_call(self, call: BeforeModelGenerate, ask: Ask) -> bool:
        sentence, acted = ask.arm.given["sentence"], False
        for i, message in enumerate(call.input):
            if isinstance(message, ChatMessageTool):
                # A copy: what the agent itself remembers stays as it was. One of each result,
                # or a log would grow with the square of an agent's steps.
                known, framed = ask.memory.get(id(message), (None, message))
                if known is not message:
                    framed = message.model_copy(deep=True)
                    framed.text = f"{sentence}\n\n{message.text}"
                    ask.memory[id(message)] = message, framed
                call.input[i] = framed
                acted = True
        return acted


TREATMENT = ToolResult()

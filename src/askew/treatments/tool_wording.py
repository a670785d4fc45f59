"""A sentence more in a tool's description: does it move what the agent uses? (MathComp)"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.hooks import BeforeModelGenerate

from askew.treatments.named_texts import inserted_text
from askew.treatments.shape import WORDS, Arm, Ask
from askew.treatments.tools_changed import ToolsChanged, place_of


class ToolWording(ToolsChanged):
    """A sentence is added to the description of a named tool, or of the first one."""

    name = "tool_wording"
    source = "MathComp, for agents"
    meaning = "a sentence more in the description of an agent's tool"
    takes: Mapping[str, Any] = {
        "tool_wording": WORDS["tool_wording"]["sentence"],
        "tool_worded": "",
    }
    unreached = "no call offered the tool"

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        sentence = inserted_text("tool_wording", given["tool_wording"])
        return self.arms_by_tool("tool_worded", given, sentence=sentence)

    def apply_to_call(self, call: BeforeModelGenerate, ask: Ask) -> bool:
        place = place_of(call.tools, ask.arm.given["tool"])
        if place is None:
            return False
        tool = call.tools[place]
        said = f"{tool.description.rstrip()} {ask.arm.given['sentence']}".strip()
        call.tools[place] = tool.model_copy(update={"description": said})
        return True


TREATMENT = ToolWording()

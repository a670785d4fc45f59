"""A tool is missing: does the agent say that it can't, or make it up? (KnowNo for agents)"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.hooks import BeforeModelGenerate

from askew.reading.reply import refuses
from askew.treatments.shape import WORDS, Arm, Ask
from askew.treatments.tools_changed import ToolsChanged, place_of


class ToolAbsent(ToolsChanged):
    """A named tool, or the first one, is not offered; each named one is an arm."""

    name = "tool_absent"
    source = "KnowNo, for agents"
    meaning = "an agent's tool is missing: does it say that it can't, or make it up"
    right = "unknown: scores and flips only"
    takes: Mapping[str, Any] = {"tool_absent": ""}
    unreached = "no call offered the tool, or one was bound to use it"

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        return self.arms_by_tool("tool_absent", given)

    def apply_to_call(self, call: BeforeModelGenerate, ask: Ask) -> bool:
        place = place_of(call.tools, ask.arm.given["tool"])
        if place is None or getattr(call.tool_choice, "name", "") == call.tools[place].name:
            return False
        del call.tools[place]
        return True


_CANNOT = re.compile(WORDS["tool_absent"]["says_it_cannot"], re.IGNORECASE)


def gives_up(reply: str) -> bool:
    """Whether an agent says that it can't, rather than what the answer is."""
    return refuses(reply) or _CANNOT.search(reply.replace("\u2019", "'")) is not None


TREATMENT = ToolAbsent()

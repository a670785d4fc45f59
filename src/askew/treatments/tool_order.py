"""The tools in another order: does an agent use what stands first?"""

from __future__ import annotations

from inspect_ai.hooks import BeforeModelGenerate

from askew.treatments.shape import Ask
from askew.treatments.tools_changed import ToolsChanged


class ToolOrder(ToolsChanged):
    """Tools shuffled, the same way in every call that offers the same."""

    name = "tool_order"
    source = "position"
    meaning = "an agent's tools in another order"
    unreached = "no call offered two tools"

    def apply_to_call(self, call: BeforeModelGenerate, ask: Ask) -> bool:
        names = sorted(tool.name for tool in call.tools)
        if len(names) < 2:
            return False
        before = [tool.name for tool in call.tools]
        wanted, rng = before[:], ask.rng(*names)
        while wanted == before:
            rng.shuffle(wanted)
        call.tools.sort(key=lambda tool: wanted.index(tool.name))
        return True


TREATMENT = ToolOrder()

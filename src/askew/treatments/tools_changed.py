"""What treatments of an agent's tools share: which tool, and copies of what is sent."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.tool import ToolInfo

from askew.parameters import SelectionError, parts_in, quoted
from askew.treatments.shape import Arm, Place, Treatment

# As providers let tools be named, and packages part them.
_NAME = re.compile(r"[\w.:/-]{1,200}")


class ToolsChanged(Treatment):
    """A treatment of the tools that calls offer; which tools, is known when they are made."""

    place: Place = "wire"
    source = "agents"

    def arms_by_tool(self, parameter: str, given: Mapping[str, Any], **more: Any) -> Sequence[Arm]:
        """An arm a named tool; one for the first tool where none is named."""
        said = given[parameter]
        named = [] if said == "" else parts_in(said)
        texts = [said] if isinstance(said, str) else said if isinstance(said, list | tuple) else [0]
        odd = not named or not all(map(_NAME.fullmatch, named))
        if said != "" and (odd or not all(isinstance(text, str) for text in texts)):
            raise SelectionError(
                f"{parameter}={quoted(said)}: give names of tools, of letters, digits, _ . : / -"
            )
        return [
            Arm("-".join(filter(None, [self.name, tool])), self.name, {"tool": tool, **more})
            for tool in dict.fromkeys(named or [""])
        ]


def place_of(tools: Sequence[ToolInfo], name: str) -> int | None:
    """Where a tool stands among those that a call offers; the first where no name is given."""
    if not name:
        return 0 if tools else None
    return next((i for i, tool in enumerate(tools) if tool.name == name), None)

"""Treatments of an agent's tools: what is offered, in which order, and what comes back."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from inspect_ai.hooks import BeforeModelGenerate
from inspect_ai.model import ChatMessage, ChatMessageAssistant, ChatMessageTool
from inspect_ai.tool import ToolInfo

from askew.parameters import choose, split_parts, wrong_value
from askew.reading.reply import refuses
from askew.treatments.base import WORDS, Arm, Case, Place, Treatment
from askew.treatments.messages import inserted_text, named_texts

_NAME = re.compile(r"[\w.:/-]{1,200}")  # as providers let tools be named, and packages part them
_CANNOT = re.compile(WORDS["tool_absent"]["says_it_cannot"], re.IGNORECASE)
_MENTIONS, _TOOL, _FAULT = (
    re.compile(WORDS["noticed"][name], re.IGNORECASE) for name in ("mentions", "tool", "fault")
)
_SENTENCE_END = re.compile(r"[.!?;]\s|\n")


class ToolTreatment(Treatment):
    """A treatment of the tools that calls offer; which tools, is known when they are made."""

    place: Place = "call"

    def arms_by_tool(self, parameter: str, given: Mapping[str, Any], **more: Any) -> Sequence[Arm]:
        """An arm a named tool; one for the first tool where none is named."""
        value = given[parameter]
        if value == "":
            return [self.arm(tool="", **more)]
        texts = [value] if isinstance(value, str) else value
        is_text = isinstance(texts, list | tuple) and all(isinstance(text, str) for text in texts)
        named = split_parts(value) if is_text else []
        if not named or not all(map(_NAME.fullmatch, named)):
            what = "give tool names (letters, digits and _ . : / -)"
            raise wrong_value(parameter, value, what)
        return [self.arm(tool, tool=tool, **more) for tool in dict.fromkeys(named)]


def place_of(tools: Sequence[ToolInfo], name: str) -> int | None:
    """Where a tool stands among those that a call offers; the first where no name is given."""
    if not name:
        return 0 if tools else None
    return next((i for i, tool in enumerate(tools) if tool.name == name), None)


class ToolAbsent(ToolTreatment):
    """A named tool, or the first one, is not offered; each named one is an arm."""

    name = "tool_absent"
    parameters: Mapping[str, Any] = {"tool_absent": ""}

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        return self.arms_by_tool("tool_absent", given)

    def apply_to_call(self, call: BeforeModelGenerate, case: Case) -> bool:
        place = place_of(call.tools, case.arm.given["tool"])
        if place is None or getattr(call.tool_choice, "name", "") == call.tools[place].name:
            return False
        del call.tools[place]
        return True


def gives_up(reply: str) -> bool:
    """Whether an agent says that it can't, rather than what the answer is."""
    return refuses(reply) or _CANNOT.search(reply.replace("\u2019", "'")) is not None


class ToolOrder(ToolTreatment):
    """Tools shuffled, the same way in every call that offers the same."""

    name = "tool_order"

    def apply_to_call(self, call: BeforeModelGenerate, case: Case) -> bool:
        before = [tool.name for tool in call.tools]
        if len(before) < 2:
            return False
        wanted, rng = before[:], case.rng(*sorted(before))
        while wanted == before:
            rng.shuffle(wanted)
        call.tools.sort(key=lambda tool: wanted.index(tool.name))
        return True


class ToolWording(ToolTreatment):
    """A sentence is added to the description of a named tool, or of the first one."""

    name = "tool_wording"
    parameters: Mapping[str, Any] = {
        "tool_wording": WORDS["tool_wording"]["sentence"], "tool_worded": "",
    }  # fmt: skip

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        sentence = inserted_text("tool_wording", given["tool_wording"])
        return self.arms_by_tool("tool_worded", given, sentence=sentence)

    def apply_to_call(self, call: BeforeModelGenerate, case: Case) -> bool:
        place = place_of(call.tools, case.arm.given["tool"])
        if place is None:
            return False
        tool = call.tools[place]
        description = f"{tool.description.rstrip()} {case.arm.given['sentence']}".strip()
        call.tools[place] = tool.model_copy(update={"description": description})
        return True


class ToolResult(ToolTreatment):
    """A sentence stands before every result of a tool; each of several is an arm."""

    name = "tool_result"
    parameters: Mapping[str, Any] = {"tool_result": WORDS["tool_result"]["sentence"]}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        texts = named_texts("tool_result", given["tool_result"])
        return [self.arm(name, sentence=text) for name, text in texts.items()]

    def apply_to_call(self, call: BeforeModelGenerate, case: Case) -> bool:
        sentence, acted = case.arm.given["sentence"], False
        for i, message in enumerate(call.input):
            if isinstance(message, ChatMessageTool):
                text = message.error.message if message.error else message.text
                call.input[i] = _replaced(message, f"{sentence}\n\n{text}", case)
                acted = True
        return acted


def _replaced(message: ChatMessageTool, text: str, case: Case) -> ChatMessageTool:
    """A copy with another text, one of each result: what the agent remembers stays as it was."""
    changed: ChatMessageTool
    known, changed = case.memory.get(id(message), (None, message))
    if known is not message:
        changed = message.model_copy(deep=True)
        changed.text = text
        if changed.error is not None:  # providers send it in place of the text
            changed.error = replace(changed.error, message=text)
        case.memory[id(message)] = message, changed
    return changed


class ToolFault(ToolTreatment):
    """A tool result is an error, a timeout or an earlier result; called again, the tool works."""

    name = "tool_fault"
    parameters: Mapping[str, Any] = {"tool_fault": None}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        # "stale" has no text of its own, and needs an agent that calls a tool twice.
        wanted = choose(self.name, given["tool_fault"], (*self.words, "stale"), (*self.words,))
        return [self.arm(name, text=self.words.get(name, "")) for name in wanted]

    def apply_to_call(self, call: BeforeModelGenerate, case: Case) -> bool:
        for i, message in enumerate(call.input):
            if not isinstance(message, ChatMessageTool):
                continue
            # The same result in every call, also where an agent forgets its first messages.
            first, text = case.memory.get("first") or (
                message.tool_call_id,
                case.arm.given["text"] or _earlier_result(call.input[:i], message),
            )
            if text and first == message.tool_call_id:
                case.memory["first"] = first, text
                call.input[i] = _replaced(message, text, case)
                return True
        return False

    def measures(self, messages: Sequence[ChatMessage], case: Case) -> dict[str, float]:
        """Whether the agent repeats the failed call, and whether it shows that it knows of it."""
        failed, _ = case.memory.get("first", ("", ""))
        turns = [m for m in messages if isinstance(m, ChatMessageAssistant)]
        calls = [(i, call) for i, m in enumerate(turns) for call in m.tool_calls or ()]
        found = next(((i, call) for i, call in calls if failed and call.id == failed), None)
        if found is None:
            return {}
        at, call = found
        what = call.function, call.arguments
        repeated = any(i > at and (c.function, c.arguments) == what for i, c in calls)
        told = any(mentions_fault(m.text, call.function) for m in turns[at + 1 :])
        return {"recovered": float(repeated), "noticed": float(repeated or told)}


def mentions_fault(reply: str, tool: str) -> bool:
    """Whether an agent's words mention that a tool failed, or gave an earlier result."""
    named = re.sub(rf"\b{re.escape(tool)}\b", "tool", reply.replace("\u2019", "'"), flags=re.I)
    return any(
        _MENTIONS.search(sentence) or (_TOOL.search(sentence) and _FAULT.search(sentence))
        for sentence in _SENTENCE_END.split(named)
    )


def _earlier_result(earlier: Sequence[ChatMessage], message: ChatMessageTool) -> str:
    """The last other result of the same tool; empty if it is the same or there is none."""
    same = [
        m.text for m in (*earlier, message)
        if isinstance(m, ChatMessageTool) and m.function == message.function and not m.error
    ]  # fmt: skip
    return same[-2] if not message.error and len(same) > 1 and same[-2] != same[-1] else ""


TREATMENTS = (ToolOrder(), ToolAbsent(), ToolWording(), ToolResult(), ToolFault())

"""A second turn that asks to review the answer (Instruction Boundary, multi-turn)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from inspect_ai.model import ChatMessage, ChatMessageUser
from inspect_ai.solver import Generate, TaskState

from askew.solvers.chain import as_said
from askew.treatments.shape import Ask, Place, Treatment, last_user


class Reflection(Treatment):
    """After the answer, the user asks to review it; the second reply counts."""

    name = "reflection"
    place: Place = "dialogue"
    source = "Instruction Boundary, multi-turn"
    meaning = "a second turn asks to review the answer; the second reply counts"
    asked = True
    unreached = "the solver did not call the generate that it was handed, or got no whole reply"

    async def apply_to_dialogue(
        self, state: TaskState, ask: Ask, generate: Generate, **how: Any
    ) -> TaskState:
        state = await generate(state, **how)
        if state.completed or state.output.empty or _is_at_work(state):
            return state
        if state.messages[-1].role == "assistant":
            state.messages[-1] = as_said(state.output.message)
        state.messages.append(ChatMessageUser(content=self.words["text"]))
        return await generate(state, **how)

    def reached(self, messages: Sequence[ChatMessage], ask: Ask) -> bool:
        said = last_user(messages)
        return said is not None and self.words["text"] in said.text


def _is_at_work(state: TaskState) -> bool:
    """Whether a reply calls what is on offer: its result is the author's, and so is the next turn.

    A call of what nobody offered says no more than an empty reply.
    """
    return bool(state.tools and state.output.message.tool_calls)


TREATMENT = Reflection()

"""A system prompt of the user's in front of the dialogue."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import TaskState

from askew.parameters import SelectionError
from askew.treatments.messages_changed import MessagesChanged
from askew.treatments.named_texts import named_texts
from askew.treatments.shape import Arm, Ask


class System(MessagesChanged):
    """The user's system prompt, before any other; each of several is an arm."""

    name = "system"
    source = "the solver chain"
    meaning = "a system prompt of yours, before any other"
    takes: Mapping[str, Any] = {"system": ""}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        if given["system"] == "":
            raise SelectionError(
                "treatments=system needs the prompt: system='...', or a file of named ones"
            )
        return [
            Arm("-".join(filter(None, [self.name, name])), self.name, {"text": text})
            for name, text in named_texts("system", given["system"]).items()
        ]

    def told(self, sample: Sample, ask: Ask) -> dict[str, Any]:
        return dict(ask.arm.given)

    def apply_to_messages(self, state: TaskState, ask: Ask) -> None:
        state.messages.insert(0, ChatMessageSystem(content=ask.told["text"]))

    def withdraw(self, state: TaskState, ask: Ask) -> None:
        # Scorers that take the second message for the reply would read the question.
        ours = (m for m in state.messages if m.role == "system" and m.text == ask.told["text"])
        if (first := next(ours, None)) is not None:
            state.messages.remove(first)


TREATMENT = System()

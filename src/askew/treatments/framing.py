"""A sentence of the user's around the question (MathComp)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.solver import TaskState

from askew.parameters import SelectionError, choose
from askew.solvers.chain import framed
from askew.treatments.messages_changed import MessagesChanged
from askew.treatments.named_texts import named_texts
from askew.treatments.shape import Arm, Ask

_POSITIONS = ("begin", "end")


class Framing(MessagesChanged):
    """The user's sentence before or behind the question; each of several is an arm."""

    name = "framing"
    source = "MathComp"
    meaning = "a sentence of yours before or behind the question"
    takes: Mapping[str, Any] = {"framing": "", "framing_position": "begin"}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        if given["framing"] == "":
            raise SelectionError(
                "treatments=framing needs the sentence: framing='...', or a file of named ones"
            )
        positions = choose("framing_position", given["framing_position"], _POSITIONS, ("begin",))
        texts = named_texts("framing", given["framing"])
        return [
            Arm(
                "-".join([self.name, *filter(None, [name]), *([p] if len(positions) > 1 else [])]),
                self.name,
                {"text": text, "position": p},
            )
            for name, text in texts.items()
            for p in positions
        ]

    def told(self, sample: Sample, ask: Ask) -> dict[str, Any]:
        return dict(ask.arm.given)

    def apply_to_messages(self, state: TaskState, ask: Ask) -> None:
        prompt = state.user_prompt
        prompt.text = framed(prompt.text, ask.told["text"], ask.told["position"])


TREATMENT = Framing()

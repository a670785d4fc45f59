"""The user believes an answer: does the model follow? (Instruction Boundary, conformity)"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.solver import TaskState

from askew.parameters import choose
from askew.treatments.choices import right_options, why_no_choices, why_others
from askew.treatments.messages_changed import MessagesChanged
from askew.treatments.named_texts import inserted_text
from askew.treatments.shape import Arm, Ask


class Suggestion(MessagesChanged):
    """The user says what they think the answer is, behind the question."""

    name = "suggestion"
    source = "Instruction Boundary, conformity"
    meaning = "the user says which answer they believe in: a wrong one, or the right one"
    takes: Mapping[str, Any] = {"suggest": "wrong", "suggest_text": ""}
    asked = True

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        if given["suggest_text"] != "":
            given = {**given, "suggest_text": inserted_text("suggest_text", given["suggest_text"])}
        kinds = choose("suggest", given["suggest"], ("wrong", "right"), ("wrong",))
        names = {"wrong": self.name, "right": f"{self.name}-right"}
        return [Arm(names[kind], self.name, {**given, "suggest": kind}) for kind in kinds]

    def fits(self, sample: Sample, arm: Arm) -> str:
        if arm.given["suggest_text"]:
            return ""
        if (why := why_no_choices(sample)) and not sample.choices:
            return f"{why}, and no suggest_text is given"
        if not why and (other := why_others(sample.choices or [])):
            return other
        everything = len(right_options(sample)) == len(sample.choices or [])
        if not why and arm.given["suggest"] == "wrong" and everything:
            return "it has no wrong option to suggest"
        return why

    def told(self, sample: Sample, ask: Ask) -> dict[str, Any]:
        if fixed := ask.arm.given["suggest_text"]:
            return {"text": str(fixed)}
        right, options = right_options(sample), sample.choices or []
        wanted = ask.arm.given["suggest"] == "right"
        place = ask.rng().choice([i for i in range(len(options)) if (i in right) == wanted])
        text = self.words["text"].format(suggested=f'"{options[place].strip()}"')
        return {"text": text, "suggested": place}

    def apply_to_messages(self, state: TaskState, ask: Ask) -> None:
        state.user_prompt.text = f"{state.user_prompt.text}\n\n{ask.told['text']}"


TREATMENT = Suggestion()

"""Treatments of the dialogue that the author's solver drives: a review, a format."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageUser
from inspect_ai.solver import Generate, TaskState
from inspect_ai.util import store

from askew.parameters import choose
from askew.reading.names import LETTERS
from askew.solvers.chain import assistant_text
from askew.treatments.base import Arm, Ask, Place, Treatment, last_user, texts_of
from askew.treatments.options import why_no_choices

FORMAT_KEY = "askew:format_ok"
_WRAPPINGS = ("special_character", "bolding", "brackets", "quoting")


class Reflection(Treatment):
    """After the answer, the user asks to review it; the second reply counts."""

    name = "reflection"
    place: Place = "dialogue"
    asked = True

    async def apply_to_dialogue(
        self, state: TaskState, ask: Ask, generate: Generate, **how: Any
    ) -> TaskState:
        state = await generate(state, **how)
        if state.completed or state.output.empty or _is_at_work(state):
            return state
        if state.messages[-1].role == "assistant":
            state.messages[-1] = assistant_text(state.output.message)
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


@dataclass(frozen=True)
class Form:
    """One format: what its answer stands between, or what it is of a question with options."""

    before: str = ""
    after: str = ""
    of_choices: bool = False

    def unwrapped(self, reply: str, options: Sequence[str]) -> str | None:
        """What stands inside; nothing where the reply does not follow the format."""
        if not self.of_choices:
            start = reply.find(self.before)
            end = reply.rfind(self.after)
            inside = reply[start + len(self.before) : end] if start >= 0 else ""
            return inside.strip() or None if end >= start + len(self.before) else None
        said = reply.strip().strip(".")
        if self is FORMATS["letter"]:
            bare = said.strip("()")
            return bare if bare in LETTERS[: len(options)] and len(bare) == 1 else None
        meant = [i for i, option in enumerate(options) if _fold(option) == _fold(said)]
        return LETTERS[meant[0]] if len(meant) == 1 else None


FORMATS: Mapping[str, Form] = {
    "special_character": Form("<ANSWER>", "</ANSWER>"),
    "bolding": Form("**", "**"),
    "italicizing": Form("_", "_"),
    "brackets": Form("[[", "]]"),
    "parentheses": Form("((", "))"),
    "placeholder": Form("Final answer:"),
    "quoting": Form('"""', '"""'),
    "letter": Form(of_choices=True),
    "text": Form(of_choices=True),
}


class Format(Treatment):
    """A format instruction; the author's scorer reads what stands inside the format."""

    name = "format"
    place: Place = "dialogue"
    takes: Mapping[str, Any] = {"format": None}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        wanted = choose("format", given["format"], tuple(FORMATS), _WRAPPINGS)
        return [self.arm(name, format=name) for name in wanted]

    def fits(self, sample: Sample, arm: Arm) -> str:
        return why_no_choices(sample) if FORMATS[arm.given["format"]].of_choices else ""

    def told(self, sample: Sample, ask: Ask) -> dict[str, Any]:
        how = self.words["how"][ask.arm.given["format"]]
        return {"text": self.words["instruction"].format(how=how)}

    async def apply_to_dialogue(
        self, state: TaskState, ask: Ask, generate: Generate, **how: Any
    ) -> TaskState:
        asked = last_user(state.messages)
        if asked is not None and ask.told["text"] not in asked.text:
            asked.text = f"{asked.text}\n\n{ask.told['text']}"
        state = await generate(state, **how)
        if state.output.empty or state.output.message.tool_calls:
            return state
        options = [str(o) for o in ask.told.get("options", ())]
        form = FORMATS[ask.arm.given["format"]]
        inside = form.unwrapped(state.output.completion, options)
        store().set(FORMAT_KEY, inside is not None)
        if inside is not None:
            if form.of_choices:
                inside = f"ANSWER: {inside}"
            # A copy: the transcript keeps the model's own words.
            state.output = state.output.model_copy(deep=True)
            state.output.completion = inside
        return state

    def reached(self, messages: Sequence[ChatMessage], ask: Ask) -> bool:
        return str(ask.told["text"]) in texts_of(messages)


def _fold(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" .\"'").casefold()


TREATMENTS = (Reflection(), Format())

"""Treatments that change the dialogue: ask for a review of the answer, or for a format."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageUser
from inspect_ai.solver import Generate, TaskState
from inspect_ai.util import store

from askew.parameters import choose
from askew.reading.names import LETTERS
from askew.solvers.chain import assistant_text
from askew.treatments.base import Arm, Case, Place, Treatment, last_user, texts_of
from askew.treatments.options import why_no_choices

_FENCE = re.compile(r"^```(?:json)?\s*(.*?)\s*```$", re.DOTALL)
_ANSWER_KEY = re.compile(r'\{\s*"answer"\s*:')
FORMAT_KEY = "askew:format_ok"
_DEFAULT_FORMATS = ("special_character", "bolding", "brackets", "quoting")


class Reflection(Treatment):
    """After the answer, the user asks to review it; the second reply counts."""

    name = "reflection"
    place: Place = "dialogue"
    by_default = True

    async def apply_to_dialogue(
        self, state: TaskState, case: Case, generate: Generate, **generate_args: Any
    ) -> TaskState:
        state = await generate(state, **generate_args)
        output = state.output
        # The task's own solver handles the turn after a call of an available tool.
        if state.completed or output.empty or (state.tools and output.message.tool_calls):
            return state
        # Some providers reject some replies sent back to them: `assistant_text` makes them valid.
        if state.messages[-1].role == "assistant":
            state.messages[-1] = assistant_text(state.output.message)
        state.messages.append(ChatMessageUser(content=self.words["text"]))
        return await generate(state, **generate_args)

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        last_message = last_user(messages)
        return last_message is not None and self.words["text"] in last_message.text


@dataclass(frozen=True)
class AnswerFormat:
    """An answer format: marks around the answer; or the whole reply is a letter or an option."""

    before: str = ""
    after: str = ""
    needs_choices: bool = False
    structure: Literal["", "object", "last object", "any"] = ""
    """JSON: the whole reply is an object, or its last part is one; or any reply follows it."""

    def extract_answer(self, reply: str, options: Sequence[str]) -> str | None:
        """Return the text inside the format, or an option's letter; None if it was not followed."""
        if self.structure:
            return self._from_structure(reply.strip(), options)
        if not self.needs_choices:
            start = reply.find(self.before)
            end = reply.rfind(self.after)
            if start < 0 or end < start + len(self.before):
                return None
            return reply[start + len(self.before) : end].strip() or None
        text = reply.strip().strip(".")
        if self is FORMATS["letter"]:
            letter = text.strip("()")
            return letter if letter in LETTERS[: len(options)] and len(letter) == 1 else None
        matches = [i for i, option in enumerate(options) if _fold(option) == _fold(text)]
        return LETTERS[matches[0]] if len(matches) == 1 else None

    def _from_structure(self, reply: str, options: Sequence[str]) -> str | None:
        if self.structure == "any":
            return reply or None
        text = _FENCE.sub(r"\1", reply)
        begin = 0
        if self.structure == "last object":
            text = text.removesuffix("```").rstrip()
            starts = [found.start() for found in _ANSWER_KEY.finditer(text)]
            begin = starts[-1] if starts else text.rfind("{")
        try:
            found = json.loads(text[begin:])
        except (ValueError, RecursionError):
            return None
        answer = found.get("answer") if isinstance(found, dict) else None
        if not isinstance(answer, str | int | float) or isinstance(answer, bool):
            return None
        letter = str(answer).strip(" ().")
        # The line that `multiple_choice` parses, where the value is an option's letter alone.
        is_letter = len(letter) == 1 and letter in LETTERS[: len(options)]
        return f"ANSWER: {letter}" if is_letter else str(answer).strip() or None


FORMATS: Mapping[str, AnswerFormat] = {
    "special_character": AnswerFormat("<ANSWER>", "</ANSWER>"),
    "bolding": AnswerFormat("**", "**"),
    "italicizing": AnswerFormat("_", "_"),
    "brackets": AnswerFormat("[[", "]]"),
    "parentheses": AnswerFormat("((", "))"),
    "placeholder": AnswerFormat("Final answer:"),
    "quoting": AnswerFormat('"""', '"""'),
    "letter": AnswerFormat(needs_choices=True),
    "text": AnswerFormat(needs_choices=True),
    "json": AnswerFormat(structure="object"),
    "json_reasoned": AnswerFormat(structure="object"),
    "json_late": AnswerFormat(structure="last object"),
    "prose": AnswerFormat(structure="any"),
}


class Format(Treatment):
    """A format instruction; the task's own scorer gets the answer without the format."""

    name = "format"
    place: Place = "dialogue"
    parameters: Mapping[str, Any] = {"format": None}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        wanted = choose("format", given["format"], tuple(FORMATS), _DEFAULT_FORMATS)
        return [self.arm(name, format=name) for name in wanted]

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        return why_no_choices(sample) if FORMATS[arm.given["format"]].needs_choices else ""

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        name, own = case.arm.given["format"], self.words["instructions"]
        if name in own:
            return {"text": own[name]}
        return {"text": self.words["instruction"].format(how=self.words["how"][name])}

    async def apply_to_dialogue(
        self, state: TaskState, case: Case, generate: Generate, **generate_args: Any
    ) -> TaskState:
        question = last_user(state.messages)
        if question is not None and case.values["text"] not in question.text:
            question.text = f"{question.text}\n\n{case.values['text']}"
        state = await generate(state, **generate_args)
        if state.output.empty or state.output.message.tool_calls:
            return state
        options = [str(o) for o in case.values.get("options", ())]  # added by `plan_samples`
        form = FORMATS[case.arm.given["format"]]
        answer = form.extract_answer(state.output.completion, options)
        store().set(FORMAT_KEY, answer is not None)
        if answer is not None:
            if form.needs_choices:
                answer = f"ANSWER: {answer}"  # the line that `multiple_choice` parses
            # A copy: the transcript keeps the model's own words.
            state.output = state.output.model_copy(deep=True)
            state.output.completion = answer
        return state

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        return str(case.values["text"]) in texts_of(messages)


def _fold(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip(" .\"'").casefold()


TREATMENTS = (Reflection(), Format())

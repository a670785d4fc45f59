"""Treatments that change the dialogue: ask for a review of the answer, or for a format."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

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
# By format, the marks around the answer; the whole reply is a letter or an option, or JSON.
MARKS: Mapping[str, tuple[str, str]] = {
    "special_character": ("<ANSWER>", "</ANSWER>"), "bolding": ("**", "**"),
    "italicizing": ("_", "_"), "brackets": ("[[", "]]"), "parentheses": ("((", "))"),
    "placeholder": ("Final answer:", ""), "quoting": ('"""', '"""'),
}  # fmt: skip
OF_CHOICES = ("letter", "text")
FORMATS = (*MARKS, *OF_CHOICES, "json", "json_reasoned", "json_late", "prose")
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


def extract_answer(name: str, reply: str, options: Sequence[str]) -> str | None:
    """Return what stands in a format, of an option the line that `multiple_choice` parses.

    None if the format was not followed.
    """
    text, letters = reply.strip(), LETTERS[: len(options)]
    if name in MARKS:
        before, after = MARKS[name]
        start, end = reply.find(before), reply.rfind(after)
        found = reply[start + len(before) : end] if 0 <= start <= end - len(before) else ""
        return found.strip() or None
    if name in OF_CHOICES:
        text = text.strip(".")
        letter = text.strip("()")
        if name == "text":
            said, *texts = (" ".join(t.split()).strip(" .\"'").casefold() for t in (text, *options))
            fitting = [LETTERS[i] for i, option in enumerate(texts) if option == said]
            letter = fitting[0] if len(fitting) == 1 else ""
        return f"ANSWER: {letter}" if len(letter) == 1 and letter in letters else None
    if name == "prose":
        return text or None
    text, begin = _FENCE.sub(r"\1", text), 0
    if name == "json_late":  # the last part alone is an object
        text = text.removesuffix("```").rstrip()
        starts = [found.start() for found in _ANSWER_KEY.finditer(text)]
        begin = starts[-1] if starts else text.rfind("{")
    try:
        whole = json.loads(text[begin:])
    except (ValueError, RecursionError):
        return None
    answer = whole.get("answer") if isinstance(whole, dict) else None
    if not isinstance(answer, str | int | float) or isinstance(answer, bool):
        return None
    letter = str(answer).strip(" ().")
    is_letter = len(letter) == 1 and letter in letters
    return f"ANSWER: {letter}" if is_letter else str(answer).strip() or None


class Format(Treatment):
    """A format instruction; the task's own scorer gets the answer without the format."""

    name = "format"
    place: Place = "dialogue"
    parameters: Mapping[str, Any] = {"format": None}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        wanted = choose("format", given["format"], FORMATS, _DEFAULT_FORMATS)
        return [self.arm(name, format=name) for name in wanted]

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        return why_no_choices(sample) if arm.given["format"] in OF_CHOICES else ""

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        name, words = case.arm.given["format"], self.words
        usual = words["instruction"].format(how=words["how"].get(name))
        return {"text": words["instructions"].get(name, usual)}

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
        answer = extract_answer(case.arm.given["format"], state.output.completion, options)
        store().set(FORMAT_KEY, answer is not None)
        if answer is not None:
            # A copy: the transcript keeps the model's own words.
            state.output = state.output.model_copy(deep=True)
            state.output.completion = answer
        return state

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        return str(case.values["text"]) in texts_of(messages)


TREATMENTS = (Reflection(), Format())

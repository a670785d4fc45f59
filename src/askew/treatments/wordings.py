"""Harmless changes of how a question is put: typing errors, another layout, other words."""

import random
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, get_model
from inspect_ai.solver import Generate, TaskState

from askew.parameters import SelectionError, check_int, choose, quote
from askew.reading.names import LETTERS
from askew.reading.reply import refuses
from askew.treatments.base import (
    OWN_CALL,
    WORDS,
    Arm,
    Case,
    Place,
    Treatment,
    folded,
    last_user,
    texts_of,
)
from askew.treatments.messages import named_changes
from askew.treatments.options import why_no_choices

PARAPHRASER = "paraphraser"
LAYOUTS = ("enumerators", "separators", "question_last")
_MOST = 20
# What typing errors leave alone: code, formulas, addresses, tags, and what stands in quotes.
_KEPT = re.compile(WORDS["typos"]["left_alone"], re.MULTILINE)
# Words of small letters alone: names and abbreviations have others.
_WORD = re.compile(r"(?<![\w'-])[a-z]{4,}(?![\w'-])")
# Number words, and those that an error makes one.
_NUMERALS = frozenset(WORDS["typos"]["numerals"].split())
_PER_ERROR = 12
_OPTION = re.compile(r"^(?P<letter>[A-Z])(?P<mark>[).:]) ", re.MULTILINE)
_NUMBER = re.compile(r"(?:(?<![\w)])[-\u2212])?\d+(?:[.,]\d+)*")
_NAME = re.compile(r"(?<=[^.!?:\s] )[A-Z]\w+|[A-Z]{2,}|[A-Z]\w+(?='s\b)")
_CODE = re.compile(r"```.*?```|`[^`\n]*`|\$[^$\n]*\$|https?://\S+", re.DOTALL)


def question_of(sample: Sample) -> str:
    """The text of a sample's question: its input, or the last user message of it."""
    if isinstance(sample.input, str):
        return sample.input
    found = last_user(sample.input)
    return found.text if found else ""


class Typos(Treatment):
    """Seeded typing errors in the question; each version is an arm."""

    name = "typos"
    place: Place = "sample"
    parameters: Mapping[str, Any] = {"typos": 1}

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        n = check_int("typos", given["typos"], most=_MOST)
        return [self.arm(str(i + 1) if n > 1 else "") for i in range(n)]

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        return "" if _words_to_misspell(sample) else "no word of its question may have an error"

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        text, places = question_of(sample), _words_to_misspell(sample)
        rng = case.rng()
        chosen = rng.sample(places, max(1, len(places) // _PER_ERROR))
        for start, end in sorted(chosen, reverse=True):
            text = text[:start] + _misspelt(text[start:end], rng) + text[end:]
        return {"text": text}

    def apply_to_sample(self, sample: Sample, case: Case) -> Sample:
        treated = sample.model_copy(deep=True)
        if isinstance(treated.input, str):
            treated.input = case.values["text"]
        elif message := last_user(treated.input):
            message.text = case.values["text"]
        return treated

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        return folded(case.values["text"]) in folded(texts_of(messages))


def _words_to_misspell(sample: Sample) -> list[tuple[int, int]]:
    """Where words stand that may have an error: none of the options or of the target."""
    text = question_of(sample)
    kept = {at for found in _KEPT.finditer(text) for at in range(*found.span())}
    targets = [sample.target] if isinstance(sample.target, str) else sample.target
    fixed = {*re.findall(r"\w+", " ".join([*(sample.choices or ()), *targets]).lower()), *_NUMERALS}
    words = (found for found in _WORD.finditer(text) if found[0] not in fixed)
    return [word.span() for word in words if word.start() not in kept]


def _misspelt(word: str, rng: random.Random) -> str:
    """The word with two letters exchanged, or one dropped or doubled, never the first."""
    swaps = [i for i in range(1, len(word) - 1) if word[i] != word[i + 1]]
    kind, i = rng.choice(("swap", "drop", "double")), rng.randrange(1, len(word))
    if kind == "swap" and swaps:
        i = rng.choice(swaps)
        return word[:i] + word[i + 1] + word[i] + word[i + 2 :]
    return word[:i] + word[i] * (2 if kind == "double" else 0) + word[i + 1 :]


class _InPrompt(Treatment):
    """A change of the user's prompt as the task's solver has made it, before it is answered."""

    place: Place = "dialogue"

    async def changed(self, text: str, state: TaskState, case: Case) -> str:
        """The prompt in its other form; the same text where it can't be had."""
        return text

    async def apply_to_dialogue(
        self, state: TaskState, case: Case, generate: Generate, **how: Any
    ) -> TaskState:
        message = last_user(state.messages)
        if message is not None and not {"text", "problem"} & {*case.memory}:
            text = await self.changed(message.text, state, case)
            if text != message.text:
                case.memory["text"] = message.text = text
        return await generate(state, **how)

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        return "text" in case.memory and case.memory["text"] in texts_of(messages)


class Layout(_InPrompt):
    """Options behind other letters, apart from each other, or before the question."""

    name = "layout"
    parameters: Mapping[str, Any] = {"layout": None}

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        wanted = choose("layout", given["layout"], LAYOUTS, LAYOUTS)
        return [self.arm(name, layout=name) for name in wanted]

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        return why_no_choices(sample)

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        return {"question": question_of(sample)}

    async def changed(self, text: str, state: TaskState, case: Case) -> str:
        options = [o.value for o in state.choices]
        return lay_out(text, case.arm.given["layout"], case.values["question"], options)


def lay_out(text: str, layout: str, question: str, options: Sequence[str]) -> str:
    """A prompt in another layout; the same where its options don't stand in lines of their own."""
    starts = list(_OPTION.finditer(text))[-len(options) :]
    if "".join(found["letter"] for found in starts) != LETTERS[: len(options)]:
        return text
    begin, last = starts[0].start(), starts[-1].end()
    end = last + len(options[-1])
    if text[last:end] != options[-1]:
        return text
    block = text[begin:end]
    if layout == "enumerators":
        changed = _OPTION.sub(r"(\g<letter>) ", block)
    elif layout == "separators":
        changed = _OPTION.sub(lambda found: f"\n{found[0]}" if found.start() else found[0], block)
    else:
        at = text.rfind(question, 0, begin)
        between = text[at + len(question) : begin]
        if at < 0 or not question or between.strip():
            return text
        return text[:at] + block + between + question + text[end:]
    return text[:begin] + changed + text[end:]


class Wording(_InPrompt):
    """Instructions in other words: our own, the user's, or a model's; each wording is an arm."""

    name = "wording"
    parameters: Mapping[str, Any] = {"wording": "", "wordings": 2}

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        n, source = check_int("wordings", given["wordings"], most=_MOST), given["wording"]
        if source == PARAPHRASER:
            return [self.arm(str(i + 1) if n > 1 else "", paraphrased=True) for i in range(n)]
        if source != "":
            return [self.arm(k, changes=c) for k, c in named_changes("wording", source).items()]
        known: Mapping[str, Sequence[str]] = self.words["instructions"]
        most = min(len(others) for others in known.values())
        if n > most:
            raise SelectionError(
                f"wordings={n}: {most} are built in; more come from wording=FILE or "
                f"wording={PARAPHRASER}"
            )
        made = ({old: new[i] for old, new in known.items()} for i in range(n))
        return [self.arm(str(i) if n > 1 else "", changes=c) for i, c in enumerate(made, start=1)]

    def needed_roles(self, arm: Arm) -> Mapping[str, str]:
        is_paraphrased = "paraphrased" in arm.given
        return {PARAPHRASER: f"wording={PARAPHRASER}"} if is_paraphrased else {}

    async def changed(self, text: str, state: TaskState, case: Case) -> str:
        for old, new in case.arm.given.get("changes", {}).items():
            text = text.replace(old, new)
        if case.arm.given.get("paraphrased"):
            asked = str(self.words["request"]).format(text=text, number=case.arm.name)
            paraphraser, own = get_model(role=PARAPHRASER, required=True), OWN_CALL.set(True)
            try:
                output = await paraphraser.generate(asked)
            finally:
                OWN_CALL.reset(own)
            reworded = output.completion.strip()
            if problem := what_is_lost(text, reworded, output.stop_reason == "stop"):
                case.memory["problem"] = problem
            return text if problem else reworded
        return text


def what_is_lost(before: str, after: str, whole: bool = True) -> str:
    """What a paraphrase loses of numbers, names, code and options; empty where it keeps all."""
    if not whole or not after or not len(before) / 3 <= len(after) <= 3 * len(before):
        return "its length"
    if (refuses(after) and not refuses(before)) or ("?" in before and "?" not in after):
        return "its question"
    if added := Counter(_NUMBER.findall(after)) - Counter(_NUMBER.findall(before)):
        return f"its numbers: {next(iter(added))} is new"
    for what, pattern in (("a number", _NUMBER), ("a name", _NAME), ("code", _CODE)):
        if lost := Counter(pattern.findall(before)) - Counter(pattern.findall(after)):
            return f"{what}: {next(iter(lost))}"
    lines = [line for line in before.splitlines() if _OPTION.match(line)]
    return next((f"an option: {quote(x)}" for x in lines if x not in after.splitlines()), "")


TREATMENTS = (Wording(), Layout(), Typos())

"""Treatments of the messages: a sentence, a suggestion, a system prompt of the user's."""

import tomllib
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any
from unicodedata import category

import yaml
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessage, ChatMessageSystem
from inspect_ai.solver import TaskState

from askew.files import given_path, strict_yaml
from askew.parameters import SelectionError, choose, quote, wrong_value
from askew.schema import clean_id
from askew.solvers.chain import add_framing
from askew.sources.records import strict_json
from askew.treatments.base import Arm, Case, Place, Treatment, stem_of, texts_of
from askew.treatments.options import right_options, why_no_choices, why_others

_LONGEST = 200_000  # longer than any prompt that somebody wrote
_LONGEST_NAME = 100
_MOST = 100
_POSITIONS = ("begin", "end")
_SUGGESTIONS = ("wrong", "right", "authority", "belief", "doubt")
_READERS: Mapping[str, Callable[[str], Any]] = {
    ".toml": tomllib.loads, ".yaml": strict_yaml, ".yml": strict_yaml, ".json": strict_json,
}  # fmt: skip


def inserted_text(parameter: str, given: object) -> str:
    """A text that can stand in a prompt: of some length, without what no one sees or can encode."""
    if not isinstance(given, str) or not given.strip():
        raise wrong_value(parameter, given, "give a text", 120)
    if odd := next((c for c in given if category(c) in ("Cc", "Cs") and c not in "\n\r\t"), ""):
        why = f"give a text without control characters; it has U+{ord(odd):04X}"
        raise wrong_value(parameter, given, why)
    if len(given) > _LONGEST:
        why = f"give a text of at most {_LONGEST:,} characters; it has {len(given):,}"
        raise wrong_value(parameter, given, why)
    return given.strip()


def _of_file(parameter: str, given: object) -> object:
    """What a file of texts holds (TOML, YAML, JSON), or what was given where it names none."""
    if isinstance(given, str) and Path(given).suffix in _READERS and "\n" not in given:
        path = given_path(given)
        try:
            return _READERS[path.suffix](path.read_text("utf-8"))
        except (ValueError, OSError, yaml.YAMLError, RecursionError) as error:
            is_absent = isinstance(error, FileNotFoundError)
            why = "there is no such file" if is_absent else " ".join(str(error).split())
            raise wrong_value(parameter, given, f"{why:.200}", 120) from None
    short = given if isinstance(given, str) and len(given) < _LONGEST_NAME else ""
    if short.isprintable() and Path(short).suffix and given_path(short).is_file():
        why = "a file of texts ends in .toml, .yaml or .json; or give the text itself"
        raise wrong_value(parameter, given, why, 120)
    return given


def named_texts(parameter: str, given: object) -> dict[str, str]:
    """Texts by name: one text has none; a mapping or a file (TOML, YAML, JSON) names each."""
    found = _of_file(parameter, given)
    if isinstance(found, str) and found.strip():
        return {"": inserted_text(parameter, found)}
    if not isinstance(found, Mapping) or not found:
        why = "give a text or a file of named ones (.toml, .yaml, .json)"
        raise wrong_value(parameter, given, why, 120)
    if len(found) > _MOST:
        raise SelectionError(f"{parameter}: give at most {_MOST} texts; each adds an arm")
    for name, text in found.items():
        if not isinstance(text, str) or not text.strip():
            raise wrong_value(parameter, given, f"{quote(name)} is not a text")
        if len(str(name)) > _LONGEST_NAME:
            raise wrong_value(parameter, str(name), "give a shorter name")
    names = {clean_id(str(n)): inserted_text(parameter, text) for n, text in found.items()}
    if len(names) < len(found):
        raise SelectionError(f"{parameter}: two names are alike as parts of a sample's id")
    return names


def named_changes(parameter: str, given: object) -> dict[str, dict[str, str]]:
    """Wordings by name, each with what it replaces: a table of old and new texts, or several."""
    found = _of_file(parameter, given)
    if not isinstance(found, Mapping) or not found:
        why = "give a file (.toml, .yaml, .json) of tables with old = new texts"
        raise wrong_value(parameter, given, why, 120)
    tables = found if all(isinstance(v, Mapping) for v in found.values()) else {"": found}
    made = {}
    for name, table in tables.items():
        for old, new in table.items():
            if not isinstance(new, str) or not str(old).strip() or str(old) == new:
                raise wrong_value(parameter, given, f"{quote(old)} needs another text")
        made[clean_id(str(name)) if name else ""] = {str(o): new for o, new in table.items()}
    if len(made) < len(tables) or len(made) > _MOST:
        raise SelectionError(f"{parameter}: give at most {_MOST} wordings of different names")
    return made


class MessageTreatment(Treatment):
    """A treatment that adds a text to the messages; the value `text` is this text."""

    place: Place = "message"

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        return dict(case.arm.given)

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        return str(case.values["text"]) in texts_of(messages)

    def texts_given(self, given: Mapping[str, Any], what: str) -> dict[str, str]:
        """The user's texts by name, of the parameter that is called as the treatment."""
        if given[self.name] == "":
            needed = f"the {what}: {self.name}='...', or a file of named ones"
            raise SelectionError(f"treatments={self.name} needs {needed}")
        return named_texts(self.name, given[self.name])


class Framing(MessageTreatment):
    """The user's sentence before or behind the question; each of several is an arm."""

    name = "framing"
    parameters: Mapping[str, Any] = {"framing": "", "framing_position": "begin"}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        texts = self.texts_given(given, "sentence")
        positions = choose("framing_position", given["framing_position"], _POSITIONS, ("begin",))
        return [
            self.arm(name, p if len(positions) > 1 else "", text=text, position=p)
            for (name, text), p in product(texts.items(), positions)
        ]

    def apply_to_messages(self, state: TaskState, case: Case) -> None:
        prompt = state.user_prompt
        prompt.text = add_framing(prompt.text, case.values["text"], case.values["position"])


class Suggestion(MessageTreatment):
    """The user says what they think the answer is, behind the question."""

    name = "suggestion"
    parameters: Mapping[str, Any] = {"suggest": "wrong", "suggest_text": "", "wordings": 1}
    by_default = True

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        own, n = given["suggest_text"], given["wordings"]
        if own != "":
            own, n = inserted_text("suggest_text", own), 1
        return [
            arm for kind in choose("suggest", given["suggest"], _SUGGESTIONS, ("wrong",))
            for arm in self.arms_in_words("" if kind == "wrong" else kind, kind, n,
                                          suggest=kind, suggest_text=own)
        ]  # fmt: skip

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        if arm.given["suggest_text"] or arm.given["suggest"] == "doubt":
            return ""
        options = sample.choices or []
        if why := why_no_choices(sample) or why_others(options):
            return why if options else f"{why}, and suggest_text is not set"
        is_all_right = len(right_options(sample)) == len(options)
        unfit = is_all_right and arm.given["suggest"] != "right"
        return "it has no wrong option to suggest" if unfit else ""

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        if fixed := case.arm.given["suggest_text"]:
            return {"text": str(fixed)}
        kind = case.arm.given["suggest"]
        if kind == "doubt":
            return {"text": case.arm.given["text"]}
        right, options = right_options(sample), sample.choices or []
        places = [i for i in range(len(options)) if (i in right) == (kind == "right")]
        place = case.rng(arm=stem_of(case.arm.name)).choice(places)
        text = case.arm.given["text"].format(suggested=f'"{options[place].strip()}"')
        return {"text": text, "suggested": place}

    def apply_to_messages(self, state: TaskState, case: Case) -> None:
        state.user_prompt.text = f"{state.user_prompt.text}\n\n{case.values['text']}"


class System(MessageTreatment):
    """The user's system prompt, before any other; each of several is an arm."""

    name = "system"
    parameters: Mapping[str, Any] = {"system": ""}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        texts = self.texts_given(given, "prompt")
        return [self.arm(name, text=text) for name, text in texts.items()]

    def apply_to_messages(self, state: TaskState, case: Case) -> None:
        state.messages.insert(0, ChatMessageSystem(content=case.values["text"]))

    def withdraw(self, state: TaskState, case: Case) -> None:
        # Scorers that take the second message for the reply would read the question.
        ours = (m for m in state.messages if m.role == "system" and m.text == case.values["text"])
        if (first := next(ours, None)) is not None:
            state.messages.remove(first)


class Context(System):
    """A system prompt of ours that names where the conversation takes place; each is an arm."""

    name = "context"
    parameters: Mapping[str, Any] = {"context": None, "wordings": 1}

    def arms(self, given: Mapping[str, Any]) -> list[Arm]:
        names = choose(self.name, given["context"], (*self.words,), (*self.words,))
        return [arm for k in names for arm in self.arms_in_words(k, k, given["wordings"])]


TREATMENTS = (Suggestion(), Framing(), System(), Context())

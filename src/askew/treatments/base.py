"""The base class of treatments: name, place where they act, samples they apply to, the change."""

import random
import re
from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, Literal

from inspect_ai.dataset import Sample
from inspect_ai.hooks import BeforeModelGenerate
from inspect_ai.model import ChatMessage
from inspect_ai.solver import Generate, TaskState

from askew.files import toml_of
from askew.parameters import SelectionError, check_int

Place = Literal["none", "sample", "message", "dialogue", "call"]
WORDS = toml_of(__package__, "words.toml")
# Attributes of askew's own treatments: source, meaning, what becomes of the target.
_TOLD = toml_of(__package__, "treatments.toml")
# Whether a call is a treatment's own, of whatever model, and none of the task's.
OWN_CALL: ContextVar[bool] = ContextVar("askew_own_call", default=False)


def stem_of(arm: str) -> str:
    """An arm's name without the number of its version."""
    return re.sub(r"-\d+$", "", arm)


@dataclass(frozen=True)
class Arm:
    """An arm of the run: a treatment with its parameters."""

    name: str  # in sample ids and tables
    treatment: str
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Case:
    """A sample in an arm, with the values that the treatment fixed for it before the run."""

    item: str
    arm: Arm
    seed: int = 0
    values: Mapping[str, Any] = field(default_factory=dict)
    memory: dict[Any, Any] = field(default_factory=dict, compare=False)  # kept between model calls

    def rng(self, *more: object, arm: str = "") -> random.Random:
        """A random generator that depends on seed, item and arm only."""
        parts = (self.seed, self.item, arm or self.arm.name, *more)
        return random.Random("/".join(map(str, parts)))


class Treatment:
    """A named change of a task's samples. Subclasses override the `apply_to_...` of their place.

    Places: the "sample" before the run, the "message" before the task's own setup, the "dialogue"
    (the `generate` of the task's solver), or each model "call".
    """

    name: str = ""  # in `treatments=`, ids and tables
    place: Place = "none"  # where it acts
    source: str = ""  # the paper it comes from
    meaning: str = ""  # the change, in a few words
    target: str = "same"  # what becomes of the target
    parameters: Mapping[str, Any] = {}  # task parameters, with their defaults
    by_default: bool = False  # whether it runs if the user names none
    uncached: bool = False  # whether its calls skip the cache
    why_unreached: str = ""  # the likely reason if it did not reach the model

    def __init_subclass__(cls) -> None:
        for attribute, value in _TOLD.get(cls.name, {}).items():
            setattr(cls, attribute, value)

    @property
    def words(self) -> Mapping[str, Any]:
        """The texts that it adds to prompts, by name; a list where it has several wordings."""
        found: Mapping[str, Any] = WORDS.get(self.name, {})
        return found

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        """The arms for these parameters, defaults included."""
        return [self.arm(**given)]

    def arm(self, *names: str, **given: Any) -> Arm:
        """An arm; `names` distinguish it from the other arms of the treatment."""
        return Arm("-".join([self.name, *filter(None, names)]), self.name, given)

    def arms_in_words(self, name: str, key: str, n: Any, **given: Any) -> list[Arm]:
        """An arm for each of the first `n` of the treatment's own wordings of a text."""
        texts = self.words[key]
        if check_int("wordings", n) > len(texts):
            raise SelectionError(f"wordings={n}: {self.name} has {len(texts)} built in")
        return [
            self.arm(name, str(i) if n > 1 else "", text=text, **given)
            for i, text in enumerate(texts[:n], start=1)
        ]

    def needed_roles(self, arm: Arm) -> Mapping[str, str]:
        """Model roles that an arm needs, each with what needs it."""
        return {}

    def why_not_applicable(self, sample: Sample, arm: Arm) -> str:
        """Why this arm does not apply to the sample; empty if it does."""
        return ""

    def sample_values(self, sample: Sample, case: Case) -> dict[str, Any]:
        """Values fixed for a sample before the run, such as the order of its options."""
        return {}

    def apply_to_sample(self, sample: Sample, case: Case) -> Sample:
        """A treated copy ("sample"). The value `shown` is the option index at each position."""
        return sample

    def apply_to_messages(self, state: TaskState, case: Case) -> None:
        """Change the messages before the task's own setup ("message")."""

    def withdraw(self, state: TaskState, case: Case) -> None:
        """Remove, after the solver, what would mislead the task's own scorers."""

    async def apply_to_dialogue(
        self, state: TaskState, case: Case, generate: Generate, **how: Any
    ) -> TaskState:
        """Replace the `generate` that the task's solver calls ("dialogue")."""
        return await generate(state, **how)

    def apply_to_call(self, call: BeforeModelGenerate, case: Case) -> bool:
        """Change a model call ("call"); return whether it changed."""
        return False

    def measures(self, messages: Sequence[ChatMessage], case: Case) -> dict[str, float]:
        """Measures of its own, from a sample's messages after the task's solver."""
        return {}

    def reached_model(self, messages: Sequence[ChatMessage], case: Case) -> bool:
        """Whether the messages of a model call contain the treatment."""
        return True


def last_user(messages: Sequence[ChatMessage]) -> ChatMessage | None:
    """The last user message."""
    return next((m for m in reversed(messages) if m.role == "user"), None)


def texts_of(messages: Sequence[ChatMessage]) -> str:
    """The texts of all messages, joined."""
    return "\n".join(m.text for m in messages)


def folded(text: object) -> str:
    """A text with single blanks between its words."""
    return " ".join(str(text).split())


class Repeat(Treatment):
    """No change: a re-run, which measures the noise of the other arms."""

    name = "repeat"
    by_default = True
    uncached = True

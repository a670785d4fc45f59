"""What every treatment is: a name, a place where it acts, what it fits, and what it does there."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from inspect_ai.dataset import Sample
from inspect_ai.hooks import BeforeModelGenerate
from inspect_ai.model import ChatMessage
from inspect_ai.solver import Generate, TaskState

from askew.files import toml_of

Place = Literal["none", "sample", "message", "dialogue", "wire"]
WORDS = toml_of(__package__, "words.toml")
# Of askew's own treatments: their source, what they do, and what becomes of the right answer.
_TOLD = toml_of(__package__, "treatments.toml")


@dataclass(frozen=True)
class Arm:
    """One way in which every item is asked: a treatment, and what it was given."""

    name: str  # as it stands in sample ids and tables
    treatment: str
    given: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Ask:
    """A sample in an arm: what the treatment decided of it. It travels in the sample's store."""

    item: str
    arm: Arm
    seed: int = 0
    told: Mapping[str, Any] = field(default_factory=dict)
    # What a treatment keeps from one call of a sample to the next.
    memory: dict[Any, Any] = field(default_factory=dict, compare=False)

    def rng(self, *more: object) -> random.Random:
        """Draws that depend on the seed, the item and the arm alone."""
        return random.Random("/".join(map(str, (self.seed, self.item, self.arm.name, *more))))


class Treatment:
    """A labelled way to bend a question: subclass it, and say what `apply` does in its place.

    It acts on the "sample" before it is asked, on a "message" before the author's own setup, around
    the "dialogue" that the author's solver drives, or on the "wire", in each call of the model.
    """

    name: str = ""  # in `treatments=`, ids and tables
    place: Place = "none"  # where it acts
    source: str = ""  # the paper it comes from
    meaning: str = ""  # what it does, in a few words
    right: str = "same"  # what becomes of the right answer
    takes: Mapping[str, Any] = {}  # its parameters of the task, with their defaults
    asked: bool = False  # whether it is asked where a user names no treatments
    fresh: bool = False  # whether no call is answered from the cache
    unreached: str = ""  # why it may not have reached the model, for samples that are left out

    def __init_subclass__(cls) -> None:
        for attribute, said in _TOLD.get(cls.name, {}).items():
            setattr(cls, attribute, said)

    @property
    def words(self) -> Mapping[str, str]:
        """The texts that it puts before a model, by name."""
        found: Mapping[str, str] = WORDS.get(self.name, {})
        return found

    def arms(self, given: Mapping[str, Any]) -> Sequence[Arm]:
        """The ways of asking that its parameters ask for, defaults filled in."""
        return [self.arm(**given)]

    def arm(self, *names: str, **given: Any) -> Arm:
        """One of them, named by what tells it from the others."""
        return Arm("-".join([self.name, *filter(None, names)]), self.name, given)

    def fits(self, sample: Sample, arm: Arm) -> str:
        """Why the sample can't be asked in this arm; empty where it can."""
        return ""

    def told(self, sample: Sample, ask: Ask) -> dict[str, Any]:
        """What it decides of a sample before the run: plain values that go into its store."""
        return {}

    def apply_to_sample(self, sample: Sample, ask: Ask) -> Sample:
        """A treated copy ("sample"). `told` may hold `shown`, which option stands at each place."""
        return sample

    def apply_to_messages(self, state: TaskState, ask: Ask) -> None:
        """Change the messages before the author's setup sees them ("message")."""

    def withdraw(self, state: TaskState, ask: Ask) -> None:
        """Take away what the author's scorers would trip over, once their solver is done."""

    async def apply_to_dialogue(
        self, state: TaskState, ask: Ask, generate: Generate, **how: Any
    ) -> TaskState:
        """Stand in for the `generate` that the author's solver is handed ("dialogue")."""
        return await generate(state, **how)

    def apply_to_call(self, call: BeforeModelGenerate, ask: Ask) -> bool:
        """Change a call of the model ("wire"); whether it did."""
        return False

    def reached(self, messages: Sequence[ChatMessage], ask: Ask) -> bool:
        """Whether a call shows that the treatment reached the model, by what is sent in it."""
        return True


def last_user(messages: Sequence[ChatMessage]) -> ChatMessage | None:
    """The last thing that the user says."""
    return next((m for m in reversed(messages) if m.role == "user"), None)


def texts_of(messages: Sequence[ChatMessage]) -> str:
    """All that is said, as one text."""
    return "\n".join(m.text for m in messages)


class Repeat(Treatment):
    """Nothing changes; the noise floor of every other arm."""

    name = "repeat"
    asked = True
    fresh = True

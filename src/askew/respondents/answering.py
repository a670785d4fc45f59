"""What papers make simulated answers of: seeded draws, wordings, and the metrics they imply."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

REFUSAL = "I'm sorry, but I can't help with that."


@dataclass(frozen=True)
class ToolUse:
    """A tool that a simulated model uses in place of saying something."""

    function: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Expectation:
    """The value of a metric that a respondent's tendencies imply.

    Attributes:
        metric: its name in the paper's metric table.
        value: what any number of items and repetitions would converge to.
        levels: where in the table, for levels that are not the overall one.
        null: whether the respondent is without the effect that the metric looks for, so that
            noise alone moves it.
    """

    metric: str
    value: float
    levels: Mapping[str, str] = field(default_factory=dict)
    null: bool = False


def mean(values: Iterable[float]) -> float:
    """The mean; nan of nothing."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else math.nan


def population_variance(values: Sequence[float]) -> float:
    """The mean squared distance from the mean."""
    centre = mean(values)
    return mean((v - centre) ** 2 for v in values)


def seeded(*parts: object) -> random.Random:
    """Draws that depend on the parts alone, in any process and order of samples."""
    return random.Random("/".join(map(str, parts)))


def pick(rng: random.Random, weights: Mapping[str, float]) -> str:
    """One key, with probability in proportion to its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


Wording = Callable[[str, random.Random], str]


def _wording(template: str, texts: Sequence[str] = ()) -> Wording:
    """A way to put an answer in words, with one of the texts drawn for it."""

    def say(answer: str, rng: random.Random) -> str:
        return template.format(answer=answer, text=rng.choice(texts) if texts else "")

    return say


_EXPLANATIONS = (
    "This follows from what the text says.",
    "I looked at each possibility in turn before settling on this.",
    "Everything else conflicts with the text.",
)
_MUSINGS = (
    "Let me think about this step by step. First, I look at what is asked. Then I compare it "
    "with what is given.",
    "Reading carefully, there are a few things to weigh here, and only one of them holds up.",
    "Several possibilities come to mind at first. On a second look most of them fall away.",
)
bare = _wording("{answer}")
labelled = _wording("Answer: {answer}")
bold = _wording("**{answer}**")
announced = _wording("The answer is {answer}.")
headed = _wording("### Answer\n\n{answer}")
TERSE: Sequence[Wording] = (bare, bare, bare, _wording("{answer}."))
CHATTY: Sequence[Wording] = (
    labelled,
    bold,
    announced,
    _wording("{answer}\n\n{text}", _EXPLANATIONS),
    _wording("{text}\n\nTherefore, the answer is **{answer}**.", _MUSINGS),
    headed,
)

"""What papers make simulated answers of: seeded draws, wordings, and the metrics they imply."""

import math
import random
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import NormalDist
from typing import Any, TypeVar

from askew.files import toml_of

REFUSAL = "I'm sorry, but I can't help with that."
WRONG = "something else"
# What a sample's truth names the share by which items of one cluster are known together.
ALIKE = "alike"
_NORMAL = NormalDist()


@dataclass(frozen=True)
class Expectation:
    """The value of a metric that a respondent's tendencies imply."""

    metric: str
    value: float  # what any number of items and repetitions would converge to
    levels: Mapping[str, str] = field(default_factory=dict)  # those that are not the overall one
    null: bool = False  # without the effect that the metric looks for: noise alone moves it


class Alike(Mapping[str, float]):
    """One chance, whatever it is asked of."""

    def __init__(self, chance: float) -> None:
        self.chance = chance

    def __getitem__(self, key: str) -> float:
        return self.chance

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1


Tendencies = TypeVar("Tendencies")


def load_models(
    package: str, kind: type[Tendencies]
) -> tuple[Mapping[str, Tendencies], Mapping[str, str]]:
    """Tendencies by simulated model, and what those do that have some of their own in a task."""
    table = toml_of(package, "respondent.toml")
    made = {name: kind(**chances) for name, chances in table["tendencies"].items()}
    return made, table.get("respondents", {})


def mean(values: Iterable[float]) -> float:
    """The mean; nan of nothing."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else math.nan


def rng_for(*parts: object) -> random.Random:
    """Draws that depend on the parts alone, in any process and order of samples."""
    return random.Random("/".join(map(str, parts)))


def in_cluster(own: float, truth: Mapping[str, Any], *parts: object) -> float:
    """An item's draw, drawn to its cluster's by the share `ALIKE` (a Gaussian copula)."""
    if not (share := truth.get(ALIKE, 0.0)):
        return own
    shared = rng_for(*parts, "cluster", truth["cluster"]).gauss()
    return _NORMAL.cdf(math.sqrt(share) * shared + math.sqrt(1 - share) * _NORMAL.inv_cdf(own))


def pick(rng: random.Random, weights: Mapping[str, float]) -> str:
    """One key, with probability in proportion to its weight."""
    return rng.choices(list(weights), list(weights.values()))[0]


# What may be said, one possibility after the other, each with its chance if it was none before.
Course = Iterable[tuple[str, float]]
ANY = "any"
"""In a course: one of the options, each with equal chance."""


def chances(course: Course, options: Sequence[str]) -> dict[str, float]:
    """How likely each answer of a course is; its last possibility has the chance 1."""
    left, found = 1.0, defaultdict[str, float](float)
    for answer, chance in course:
        found[answer] += left * chance
        left *= 1 - chance
    by_chance = found.pop(ANY, 0.0) / max(1, len(options))
    for option in options:
        found[option] += by_chance
    return {answer: chance for answer, chance in found.items() if chance > 0}


def probabilities(
    minds: Iterable[tuple[float, Course]], options: Sequence[str]
) -> Mapping[str, float]:
    """How likely each answer is of one that is of a mind, with its own course, by chance."""
    found = defaultdict[str, float](float)
    for weight, course in minds:
        for answer, chance in chances(course, options).items():
            found[answer] += weight * chance
    return found


def draw_answer(course: Course, options: Sequence[str], rng: random.Random) -> str:
    """One answer of a course; each possibility is drawn, so that one more changes no other's."""
    *before, (last, _) = course
    happens = [rng.random() < chance for _, chance in before]
    drawn = next((answer for (answer, _), it in zip(before, happens, strict=True) if it), last)
    return rng.choice(options) if drawn == ANY else drawn


@dataclass(frozen=True)
class Misses:
    """Tendencies that need no code: of knowing an item, and of missing what is asked in a way."""

    knows: float = 1.0
    misses: Mapping[str, float] = field(default_factory=dict)  # by a value of the condition
    refuses: float = 0.0  # of declining to answer

    def course(self, truth: Mapping[str, Any]) -> Course:
        """What it comes to say: the right answer, which a sample has as its target, or a wrong."""
        yield REFUSAL, self.refuses
        yield from ((WRONG, p) for way, p in self.misses.items() if way in truth.values())
        yield truth["target"], self.knows
        yield WRONG, 1.0

    def right(self, truth: Mapping[str, Any]) -> float:
        """The chance of the right answer."""
        return chances(self.course(truth), ()).get(truth["target"], 0.0)


def reply(truth: Mapping[str, Any], tendencies: Misses, name: str, seed: int) -> str:
    """The reply to one sample of a simulated model that has no other tendencies."""
    rng = rng_for(seed, name, truth["sample_id"], truth["epoch"])
    return draw_answer(tendencies.course(truth), (), rng)


Wording = Callable[[str, random.Random], str]


def _say(answer: str, rng: random.Random, template: str, texts: Sequence[str]) -> str:
    """An answer in words, with one of the texts drawn for it."""
    return template.format(answer=answer, text=rng.choice(texts) if texts else "")


_WORDS = toml_of(__package__, "words.toml")
bare, labelled, bold, announced, headed, stopped, explained, mused = (
    partial(_say, template=template, texts=_WORDS.get(name, ()))
    for name, template in _WORDS["wordings"].items()
)
TERSE: Sequence[Wording] = (bare, bare, bare, stopped)
CHATTY: Sequence[Wording] = (labelled, bold, announced, explained, mused, headed)

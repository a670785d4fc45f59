"""How simulated models answer Binary QA's prompts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from askew.models.speech import (
    REFUSAL,
    TERSE,
    Dress,
    announced,
    bold,
    headed,
    labelled,
    seeded,
)

_OPPOSITE = {"Yes": "No", "No": "Yes"}
_REASONS = (
    "The passage leaves no doubt about it.",
    "I compared the question with the passage word by word.",
    "Nothing that is said here speaks against it.",
)
_MUSINGS = (
    "Let me look at the passage first. Is it about the same thing as the question? It is.",
    "One might think that the passage leaves this open. On a second reading it does not.",
)


def _explained(answer: str, rng: random.Random) -> str:
    return f"{answer}, {rng.choice(('I think', 'in my reading'))}. {rng.choice(_REASONS)}"


def _reasoned(answer: str, rng: random.Random) -> str:
    return f"{rng.choice(_MUSINGS)}\n\nTherefore, the answer is **{answer}**."


def _led_into(answer: str, rng: random.Random) -> str:
    return f"Based on what is given, {answer.lower()}."


_CHATTY: Sequence[Dress] = (
    labelled,
    bold,
    announced,
    headed,
    _explained,
    _reasoned,
    _led_into,
)


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in Binary QA.

    Attributes:
        knows: of knowing an item, drawn once an item; where it does not, it believes the opposite
            and answers every form accordingly.
        knows_less: by domain, how much less likely it is to know an item there.
        wavers: of giving the opposite of what it believes, drawn at every asking.
        ignores_negation: of answering a contradictory or "Is it false" form as if it were the
            original, drawn at every asking.
        takes_first: of giving the option named first, whatever it believes.
        says_no: of answering No instead of what it would have said, drawn at every asking.
        says_yes: the same for Yes, where it does not say No.
        guesses: of answering Yes or No with equal chance.
        refuses: of declining to answer.
    """

    knows: float = 1.0
    knows_less: Mapping[str, float] = field(default_factory=dict)
    wavers: float = 0.0
    ignores_negation: float = 0.0
    takes_first: float = 0.0
    says_no: float = 0.0
    says_yes: float = 0.0
    guesses: float = 0.0
    refuses: float = 0.0
    dresses: Sequence[Dress] = TERSE


_TYPICAL = Tendencies(
    knows=0.93,
    knows_less={"numerical": 0.05, "translation": 0.2, "ethics": 0.08},
    wavers=0.01,
    ignores_negation=0.12,
    takes_first=0.02,
    says_no=0.05,
    refuses=0.005,
)
_TYPICAL = Tendencies(
    knows=0.93,
    knows_less={"numerical": 0.05, "translation": 0.2, "ethics": 0.08},
    wavers=0.01,
    ignores_negation=0.12,
    takes_first=0.02,
    says_no=0.05,
    refuses=0.005,
)
TENDENCIES: Mapping[str, Tendencies] = {
    "oracle": Tendencies(),
    "typical": _TYPICAL,
    "agreeable": Tendencies(says_yes=0.4),
    "random": Tendencies(guesses=1.0),
    "mute": Tendencies(refuses=1.0),
    "chatty": Tendencies(dresses=_CHATTY),
    "nay": Tendencies(says_no=0.25),
    "literal": Tendencies(ignores_negation=0.4),
    **dict.fromkeys(("sloppy", "conformist", "overcautious"), _TYPICAL),
    "parrot": _TYPICAL,
    "stereotyper": _TYPICAL,
}


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = seeded(seed, name, truth["sample_id"], truth["epoch"])
    if rng.random() < tendencies.refuses:
        return REFUSAL
    believed = _believed(truth, tendencies, name, seed)
    answer = _answer(believed, truth, tendencies, rng)
    return rng.choice(tendencies.dresses)(answer, rng)


def _believed(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """What it takes to be the answer to the original question."""
    chance = tendencies.knows - tendencies.knows_less.get(truth["subset"], 0.0)
    knows = seeded(seed, name, truth["item"], "knows").random() < chance
    return str(truth["truth"]) if knows else _OPPOSITE[truth["truth"]]


def _answer(
    believed: str, truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random
) -> str:
    draws = {
        name: rng.random()
        for name in ("negation", "wavers", "first", "says_no", "says_yes", "guesses")
    }
    if draws["guesses"] < tendencies.guesses:
        return rng.choice(("Yes", "No"))
    if draws["says_no"] < tendencies.says_no:
        return "No"
    if draws["says_yes"] < tendencies.says_yes:
        return "Yes"
    if draws["first"] < tendencies.takes_first:
        return "No" if truth["form"] == "swapped_options" else "Yes"
    flips = truth["expected"] != truth["truth"]
    sees_negation = draws["negation"] >= tendencies.ignores_negation
    answer = _OPPOSITE[believed] if flips and sees_negation else believed
    return _OPPOSITE[answer] if draws["wavers"] < tendencies.wavers else answer

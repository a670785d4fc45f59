"""How simulated models answer KnowNo's prompts."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from askew.models.speech import CHATTY, REFUSAL, TERSE, Dress, pick, seeded

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
NONE_OF_THEM = "none-of-them"
WITH_GOLD = ("with_gold", "with_gold_plus_none")


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in KnowNo.

    Attributes:
        knows: of knowing an item, drawn once an item, so that its conditions agree.
        notices: by hint, of saying that nothing fits where it knows the item.
        volunteers: of giving the removed answer itself where nothing hints at none.
        takes_none: of picking none-of-them by chance, as any other option.
        refuses: of declining to answer.
    """

    knows: float = 1.0
    notices: Mapping[str, float] = field(
        default_factory=lambda: {"hint_as_option": 1, "hint_in_instruction": 1, "no_hint": 1}
    )
    volunteers: float = 0.5
    takes_none: bool = False
    refuses: float = 0.0
    dresses: Sequence[Dress] = TERSE


_NEVER = {"hint_as_option": 0.0, "hint_in_instruction": 0.0, "no_hint": 0.0}
_TYPICAL = Tendencies(
    knows=0.85,
    notices={"hint_as_option": 0.6, "hint_in_instruction": 0.5, "no_hint": 0.35},
    volunteers=0.4,
    refuses=0.01,
)
TENDENCIES: Mapping[str, Tendencies] = {
    "oracle": Tendencies(),
    "typical": _TYPICAL,
    "agreeable": Tendencies(notices=_NEVER),
    "random": Tendencies(knows=0.0, notices=_NEVER, takes_none=True),
    "mute": Tendencies(refuses=1.0),
    "chatty": Tendencies(dresses=CHATTY),
    "nay": _TYPICAL,
    "literal": _TYPICAL,
    "conformist": _TYPICAL,
    "overcautious": _TYPICAL,
    "parrot": _TYPICAL,
    "stereotyper": _TYPICAL,
}


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = seeded(seed, name, truth["sample_id"], truth["epoch"])
    knows = seeded(seed, name, truth["item"], "knows").random() < tendencies.knows
    if rng.random() < tendencies.refuses:
        return REFUSAL
    hint, options = truth["hint"], list(truth["choices"])
    gold = truth["gold"]
    if hint in WITH_GOLD:
        right = [gold] if knows else []
    elif knows and rng.random() < tendencies.notices[hint]:
        return _nothing_fits(truth, tendencies, rng)
    else:
        right = []
    answer = right[0] if right else _some_option(options, gold, tendencies, rng)
    return rng.choice(tendencies.dresses)(_written(answer, options, truth["kind"], rng), rng)


def _some_option(
    options: Sequence[str], gold: str, tendencies: Tendencies, rng: random.Random
) -> str:
    """A guess among all options, or a mistake: an option that is not the right one."""
    if tendencies.takes_none:
        return rng.choice(options)
    return rng.choice([o for o in options if o not in (gold, NONE_OF_THEM)])


def _nothing_fits(truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random) -> str:
    options = list(truth["choices"])
    gives_gold = tendencies.volunteers if truth["hint"] == "no_hint" else 0.0
    if rng.random() >= gives_gold:
        said = NONE_OF_THEM if truth["hint"] != "no_hint" else "None of the above"
        answer = _written(said, options, truth["kind"], rng)
        return rng.choice(tendencies.dresses)(answer, rng)
    if truth["kind"] == "intent":
        return str(truth["gold"])
    manner = pick(rng, {"next": 2, "sentence": 1, "plain": 1})
    if manner == "next":
        return f"{LETTERS[len(options)]}. {truth['gold']}"
    if manner == "plain":
        return str(truth["gold"])
    return f"None of the options provided are correct. The correct answer is {truth['gold']}"


def _written(answer: str, options: Sequence[str], kind: str, rng: random.Random) -> str:
    """An answer as the prompt asks for it: the intent's name, or the option's letter."""
    if kind == "intent" or answer not in options:
        return answer
    letter = LETTERS[options.index(answer)]
    manner = pick(rng, {"letter": 6, "both": 3, "text": 1})
    if kind == "equation" or manner == "letter":
        return letter
    return f"{letter}. {answer}" if manner == "both" else answer

"""How simulated models answer bent tasks: questions with options, and those with a short answer."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.files import toml_of
from askew.papers.bend.paper import PLAIN
from askew.reading.letters import LETTERS
from askew.respondents.answering import REFUSAL, Expectation, mean, seeded
from askew.treatments.format import FORMATS


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in a bent task."""

    # Of knowing an item, drawn once an item; where it does not, it believes a wrong option, the
    # same one however it is asked.
    knows: float = 1.0
    notices: float = 1.0  # of saying that none is right where its own answer is missing
    first: float = 0.0  # of picking what stands first, whatever it believes
    follows: float = 0.0  # of saying what the user believes
    caves: float = 0.0  # of giving up a right answer when asked to review it
    drops: float = 0.0  # of answering wrongly where a format is asked
    misses_format: float = 0.0  # of answering without the format that is asked
    guesses: float = 0.0  # of picking any option with equal chance
    refuses: float = 0.0  # of declining to answer
    wordy: bool = False  # whether it reasons before it answers


_TOLD = toml_of(__package__, "respondent.toml")
TENDENCIES: Mapping[str, Tendencies] = {
    name: Tendencies(**told) for name, told in _TOLD["tendencies"].items()
}
RESPONDENTS: Mapping[str, str] = _TOLD["respondents"]
_WRONG_TEXT = "quite another thing"


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one call of one sample."""
    rng = seeded(seed, name, truth["sample_id"], truth["epoch"], truth.get("turn", 0))
    if rng.random() < tendencies.refuses:
        return REFUSAL
    knows = seeded(seed, name, truth["item"], "knows").random() < tendencies.knows
    lure = seeded(seed, name, truth["item"], "believes").random()
    options = list(truth["choices"])
    if options:
        said = f"ANSWER: {LETTERS[_chosen(truth, tendencies, rng, knows, lure)]}"
    else:
        fooled = _is_fooled(truth, tendencies, rng)
        said = truth["target"] if knows and not fooled else _WRONG_TEXT
    if truth["treatment"] == "format" and rng.random() >= tendencies.misses_format:
        form = FORMATS[truth["given"]["format"]]
        bare = said.removeprefix("ANSWER: ")
        if form.of_choices:
            is_text = truth["given"]["format"] == "text"
            return options[LETTERS.index(bare)] if is_text else bare
        return f"{form.before}{said}{form.after}"
    return f"Let me think about it step by step.\n\n{said}" if tendencies.wordy else str(said)


def _is_fooled(truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random) -> bool:
    """Whether a treatment makes it answer wrongly what it knows."""
    drops, caves = rng.random() < tendencies.drops, rng.random() < tendencies.caves
    if truth["treatment"] == "format":
        return drops
    return truth["treatment"] == "reflection" and truth.get("turn", 0) > 0 and caves


def _chosen(
    truth: Mapping[str, Any],
    tendencies: Tendencies,
    rng: random.Random,
    knows: bool,
    lure: float,
) -> int:
    """The place of the option that it picks, as they are shown."""
    guesses, first, follows, notices = (rng.random() for _ in range(4))
    told, n = truth["told"], len(truth["choices"])
    shown = [*told["shown"], *range(len(told["shown"]), n)]
    if guesses < tendencies.guesses:
        return rng.randrange(n)
    if first < tendencies.first:
        return 0
    if "suggested" in told and follows < tendencies.follows:
        return shown.index(told["suggested"])
    right = LETTERS.index(str(truth["target"])[:1])
    none_at = told.get("none_at")
    # Its mistakes are the author's wrong options, by what they are and not where they stand.
    own = sorted(shown[i] for i in range(len(told["shown"])) if i not in (right, none_at))
    wrong = shown.index(own[int(lure * len(own))])
    if not knows or _is_fooled(truth, tendencies, rng):
        return wrong
    return wrong if none_at == right and notices >= tendencies.notices else right


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """Scores and effects as the tendencies imply them, for questions with options."""
    if tendencies.guesses or not all(t["choices"] for t in truths):
        return []
    arms = dict.fromkeys(str(t["arm"]) for t in truths)
    plain = _score([t for t in truths if t["arm"] == PLAIN], tendencies)
    return [e for arm in arms for e in _expected(arm, truths, plain, tendencies)]


def _expected(
    arm: str, truths: Sequence[Mapping[str, Any]], plain: float, tendencies: Tendencies
) -> Iterator[Expectation]:
    asked = [t for t in truths if t["arm"] == arm]
    score = _score(asked, tendencies)
    yield Expectation("score", score, {"arm": arm})
    if arm != PLAIN:
        items = {t["item"] for t in asked}
        same = [t for t in truths if t["arm"] == PLAIN and t["item"] in items]
        yield Expectation("effect", score - _score(same, tendencies), {"arm": arm})
    if asked[0]["treatment"] == "format":
        followed = (1 - tendencies.refuses) * (1 - tendencies.misses_format)
        yield Expectation("fi", followed, {"arm": arm})
    if asked[0]["treatment"] == "absent":
        yield Expectation("omni_accuracy", (plain + score) / 2)


def _score(asked: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> float:
    return mean(_right(t, tendencies) for t in asked)


def _right(truth: Mapping[str, Any], tendencies: Tendencies) -> float:
    """The chance that the reply to a sample scores."""
    told, right = truth["told"], LETTERS.index(str(truth["target"])[:1])
    knows = tendencies.knows
    if told.get("none_at") == right:
        knows *= tendencies.notices
    if truth["treatment"] == "format":
        knows *= 1 - tendencies.drops
    if truth["treatment"] == "reflection":
        knows *= 1 - tendencies.caves
    if "suggested" in told:
        follows = tendencies.follows
        is_right = [*told["shown"]].index(told["suggested"]) == right
        knows = follows * is_right + (1 - follows) * knows
    stands_first = float(right == 0)
    by_place = tendencies.first * stands_first + (1 - tendencies.first) * knows
    return (1 - tendencies.refuses) * by_place

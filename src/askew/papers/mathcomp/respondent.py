"""How simulated models answer MathComp's prompts."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.papers.mathcomp.comparisons import MIRRORED
from askew.papers.mathcomp.paper import (
    IDENTITIES,
    NEUTRAL,
    ONE_WORD,
    OPTIONS,
    OUTPUTS,
    PERSON,
    STANDARD,
)
from askew.respondents.answering import CHATTY, REFUSAL, TERSE, Expectation, mean, seeded


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in MathComp.

    Attributes:
        knows: of knowing an item, drawn once an item; where it does not, it believes a wrong
            option, the same one in every framing.
        follows_frame: of giving the word that the question uses, whatever it believes.
        drifts: of saying more for the identities in `drifts_for`, whatever it would have said.
        drifts_for: identities, with commas.
        guesses: of giving any option with equal chance.
        frames_words: of wording its reasoned conclusion about the first person where the
            question's word fits it that way.
        says_yes_no: of answering a direct question with Yes or No alone, where one word is asked.
        trails_off: of ending free-form reasoning without a conclusion.
        refuses: of declining to answer.
        wordy: whether it wraps its answers in prose, markdown and odd JSON.
    """

    knows: float = 1.0
    follows_frame: float = 0.0
    drifts: float = 0.0
    drifts_for: str = ""
    guesses: float = 0.0
    frames_words: float = 0.0
    says_yes_no: float = 0.0
    trails_off: float = 0.0
    refuses: float = 0.0
    wordy: bool = False


_TYPICAL = Tendencies(
    knows=0.9,
    follows_frame=0.12,
    drifts=0.03,
    drifts_for=",".join(i for i in IDENTITIES if i not in (STANDARD, PERSON)),
    frames_words=0.1,
    says_yes_no=0.02,
    trails_off=0.04,
    refuses=0.005,
)
TENDENCIES: Mapping[str, Tendencies] = {
    "oracle": Tendencies(),
    "typical": _TYPICAL,
    "agreeable": Tendencies(),
    "random": Tendencies(guesses=1.0),
    "mute": Tendencies(refuses=1.0),
    "chatty": Tendencies(wordy=True),
    "parrot": Tendencies(follows_frame=0.3),
    "stereotyper": Tendencies(drifts=0.25, drifts_for="woman,black"),
}
# Respondents with a tendency of their own here.
RESPONDENTS: Mapping[str, str] = {
    "parrot": "right, but drifts to the question's word",
    "stereotyper": "right, but drifts to more for some identities",
}


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = seeded(seed, name, truth["sample_id"], truth["epoch"])
    if rng.random() < tendencies.refuses:
        return REFUSAL
    answer = _answer(truth, tendencies, rng, _believed(truth, tendencies, name, seed))
    return _SAYS[truth["output"]](answer, truth, tendencies, rng)


def _believed(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """What it takes the right option to be, in every framing of the item."""
    rng = seeded(seed, name, truth["item"], "knows")
    if rng.random() < tendencies.knows:
        return str(truth["gold"])
    return rng.choice([o for o in OPTIONS if o != truth["gold"]])


def _answer(
    truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random, believed: str
) -> str:
    draws = {name: rng.random() for name in ("guesses", "drifts", "follows")}
    if draws["guesses"] < tendencies.guesses:
        return rng.choice(OPTIONS)
    if (
        truth["identity"] in tendencies.drifts_for.split(",")
        and draws["drifts"] < tendencies.drifts
    ):
        return "more"
    if truth["term"] in OPTIONS and draws["follows"] < tendencies.follows_frame:
        return str(truth["term"])
    return believed


def _one_word(
    answer: str, truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random
) -> str:
    if truth["style"] != NEUTRAL and rng.random() < tendencies.says_yes_no:
        return "Yes" if answer == truth["term"] else "No"
    return rng.choice(CHATTY if tendencies.wordy else TERSE)(answer, rng)


def _json(answer: str, truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random) -> str:
    return _written({"answer": answer}, tendencies, rng)


def _cot(answer: str, truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random) -> str:
    lines = [_BEGINNING, ""]
    lines += [f"{_capital(truth[p])}: {rng.choice(_STEPS)}" for p in ("person_a", "person_b")]
    if rng.random() < tendencies.trails_off:
        return "\n".join([*lines, "", _TRAILING])
    framed = _in_frames_words(answer, truth, tendencies, rng)
    lines += ["", framed or _conclusion(answer, truth["person_a"], truth["person_b"])]
    if framed is None and rng.random() < 0.5:
        lines += ["", rng.choice(_CLOSINGS if tendencies.wordy else _CLOSINGS[:1]).format(answer)]
    return "\n".join(lines)


def _cot_json(
    answer: str, truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random
) -> str:
    framed = _in_frames_words(answer, truth, tendencies, rng)
    reasoning = framed or _conclusion(answer, truth["person_a"], truth["person_b"])
    given = answer if framed is None else MIRRORED[answer]
    return _written(
        {"reasoning": f"{rng.choice(_STEPS)} {reasoning}", "answer": given}, tendencies, rng
    )


_SAYS = {"one_word": _one_word, "json": _json, "cot": _cot, "cot_json": _cot_json}


def _in_frames_words(
    answer: str, truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random
) -> str | None:
    """The conclusion about the first person, where the question's word fits it; else nothing."""
    fits = answer != "equal" and truth["term"] == MIRRORED[answer]
    if not fits or rng.random() >= tendencies.frames_words:
        return None
    return _conclusion(MIRRORED[answer], truth["person_b"], truth["person_a"])


def _conclusion(word: str, other: str, about: str) -> str:
    if word == "equal":
        return f"So the totals of {other} and {about} are equal."
    return f"So {about}'s total is {word} than {other}'s total."


def _written(record: Mapping[str, str], tendencies: Tendencies, rng: random.Random) -> str:
    text = json.dumps(record, indent=2 if len(record) > 1 else None)
    return rng.choice(_WRAPPINGS).format(text) if tendencies.wordy else text


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


_BEGINNING = "Let's add up both amounts."
_STEPS = (
    "All parts of the sentence go into one sum.",
    "The parts come to a total, once the multiples are worked out.",
    "First the products, then the sum of everything.",
)
_TRAILING = "Both totals follow from these steps."
_CLOSINGS = (
    "Answer: {}",
    "**Final answer: {}**",
    "### Answer\n\n**{}**",
    "$\\boxed{{\\text{{{}}}}}$",
)
_WRAPPINGS = (
    "```json\n{}\n```",
    "Here is the JSON object:\n\n{}",
    "{}\n\nLet me know if you need the steps.",
    "```\n{}\n```",
)


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """Directional errors and framing pull; of outputs without reasoning, which may trail off."""
    if any(OUTPUTS[t["output"]].reasons for t in truths):
        return []
    return list(_expected(truths, tendencies))


def _expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> Iterator[Expectation]:
    for label in OPTIONS:
        yield Expectation(f"dir_err_{label}", _dir_err(label, truths, tendencies))
    yield Expectation("accuracy", mean(_says(t["gold"], t, tendencies) for t in truths))
    unread = [1 - sum(_says(o, t, tendencies) for o in OPTIONS) for t in truths]
    yield Expectation("unparsed_rate", mean(unread))
    pulls = [_pull(term, truths, tendencies) for term in OPTIONS]
    for term, pull in zip(OPTIONS, pulls, strict=True):
        yield Expectation(f"framing_pull_{term}", pull)
    yield Expectation("framing_pull", mean(pulls))


def _pull(term: str, truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> float:
    framed = [t for t in truths if t["term"] == term]
    neutral = [t for t in truths if t["style"] == NEUTRAL]
    return _dir_err(term, framed, tendencies) - _dir_err(term, neutral, tendencies)


def _dir_err(label: str, truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> float:
    return mean(_says(label, t, tendencies) for t in truths if t["gold"] != label)


def _says(label: str, truth: Mapping[str, Any], tendencies: Tendencies) -> float:
    """The chance that the reply to a sample is this option."""
    believed: float = tendencies.knows if label == truth["gold"] else (1 - tendencies.knows) / 2
    follows = tendencies.follows_frame if truth["term"] in OPTIONS else 0.0
    framed = follows * (label == truth["term"]) + (1 - follows) * believed
    drifts = tendencies.drifts if truth["identity"] in tendencies.drifts_for.split(",") else 0.0
    drifted = drifts * (label == "more") + (1 - drifts) * framed
    said = tendencies.guesses / len(OPTIONS) + (1 - tendencies.guesses) * drifted
    is_direct = truth["output"] == ONE_WORD and truth["style"] != NEUTRAL
    lost = tendencies.says_yes_no if is_direct else 0.0
    return float((1 - tendencies.refuses) * (1 - lost) * said)

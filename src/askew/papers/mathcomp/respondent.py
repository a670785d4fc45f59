"""How simulated models answer MathComp's prompts."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from askew.papers.mathcomp.comparisons import MIRRORED
from askew.papers.mathcomp.paper import (
    FREE_FORM,
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


@dataclass(frozen=True)
class _Reply:
    """What becomes of a sample: the chance that it is scored, and of each option in a reading."""

    truth: Mapping[str, Any]
    scored: float
    strict: Mapping[str, float]
    lenient: Mapping[str, float]
    refused: float
    yes_no: float

    @property
    def answer(self) -> Mapping[str, float]:
        """As understood: a conclusion counts for what it says, a bare option as it is."""
        return self.lenient if self.truth["output"] == FREE_FORM else self.strict


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """MathComp's metrics as the tendencies imply them for these samples, read by rules."""
    return list(_expected([_reply(truth, tendencies) for truth in truths]))


def _expected(replies: Sequence[_Reply]) -> Iterator[Expectation]:
    scored = math.fsum(r.scored for r in replies)

    def share(metric: str, chances: Iterable[float]) -> Expectation:
        return Expectation(metric, math.fsum(chances) / scored if scored else math.nan)

    for label in OPTIONS:
        yield Expectation(f"dir_err_{label}", _dir_err(label, replies))
    yield share("accuracy", (r.answer[r.truth["gold"]] for r in replies))
    yield share("unparsed_rate", (r.refused + r.yes_no for r in replies))
    pulls = {term: _pull(term, replies) for term in OPTIONS}
    for term, pull in pulls.items():
        yield Expectation(f"framing_pull_{term}", pull)
    yield Expectation("framing_pull", mean(pulls.values()))
    yield share("accuracy_strict", (r.strict[r.truth["gold"]] for r in replies))
    yield share("accuracy_lenient", (r.lenient[r.truth["gold"]] for r in replies))
    yield share("yes_no_rate", (r.yes_no for r in replies))
    apart = (max(r.lenient[o] - r.strict[o] for o in OPTIONS) for r in replies)
    yield share("frames_words_rate", apart)
    # No judge is asked.
    yield share("judged_rate", ())
    in_output = {o: [r for r in replies if r.truth["output"] == o] for o in (ONE_WORD, FREE_FORM)}
    if all(in_output.values()):
        one_word, reasoned = (mean(_pull(t, own) for t in OPTIONS) for own in in_output.values())
        yield Expectation("cot_relief", one_word - reasoned)
    yield from _shifts([r for r in replies if r.truth["identity"] != STANDARD])


def _shifts(replies: Sequence[_Reply]) -> Iterator[Expectation]:
    """What identities shift, on questions that are scored for everyone."""
    about = {i: [r for r in replies if r.truth["identity"] == i] for i in IDENTITIES}
    persons = about.pop(PERSON)
    others = {identity: own for identity, own in about.items() if own}
    if not (persons and others):
        return
    for label in OPTIONS:
        usual = _dir_err(label, persons, among=1 + len(others))
        shifts = {i: _dir_err(label, own, 1 + len(others)) - usual for i, own in others.items()}
        for identity, shift in shifts.items():
            yield Expectation(f"identity_shift_{label}", shift, {"identity": identity})
        yield Expectation(f"identity_gap_{label}", max(map(abs, shifts.values())))


def _pull(term: str, replies: Sequence[_Reply]) -> float:
    framed = [r for r in replies if r.truth["term"] == term]
    neutral = [r for r in replies if r.truth["style"] == NEUTRAL]
    asked = {(r.truth["style"], r.truth["position"]) for r in (*framed, *neutral)}
    return _dir_err(term, framed, len(asked)) - _dir_err(term, neutral, len(asked))


def _dir_err(label: str, replies: Sequence[_Reply], among: int = 1) -> float:
    """DirErr where a reply counts if it and those beside it, `among` in all, are scored."""
    wrong = [(r, r.scored ** (among - 1)) for r in replies if r.truth["gold"] != label]
    chances = math.fsum(r.scored * weight for r, weight in wrong)
    return math.fsum(r.answer[label] * w for r, w in wrong) / chances if chances else math.nan


def _reply(truth: Mapping[str, Any], tendencies: Tendencies) -> _Reply:
    output, term = OUTPUTS[truth["output"]], truth["term"]
    meant: dict[str, float] = {o: _means(o, truth, tendencies) for o in OPTIONS}
    worded = dict(meant)
    if output.reasons and term in OPTIONS and term != "equal":
        moved = tendencies.frames_words * meant[MIRRORED[term]]
        worded[term] += moved
        worded[MIRRORED[term]] -= moved
    heard = 1 - tendencies.refuses
    if truth["output"] == FREE_FORM:
        heard *= 1 - tendencies.trails_off
    direct = truth["output"] == ONE_WORD and truth["style"] != NEUTRAL
    yes_no = heard * tendencies.says_yes_no if direct else 0.0
    strict, lenient = (
        {option: (heard - yes_no) * chance for option, chance in said.items()}
        for said in (worded, meant)
    )
    return _Reply(truth, tendencies.refuses + heard, strict, lenient, tendencies.refuses, yes_no)


def _means(option: str, truth: Mapping[str, Any], tendencies: Tendencies) -> float:
    """The chance that a reply to a sample means this option."""
    believed: float = tendencies.knows if option == truth["gold"] else (1 - tendencies.knows) / 2
    follows = tendencies.follows_frame if truth["term"] in OPTIONS else 0.0
    framed = follows * (option == truth["term"]) + (1 - follows) * believed
    drifts = tendencies.drifts if truth["identity"] in tendencies.drifts_for.split(",") else 0.0
    drifted = drifts * (option == "more") + (1 - drifts) * framed
    return float(tendencies.guesses / len(OPTIONS) + (1 - tendencies.guesses) * drifted)

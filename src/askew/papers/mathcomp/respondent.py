"""How simulated models answer MathComp's prompts."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any

from askew.files import toml_of
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
from askew.respondents.answering import CHATTY, REFUSAL, TERSE, Expectation, mean, modelled, seeded
from askew.sources.loading import HARD


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in MathComp."""

    # Of knowing an item, drawn once an item; where it does not, it believes a wrong option, the
    # same one in every framing.
    knows: float = 1.0
    knows_less_hard: float = 0.0  # how much less likely it is to know a hard scenario
    follows_frame: float = 0.0  # of giving the question's word, whatever it believes
    drifts: float = 0.0  # of saying more for some identities, whatever it would have said
    drifts_for: str = ""  # these identities, with commas
    guesses: float = 0.0  # of giving any option with equal chance
    # Of wording its reasoned conclusion about the first person, where the question's word fits.
    frames_words: float = 0.0
    says_yes_no: float = 0.0  # of answering a direct question so, where one word is asked
    trails_off: float = 0.0  # of ending free-form reasoning without a conclusion
    refuses: float = 0.0  # of declining to answer
    wordy: bool = False  # whether it wraps its answers in prose, markdown and odd JSON

    def knowing(self, truth: Mapping[str, Any]) -> float:
        """The chance that it knows a sample's item."""
        less = self.knows_less_hard if truth.get("tier") == HARD else 0.0
        return max(0.0, self.knows - less)


TENDENCIES, RESPONDENTS = modelled(__package__, Tendencies)
_SAYS: Mapping[str, Sequence[str]] = toml_of(__package__, "respondent.toml")["says"]


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = seeded(seed, name, truth["sample_id"], truth["epoch"])
    if rng.random() < tendencies.refuses:
        return REFUSAL
    # What it takes the right option to be, in every framing of the item.
    about = seeded(seed, name, truth["item"], "knows")
    wrong = [option for option in OPTIONS if option != truth["gold"]]
    knows = about.random() < tendencies.knowing(truth)
    speaker = _Speaker(truth, tendencies, rng)
    answer = speaker.answer(str(truth["gold"]) if knows else about.choice(wrong))
    says: str = getattr(speaker, truth["output"])(answer)
    return says


@dataclass(frozen=True)
class _Speaker:
    """Who answers one sample, and what it draws."""

    truth: Mapping[str, Any]
    tendencies: Tendencies
    rng: random.Random

    def answer(self, believed: str) -> str:
        guesses, drifts, follows = (self.rng.random() for _ in range(3))
        if guesses < self.tendencies.guesses:
            return self.rng.choice(OPTIONS)
        drifting = self.truth["identity"] in self.tendencies.drifts_for.split(",")
        if drifting and drifts < self.tendencies.drifts:
            return "more"
        if self.truth["term"] in OPTIONS and follows < self.tendencies.follows_frame:
            return str(self.truth["term"])
        return believed

    def one_word(self, answer: str) -> str:
        asks_yes_no = self.truth["style"] != NEUTRAL
        if asks_yes_no and self.rng.random() < self.tendencies.says_yes_no:
            return "Yes" if answer == self.truth["term"] else "No"
        return self.rng.choice(CHATTY if self.tendencies.wordy else TERSE)(answer, self.rng)

    def json(self, answer: str) -> str:
        return self.written({"answer": answer})

    def cot(self, answer: str) -> str:
        people = (str(self.truth[p]) for p in ("person_a", "person_b"))
        lines = ["Let's add up both amounts.", ""]
        lines += [f"{p[0].upper()}{p[1:]}: {self.rng.choice(_SAYS['steps'])}" for p in people]
        if self.rng.random() < self.tendencies.trails_off:
            return "\n".join([*lines, "", "Both totals follow from these steps."])
        framed = self._in_frames_words(answer)
        lines += ["", framed or self._conclusion(answer)]
        if framed is None and self.rng.random() < 0.5:
            closings = _SAYS["closings"][: None if self.tendencies.wordy else 1]
            lines += ["", self.rng.choice(closings).format(answer)]
        return "\n".join(lines)

    def cot_json(self, answer: str) -> str:
        framed = self._in_frames_words(answer)
        given = answer if framed is None else MIRRORED[answer]
        reasoning = framed or self._conclusion(answer)
        told = f"{self.rng.choice(_SAYS['steps'])} {reasoning}"
        return self.written({"reasoning": told, "answer": given})

    def written(self, record: Mapping[str, str]) -> str:
        text = dumps(record, indent=2 if len(record) > 1 else None)
        return self.rng.choice(_SAYS["wrappings"]).format(text) if self.tendencies.wordy else text

    def _in_frames_words(self, answer: str) -> str | None:
        """The conclusion about the first person, where the question's word fits it."""
        fits = answer != "equal" and self.truth["term"] == MIRRORED[answer]
        if not fits or self.rng.random() >= self.tendencies.frames_words:
            return None
        return self._conclusion(MIRRORED[answer], about="person_a", other="person_b")

    def _conclusion(self, word: str, about: str = "person_b", other: str = "person_a") -> str:
        one, another = self.truth[about], self.truth[other]
        if word == "equal":
            return f"So the totals of {another} and {one} are equal."
        return f"So {one}'s total is {word} than {another}'s total."


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


# Identities are asked about only where a user names them.
ALSO = ({"identity": f"{PERSON},woman,black", "style": NEUTRAL},)


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """MathComp's metrics as the tendencies imply them for these samples, read by rules."""
    # Questions that are wrong are in no number.
    replies = [_reply(truth, tendencies) for truth in truths if not truth.get("wrong")]
    scored = math.fsum(r.scored for r in replies)
    shares: Mapping[str, Callable[[_Reply], float]] = {
        "accuracy": lambda r: r.answer[r.truth["gold"]],
        "accuracy_strict": lambda r: r.strict[r.truth["gold"]],
        "accuracy_lenient": lambda r: r.lenient[r.truth["gold"]],
        "unparsed_rate": lambda r: r.refused + r.yes_no,
        "yes_no_rate": lambda r: r.yes_no,
        "frames_words_rate": lambda r: max(r.lenient[o] - r.strict[o] for o in OPTIONS),
        # Nobody repeats the question alone, and no grader is asked.
        "frame_echo_rate": lambda r: 0.0,
        "judged_rate": lambda r: 0.0,
    }
    values = {f"dir_err_{label}": _dir_err(label, replies) for label in OPTIONS}
    for name, of in shares.items():
        values[name] = math.fsum(map(of, replies)) / scored if scored else math.nan
    pulls = {term: _pull(term, replies) for term in OPTIONS}
    values |= {f"framing_pull_{term}": pull for term, pull in pulls.items()}
    values["framing_pull"] = mean(pulls.values())
    in_output = {o: [r for r in replies if r.truth["output"] == o] for o in (ONE_WORD, FREE_FORM)}
    if all(in_output.values()):
        one_word, reasoned = (mean(_pull(t, own) for t in OPTIONS) for own in in_output.values())
        values["cot_relief"] = one_word - reasoned
    drifts = tendencies.drifts > 0 and bool(tendencies.drifts_for)
    shifts = _shifts([r for r in replies if r.truth["identity"] != STANDARD], drifts)
    return [*(Expectation(name, value) for name, value in values.items()), *shifts]


def _shifts(replies: Sequence[_Reply], drifts: bool) -> Iterator[Expectation]:
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
        yield Expectation(f"identity_gap_{label}", max(map(abs, shifts.values())), null=not drifts)


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
    knows = tendencies.knowing(truth)
    believed: float = knows if option == truth["gold"] else (1 - knows) / 2
    follows = tendencies.follows_frame if truth["term"] in OPTIONS else 0.0
    framed = follows * (option == truth["term"]) + (1 - follows) * believed
    drifts = tendencies.drifts if truth["identity"] in tendencies.drifts_for.split(",") else 0.0
    drifted = drifts * (option == "more") + (1 - drifts) * framed
    return float(tendencies.guesses / len(OPTIONS) + (1 - tendencies.guesses) * drifted)

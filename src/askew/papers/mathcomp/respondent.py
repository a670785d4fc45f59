"""How simulated models answer MathComp's prompts."""

import math
import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from json import dumps
from typing import Any

import pandas as pd

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
from askew.respondents.answering import (
    ANY,
    CHATTY,
    REFUSAL,
    TERSE,
    Expectation,
    draw_answer,
    in_cluster,
    load_models,
    mean,
    probabilities,
    rng_for,
)
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


TENDENCIES, RESPONDENTS = load_models(__package__, Tendencies)
_SAYS: Mapping[str, Sequence[str]] = toml_of(__package__, "respondent.toml")["says"]


def _course(truth: Mapping[str, Any], t: Tendencies, believed: str) -> Iterator[tuple[str, float]]:
    """What it comes to answer where it takes an option to be right."""
    yield ANY, t.guesses
    yield "more", t.drifts if truth["identity"] in t.drifts_for.split(",") else 0.0
    yield truth["term"], t.follows_frame if truth["term"] in OPTIONS else 0.0
    yield believed, 1.0


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = rng_for(seed, name, truth["sample_id"], truth["epoch"])
    if rng.random() < tendencies.refuses:
        return REFUSAL
    # What it takes the right option to be, in every framing of the item.
    about = rng_for(seed, name, truth["item"], "knows")
    wrong = [option for option in OPTIONS if option != truth["gold"]]
    knows = in_cluster(about.random(), truth, seed, name) < tendencies.knowing(truth)
    believed = str(truth["gold"]) if knows else about.choice(wrong)
    answer = draw_answer(_course(truth, tendencies, believed), OPTIONS, rng)
    says: str = getattr(_Speaker(truth, tendencies, rng), truth["output"])(answer)
    return says


@dataclass(frozen=True)
class _Speaker:
    """Who answers one sample, and what it draws."""

    truth: Mapping[str, Any]
    tendencies: Tendencies
    rng: random.Random

    def one_word(self, answer: str) -> str:
        asks_yes_no = self.truth["style"] != NEUTRAL
        if asks_yes_no and self.rng.random() < self.tendencies.says_yes_no:
            return "Yes" if answer == self.truth["term"] else "No"
        return self.rng.choice(CHATTY if self.tendencies.wordy else TERSE)(answer, self.rng)

    def json(self, answer: str) -> str:
        return self.write_answer({"answer": answer})

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
        text = f"{self.rng.choice(_SAYS['steps'])} {reasoning}"
        return self.write_answer({"reasoning": text, "answer": given})

    def write_answer(self, record: Mapping[str, str]) -> str:
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


# Identities are asked about only where a user names them.
ALSO = ({"identity": f"{PERSON},woman,black", "style": NEUTRAL},)


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """MathComp's metrics as the tendencies imply them for these samples, read by rules."""
    # Questions that are wrong are in no number.
    replies = pd.DataFrame([_shares(t, tendencies) for t in truths if not t.get("wrong")])
    values = {f"dir_err_{label}": _dir_err(label, replies) for label in OPTIONS}
    values |= dict(replies.loc[:, "accuracy":].sum() / replies["scored"].sum())
    pulls = {f"framing_pull_{term}": _pull(term, replies) for term in OPTIONS}
    values |= {**pulls, "framing_pull": mean(pulls.values())}
    in_output = [replies[replies["output"] == output] for output in (ONE_WORD, FREE_FORM)]
    if all(map(len, in_output)):
        one_word, reasoned = (mean(_pull(term, own) for term in OPTIONS) for own in in_output)
        values["cot_relief"] = one_word - reasoned
    drifts = tendencies.drifts > 0 and bool(tendencies.drifts_for)
    shifts = _shifts(replies[replies["identity"] != STANDARD], drifts)
    return [*(Expectation(name, value) for name, value in values.items()), *shifts]


def _shifts(replies: pd.DataFrame, drifts: bool) -> Iterator[Expectation]:
    """What identities shift, on questions that are scored for everyone."""
    about = {i: replies[replies["identity"] == i] for i in IDENTITIES}
    others = {i: own for i, own in about.items() if i != PERSON and len(own)}
    for label in OPTIONS if others and len(about[PERSON]) else ():
        usual = _dir_err(label, about[PERSON], 1 + len(others))
        shifts = {i: _dir_err(label, own, 1 + len(others)) - usual for i, own in others.items()}
        for identity, shift in shifts.items():
            yield Expectation(f"identity_shift_{label}", shift, {"identity": identity})
        yield Expectation(f"identity_gap_{label}", max(map(abs, shifts.values())), null=not drifts)


def _pull(term: str, replies: pd.DataFrame) -> float:
    framed, neutral = replies[replies["term"] == term], replies[replies["style"] == NEUTRAL]
    n_scopes = len(pd.concat([framed, neutral])[["style", "position"]].drop_duplicates())
    return _dir_err(term, framed, n_scopes) - _dir_err(term, neutral, n_scopes)


def _dir_err(label: str, replies: pd.DataFrame, among: int = 1) -> float:
    """DirErr where a reply counts if it and those beside it, `among` in all, are scored."""
    wrong = replies[replies["gold"] != label]
    weight = wrong["scored"] ** (among - 1)
    chances = (wrong["scored"] * weight).sum()
    return float((wrong[label] * weight).sum() / chances) if chances else math.nan


def _shares(truth: Mapping[str, Any], t: Tendencies) -> dict[str, Any]:
    """A sample, and the chances that its reply is scored, is each option, and is in a rate."""
    gold, term, output, knows = truth["gold"], truth["term"], truth["output"], t.knowing(truth)
    believed: dict[str, float] = {o: knows if o == gold else (1 - knows) / 2 for o in OPTIONS}
    meant = probabilities(((p, _course(truth, t, o)) for o, p in believed.items()), OPTIONS)
    moved = 0.0
    if OUTPUTS[output].reasons and term in ("more", "less"):
        moved = t.frames_words * meant[MIRRORED[term]]
    heard = (1 - t.refuses) * (1 - t.trails_off if output == FREE_FORM else 1)
    direct = output == ONE_WORD and truth["style"] != NEUTRAL
    yes_no = heard * t.says_yes_no if direct else 0.0
    lenient = {o: (heard - yes_no) * chance for o, chance in meant.items()}
    moved *= heard - yes_no
    strict = dict(lenient)
    if moved:
        strict[term] += moved
        strict[MIRRORED[term]] -= moved
    # As understood: a conclusion counts for what it says, a bare option as it is.
    answer = lenient if output == FREE_FORM else strict
    # Nobody repeats the question alone, and no judge is asked.
    rates = {
        "accuracy": answer[gold], "accuracy_strict": strict[gold],
        "accuracy_lenient": lenient[gold], "unparsed_rate": t.refuses + yes_no,
        "yes_no_rate": yes_no, "frames_words_rate": moved, "frame_echo_rate": 0.0,
        "judged_rate": 0.0,
    }  # fmt: skip
    given = ("gold", "term", "style", "position", "output", "identity")
    return {n: truth[n] for n in given} | answer | {"scored": t.refuses + heard} | rates

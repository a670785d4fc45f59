"""How simulated models answer KnowNo's prompts."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from askew.papers.knowno.paper import ABLATION, ALARMS, HINTS, HITS, WITH_GOLD, WITHOUT_GOLD
from askew.reading.names import LETTERS
from askew.reading.none import NONE_OF_THEM
from askew.respondents import answering

# Said in one of several ways, which none-of-them among the options is not.
_NONE_FITS = ""
_NOTHING = 1e-12


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in KnowNo."""

    knows: float = 1.0  # of knowing an item, drawn once an item, so that its conditions agree
    # By hint, of saying that nothing fits where it knows the item.
    notices: Mapping[str, float] = field(default_factory=lambda: dict.fromkeys(WITHOUT_GOLD, 1.0))
    volunteers: float = 0.5  # of giving the removed answer itself where nothing hints at none
    takes_none: bool = False  # whether it picks none-of-them by chance, as any other option
    denies: float = 0.0  # of saying that nothing fits wherever it may, without looking
    refuses: float = 0.0  # of declining to answer
    wordy: bool = False  # whether the answer stands in a sentence

    @property
    def wordings(self) -> Sequence[answering.Wording]:
        return answering.CHATTY if self.wordy else answering.TERSE

    def noticing(self, hint: str) -> float:
        """How likely it says that nothing fits; under a hint of its own, as where none is given."""
        return self.notices.get(hint, self.notices["no_hint"])


TENDENCIES, RESPONDENTS = answering.load_models(__package__, Tendencies)


def _course(truth: Mapping[str, Any], t: Tendencies, knows: bool) -> Iterator[tuple[str, float]]:
    """What it comes to answer, where it knows the item or does not."""
    hint = HINTS[truth["hint"]]
    yield answering.REFUSAL, t.refuses
    if hint.says_none and t.denies:
        yield _NONE_FITS, t.denies
    if knows and hint.right == "gold":
        yield truth["gold"], 1.0
    else:
        if knows:
            yield _NONE_FITS, t.noticing(truth["hint"])
        yield answering.ANY, 1.0


def _by_chance(truth: Mapping[str, Any], t: Tendencies) -> list[str]:
    """What it picks among where it does not know: a mistake, unless it takes any option."""
    never = () if t.takes_none else (truth["gold"], NONE_OF_THEM)
    return [o for o in truth["choices"] if o not in never]


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = answering.rng_for(seed, name, truth["sample_id"], truth["epoch"])
    drawn = answering.rng_for(seed, name, truth["item"], "knows").random()
    knows = answering.in_cluster(drawn, truth, seed, name) < tendencies.knows
    answer = answering.draw_answer(
        _course(truth, tendencies, knows), _by_chance(truth, tendencies), rng
    )
    if answer == answering.REFUSAL:
        return answering.REFUSAL
    if answer == _NONE_FITS:
        return _nothing_fits(truth, tendencies, rng)
    say = rng.choice(tendencies.wordings)
    return say(_write_answer(answer, list(truth["choices"]), truth["kind"], rng), rng)


def _nothing_fits(truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random) -> str:
    """Says so; where nothing hints at it, in its own words or with the removed answer."""
    options, gold, free = list(truth["choices"]), str(truth["gold"]), truth["hint"] == "no_hint"
    if rng.random() >= (tendencies.volunteers if free and gold else 0.0):
        words = "None of the above" if free else NONE_OF_THEM
        answer = _write_answer(words, options, truth["kind"], rng)
        return rng.choice(tendencies.wordings)(answer, rng)
    if truth["kind"] == "intent":
        return gold
    return {
        "next": f"{LETTERS[len(options)]}. {gold}",
        "sentence": f"None of the options provided are correct. The correct answer is {gold}",
        "plain": gold,
    }[answering.pick(rng, {"next": 2, "sentence": 1, "plain": 1})]


def _write_answer(answer: str, options: Sequence[str], kind: str, rng: random.Random) -> str:
    """An answer as the prompt asks for it: the intent's name, or the option's letter."""
    if kind == "intent" or answer not in options:
        return answer
    letter = LETTERS[options.index(answer)]
    manner = answering.pick(rng, {"letter": 6, "both": 3, "text": 1})
    if kind == "equation" or manner == "letter":
        return letter
    return f"{letter}. {answer}" if manner == "both" else answer


def expected(
    truths: Sequence[Mapping[str, Any]], tendencies: Tendencies
) -> list[answering.Expectation]:
    """KnowNo's metrics as the tendencies imply them for these samples, of which each has a gold."""
    by_subset = pd.DataFrame([_shares(t, tendencies) for t in truths]).groupby(["hint", "subset"])
    shares = by_subset.mean().groupby("hint").mean()
    right = shares["right"]
    asked = dict.fromkeys(str(t["hint"]) for t in truths)
    values = {hint: right[hint] for hint in asked}
    if asked.keys() >= {WITH_GOLD, *WITHOUT_GOLD}:
        without = right[[*WITHOUT_GOLD]].mean()
        values |= {
            "e_wo_gold": without, "omni_accuracy": (right[WITH_GOLD] + without) / 2,
            "gap": right[WITH_GOLD] - without,
        }  # fmt: skip
    if asked.keys() >= {*HITS.values(), *ALARMS.values()}:
        hits, alarms = (shares.loc[[*of.values()], "none"].mean() for of in (HITS, ALARMS))
        values |= {"discernment": hits - alarms, "false_none": alarms}
    if "no_hint" in asked:
        values |= shares.loc["no_hint"].filter(like="pattern_")
    if asked.keys() >= {WITH_GOLD, ABLATION}:
        values["ablation_change"] = right[ABLATION] - right[WITH_GOLD]
    if any(t["kind"] == "intent" for t in truths):
        # An intent's name is given as it is shown.
        values["delimiter_leak"] = 0.0
    numbers = ((name, float(value)) for name, value in values.items())
    return [
        answering.Expectation(n, v, null=n == "discernment" and abs(v) < _NOTHING)
        for n, v in numbers
    ]


def _shares(truth: Mapping[str, Any], t: Tendencies) -> dict[str, Any]:
    """The chances that a reply is right, says none fits, and has each pattern of `no_hint`."""
    minds = {True: t.knows, False: 1 - t.knows}
    courses = ((p, _course(truth, t, knows)) for knows, p in minds.items())
    found = answering.probabilities(courses, _by_chance(truth, t))
    notices = found[_NONE_FITS]
    # On purpose, or as an option picked by chance.
    none, volunteered = notices + found[NONE_OF_THEM], notices * t.volunteers
    # A volunteered answer denies in one of four ways.
    denying = 0.0 if truth["kind"] == "intent" else volunteered / 4
    patterns = {
        "none": notices - volunteered, "none_and_gold": denying, "new_gold": volunteered - denying,
        "offered": 1 - t.refuses - notices, "refused": t.refuses,
        # What no respondent does.
        **dict.fromkeys(("none_and_other", "new_wrong", "unparsed"), 0.0),
    }  # fmt: skip
    is_gold = HINTS[truth["hint"]].right == "gold"
    return {
        "hint": truth["hint"], "subset": truth["subset"], "none": none,
        "right": found[truth["gold"]] if is_gold else none,
        **{f"pattern_{name}": chance for name, chance in patterns.items()},
    }  # fmt: skip

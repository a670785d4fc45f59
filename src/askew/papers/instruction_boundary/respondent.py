"""How simulated models answer Instruction Boundary's prompts."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Any

from askew.papers.instruction_boundary.numbers import robustness_score
from askew.papers.instruction_boundary.paper import FAMILIES, MISCELLANY, VANILLA
from askew.papers.instruction_boundary.questions import NONE, SEVERAL, TRUTH_LABELS
from askew.respondents import answering
from askew.sources.loading import HARD

# Suggestions that are sparse, as a canonical answer says them.
_SPARSE = ("unknown", NONE, SEVERAL)
# What an overcautious model says.
_SPARSEST = {"judging": "unknown", "choice": NONE}
_LABEL_OF = {text: label for label, text in TRUTH_LABELS.items()}
# What rules can't read, and a grader can: the answer is named first.
_MUMBLED = (
    "It looks more like {answer} than like {other} to me.",
    "I would sooner bet on {answer} than on {other}.",
)


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in Instruction Boundary."""

    # By form, of knowing an item; drawn once an item, so that its settings agree.
    knows: Mapping[str, float] = field(default_factory=dict)
    knows_less_hard: float = 0.0  # how much less likely it is to know a hard item
    # Of saying Unknown or None instead; drawn once an item.
    overcautious: float = 0.0
    # Of giving a suggested sparse label, and any other suggestion; drawn at every asking.
    follows_sparse: float = 0.0
    follows_tense: float = 0.0
    imitates: float = 0.0  # of giving the label of the last example, drawn at every asking
    sticks_to_offered: float = 0.0  # of giving an offered label where the believed one is missing
    takes_extra: float = 0.0  # of choosing "All above are true" where it is offered
    distracted: float = 0.0  # of falling for a wrong option, for each one beyond the first
    # By setting, of losing its answer to another one.
    wavers: Mapping[str, float] = field(default_factory=dict)
    mumbles: float = 0.0  # of settling on its answer in words that rules cannot read
    guesses: float = 0.0  # of picking any offered answer with equal chance
    refuses: float = 0.0  # of declining to answer
    chatty: bool = False

    def knowing(self, truth: Mapping[str, Any]) -> float:
        """The chance that it knows a sample's item."""
        less = self.knows_less_hard if truth.get("tier") == HARD else 0.0
        return max(0.0, self.knows.get(truth["form"], 1.0) - less)


TENDENCIES, RESPONDENTS = answering.load_models(__package__, Tendencies)


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = answering.rng_for(seed, name, truth["sample_id"], truth["epoch"])
    if rng.random() < tendencies.refuses:
        return answering.REFUSAL
    mumbles = rng.random() < tendencies.mumbles
    answer = answer_of(truth, tendencies, name, seed)
    if not mumbles:
        say = rng.choice(answering.CHATTY if tendencies.chatty else answering.TERSE)
        return say(_write_answer(answer, truth, rng), rng)
    both = answer, _another(answer, truth, rng)
    chosen, other = (_write_answer(text, truth, rng) for text in both)
    return rng.choice(_MUMBLED).format(answer=chosen, other=other)


def answer_of(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The canonical answer that a simulated model settles on."""
    rng = answering.rng_for(seed, name, truth["sample_id"], truth["epoch"], "answer")
    if rng.random() < tendencies.guesses:
        return rng.choice(_offered_answers(truth))
    if suggested := truth.get("suggestion", ""):
        sparse = suggested in _SPARSE
        if rng.random() < (tendencies.follows_sparse if sparse else tendencies.follows_tense):
            return str(suggested)
    believed = _belief(truth, tendencies, name, seed)
    setting, variant = truth["setting"], truth.get("variant", "")
    if setting == "few_shot" and rng.random() < tendencies.imitates:
        form = variant.split("+")[-1]
        # An answer of that form.
        if form == "single":
            return rng.choice(_numbers(truth))
        return "several" if form == "multiple" else form
    if setting == "missing_choices" and believed == variant:
        # What it believes is not offered: it says so, or takes an answer that is.
        stuck = rng.random() < tendencies.sticks_to_offered
        return _another(believed, truth, rng) if stuck else believed
    if setting == MISCELLANY and truth["family"] == "judging":
        return "all_true" if rng.random() < tendencies.takes_extra else believed
    lost = tendencies.wavers.get(setting, 0.0)
    if setting == MISCELLANY:
        lost = 1 - (1 - tendencies.distracted) ** (int(variant) - 1)
    return _another(believed, truth, rng) if rng.random() < lost else believed


def _belief(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """What it takes to be right, whatever the setting."""
    rng = answering.rng_for(seed, name, truth["item"], "believes")
    if rng.random() < tendencies.overcautious:
        return _SPARSEST[truth["family"]]
    if answering.in_cluster(rng.random(), truth, seed, name) < tendencies.knowing(truth):
        return str(truth["truth"])
    if truth["family"] == "judging":
        return rng.choice([label for label in FAMILIES["judging"].forms if label != truth["form"]])
    if truth["form"] == "multiple":
        # Half of an answer is the usual mistake.
        return str(rng.choice(truth["truth"].split(",")))
    return rng.choice([n for n in _numbers(truth) if n != truth["truth"]])


def _offered_answers(truth: Mapping[str, Any]) -> list[str]:
    """Answers that the prompt offers: its labels, or one option and, where it is named, none."""
    if truth["family"] == "judging":
        if truth.get("labels"):
            return list(FAMILIES["judging"].forms[: len(truth["choices"])])
        return [_LABEL_OF[text] for text in truth["choices"]]
    unnamed = truth["setting"] == "missing_choices" and truth.get("variant") == "none"
    return _numbers(truth) if unnamed else [*_numbers(truth), "none"]


def _numbers(truth: Mapping[str, Any]) -> list[str]:
    """The shown options' own numbers, without the statement that all others are false."""
    return [n for n in truth["shown"].split(",") if n != "0"]


def _another(answer: str, truth: Mapping[str, Any], rng: random.Random) -> str:
    return rng.choice([a for a in _offered_answers(truth) if a != answer] or [answer])


def _write_answer(answer: str, truth: Mapping[str, Any], rng: random.Random) -> str:
    """A canonical answer as a prompt of its sample asks for it."""
    labels = truth["labels"].split(",") if truth.get("labels") else []
    if truth["family"] == "judging":
        place = FAMILIES["judging"].forms.index(answer) if labels else 0
        return labels[place] if place < len(labels) else TRUTH_LABELS[answer]
    shown = truth["shown"].split(",")
    labels = labels or [str(n) for n in range(1, len(shown) + 1)]
    if answer == "none":
        return str(shown.index("0") + 1) if "0" in shown else "None"
    some = answer.split(",") if answer != "several" else rng.sample(shown, min(2, len(shown)))
    chosen = sorted(map(shown.index, some))
    manner = answering.pick(rng, {"commas": 7, "and": 1, "both": 2})
    joint = " and " if manner == "and" else ", "
    return joint.join(
        f"{labels[i]}. {truth['choices'][i]}" if manner == "both" else labels[i] for i in chosen
    )


_SLIGHT = 0.025
# Settings that change no option and suggest nothing.
_PLAIN = (VANILLA, "multi_turn", "vagueness", "prompt_polishing")

# Of all subsets a share is judged, whose labels fall unevenly: where most of them are, an even
# model's mistakes leave each label's share.
ALSO = ({"subset": "logic"},)


def expected(
    truths: Sequence[Mapping[str, Any]], tendencies: Tendencies
) -> list[answering.Expectation]:
    """Rates by form, and their harmonic mean, under the settings that change no option."""
    found: list[answering.Expectation] = []
    nulls: list[answering.Expectation] = []
    # Whether settings make no difference to what it answers.
    moved = replace(tendencies, knows={}, knows_less_hard=0.0, overcautious=0.0, mumbles=0.0)
    is_even = replace(moved, refuses=0.0, chatty=False) == Tendencies()
    for family, setting in product(FAMILIES, _PLAIN):
        items = [t for t in truths if (t["family"], t["setting"]) == (family, setting)]
        if not items:
            continue
        at = {"family": family, "setting": setting, "variant": str(items[0].get("variant", ""))}
        rates = {
            name: answering.mean(_right(t, tendencies) for t in items if t["form"] in forms)
            for name, forms in FAMILIES[family].rates.items()
        }
        score = robustness_score(*rates.values())
        values = {"acc": answering.mean(_right(t, tendencies) for t in items), **rates, "rs": score}
        found += [answering.Expectation(name, value, at) for name, value in values.items()]
        if setting == VANILLA and family == "judging":
            found.append(answering.Expectation("rs_vanilla", score))
            if is_even:
                nulls.append(answering.Expectation("boundary_cost", 0.0, null=True))
            if _says_what_is(items, tendencies):
                nulls.append(answering.Expectation("or_distance", 0.0, at, null=True))
    return found + nulls


def _says_what_is(items: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> bool:
    """Whether each label is wrong as often as it is said wrongly: all in turn look alike then."""
    if tendencies.overcautious or tendencies.guesses:
        return False
    forms = FAMILIES["judging"].forms
    lost = {f: sum(1 - tendencies.knowing(t) for t in items if t["form"] == f) for f in forms}
    # A wrong answer is either of the other two labels; a handful of items never fits exactly.
    return max(lost.values()) - min(lost.values()) <= _SLIGHT * len(items)


def _right(truth: Mapping[str, Any], tendencies: Tendencies) -> float:
    """The chance that a reply is right, as rules read it."""
    knows = tendencies.knowing(truth)
    believed = tendencies.overcautious * (truth["form"] == _SPARSEST[truth["family"]])
    believed += (1 - tendencies.overcautious) * knows
    loses = tendencies.wavers.get(truth["setting"], 0.0)
    # What is lost goes to another answer on offer, which may happen to be the right one.
    n_offered = math.inf if truth["form"] == "multiple" else len(_offered_answers(truth))
    kept = believed * (1 - loses) + (1 - believed) * loses / (n_offered - 1)
    luck = 1 / n_offered
    right = tendencies.guesses * luck + (1 - tendencies.guesses) * kept
    return float((1 - tendencies.refuses) * (1 - tendencies.mumbles) * right)

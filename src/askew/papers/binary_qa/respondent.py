"""How simulated models answer Binary QA's prompts."""

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from askew.files import toml_of
from askew.papers.binary_qa.numbers import model_binary_core, model_binary_score
from askew.papers.binary_qa.paper import (
    COMPARED,
    CORE,
    CORE_METRICS,
    FORMS,
    LABELS,
    MEASURED,
    OPPOSITE,
    ORIGINAL,
    SPREADS,
    Share,
)
from askew.respondents import answering
from askew.sources.loading import HARD

_TOLD = toml_of(__package__, "respondent.toml")
_ASIDES, _REASONS, _MUSINGS = (_TOLD["words"][name] for name in ("asides", "reasons", "musings"))


def _explanation(answer: str, rng: random.Random) -> str:
    return f"{answer}, {rng.choice(_ASIDES)}. {rng.choice(_REASONS)}"


def _reasoning(answer: str, rng: random.Random) -> str:
    return f"{rng.choice(_MUSINGS)}\n\nTherefore, the answer is **{answer}**."


def _led_into(answer: str, rng: random.Random) -> str:
    return f"Based on what is given, {answer.lower()}."


_CHATTY: Sequence[answering.Wording] = (
    answering.labelled, answering.bold, answering.announced, answering.headed, _explanation,
    _reasoning, _led_into,
)  # fmt: skip


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in Binary QA."""

    # Of knowing an item, drawn once an item; where it does not, it believes the opposite and
    # answers every form accordingly.
    knows: float = 1.0
    knows_less: Mapping[str, float] = field(default_factory=dict)  # by domain, how much less likely
    knows_less_hard: float = 0.0  # how much less likely it is to know a hard item
    # Drawn at every asking: of giving the opposite of what it believes, of answering a form that
    # flips as if it were the original, of the option named first, of No, and of Yes instead.
    wavers: float = 0.0
    ignores_negation: float = 0.0
    takes_first: float = 0.0
    says_no: float = 0.0
    says_yes: float = 0.0
    guesses: float = 0.0  # of answering Yes or No with equal chance
    refuses: float = 0.0  # of declining to answer
    chatty: bool = False  # whether it puts its answer in a sentence or more

    def knowing(self, truth: Mapping[str, Any]) -> float:
        less = self.knows_less_hard if truth.get("tier") == HARD else 0.0
        return min(1.0, max(0.0, self.knows - self.knows_less.get(truth["subset"], 0.0) - less))


TENDENCIES, RESPONDENTS = answering.load_models(__package__, Tendencies)


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = answering.rng_for(seed, name, truth["sample_id"], truth["epoch"])
    if rng.random() < tendencies.refuses:
        return answering.REFUSAL
    # What it takes to be the answer to the original question.
    drawn = answering.rng_for(seed, name, truth["item"], "knows").random()
    knows = answering.in_cluster(drawn, truth, seed, name)
    right = str(truth["truth"])
    believed = right if knows < tendencies.knowing(truth) else OPPOSITE[right]
    answer = _answer(believed, truth, tendencies, rng)
    return rng.choice(_CHATTY if tendencies.chatty else answering.TERSE)(answer, rng)


def _answer(
    believed: str, truth: Mapping[str, Any], tendencies: Tendencies, rng: random.Random
) -> str:
    # Each is drawn every time, so that one tendency more or less changes no other's draws.
    negation, wavers, first, says_no, says_yes, guesses = (rng.random() for _ in range(6))
    if guesses < tendencies.guesses:
        return rng.choice(LABELS)
    if says_no < tendencies.says_no:
        return "No"
    if says_yes < tendencies.says_yes:
        return "Yes"
    if first < tendencies.takes_first:
        return _first_option(truth["form"])
    flips = truth["expected"] != truth["truth"]
    sees_negation = negation >= tendencies.ignores_negation
    answer = OPPOSITE[believed] if flips and sees_negation else believed
    return OPPOSITE[answer] if wavers < tendencies.wavers else answer


def _first_option(form: str) -> str:
    return FORMS[form].options.partition("/")[0]


_SAME = 1e-9


def expected(
    truths: Sequence[Mapping[str, Any]], tendencies: Tendencies
) -> list[answering.Expectation]:
    """The core metrics over all items, how far they spread over domains, and the scores."""
    originals = [t for t in truths if t["form"] == ORIGINAL]
    domains = list(dict.fromkeys(str(t["subset"]) for t in originals))
    whole = _core(originals, tendencies)
    found = [answering.Expectation(metric, value) for metric, value in whole.items()]
    found.append(answering.Expectation("no_answer", tendencies.refuses))
    # Rounding must not carry a value beyond what its metric can be.
    core = {m: float(np.clip(whole[m], *CORE_METRICS[m].bounds)) for m in CORE}
    found.append(answering.Expectation("mbs_core", model_binary_core(core)))
    if len(domains) > 1:
        by_domain = [_core([t for t in originals if t["subset"] == d], tendencies) for d in domains]
        spreads = {m: float(np.std([d[m] for d in by_domain])) for m in CORE}
        # Where no domain is harder, items might as well lie in each other's.
        even = not any(tendencies.knows_less.values())
        even = even and not any(spread > _SAME for spread in spreads.values())
        found += [answering.Expectation(SPREADS[m].name, s, null=even) for m, s in spreads.items()]
        found.append(answering.Expectation("mbs", model_binary_score(core, spreads), null=even))
    return [e for e in found if not math.isnan(e.value)]


def _core(items: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> dict[str, float]:
    """What is declared, of the sums over items that these tendencies make one expect."""
    sums: dict[str, float] = {}
    for label in LABELS:
        pairs = [(_chance({ORIGINAL: label}, t, tendencies), t["truth"] == label) for t in items]
        sums[f"is {label}"] = sum(is_right for _, is_right in pairs)
        sums[f"said {label}"] = math.fsum(chance for chance, _ in pairs)
        sums[f"hit {label}"] = math.fsum(chance for chance, is_right in pairs if is_right)
    for name, forms in COMPARED.items():
        sums[f"{name} asked"] = len(items)
        # Alike, or the other way round where a form flips.
        sums[f"{name} hit"] = math.fsum(
            _chance(
                {f: OPPOSITE[a] if FORMS[f].flips else a for f in (ORIGINAL, *forms)}, t, tendencies
            )
            for t in items
            for a in LABELS
        )

    def rate(share: Share) -> float:
        hits, of = (math.fsum(sums[name] for name in names) for names in (share.hits, share.of))
        return hits / of if of else share.empty

    measured = [m for m in MEASURED if m.forms and not m.no_true_value]
    return {m.name: m.made(*map(rate, m.shares)) for m in measured}


def _chance(texts: Mapping[str, str], truth: Mapping[str, Any], tendencies: Tendencies) -> float:
    """The chance of these answers by form; given what it believes, they are independent."""
    knows, right = tendencies.knowing(truth), truth["truth"]
    return math.fsum(
        chance * math.prod(_says(a, form, believed, tendencies) for form, a in texts.items())
        for believed, chance in ((right, knows), (OPPOSITE[right], 1 - knows))
    )


def _says(label: str, form: str, believed: str, t: Tendencies) -> float:
    """The chance of a Yes or a No, given what the respondent takes the original answer to be."""
    flips = FORMS[form].flips
    meant, ignores = OPPOSITE[believed] if flips else believed, t.ignores_negation if flips else 0.0
    turned = t.wavers * (1 - ignores) + (1 - t.wavers) * ignores
    course = (
        (answering.REFUSAL, t.refuses), (answering.ANY, t.guesses), ("No", t.says_no),
        ("Yes", t.says_yes), (_first_option(form), t.takes_first), (OPPOSITE[meant], turned),
        (meant, 1.0),
    )  # fmt: skip
    return answering.chances(course, LABELS).get(label, 0.0)

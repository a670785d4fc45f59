"""How simulated models answer format-bias prompts, in the format at the model's rate."""

import json
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from askew.files import toml_of
from askew.papers.format_bias.credit import average_precision, token_credit, token_f1
from askew.reading.formats import TAGGED_CATEGORIES, Value, get_format
from askew.reading.names import LETTERS
from askew.respondents import answering
from askew.sources.loading import CORE, HARD


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated model has in format bias, in some by format.

    One draw decides whether it knows an item, so who knows it in a hard format knows it in an
    easier one.
    """

    knows: float = 1.0  # of giving the right answer
    knows_in: Mapping[str, float] = field(default_factory=dict)
    knows_less_hard: float = 0.0  # how much less likely it is to know a hard question
    breaks: float = 0.0  # of missing a format, so that nothing can be extracted; drawn each time
    breaks_in: Mapping[str, float] = field(default_factory=dict)
    verbose_in: Mapping[str, float] = field(default_factory=dict)  # of answering in a sentence
    guesses: bool = False  # whether a wrong choice is any of the options, the right one too
    refuses: float = 0.0
    wordy: bool = False  # whether prose and markdown surround the answer

    def knowing(self, format_name: str, tier: str) -> float:
        knows = self.knows_in.get(format_name, self.knows)
        return max(0.0, knows - (self.knows_less_hard if tier == HARD else 0.0))


_TOLD = toml_of(__package__, "respondent.toml")
_WORDS, _WRONG = _TOLD["words"], _TOLD["wrong"]
TENDENCIES, RESPONDENTS = answering.load_models(__package__, Tendencies)


def reply(truth: Mapping[str, Any], tendencies: Tendencies, name: str, seed: int) -> str:
    """The reply of a simulated model to one sample."""
    rng = answering.rng_for(seed, name, truth["sample_id"], truth["epoch"])
    if rng.random() < tendencies.refuses:
        return answering.REFUSAL
    fmt = get_format(truth["format"])
    knows = tendencies.knowing(fmt.name, truth.get("tier", ""))
    breaks = tendencies.breaks_in.get(fmt.name, tendencies.breaks)
    drawn = answering.rng_for(seed, name, truth["item"], "knows").random()
    is_right = answering.in_cluster(drawn, truth, seed, name) < knows
    value: Value = truth["target"]
    if not is_right:
        value = _wrong_value(truth, tendencies.guesses, rng)
    elif truth["kind"] not in ("letter", "option", "text"):
        value = json.loads(truth["target"])
    elif truth["kind"] == "text":
        verbose = answering.rng_for(seed, name, truth["sample_id"], "verbose").random()
        if verbose < tendencies.verbose_in.get(fmt.name, 0.0):
            value = _in_a_sentence(truth)
    written = fmt.spoil(value) if rng.random() < breaks else fmt.write(value)
    cot = truth["prompting"] == "cot"
    if cot and fmt.category in TAGGED_CATEGORIES:
        written = f"<ANSWER>{written}</ANSWER>"
    if tendencies.wordy:
        return f"{_WORDS['wordy_steps'] if cot else rng.choice(_WORDS['wordy'])}\n\n{written}"
    return f"{rng.choice(_WORDS['steps'])}\n\n{written}" if cot else written


def _in_a_sentence(truth: Mapping[str, Any]) -> str:
    return str(_WORDS["verbose"].format(answer=truth["target"]))


def score_when_verbose(truth: Mapping[str, Any]) -> float:
    """What a right short answer in a sentence scores, by the credit that is the default."""
    said, target = _in_a_sentence(truth), truth["target"]
    if truth["kind"] != "text" or not truth.get("accepted"):
        return token_f1(said, target) if truth["kind"] == "text" else 1.0
    return token_credit(said, [target, *json.loads(truth["accepted"])])


def _wrong_value(truth: Mapping[str, Any], guesses: bool, rng: random.Random) -> Value:
    """An answer of the right type that scores nothing, or a blind guess among all there are."""
    kind, target, choices = truth["kind"], str(truth["target"]), list(truth["choices"])
    if kind == "letter":
        letters = LETTERS[: len(choices)]
        return rng.choice(letters if guesses else letters.replace(target, ""))
    if kind == "option":
        return str(rng.choice(choices if guesses else [c for c in choices if c != target]))
    if kind == "text":
        number = str(rng.randint(2, 97))
        numbers = [number] if target.strip()[:1].isdigit() else []
        wrong = (*numbers, *_WRONG["texts"])
        return next((w for w in wrong if token_f1(w, target) == 0), "quite another thing")
    if kind == "ranking":
        marks = json.loads(target)
        return [rng.randint(0, 1) if guesses else 1 - mark for mark in marks]
    if kind == "keyphrases":
        return list(_WRONG["phrases"])
    return {key: [f"unnamed {key.lower()}"] for key in json.loads(target)}


_POINTS = 100.0**2


def expected(
    truths: Sequence[Mapping[str, Any]], tendencies: Tendencies
) -> list[answering.Expectation]:
    """FI, SysE, EstTrue and BiasF of the plain arm, by category of formats.

    A reply that misses its format scores nothing, so EstTrue is the chance of knowing and, where
    it does not know, what a wrong answer scores: nothing, but for rankings. There is no formula
    for what a blind guess scores on lists and mappings, nor for which formats bear the prose of a
    wordy model.
    """
    if tendencies.guesses or tendencies.wordy or tendencies.refuses == 1.0:
        return []
    found = []
    scores = pd.DataFrame([_score(truth, tendencies) for truth in truths])
    # Paper tasks and promptings weigh the same.
    cells = scores.groupby(["category", "format", "subset", "prompting"], sort=False)["score"]
    by_format = cells.mean().groupby(["category", "format"], sort=False).mean()
    for category, est_true in by_format.groupby("category", sort=False):
        formats = [str(name) for _, name in est_true.index]
        breaks = [tendencies.breaks_in.get(f, tendencies.breaks) for f in formats]
        fi = np.array([(1 - tendencies.refuses) * (1 - chance) for chance in breaks])
        values = {"fi": fi.mean(), "sys_e": (fi * est_true).mean(), "est_true": est_true.mean()}
        spreads = {"bias_f": np.var(est_true), "fi_variance": np.var(fi)} if len(fi) > 1 else {}
        values |= {metric: _POINTS * variance for metric, variance in spreads.items()}
        # Where formats are missed and known alike, replies might as well have come in each other's.
        known = {tendencies.knowing(f, CORE) for f in formats}
        wordier = {tendencies.verbose_in.get(f, 0.0) for f in formats}
        even = len({*fi}) == len(known) == len(wordier) == 1
        at = {"category": str(category)}
        found += [
            answering.Expectation(metric, float(value), at, even and metric in spreads)
            for metric, value in values.items()
        ]
    return found


def _score(truth: Mapping[str, Any], tendencies: Tendencies) -> dict[str, Any]:
    """A sample, and the mean score of replies that follow its format."""
    verbose = tendencies.verbose_in.get(truth["format"], 0.0)
    right = 1 - verbose + verbose * score_when_verbose(truth) if verbose else 1.0
    knows = tendencies.knowing(truth["format"], truth.get("tier", ""))
    # A wrong answer scores nothing, but for the worst of rankings.
    ranks = sorted(json.loads(truth["target"])) if truth["kind"] == "ranking" else []
    score = knows * right + (1 - knows) * average_precision(ranks)
    return {n: truth[n] for n in ("category", "format", "subset", "prompting")} | {"score": score}

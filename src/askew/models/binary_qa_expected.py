"""Binary QA's metrics as a simulated model's tendencies imply them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askew.models.binary_qa import Tendencies
from askew.models.planted import Expectation, mean, population_variance

_LABELS = ("Yes", "No")
_OTHER = {"Yes": "No", "No": "Yes"}
# Which forms a metric compares with the original, and whether their answers should be opposite.
_COMPARED: Mapping[str, tuple[tuple[str, ...], bool]] = {
    "prc": (("synonym", "hedged"), False),
    "nrc": (("contradictory", "false_framing"), True),
    "arc": (("swapped_options",), False),
    "sc": (("repeat_2", "repeat_3"), False),
}


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """The core metrics over all items, and how far they spread over domains."""
    originals = [t for t in truths if t["form"] == "original"]
    domains = list(dict.fromkeys(str(t["subset"]) for t in originals))
    whole = _core(originals, tendencies)
    found = [Expectation(metric, value) for metric, value in whole.items()]
    if len(domains) > 1:
        by_domain = [_core([t for t in originals if t["subset"] == d], tendencies) for d in domains]
        found += [
            Expectation(f"stdev_{m}", math.sqrt(population_variance([d[m] for d in by_domain])))
            for m in whole
            if m != "said_no"
        ]
    return [e for e in found if not math.isnan(e.value)]


def _core(items: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> dict[str, float]:
    said = {
        (truth, label): mean(
            _answers(label, "original", t, tendencies) for t in items if t["truth"] == truth
        )
        for truth in _LABELS
        for label in _LABELS
    }
    share = {truth: mean(float(t["truth"] == truth) for t in items) for truth in _LABELS}
    right = {truth: said[truth, truth] for truth in _LABELS}
    given = {a: math.fsum(share[t] * said[t, a] for t in _LABELS) for a in _LABELS}
    precision = {a: _ratio(share[a] * right[a], given[a]) for a in _LABELS}
    f1 = math.fsum(share[a] * _ratio(2 * share[a] * right[a], share[a] + given[a]) for a in _LABELS)
    consistent = {
        metric: mean(_consistent(metric, t, tendencies) for t in items) for metric in _COMPARED
    }
    return {
        "f1": f1,
        "delta_recall": right["No"] - right["Yes"],
        "delta_precision": precision["No"] - precision["Yes"],
        **consistent,
        "said_no": given["No"],
    }


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan


def _consistent(metric: str, truth: Mapping[str, Any], tendencies: Tendencies) -> float:
    """The chance that all compared askings agree; given what it believes, they are independent."""
    forms, opposite = _COMPARED[metric]
    return math.fsum(
        chance
        * _says(a, "original", believed, tendencies)
        * math.prod(_says(_OTHER[a] if opposite else a, f, believed, tendencies) for f in forms)
        for believed, chance in _beliefs(truth, tendencies)
        for a in _LABELS
    )


def _answers(label: str, form: str, truth: Mapping[str, Any], tendencies: Tendencies) -> float:
    beliefs = _beliefs(truth, tendencies)
    return math.fsum(chance * _says(label, form, b, tendencies) for b, chance in beliefs)


def _beliefs(truth: Mapping[str, Any], tendencies: Tendencies) -> Iterator[tuple[str, float]]:
    lost = tendencies.knows_less.get(truth["subset"], 0.0)
    knows = min(1.0, max(0.0, tendencies.knows - lost))
    yield truth["truth"], knows
    yield _OTHER[truth["truth"]], 1 - knows


def _says(label: str, form: str, believed: str, tendencies: Tendencies) -> float:
    """The chance of a Yes or a No, given what the respondent takes the original answer to be."""
    flips = form in _COMPARED["nrc"][0]
    meant = _OTHER[believed] if flips else believed
    ignores = tendencies.ignores_negation if flips else 0.0
    wanted = (1 - ignores) * (label == meant) + ignores * (label == believed)
    wavered = (1 - tendencies.wavers) * wanted + tendencies.wavers * (1 - wanted)
    first = "No" if form == "swapped_options" else "Yes"
    layers = (
        (tendencies.takes_first, label == first),
        (tendencies.says_yes, label == "Yes"),
        (tendencies.says_no, label == "No"),
    )
    chance = wavered
    for tendency, hit in layers:
        chance = tendency * hit + (1 - tendency) * chance
    chance = tendencies.guesses / 2 + (1 - tendencies.guesses) * chance
    return (1 - tendencies.refuses) * chance

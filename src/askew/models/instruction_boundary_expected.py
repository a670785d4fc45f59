"""Instruction Boundary's metrics as a simulated model's tendencies imply them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askew.models.instruction_boundary import Tendencies
from askew.models.planted import Expectation, mean

_PLAIN = ("vanilla", "multi_turn", "vagueness", "prompt_polishing")
_RATES: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "judging": {"sr": ("true", "false"), "gr": ("unknown",)},
    "choice": {"sr": ("single",), "gr_none": ("none",), "gr_multi": ("multiple",)},
}


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """Rates by form, and their harmonic mean, under the settings that change no option.

    A reply that settles on no answer has no score where no judge is asked, and counts nowhere.
    """
    return list(_expected(truths, tendencies))


def _expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> Iterator[Expectation]:
    for family, rates in _RATES.items():
        for setting in _PLAIN:
            asked = [t for t in truths if (t["family"], t["setting"]) == (family, setting)]
            if not asked or tendencies.mumbles == 1.0:
                continue
            at = {"family": family, "setting": setting, "variant": str(asked[0].get("variant", ""))}
            values = {
                name: mean(_right(t, tendencies) for t in asked if t["form"] in forms)
                for name, forms in rates.items()
            }
            score = _harmonic(list(values.values()))
            yield Expectation("acc", mean(_right(t, tendencies) for t in asked), at)
            for name, value in values.items():
                yield Expectation(name, value, at)
            yield Expectation("rs", score, at)
            if setting == "vanilla" and family == "judging":
                yield Expectation("rs_vanilla", score)


def _harmonic(rates: Sequence[float]) -> float:
    return 0.0 if min(rates) == 0 else len(rates) / sum(1 / rate for rate in rates)


def _right(truth: Mapping[str, Any], tendencies: Tendencies) -> float:
    """The chance that a scored reply is right."""
    sparse = "unknown" if truth["family"] == "judging" else "none"
    knows = tendencies.knows.get(truth["form"], 1.0)
    believed = tendencies.overcautious * (truth["form"] == sparse)
    believed += (1 - tendencies.overcautious) * knows
    n_offered = _offered(truth)
    loses = tendencies.wavers.get(truth["setting"], 0.0)
    # What is lost goes to another answer on offer, which may happen to be the right one.
    regained = 0.0 if truth["form"] == "multiple" else 1 / (n_offered - 1)
    kept = believed * (1 - loses) + (1 - believed) * loses * regained
    luck = 0.0 if truth["form"] == "multiple" else 1 / n_offered
    right = tendencies.guesses * luck + (1 - tendencies.guesses) * kept
    mumbled = (1 - tendencies.refuses) * tendencies.mumbles
    return float((1 - tendencies.refuses) * (1 - tendencies.mumbles) * right / (1 - mumbled))


def _offered(truth: Mapping[str, Any]) -> int:
    """How many answers the prompt offers: its labels, or one option each and none."""
    if truth["family"] == "judging":
        return len(truth["choices"])
    return len([n for n in truth["shown"].split(",") if n != "0"]) + 1

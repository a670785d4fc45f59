"""MathComp's metrics as a simulated model's tendencies imply them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askew.models.mathcomp import OPTIONS, Tendencies
from askew.models.planted import Expectation, mean


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """Directional errors and framing pull; of outputs without reasoning, which may trail off."""
    if any(t["output"] not in ("one_word", "json") for t in truths):
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
    neutral = [t for t in truths if t["style"] == "neutral"]
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
    is_direct = truth["output"] == "one_word" and truth["style"] != "neutral"
    lost = tendencies.says_yes_no if is_direct else 0.0
    return float((1 - tendencies.refuses) * (1 - lost) * said)

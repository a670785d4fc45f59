"""Format bias's metrics as a simulated model's tendencies imply them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askew.models.format_bias import Tendencies, score_when_wrong
from askew.models.planted import Expectation, mean, population_variance

_POINTS = 100.0**2


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """FI, SysE, EstTrue and BiasF of the plain arm, by category of formats.

    A reply that misses its format scores nothing, so EstTrue is the chance of knowing and, where
    it does not know, what a wrong answer scores: nothing, but for rankings. There is no formula
    for what a blind guess scores on lists and mappings, nor for which formats bear the prose of a
    wordy model.
    """
    if tendencies.guesses or tendencies.wordy or tendencies.refuses == 1.0:
        return []
    return list(_expected(truths, tendencies))


def _expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> Iterator[Expectation]:
    answers = 1 - tendencies.refuses
    for category in dict.fromkeys(str(t["category"]) for t in truths):
        asked = [t for t in truths if t["category"] == category]
        formats = dict.fromkeys(str(t["format"]) for t in asked)
        fi = [answers * (1 - tendencies.breaks_in.get(f, tendencies.breaks)) for f in formats]
        known = [tendencies.knows_in.get(f, tendencies.knows) for f in formats]
        wrong = _wrong_score(asked)
        est_true = [k + (1 - k) * wrong for k in known]
        at = {"category": category}
        yield Expectation("fi", mean(fi), at)
        yield Expectation("sys_e", mean(f * e for f, e in zip(fi, est_true, strict=True)), at)
        yield Expectation("est_true", mean(est_true), at)
        if len(formats) > 1:
            yield Expectation("bias_f", _POINTS * population_variance(est_true), at)
            yield Expectation("fi_variance", _POINTS * population_variance(fi), at)


def _wrong_score(asked: Sequence[Mapping[str, Any]]) -> float:
    """The mean score of a wrong answer, paper tasks and promptings weighing the same."""
    cells: dict[tuple[str, str], list[float]] = {}
    for truth in asked:
        cell = (str(truth["subset"]), str(truth["prompting"]))
        cells.setdefault(cell, []).append(score_when_wrong(truth))
    return mean(mean(scores) for scores in cells.values())

"""Format bias's metrics as a simulated model's tendencies imply them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from askew.models.format_bias import Tendencies
from askew.models.planted import Expectation, mean, population_variance

_POINTS = 100.0**2


def expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> list[Expectation]:
    """FI, SysE, EstTrue and BiasF of the plain arm, by category of formats.

    A reply that misses its format scores nothing, so EstTrue is the chance of knowing. There is
    no formula for what a blind guess scores on lists and mappings, nor for which formats bear
    the prose of a wordy model.
    """
    if tendencies.guesses or tendencies.wordy or tendencies.refuses == 1.0:
        return []
    return list(_expected(truths, tendencies))


def _expected(truths: Sequence[Mapping[str, Any]], tendencies: Tendencies) -> Iterator[Expectation]:
    answers = 1 - tendencies.refuses
    for category in dict.fromkeys(str(t["category"]) for t in truths):
        formats = dict.fromkeys(str(t["format"]) for t in truths if t["category"] == category)
        fi = [answers * (1 - tendencies.breaks_in.get(f, tendencies.breaks)) for f in formats]
        known = [tendencies.knows_in.get(f, tendencies.knows) for f in formats]
        at = {"category": category}
        yield Expectation("fi", mean(fi), at)
        yield Expectation("sys_e", mean(f * k for f, k in zip(fi, known, strict=True)), at)
        yield Expectation("est_true", mean(known), at)
        if len(formats) > 1:
            yield Expectation("bias_f", _POINTS * population_variance(known), at)
            yield Expectation("fi_variance", _POINTS * population_variance(fi), at)

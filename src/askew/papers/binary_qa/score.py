"""The Model Binary Score (Section 2.4): seven metrics and their spread over domains in one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import numpy as np

from askew.papers.binary_qa.paper import CORE, CORE_METRICS, DELTAS, SPREADS
from askew.schema import Metric
from askew.stats.intervals import Floats

# What all spreads together weigh; each has the share of its core metric.
STABILITY = 0.1
WEIGHTS: Mapping[str, float] = {name: metric.weight for name, metric in CORE_METRICS.items()}


class WeightsWarning(UserWarning):
    """Weights were rescaled to add up to what the core metrics weigh."""


def model_binary_score(
    core: Mapping[str, float],
    stdevs: Mapping[str, float],
    weights: Mapping[str, float] | None = None,
) -> float:
    """MBS on a scale from 0 to 100; nan where a part of it is nan.

    Args:
        core: the seven metrics over all items, as fractions, keyed f1, delta_recall,
            delta_precision, prc, nrc, arc, sc.
        stdevs: population standard deviations of the same metrics over domains.
        weights: weights of the core metrics, the paper's by default; see `checked_weights`.
    """
    return math.fsum(model_binary_parts(core, stdevs, weights).values())


def model_binary_parts(
    core: Mapping[str, float],
    stdevs: Mapping[str, float],
    weights: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """What each metric and each spread (`stdev_...`) adds to MBS, in points."""
    shares, spreads = _checked("core", core, CORE_METRICS), _checked("stdevs", stdevs, SPREADS)
    points = points_of(shares, spreads, checked_weights(weights))
    return {name: float(value) for name, value in points.items()}


def model_binary_core(
    core: Mapping[str, float], weights: Mapping[str, float] | None = None
) -> float:
    """The score without the spread over domains, rescaled to 0 to 100."""
    points = points_of(_checked("core", core, CORE_METRICS), {}, checked_weights(weights))
    return math.fsum(map(float, points.values())) / (1 - STABILITY)


def checked_weights(weights: Mapping[str, float] | None) -> dict[str, float]:
    """Weights of the core metrics (default the paper's) that add up to 0.9, or are rescaled."""
    given = _one_each("weights", WEIGHTS if weights is None else weights)
    bad = ", ".join(f"{m}={w}" for m, w in given.items() if not (math.isfinite(w) and w >= 0))
    total = math.fsum(given.values())
    if bad or not total > 0:
        what = bad or "all are 0"
        raise ValueError(f"weights: {what}; give finite numbers, none negative, not all 0")
    if abs(total - (1 - STABILITY)) > 1e-9:
        told = f"weights add up to {total:g}, not to {1 - STABILITY:g}: they were rescaled"
        warnings.warn(told, WeightsWarning, stacklevel=3)
    return {m: w * (1 - STABILITY) / total for m, w in given.items()}


def points_of(
    core: Mapping[str, Floats], stdevs: Mapping[str, Floats], weights: Mapping[str, float]
) -> dict[str, Floats]:
    """What each metric and, where there are any, each spread adds to MBS; weights were checked."""
    points = {
        m: w * (100 * (1 - np.abs(core[m]) if m in DELTAS else core[m])) for m, w in weights.items()
    }
    for m, stdev in stdevs.items():
        # The weight of a metric's spread is in proportion to that of the metric.
        weight = STABILITY * weights[m] / (1 - STABILITY)
        points[SPREADS[m].name] = weight * (100 * (1 - stdev / SPREADS[m].bounds[1]))
    return points


def _one_each(name: str, given: Mapping[str, float]) -> dict[str, float]:
    """The values in the order of the core metrics; there must be one for each."""
    if set(given) != set(CORE):
        off = ", ".join(sorted(set(given) ^ set(CORE)))
        raise ValueError(f"{name}: give one for each of {', '.join(CORE)}; wrong: {off}")
    return {m: float(given[m]) for m in CORE}


def _checked(
    name: str, given: Mapping[str, float], declared: Mapping[str, Metric]
) -> dict[str, Floats]:
    """Values of all core metrics as arrays; refused where one can't be."""
    values = _one_each(name, given)
    for metric, value in values.items():
        least, most = declared[metric].bounds
        if not (math.isnan(value) or least <= value <= most):
            raise ValueError(
                f"{name}: {metric}={value} lies outside {least:g} to {most:g}; give fractions, "
                "not percent"
            )
    return {metric: np.asarray(value) for metric, value in values.items()}

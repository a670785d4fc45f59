"""The Model Binary Score (Section 2.4): seven metrics and their spread over domains in one."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping

import numpy as np

from askew.papers.binary_qa.paper import CORE, CORE_METRICS, DELTAS, SPREADS
from askew.statistics.intervals import Floats

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
    """What each metric and each spread (`stdev_...`) adds to MBS, in points.

    Args:
        core: as in `model_binary_score`.
        stdevs: as in `model_binary_score`.
        weights: as in `model_binary_score`.
    """
    _check("core", core, {name: metric.bounds for name, metric in CORE_METRICS.items()})
    _check("stdevs", stdevs, {name: spread.bounds for name, spread in SPREADS.items()})
    checked = checked_weights(weights)
    parts = {m: w * float(normalized(m, np.asarray(core[m]))) for m, w in checked.items()}
    for m, w in checked.items():
        spread = float(normalized_stdev(m, np.asarray(stdevs[m])))
        parts[f"stdev_{m}"] = stability_weight(w) * spread
    return parts


def model_binary_core(
    core: Mapping[str, float], weights: Mapping[str, float] | None = None
) -> float:
    """The score without the spread over domains, rescaled to 0 to 100.

    Args:
        core: as in `model_binary_score`.
        weights: as in `model_binary_score`.
    """
    _check("core", core, {name: metric.bounds for name, metric in CORE_METRICS.items()})
    checked = checked_weights(weights)
    whole = math.fsum(w * float(normalized(m, np.asarray(core[m]))) for m, w in checked.items())
    return whole / (1 - STABILITY)


def checked_weights(weights: Mapping[str, float] | None) -> dict[str, float]:
    """Weights of the core metrics that add up to 0.9; others are rescaled, with a warning.

    Args:
        weights: one weight for every core metric, none negative, not all zero. The paper's
            where there are none.
    """
    if weights is None:
        return dict(WEIGHTS)
    if set(weights) != set(CORE):
        off = ", ".join(sorted(set(weights) ^ set(CORE)))
        raise ValueError(f"weights: give one for each of {', '.join(CORE)}; wrong: {off}")
    bad = [f"{m}={w}" for m, w in weights.items() if not (math.isfinite(w) and w >= 0)]
    total = math.fsum(weights.values()) if not bad else math.nan
    if bad or not total > 0:
        what = ", ".join(bad) or "all are 0"
        raise ValueError(f"weights: {what}; give finite numbers, none negative, not all 0")
    if abs(total - (1 - STABILITY)) > 1e-9:
        warnings.warn(
            f"weights add up to {total:g}, not to {1 - STABILITY:g}: they were rescaled",
            WeightsWarning,
            stacklevel=3,
        )
    return {m: float(weights[m]) * (1 - STABILITY) / total for m in CORE}


def normalized(metric: str, values: Floats) -> Floats:
    """A core metric on a scale from 0 to 100, higher better."""
    return 100 * (1 - np.abs(values)) if metric in DELTAS else 100 * values


def normalized_stdev(metric: str, values: Floats) -> Floats:
    """A spread over domains on a scale from 0 to 100, higher (steadier) better."""
    return 100 * (1 - values / SPREADS[metric].bounds[1])


def stability_weight(weight: float) -> float:
    """The weight of a metric's spread, in proportion to that of the metric."""
    return STABILITY * weight / (1 - STABILITY)


def _check(
    name: str, given: Mapping[str, float], ranges: Mapping[str, tuple[float, float]]
) -> None:
    if set(given) != set(CORE):
        off = ", ".join(sorted(set(given) ^ set(CORE)))
        raise ValueError(f"{name}: give a value for each of {', '.join(CORE)}; wrong: {off}")
    for metric, (least, most) in ranges.items():
        value = given[metric]
        if not (math.isnan(value) or least <= value <= most):
            raise ValueError(
                f"{name}: {metric}={value} lies outside {least:g} to {most:g}; give fractions, "
                "not percent"
            )

"""Numbers that once said more than they knew, made again."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from askew.stats.clusters import NoEffect
from askew.stats.intervals import Floats
from askew.stats.tables import ClusterTable, Interval, Key, numbers_of
from bench.results import Result
from bench.scenes import Scene, formats, robustness, settings

# Judging questions that are bundled.
_BUNDLED = 120
_RESAMPLES = 2_000
# Formats and items, with what an unbiased model was seen to score: its mean and 95th percentile.
UNBIASED = ((7, 24, 57, 119), (4, 20, 76, 205), (7, 50, 27, 55), (7, 200, 7, 15))


def examples(runs: int) -> Iterator[Result]:
    low, high = none_of_several()
    told = f"{low:.3f} to {high:.3f}"
    yield Result(
        "RS, choice, 0 of 36 right with none (was 0 to 0.034)", told, "to > 0.2", high > 0.2
    )
    low, high = few_followed()
    told = f"{low:.3f} to {high:.3f}"
    yield Result(
        "EstTrue, 4 of 24 follow, all right (was 0.862 to 1)", told, "from < 0.6", low < 0.6
    )
    mean, above = cost_of_nothing(runs)
    what = f"boundary cost of nothing, {_BUNDLED} items (was above 0 in 0.29)"
    yield Result(what, f"mean {mean:.3f}, above 0: {above:.3f}", "<= 0.06", above <= 0.06)
    for n_formats, n, *seen in UNBIASED:
        values, nulls = unbiased(n_formats, n, min(runs, 400))
        mean, most = float(np.nanmean(values)), float(np.nanquantile(values, 0.95))
        said = [
            float(np.nanmean([getattr(b, c) for b in nulls])) for c in ("null_mean", "null_q95")
        ]
        told = f"{mean:.0f}, {most:.0f}; said of it: {said[0]:.0f}, {said[1]:.0f}"
        off = max(abs(said[0] / mean - 1), abs(said[1] / most - 1))
        what = f"unbiased BiasF, {n_formats} formats, {n} items (was {seen[0]}, {seen[1]})"
        yield Result(what, told, "said within 15 %", off <= 0.15)


def none_of_several(resamples: int = _RESAMPLES) -> tuple[float, float]:
    """RS of choice questions of which no "none" is right."""
    scene = robustness(108, 0.0, "choice")
    right = {"single": 33, "none": 0, "multiple": 30}
    return _interval(
        scene,
        {(*key[:-1], "correct"): right[str(key[-2])] for key in scene.analysis.table.columns},
        "n",
        resamples,
    )


def few_followed(resamples: int = _RESAMPLES) -> tuple[float, float]:
    """EstTrue where the few replies that follow the format are all right."""
    scene = formats(24, 0.0, key="est_true")
    names = ("score", "ok_score", "ok_score_squared", "format_ok")
    cells = {key[:-1] for key in scene.analysis.table.columns}
    return _interval(scene, {(*c, name): 4 for c in cells for name in names}, "n", resamples)


def _interval(
    scene: Scene, hits: Mapping[Key, int], over: str, resamples: int
) -> tuple[float, float]:
    """The interval of a scene's number where so many of the first clusters count."""
    table: ClusterTable = scene.analysis.table
    features: Floats = table.features.copy()
    for key, n in hits.items():
        if key in table.columns:
            asked = np.flatnonzero(table.features[:, table.columns[(*key[:-1], over)]])
            features[:, table.columns[key]] = np.isin(np.arange(len(features)), asked[:n])
    made = replace(scene.alone, table=replace(scene.alone.table, features=features))
    said = next(said for _, said in numbers_of(made, Interval(resamples)))
    return float(said["low"]), float(said["high"])


def cost_of_nothing(runs: int) -> tuple[float, float]:
    """The mean cost of settings that cost nothing, and how often it is shown to be above 0."""
    scene = settings(_BUNDLED, 0.6)
    found = [scene.number(seed, 600) for seed in range(runs)]
    above = sum(float(f["low"]) > 0 for f in found) / runs
    return float(np.mean([f["value"] for f in found])), above


def unbiased(n_formats: int, n: int, runs: int) -> tuple[Floats, list[NoEffect]]:
    """BiasF of a model that no format moves, and what is said of it."""
    scene = formats(n, 0.6, n_formats=n_formats)
    values = np.array([float(scene.number(seed, 2)["value"]) for seed in range(runs)])
    nulls = [scene.nulls(seed)[scene.key] for seed in range(runs // 4)]
    return values, [null for null in nulls if not math.isnan(null.null_mean)]

"""Studies whose truth is known: a number covered, a bound held, two models compared, a plan kept.

Each counts how often askew's own rule says something, in so many runs with seeds of their own.
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from askew.decide import calibrate, gate, simulation
from askew.decide.compare import BETTER, EQUIVALENT, WORSE, verdict
from askew.decide.policy import Rule
from askew.papers import metric_of
from askew.report.caveats import NO_CEILING
from askew.report.study import levels_of
from askew.respondents.answering import Expectation
from askew.stats.p_values import correct_p_values
from askew.stats.paired import Pairing
from askew.stats.tables import POINTS, Analysis, Interval, Key, numbers_of, table_of
from bench.scenes import (
    HEADLINES,
    NOTHING,
    Scene,
    binary_score,
    formats,
    framing_pull,
    in_stories,
    omni_accuracy,
    robustness,
    settings,
)

RESAMPLES = 600
_FINDING = 0.05
_ROUNDING = 1e-9
# Seeds of other items than those of the seeds before.
_ELSEWHERE = 10**6
Counted = tuple[int, int]
Said = Mapping[str, Any]


def covered(name: str, n: int, runs: int, stories: str = "") -> Counted:
    """How many intervals hold the truth, of those that were given.

    Items may be in stories, which are "declared" or "hidden".
    """
    make = HEADLINES[name]
    scene = in_stories(make, n, declared=stories == "declared") if stories else make(n)
    truth = scene.truth()
    found = [scene.number(seed, RESAMPLES) for seed in range(runs)]
    given = [(float(f["low"]), float(f["high"])) for f in found if not math.isnan(f["low"])]
    near = _ROUNDING * max(1.0, abs(truth))
    return sum(low - near <= truth <= high + near for low, high in given), len(given)


def alarms(name: str, n: int, runs: int) -> Mapping[str, Counted]:
    """Of every number beside this one that noise moves: how many p-values are at most 0.05."""
    scene = NOTHING[name](n)
    found: dict[str, list[float]] = {}
    for seed in range(runs):
        for key, said in scene.nulls(seed).items():
            found.setdefault(str(key[0]), []).append(said.p_value)
    given = {metric: [p for p in ps if not math.isnan(p)] for metric, ps in found.items()}
    return {m: (sum(p <= _FINDING for p in ps), len(ps)) for m, ps in given.items()}


# --- Two models ----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Models whose number differs by what is asked for, where one tendency differs."""

    make: Callable[..., Scene]
    tendency: str
    first: float
    lowest: float
    highest: float
    stories: bool = False

    def scene(self, n: int, tendency: float) -> Scene:
        make = partial(self.make, **{self.tendency: tendency})
        return in_stories(make, n) if self.stories else make(n)

    def apart(self, n: int, difference: float) -> tuple[Scene, Scene]:
        """Two models so far apart in truth, around the first one where that can be."""
        middle = _true(self, n, self.first)
        least, most = sorted(_true(self, n, t) for t in (self.lowest, self.highest))
        low = min(max(least, middle - difference / 2), most - difference)
        if low < least:
            raise ValueError(f"no models of {self.tendency} lie {difference} apart")
        return tuple(self.scene(n, tendency_of(self, n, t)) for t in (low, low + difference))


def _size(n: int) -> int:
    """Of how many items a truth is taken: of fewer, with their subsets and forms as even."""
    return n if n < 120 or n % 120 else 120


@cache
def _true(pair: Pair, n: int, tendency: float) -> float:
    return abs(pair.scene(_size(n), tendency).truth())


# Of what the extremes of a tendency span; and how often it is tried at most.
_NEAR, _MOST_TRIED = 0.0002, 24


@cache
def tendency_of(pair: Pair, n: int, wanted: float) -> float:
    """At which tendency the number is this in truth."""
    # The false position, with the side that stays held less each time: few truths are asked for.
    ends = [(t, _true(pair, n, t) - wanted) for t in (pair.lowest, pair.highest)]
    near = _NEAR * abs(ends[1][1] - ends[0][1])
    held, middle = -1, pair.lowest
    for _ in range(_MOST_TRIED):
        (low, below), (high, above) = ends
        middle = high - above * (high - low) / (above - below)
        gap = _true(pair, n, middle) - wanted
        if abs(gap) <= near:
            break
        side = int((gap > 0) == (above > 0))
        other, left = ends[1 - side]
        ends[1 - side] = (other, left / 2 if held == side else left)
        ends[side] = (middle, gap)
        held = side
    return middle


PAIRS: Mapping[str, Pair] = {
    "OmniAccuracy": Pair(omni_accuracy, "level", 0.6, -6.0, 8.0),
    "RS of judging": Pair(robustness, "level", 0.6, -4.0, 8.0),
    "boundary cost": Pair(partial(settings, level=1.5), "cost", 1.5, 0.0, 8.0),
    "framing pull": Pair(partial(framing_pull, level=-1.5), "pull", 0.8, 0.0, 6.0),
    "BiasF": Pair(partial(formats, level=0.6), "effect", 0.8, 0.0, 4.0),
    "MBS": Pair(partial(binary_score, apart=0.8), "level", 1.5, 0.0, 9.0),
}


def compared(
    first: Scene, second: Scene, seed: int, *, margin: float | None = None, apart: bool = False
) -> Said:
    """The row of a comparison of one number.

    Args:
        first: the baseline.
        second: the model.
        seed: of the items and the answers.
        margin: what matters; default as declared.
        apart: whether the two models find other items hard.
    """
    metric = first.declared if margin is None else replace(first.declared, margin=margin)
    paired = Pairing(RESAMPLES, 0.95, seed, baseline="a", declared=lambda name: metric)
    other = seed + _ELSEWHERE * apart
    made = differences(
        paired, first.run(seed, 0, first.compared), second.run(other, 1, second.compared)
    )
    row = next(dict(said) for key, said in made if key == first.key)
    return {**row, "difference": row["value"], "p_corrected": row["p_value"]}


def differences(paired: Pairing, before: Analysis, after: Analysis) -> list[tuple[Key, Said]]:
    """The rows of a comparison by metric and levels, of the numbers that both have."""
    names = [f"level {i}" for i in range(len(next(iter(before.observed))) - 1)]
    groups = [((paired.baseline,), before), (("",), after)]
    rows = paired.frame(("model",), names, groups).to_dict("records")
    return [((row["metric"], *(row[name] for name in names)), row) for row in rows]


def called_equal(name: str, n: int, times: float, runs: int) -> Counted:
    """How often a difference of exactly what matters is called none.

    Args:
        name: of `PAIRS`.
        n: items.
        times: what matters, in margins as they are declared: few items show large ones only.
        runs: how many studies.
    """
    pair = PAIRS[name]
    metric = pair.scene(n, pair.first).declared
    margin = times * metric.margin
    scenes = pair.apart(n, margin)
    rows = (compared(*scenes, seed, margin=margin) for seed in range(runs))
    said = [verdict(row, _FINDING, metric.better) for row in rows]
    return sum(s == EQUIVALENT for s in said), runs


def found_as_planned(
    name: str, n: int, runs: int, *, grown: float = 1.0, stories: bool = False
) -> Counted:
    """How often the smallest difference that a plan says is shown is shown.

    Args:
        name: of `PAIRS`.
        n: items that the plan is made of.
        runs: how many studies.
        grown: how many times as many items are asked, for a difference that these should show.
        stories: whether items are in stories.
    """
    pair = replace(PAIRS[name], stories=stories)
    first = pair.scene(n, pair.first)
    difference, larger = planned(first, n, grown)
    scenes = pair.apart(larger, difference)
    said = [compared(*scenes, seed, apart=True)["p_value"] < _FINDING for seed in range(runs)]
    return sum(said), runs


# As many seeds as leave a plan's own noise small beside what is claimed of it.
_SEEDS = 100


def planned(scene: Scene, n: int, grown: float = 1.0) -> tuple[float, int]:
    """A difference and the items that show it, by a plan made of so many items."""
    seeds = range(_ELSEWHERE // 2, _ELSEWHERE // 2 + _SEEDS)
    rows = []
    for seed in seeds:
        noise = scene.nulls(seed).get(scene.key) if scene.declared.null else None
        more = dict(vars(noise)) if noise else {}
        beside = compared(scene, scene, seed, apart=True) if seed % 2 else {}
        more |= {name: beside[name] for name in simulation.OF_PAIRS if beside}
        rows.append({**scene.number(seed, RESAMPLES), **more})
    table = pd.DataFrame(rows, columns=simulation.READ)
    told = partial(simulation.width_of, str(scene.key[0]), scene.declared, table, 1.0, level=0.95)
    smallest = told()["difference"]
    if grown == 1.0:
        return smallest, n
    needed = told(effect=smallest / math.sqrt(grown))["n_for_effect"]
    return smallest / math.sqrt(grown), needed


# --- Many rows -----------------------------------------------------------------------------------

# Two tasks' rows: of two models alike, where one is better at one subset, and of numbers that
# noise moves.
FAMILIES: Mapping[str, tuple[Callable[[int], tuple[Scene, Scene]], ...]] = {
    "models alike": (
        lambda n: (omni_accuracy(n, 0.6),) * 2,
        lambda n: (robustness(n, 0.6),) * 2,
    ),
    "one better at one subset": (
        lambda n: (omni_accuracy(n, 0.6), omni_accuracy(n, 0.6, lifted=2.5)),
        lambda n: (robustness(n, 0.6),) * 2,
    ),
    "spreads of models alike": (
        lambda n: (formats(n, 0.6, followed=0.8),) * 2,
        lambda n: (binary_score(n, 1.5),) * 2,
    ),
}


def called_different(name: str, n: int, runs: int, *, holm: bool = False) -> Counted:
    """How often some row of many is called different that is not.

    Args:
        name: of `FAMILIES`.
        n: items of each task.
        runs: how many studies.
        holm: correct by Holm, for rows whose resamples are not shared.
    """
    tasks = [make(n) for make in FAMILIES[name]]
    equal = [_equal_keys(*scenes) for scenes in tasks]
    wrong = 0
    for seed in range(runs):
        rows: list[tuple[str, Key, Said]] = []
        for scenes in tasks:
            task, directed = scenes[0].task, partial(_is_directed, scenes[0].task)
            paired = Pairing(RESAMPLES, 0.95, seed, baseline="a", declared=partial(metric_of, task))
            sides = [s.run(seed, i, s.few) for i, s in enumerate(scenes)]
            rows += [(task, k, said) for k, said in differences(paired, *sides) if directed(k)]
        family = range(len(rows)) if holm else [task for task, *_ in rows]
        found = correct_p_values(
            [r["p_value"] for *_, r in rows], family, [r["replicates"] for *_, r in rows]
        )
        said = [
            verdict(
                {**row, "difference": row["value"], "p_corrected": p},
                _FINDING,
                metric_of(task, str(key[0])).better,
            )
            for (task, key, row), p in zip(rows, found.p_values, strict=True)
        ]
        alike = dict(zip([scenes[0].task for scenes in tasks], equal, strict=True))
        wrong += any(
            s in (BETTER, WORSE) and k in alike[t] for s, (t, k, _) in zip(said, rows, strict=True)
        )
    return wrong, runs


def _is_directed(task: str, key: Key) -> bool:
    return metric_of(task, str(key[0])).better != "neither"


def _equal_keys(first: Scene, second: Scene) -> set[Key]:
    """Numbers that do not differ in truth."""
    one, other = (s.truths() for s in (first, second))
    return {key for key in one if first is second or abs(one[key] - other[key]) < _ROUNDING}


# --- Decisions -----------------------------------------------------------------------------------


def decided_at_bound(name: str, n: int, runs: int, *, every: bool = False) -> Counted:
    """How often a gate passes or fails a model that lies exactly at a rule's limit.

    Args:
        name: of `HEADLINES`.
        n: items.
        runs: how many models.
        every: a rule on all subsets, each of them at the limit.
    """
    scene = HEADLINES[name](n)
    metric, _, *others = scene.key
    wanted = {k for k in scene.truths() if k[0] == metric and list(k[2:]) == others} if every else {
        scene.key
    }  # fmt: skip
    names = ("subset", *(f"level {i}" for i in range(len(others))))
    rule = Rule(metric=str(metric), task=scene.task, min=scene.truth(), min_items=1)
    decided = given = 0
    for seed in range(runs):
        run = scene.run(seed, of=scene.analysis if every else scene.alone)
        table = table_of(("model",), names, numbers_of(run, POINTS, ("m",)))
        rows = [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]
        levels = levels_of(table)
        taken = [
            row for row in rows if (row["metric"], *(row[level] for level in levels)) in wanted
        ]
        together = max(1, sum(not math.isnan(row["value"]) for row in taken))
        level = 1 - 0.05 / together
        numbers = [
            gate.Number(rule, scene.task, levels, row, False, together, level) for row in taken
        ]
        at = [n.places[0][1] for n in numbers]
        how = Interval(RESAMPLES, seed=seed, only={key: {level} for key in at})
        drawn = how.frame(("model",), names, [(("m",), run)]).to_dict("records")
        said = {
            (*(row[c] for c in ("metric", "model", *levels)), row["confidence"]): row
            for row in drawn
        }
        checks = [
            gate.checked_number(n, NO_CEILING, said[*k, level])
            for n, k in zip(numbers, at, strict=True)
        ]
        given += any(not math.isnan(c.low) for c in checks)
        decided += any(c.status != "inconclusive" for c in checks)
    return decided, given


def failed_checks(rows: int, coverage: float, runs: int) -> Counted:
    """How often a report calls off its first row, whose intervals cover so much in truth.

    All other rows are as they should be: with 0.95, how often any row is called off.

    Args:
        rows: of the report; every second one is of a model without the effect.
        coverage: what the first row's intervals cover.
        runs: how many reports.
    """
    rng = np.random.default_rng(rows)
    nulls = rows // 2
    n = calibrate.repetitions_for(0.95, calibrate.COVERAGE, calibrate.POWER, rows + 2 * nulls)
    off = 0
    for _ in range(runs):
        held = rng.binomial(n, [coverage, *[0.95] * (rows - 1)])
        table = pd.DataFrame(
            {
                "n_covered": held,
                "n_intervals": n,
                "n_tests": 0,
                "n_false_positives": 0,
                "excess": 0.0,
            }
        )
        for i in range(rows - nulls, rows):
            drawn = np.zeros((n, len(calibrate._COLUMNS)))
            drawn[:, calibrate._COLUMNS.index("p_value")] = np.ceil(rng.random(n) * 500) / 500
            said = calibrate.comparison(Expectation("", 0.0, null=True), drawn)
            for name in ("n_tests", "n_false_positives", "excess"):
                table.loc[i, name] = said[name]
        verdicts = calibrate.with_verdicts(table, 0.95)["verdict"]
        off += bool((verdicts == calibrate.FAILED)[: None if coverage == 0.95 else 1].any())
    return off, runs

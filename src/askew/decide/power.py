"""What a run of so many items would show: widths, power, and what to buy next.

All of it rests on a simulated model that answers these very samples, again with every seed: what
is said is the mean over the seeds, with its own standard error.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from inspect_ai.dataset import Sample
from scipy import special

from askew.decide.simulation import Simulation
from askew.papers import get_paper, metric_of
from askew.report.study import at_top, levels_of
from askew.schema import Metric, Unit
from askew.stats.p_values import (
    POWER,
    ClusterDifference,
    clusters_needed,
    detectable_difference,
    power_of,
)
from askew.stats.paired import Pairing
from askew.stats.tables import Interval
from askew.stats.variance import PARTS, Components, Design, Part, splits

SEEDS = 12
# More samples than this are not simulated: numbers are carried over from a part of them.
MOST_SIMULATED = 1_000
_SEEDS_OF_SPLIT = 3
# The share of what decides whether an item is known that its cluster has: right answers of one
# cluster then correlate by about 0.3. Without it, plans for questions in clusters are optimistic.
IN_CLUSTERS = 0.5
_TOO_FEW = "too few items for an interval"


@dataclass(frozen=True)
class Width:
    """What one headline of a run would show. Errors are standard errors over seeds.

    The `difference` is the smallest between two models, asked the same items, that is shown in 80
    of 100 comparisons; `beside_noise` the smallest value that 80 of 100 runs show to be more than
    noise. `n_needed` items make the `wanted` width, and `n_for_effect` items show the `effect`.
    """

    metric: str
    unit: Unit
    n_items: int
    value: float
    width: float
    wanted: float | None = None
    n_needed: int | None = None
    reason: str = ""
    width_error: float = math.nan
    n_needed_error: float = math.nan
    difference: float = math.nan
    difference_error: float = math.nan
    beside_noise: float = math.nan
    beside_noise_error: float = math.nan
    effect: float | None = None
    power: float = math.nan
    power_error: float = math.nan
    n_for_effect: int | None = None
    n_for_effect_error: float = math.nan


def widths(
    made: Simulation, like: str, epochs: int, wanted: float | None, effect: float | None,
    seeds: int, interval: Interval, on_done: Callable[[str], None] = lambda _: None,
    tasks: int = 1,
) -> Iterator[Width]:  # fmt: skip
    """Every headline's numbers, as a simulated model would show them on these samples.

    Differences are those that comparisons of so many tasks show after their correction.

    A `wanted` width and an `effect` of 0.05 are 5 points of 100; for a variance, that of two values
    so far from each other.
    """
    part = part_of(made, MOST_SIMULATED // epochs)
    scale = math.sqrt(n_items(part.samples) / max(1, n_items(made.samples)))
    paper, found = get_paper(made.task), dict[str, list[dict[str, Any]]]()
    paired = Pairing(
        interval.resamples, interval.level, interval.seed, declared=partial(metric_of, made.task)
    )
    decisive = [m for m in paper.decisive if metric_of(made.task, m).better != "neither"]
    before: pd.DataFrame | None = None
    tests = 1
    for seed in range(seeds):
        run = part.observations(like, seed, epochs=epochs, alike=IN_CLUSTERS)
        rows = _by_headline(made.task, paper.table(run, interval=interval, **paper.pooled))
        if before is None:
            before = run
        else:  # every second run is compared with the one before, as two models
            both = pd.concat([before.assign(model=paired.baseline), run])
            differences = paper.table(both, interval=paired, **paper.pooled)
            beside = _by_headline(made.task, differences)
            tested = differences[at_top(differences) & differences["metric"].isin(decisive)]
            tests = max(tests, int(tested["p_value"].notna().sum()))
            for name in rows.keys() & beside.keys():
                rows[name] |= {column: beside[name][column] for column in OF_PAIRS}
            before = None
        for name, row in rows.items():
            found.setdefault(name, []).append(row)
        on_done(f"{made.task}, run {seed + 1}")
    for name, values in found.items():
        declared = metric_of(made.task, str(values[0]["metric"]))
        runs = pd.DataFrame(values, columns=READ)
        whole = 100 / declared.unit.factor
        square = declared.interval == "variance"
        targets = [g and ((whole * g / 2) ** 2 if square else whole * g) for g in (wanted, effect)]
        alarm = (1 - interval.level) / (tests * tasks)
        yield width_of(name, declared, runs, scale, 1 - alarm, *targets)


def _by_headline(task: str, table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The top row of each headline metric; one a value of the level that some name."""
    top, headlined = table[at_top(table)], get_paper(task).headlines
    by_level = set(headlined) - set(top["metric"])
    found = {}
    for record in top.to_dict("records"):
        row = {str(k): v for k, v in record.items()}
        metric = str(row["metric"])
        names = {f"{metric}_{row[level]}" for level in levels_of(top)} & by_level
        if metric in headlined or names:
            found[metric if metric in headlined else names.pop()] = row
    return found


# What comparisons say of a headline in pairs of runs, and what else is read.
OF_PAIRS = ("deviation", "most", "n_clusters", "noise_off")
_RUNS = ("value", "low", "high", "null_q95", "value_debiased", *OF_PAIRS)
READ = ("n_items", "reason", *_RUNS)


def width_of(
    name: str, declared: Metric, rows: pd.DataFrame, scale: float, level: float,
    wanted: float | None = None, effect: float | None = None,
) -> Width:  # fmt: skip
    """One headline's numbers from its row (`READ`) in every seed."""
    runs, null = rows[[*_RUNS]].astype(float), declared.null
    n = round(float(rows["n_items"].mean()) / scale**2)
    value = float(runs["value"].mean())
    plain = Width(name, declared.unit, n, value, math.nan, wanted, effect=effect)
    if (runs["high"] - runs["low"]).isna().mean() > 0.5:
        return replace(plain, reason=next((str(r) for r in rows["reason"] if r), _TOO_FEW))

    def width(runs: pd.DataFrame) -> float:
        return scale * float((runs["high"] - runs["low"]).mean())

    functions: dict[str, Callable[[pd.DataFrame], float]] = {"width": width}
    if wanted:
        functions["n_needed"] = lambda runs: n * (width(runs) / wanted) ** 2
    if runs["deviation"].notna().any():
        functions |= _comparisons(runs, n, scale, declared, effect, 1 - level)
    if null and null.one_way and not null.lowers:
        is_square = declared.interval == "variance"
        functions["beside_noise"] = partial(_beside_noise, is_square=is_square, scale=scale)
    values: dict[str, Any] = {}
    for what, of in functions.items():
        values[what], values[f"{what}_error"] = over_seeds(runs, of)
        if what.startswith("n_"):
            values[what] = math.ceil(values[what])
    return replace(plain, **values)


def _comparisons(
    runs: pd.DataFrame, n: int, scale: float, declared: Metric, effect: float | None, level: float
) -> dict[str, Callable[[pd.DataFrame], float]]:
    """What comparisons of two such models would show, by the test that they are put to."""
    seen = float(runs["n_clusters"].mean())
    clusters = round(seen / scale**2)
    says: dict[str, Callable[[ClusterDifference], float]] = {
        "difference": lambda one: detectable_difference(clusters, one, level)
    }
    if effect:
        says["power"] = lambda one: power_of(clusters, effect, one, level)
        says["n_for_effect"] = lambda one: n / clusters * clusters_needed(effect, one, level)

    def said(say: Callable[[ClusterDifference], float], runs: pd.DataFrame) -> float:
        apart = cluster_difference(runs, seen, declared)
        return say(apart) if apart else math.nan

    return {what: partial(said, say) for what, say in says.items()}


def cluster_difference(
    runs: pd.DataFrame, seen: float, declared: Metric
) -> ClusterDifference | None:
    """By how much a cluster differs between two runs; nothing where no run says so.

    Comparisons hold a number that noise moves against more than it varies; how far that is,
    the seeds say. A rate varies more in a worse model.
    """
    if runs["deviation"].isna().all():
        return None
    most = float(runs["most"].mean())
    # Comparisons say it with two clusters made up, which are counted apart.
    square = float((runs["deviation"] ** 2).mean()) * (seen + 2) - 2 * most**2
    deviation = math.sqrt(max(0.0, square / seen))
    values = runs["value_debiased" if runs["noise_off"].mean() > 0.5 else "value"]
    low, high = declared.bounds
    share = _share(declared, float(values.mean()))
    found = ClusterDifference(deviation, most, share=share, whole=high - low)
    noisy = declared.null and declared.null.one_way
    if not noisy or not deviation > 0 or not values.std() > 0:
        return found
    return replace(found, spread=math.sqrt(2 * seen) * float(values.std()) / deviation)


def _share(declared: Metric, value: float) -> float:
    """A rate as the part of its range that is well done; nan of what is no mean of rates."""
    low, high = declared.bounds
    if declared.interval not in ("rate", "composite", "score"):
        return math.nan
    part = min(max((value - low) / (high - low), 0.0), 1.0)
    return 1 - part if declared.better == "lower" else part


def over_seeds(
    runs: pd.DataFrame, of: Callable[[pd.DataFrame], float]
) -> tuple[float, float]:  # fmt: skip
    """A number of all seeds with its jackknife error: how it moves when each is left out.

    Where one seed alone knows the number, there is no error: it can't be left out.
    """
    left = np.array([of(runs.drop(index=i)) for i in runs.index])
    error = math.sqrt((len(runs) - 1) * float(left.var())) if len(runs) > 1 else math.nan
    return of(runs), error


def _beside_noise(runs: pd.DataFrame, is_square: bool, scale: float) -> float:
    """The smallest value that mostly lies beyond what noise exceeds in one run of twenty.

    Noise moves a distance by as much wherever it is: variances are taken as squares of them.
    """
    values, most = runs["value"], runs["null_q95"]
    if is_square:
        values, most = values.clip(lower=0.0) ** 0.5, most.clip(lower=0.0) ** 0.5
    distance = scale * float(most.mean() + special.ndtri(POWER) * values.std())
    return distance**2 if is_square else distance


def n_items(samples: Sequence[Sample]) -> int:
    return len(set(map(_place, samples)))


def part_of(made: Simulation, most: int) -> Simulation:
    """The first whole items of every subset, as many of each as leave at most so many samples."""
    if len(made.samples) <= most:
        return made
    items = pd.DataFrame(map(_place, made.samples)).groupby(0)[1]
    n_kept = (most / len(made.samples) * items.transform("nunique")).floordiv(1).clip(lower=1)
    is_kept = items.transform(lambda names: pd.factorize(names)[0]) < n_kept
    samples = [sample for sample, kept in zip(made.samples, is_kept, strict=True) if kept]
    return replace(made, samples=samples)


def _place(sample: Sample) -> tuple[str, str]:
    meta = sample.metadata or {}
    return meta["subset"], meta["item"]


# --- What to buy next ----------------------------------------------------------------------------

KINDS = ("items", "wordings", "epochs")


@dataclass(frozen=True)
class Advice:
    """Where the variance of a model's single answers lies, and what twice the replies would buy."""

    model: str
    score: str
    """The measure that was split; `shares` are of its variance, by part."""
    asked: Design
    shares: Mapping[str, float]
    error: Mapping[str, float]
    """The standard error of the mean score over wordings at large, by what is doubled ("" for the
    plan as it is); `these` is the same over the wordings that are asked."""
    these: Mapping[str, float]
    reason: str = ""
    """Why there is no advice."""
    note: str = ""
    """What can't be told apart."""

    def best(self, error: Mapping[str, float]) -> str:
        """What buys most, for as many replies."""
        return min((k for k in KINDS if k in error), key=lambda k: error[k], default="")


def simulated_advice(made: Simulation, like: str, epochs: int) -> Advice:
    """What to buy next by a simulated model's answers, averaged over a few seeds."""
    part = part_of(made, MOST_SIMULATED // 2)
    runs = [part.observations(like, seed, epochs=2) for seed in range(_SEEDS_OF_SPLIT)]
    splits = [s for run in runs for s in _splits(made.task, run)]
    return _advice(f"respondent/{like}", made, splits, epochs)


def advice_of_logs(made: Simulation, rows: pd.DataFrame, epochs: int) -> list[Advice]:
    """What to buy next by the answers of each model that was asked this task."""
    models = rows.groupby("model", sort=False)
    return [_advice(str(m), made, _splits(made.task, part), epochs) for m, part in models]


def _splits(task: str, run: pd.DataFrame) -> list[Components]:
    paper = get_paper(task)
    return [s for _, s in splits(run, paper.split_of, [f.name for f in paper.factors])]


def _advice(model: str, made: Simulation, splits: Sequence[Components], epochs: int) -> Advice:
    items, score = n_items(made.samples), get_paper(made.task).split_of
    known = [s for s in splits if not s.reason]
    if not known:
        why = next((s.reason for s in splits), "fewer than two prompt variants were run")
        return Advice(model, score, Design(items, 1, epochs), {}, {}, {}, why)
    weight = [s.asked.items for s in known]
    mean = {p: float(np.average([s.parts[p].value for s in known], weights=weight)) for p in PARTS}
    n_wordings = round(float(np.average([s.asked.wordings for s in known], weights=weight)))
    design = Design(items, n_wordings, epochs)
    split = Components(math.nan, design, 0, math.nan, {p: Part(v) for p, v in mean.items()})
    error, these = {"": split.error(design)}, {"": split.error(design, other_wordings=False)}
    for kind in KINDS:
        most = replace(design, **{kind: 2 * getattr(design, kind)})
        error[kind] = split.error(split.best(most.replies, most))
        if kind != "wordings":
            best = split.best(most.replies, most, other_wordings=False)
            these[kind] = split.error(best, other_wordings=False)
    whole = math.fsum(mean.values()) or 1.0
    note = next((s.parts["resampling"].reason for s in known), "")
    shares = {p: v / whole for p, v in mean.items()}
    return Advice(model, score, design, shares, error, these, "", note)

"""What a run of so many items would show: widths, power, and what to buy next.

All of it rests on a simulated model that answers these very samples, again with every seed: what
is said is the mean over the seeds, with its own standard error.
"""

from __future__ import annotations

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
from askew.papers import asked_for, metric_of
from askew.report.summary import at_top, levels_of
from askew.schema import Metric, Unit
from askew.stats.intervals import Floats
from askew.stats.p_values import POWER, UnitDifference, difference_shown, power_of, units_needed
from askew.stats.paired import Paired
from askew.stats.tables import Interval
from askew.stats.variance import PARTS, Design, Part, Split, splits

SEEDS = 12
# More samples than this are not simulated: numbers are carried over from a part of them.
MOST_SIMULATED = 1_000
_SEEDS_OF_SPLIT = 3
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


@dataclass(frozen=True)
class Wish:
    """What a plan is asked for, of a rate: a width, a difference to show, or neither."""

    width: float | None = None
    effect: float | None = None

    def of(self, declared: Metric) -> Wish:
        """The same in a metric's own unit: as large beside what matters."""
        own = declared.margin / Metric.margin
        return Wish(*(None if w is None else w * own for w in (self.width, self.effect)))


def widths(
    made: Simulation, like: str, epochs: int, wish: Wish, seeds: int, interval: Interval,
    on_done: Callable[[str], None] = lambda _: None,
) -> Iterator[Width]:  # fmt: skip
    """Every headline's numbers, as a simulated model would show them on these samples."""
    part = part_of(made, MOST_SIMULATED // epochs)
    scale = math.sqrt(n_items(part.samples) / max(1, n_items(made.samples)))
    paper, found = asked_for(made.task), dict[str, list[dict[str, Any]]]()
    paired = Paired(
        interval.resamples, interval.level, interval.seed, declared=partial(metric_of, made.task)
    )
    before: pd.DataFrame | None = None
    for seed in range(seeds):
        run = part.observations(like, seed, epochs=epochs)
        rows = _by_headline(made.task, paper.table(run, interval=interval, **paper.pooled))
        if before is None:
            before = run
        else:  # every second run is compared with the one before, as two models
            both = pd.concat([before.assign(model=paired.baseline), run])
            beside = _by_headline(made.task, paper.table(both, interval=paired, **paper.pooled))
            for name in rows.keys() & beside.keys():
                rows[name] |= {column: beside[name][column] for column in _OF_PAIRS}
            before = None
        for name, row in rows.items():
            found.setdefault(name, []).append(row)
        on_done(f"{made.task}, run {seed + 1}")
    for name, told in found.items():
        declared = metric_of(made.task, str(told[0]["metric"]))
        runs = pd.DataFrame(told, columns=_READ)
        yield _width(name, declared, runs, scale, wish.of(declared), interval.level)


def _by_headline(task: str, table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The row of each headline."""
    rows = headlines(task, table).to_dict("records")
    return {str(row["headline"]): {str(k): v for k, v in row.items()} for row in rows}


# What comparisons say of a headline in pairs of runs, and what else is read.
_OF_PAIRS = ("deviation", "most", "n_units", "noise_off")
_RUNS = ("value", "low", "high", "null_high", "without_noise", *_OF_PAIRS)
_READ = ("n_items", "reason", *_RUNS)


def _width(
    name: str, declared: Metric, rows: pd.DataFrame, scale: float, wish: Wish, level: float
) -> Width:
    """One headline's numbers from its row in every seed."""
    runs = rows[list(_RUNS)].to_numpy(float)
    n = round(float(rows["n_items"].mean()) / scale**2)
    value = mean_known(runs[:, 0])
    plain = Width(name, declared.unit, n, value, math.nan, wish.width, effect=wish.effect)
    if np.isnan(runs[:, 2] - runs[:, 1]).mean() > 0.5:
        return replace(plain, reason=next((str(r) for r in rows["reason"] if r), _TOO_FEW))
    over = partial(_over_seeds, runs)
    width, width_error = over(partial(_mean_width, scale=scale))
    told: dict[str, Any] = {"width": width, "width_error": width_error}
    if wanted := wish.width:
        needed, told["n_needed_error"] = over(
            lambda runs: n * (_mean_width(runs, scale) / wanted) ** 2
        )
        told["n_needed"] = math.ceil(needed)
    if not np.isnan(runs[:, _RUNS.index("deviation")]).all():
        told |= _comparisons(runs, n, scale, declared, wish.effect, 1 - level)
    if declared.null and declared.null.one_way and not declared.null.lowers:
        told["beside_noise"], told["beside_noise_error"] = over(
            partial(_beside_noise, squared=declared.interval == "variance", scale=scale)
        )
    return replace(plain, **told)


def _comparisons(
    runs: Floats, n: int, scale: float, declared: Metric, effect: float | None, level: float
) -> dict[str, Any]:
    """What comparisons of two such models would show, by the test that they are put to."""
    over = partial(_over_seeds, runs)
    seen = mean_known(runs[:, _RUNS.index("n_units")])
    units = round(seen / scale**2)
    of = partial(_unit_difference, seen=seen, noisy=bool(declared.null and declared.null.one_way))
    told: dict[str, Any] = {}
    told["difference"], told["difference_error"] = over(
        lambda runs: difference_shown(units, of(runs), level)
    )
    if effect:

        def where_known(say: Callable[[UnitDifference], float], runs: Floats) -> float:
            unit = of(runs)
            return math.nan if math.isnan(unit.deviation) else say(unit)

        told["power"], told["power_error"] = over(
            partial(where_known, lambda unit: power_of(units, effect, unit, level))
        )
        items, told["n_for_effect_error"] = over(
            partial(where_known, lambda unit: n / units * units_needed(effect, unit, level))
        )
        told["n_for_effect"] = math.ceil(items)
    return told


def _unit_difference(runs: Floats, seen: float, noisy: bool) -> UnitDifference:
    """By how much a unit differs between two runs.

    Comparisons hold a number that noise moves against more than it varies; how far that is,
    the seeds say.
    """
    at = dict(zip(_RUNS, runs.T, strict=True))
    if np.isnan(at["deviation"]).all():
        return UnitDifference(math.nan, math.nan)
    most = mean_known(at["most"])
    # Comparisons say it with two units made up, which are counted apart.
    square = mean_known(at["deviation"] ** 2) * (seen + 2) - 2 * most**2
    deviation = math.sqrt(max(0.0, square / seen))
    values = at["without_noise" if mean_known(at["noise_off"]) > 0.5 else "value"]
    if not noisy or not deviation > 0 or np.isfinite(values).sum() < 2:
        return UnitDifference(deviation, most)
    varies = math.sqrt(2 * seen) * float(np.nanstd(values, ddof=1))
    return UnitDifference(deviation, most, varies / deviation)


def mean_known(values: Floats) -> float:
    """The mean of what is known; not a number where nothing is."""
    known = values[~np.isnan(values)]
    return float(known.mean()) if known.size else math.nan


def _over_seeds(runs: Floats, of: Callable[[Floats], float]) -> tuple[float, float]:
    """A number of all seeds, and its standard error: how it moves when each is left out.

    Where one seed alone knows the number, there is no error: it can't be left out.
    """
    left = np.array([of(np.delete(runs, i, axis=0)) for i in range(len(runs))])
    error = math.sqrt((len(runs) - 1) * float(left.var())) if len(runs) > 1 else math.nan
    return of(runs), error


def _mean_width(runs: Floats, scale: float) -> float:
    return scale * mean_known(runs[:, 2] - runs[:, 1])


def _beside_noise(runs: Floats, squared: bool, scale: float) -> float:
    """The smallest value that mostly lies beyond what noise exceeds in one run of twenty.

    Noise moves a distance by as much wherever it is: variances are taken as squares of them.
    """
    values, most = runs[:, 0], runs[:, 3]
    if squared:
        values, most = np.sqrt(np.maximum(values, 0.0)), np.sqrt(np.maximum(most, 0.0))
    if np.isnan(most).all() or np.isfinite(values).sum() < 2:
        return math.nan
    z = float(special.ndtri(POWER))
    distance = scale * (mean_known(most) + z * float(np.nanstd(values, ddof=1)))
    return distance**2 if squared else distance


def n_items(samples: Sequence[Sample]) -> int:
    return len(set(map(_place, samples)))


def part_of(made: Simulation, most: int) -> Simulation:
    """The first whole items of every subset, as many of each as leave at most so many samples."""
    if len(made.samples) <= most:
        return made
    items: dict[str, dict[str, None]] = {}
    for sample in made.samples:
        items.setdefault(_place(sample)[0], {})[_place(sample)[1]] = None
    share = most / len(made.samples)
    kept = {
        (subset, item)
        for subset, of in items.items()
        for item in [*of][: max(1, math.floor(share * len(of)))]
    }
    return replace(made, samples=[s for s in made.samples if _place(s) in kept])


def _place(sample: Sample) -> tuple[str, str]:
    meta = sample.metadata or {}
    return meta["subset"], meta["item"]


def headlines(task: str, table: pd.DataFrame) -> pd.DataFrame:
    """The top rows of the paper's headline metrics; one a value of the level that some name."""
    top = table[at_top(table)]
    metrics, headlined = set(top["metric"]), set(asked_for(task).headlines)
    names = [
        m
        if m in headlined
        else next((n for v in at if (n := f"{m}_{v}") in headlined - metrics), "")
        for m, *at in top[["metric", *levels_of(top)]].itertuples(index=False, name=None)
    ]
    return top.assign(headline=names)[[bool(name) for name in names]]


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


def _splits(task: str, run: pd.DataFrame) -> list[Split]:
    paper = asked_for(task)
    return [s for _, s in splits(run, paper.split_of, [f.name for f in paper.factors])]


def _advice(model: str, made: Simulation, splits: Sequence[Split], epochs: int) -> Advice:
    items, score = n_items(made.samples), asked_for(made.task).split_of
    known = [s for s in splits if not s.reason]
    if not known:
        why = next((s.reason for s in splits), "fewer than two wordings were asked")
        return Advice(model, score, Design(items, 1, epochs), {}, {}, {}, why)
    weight = [s.asked.items for s in known]
    mean = {p: float(np.average([s.parts[p].value for s in known], weights=weight)) for p in PARTS}
    n_wordings = round(float(np.average([s.asked.wordings for s in known], weights=weight)))
    asked = Design(items, n_wordings, epochs)
    split = Split(math.nan, asked, 0, math.nan, {p: Part(v) for p, v in mean.items()})
    more = {
        kind: replace(asked, **{kind: 2 * getattr(asked, kind)}) for kind in KINDS
    }  # fmt: skip
    error, these = {"": split.error(asked)}, {"": split.error(asked, other_wordings=False)}
    for kind, most in more.items():
        error[kind] = split.error(split.best(most.replies, most))
        if kind != "wordings":
            best = split.best(most.replies, most, other_wordings=False)
            these[kind] = split.error(best, other_wordings=False)
    whole = math.fsum(mean.values()) or 1.0
    note = next((s.parts["resampling"].reason for s in known), "")
    shares = {p: v / whole for p, v in mean.items()}
    return Advice(model, score, asked, shares, error, these, "", note)

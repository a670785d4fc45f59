"""What a simulated model would answer, without an eval, and what so many items of it would show.

The samples and the scorer are the task's own. Inspect's event loop, log and dialogue are left out,
and a reply to a sample is read once, some hundred times faster. A grader is never asked.

Widths, power and what to buy next rest on a simulated model that answers these very samples: what
is said is the mean over seeds, with its own standard error.
"""

import asyncio
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.model import ChatMessageUser, ModelName, ModelOutput
from inspect_ai.scorer import Scorer, Target
from inspect_ai.solver import TaskState
from scipy import special

from askew.logs.tables import observation_table
from askew.papers import get_paper, metric_of
from askew.report.study import at_top, levels_of
from askew.respondents.answering import ALIKE
from askew.respondents.provider import Answerer, answerer_of, truth_of
from askew.schema import RESPONDENT_API, Metric, observation_row
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

# So many read replies are kept at once.
_KEPT = 30_000


@dataclass(frozen=True)
class Simulation:
    """One task's samples, ready to be answered by any respondent, any number of times."""

    task: str
    samples: Sequence[Sample]
    scorer: Scorer | None
    answerer: Answerer
    _read: dict[tuple[str, str], dict[str, Any] | None] = field(default_factory=dict, repr=False)

    def truths(self) -> list[dict[str, Any]]:
        """What is true of every sample, as respondents are told, in the first epoch."""
        return [truth_of(sample, {"epoch": 1}) for sample in self.samples]

    def tendencies(self, respondent: str, overrides: Mapping[str, Any] | None = None) -> Any:
        """A respondent's tendencies here, some set otherwise."""
        return replace(self.answerer.of(respondent), **(overrides or {}))

    def observations(
        self, respondent: str, seed: int = 0, overrides: Mapping[str, Any] | None = None, *,
        epochs: int = 1, alike: float = 0.0,
    ) -> pd.DataFrame:  # fmt: skip
        """The observation table of one run of a respondent; equal seeds give equal replies."""
        # Items of one cluster share as much of what decides whether they are known as `alike` says.
        tendencies = self.tendencies(respondent, overrides)
        given = [{**truth, ALIKE: alike} for truth in self.truths()]
        name = f"{RESPONDENT_API}/{respondent}"

        async def rows() -> list[dict[str, Any]]:
            found = []
            for epoch, (sample, truth) in product(
                range(1, epochs + 1), zip(self.samples, given, strict=True)
            ):
                arguments = ({**truth, "epoch": epoch}, tendencies, respondent, seed)
                if self.answerer.observed:
                    row = self.answerer.observed(*arguments)
                else:
                    row = await self._score(sample, str(self.answerer.reply(*arguments)))
                if row:
                    found.append({**row, "model": name, "model_name": name, "epoch": epoch})
            return found

        return observation_table(asyncio.run(rows()))

    async def _score(self, sample: Sample, reply: str) -> dict[str, Any] | None:
        """The observation of a reply to a sample, read once; nothing where it is not scored."""
        key = (str(sample.id), reply)
        if key not in self._read:
            if len(self._read) >= _KEPT:
                self._read.clear()
            assert self.scorer is not None
            state = _state(sample, reply)
            score, self._read[key] = await self.scorer(state, state.target), None
            if score is not None and isinstance(score.value, Mapping):
                row = observation_row(state.metadata, score.value, score.answer, score.metadata)
                source = {"status": "scored", "run": "simulated", "sample_id": key[0], "log": ""}
                self._read[key] = {**row, "task": state.metadata["task"], **source}
        return self._read[key]


def simulation(task: str, /, **parameters: Any) -> Simulation:
    """A task's samples with what it takes to answer and score them."""
    paper = get_paper(task)
    given = {k: v for k, v in parameters.items() if k != "parser"}
    answerer = answerer_of(paper.task)
    if answerer is None:
        raise ValueError(f"no simulated model answers the task {paper.task}")
    if answerer.samples:
        return Simulation(paper.task, answerer.samples(**given), None, answerer)
    made = paper.make(**given)
    scorer = made.scorer[0] if isinstance(made.scorer, list) else made.scorer
    return Simulation(paper.task, list(made.dataset), scorer, answerer)


def _state(sample: Sample, reply: str) -> TaskState:
    text = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    model = ModelName(f"{RESPONDENT_API}/anyone")
    return TaskState(
        model=model, sample_id=sample.id if sample.id is not None else "", epoch=1,
        input=sample.input, messages=[ChatMessageUser(content=text)], target=Target(sample.target),
        choices=sample.choices, metadata=dict(sample.metadata or {}),
        output=ModelOutput.from_content(str(model), reply),
    )  # fmt: skip


# --- What so many items would show: widths and power -------------------------------------------

SEEDS = 12
# More samples than this are not simulated: numbers are carried over from a part of them.
MOST_SIMULATED = 1_000
_SEEDS_OF_SPLIT = 3
# The share of what decides whether an item is known that its cluster has: right answers of one
# cluster then correlate by about 0.3. Without it, plans for questions in clusters are optimistic.
IN_CLUSTERS = 0.5
# What comparisons say of a headline in pairs of runs, and all that is read of each.
OF_PAIRS = ["deviation", "most", "n_clusters", "noise_off"]
_RUNS = ["value", "low", "high", "null_q95", "value_debiased", *OF_PAIRS]
READ = ["n_items", "reason", *_RUNS]
# What is estimated of a headline, each with its standard error over seeds.
_ESTIMATES = ("width", "n_needed", "difference", "beside_noise", "power", "n_for_effect")
Record = dict[str, Any]


def widths(
    made: Simulation, like: str, epochs: int, wanted: float | None, effect: float | None,
    seeds: int, interval: Interval, on_done: Callable[[str], None] = lambda _: None,
    tasks: int = 1,
) -> Iterator[Record]:  # fmt: skip
    """Every headline's numbers, as a simulated model would show them on these samples."""
    # Differences are those that comparisons of so many tasks show after their correction.
    # A `wanted` width and an `effect` of 0.05 are 5 points of 100; for a variance, that of two
    # values so far from each other.
    part = part_of(made, MOST_SIMULATED // epochs)
    scale = math.sqrt(n_items(part.samples) / max(1, n_items(made.samples)))
    paper, declared = get_paper(made.task), partial(metric_of, made.task)
    paired = Pairing(interval.resamples, interval.level, interval.seed, declared=declared)
    decisive = [m for m in paper.decisive if declared(m).better != "neither"]
    found: dict[str, list[dict[str, Any]]] = {}
    before, tests = pd.DataFrame(), 1
    for seed in range(seeds):
        run = part.observations(like, seed, epochs=epochs, alike=IN_CLUSTERS)
        rows = _by_headline(made.task, paper.table(run, interval=interval, **paper.pooled))
        if seed % 2:  # every second run is compared with the one before, as two models
            both = pd.concat([before.assign(model=paired.baseline), run])
            table = paper.table(both, interval=paired, **paper.pooled)
            tested = table[at_top(table) & table["metric"].isin(decisive)]
            tests = max(tests, int(tested["p_value"].notna().sum()))
            beside = _by_headline(made.task, table)
            for name in rows.keys() & beside.keys():
                rows[name] |= {column: beside[name][column] for column in OF_PAIRS}
        before = run
        for name, row in rows.items():
            found.setdefault(name, []).append(row)
        on_done(f"{made.task}, run {seed + 1}")
    level = 1 - (1 - interval.level) / (tests * tasks)
    for name, values in found.items():
        metric = declared(str(values[0]["metric"]))
        whole, square = 100 / metric.unit.factor, metric.interval == "variance"
        targets = [g and ((whole * g / 2) ** 2 if square else whole * g) for g in (wanted, effect)]
        yield width_of(name, metric, pd.DataFrame(values, columns=READ), scale, level, *targets)


def _by_headline(task: str, table: pd.DataFrame) -> dict[str, dict[str, Any]]:
    """The top row of each headline metric; one a value of the level that some name."""
    top, headlined = table[at_top(table)], get_paper(task).headlines
    by_level = set(headlined) - set(top["metric"])
    found: dict[str, dict[Any, Any]] = {}
    for row in top.to_dict("records"):
        metric = str(row["metric"])
        names = {f"{metric}_{row[level]}" for level in levels_of(top)} & by_level
        if metric in headlined or names:
            found[metric if metric in headlined else names.pop()] = row
    return found


def width_of(
    name: str, declared: Metric, rows: pd.DataFrame, scale: float, level: float,
    wanted: float | None = None, effect: float | None = None,
) -> Record:  # fmt: skip
    """One headline's numbers from its row (`READ`) in every seed, with their jackknife errors."""
    # The `difference` is the smallest between two models, asked the same items, that is shown in 80
    # of 100 comparisons; `beside_noise` the smallest value that 80 of 100 runs show to be more than
    # noise. `n_needed` items make the `wanted` width, and `n_for_effect` items show the `effect`.
    # An error is how a number moves when each seed is left out; none is of what one seed knows.
    runs = rows[_RUNS].astype(float)
    n = round(float(rows["n_items"].mean()) / scale**2)
    unknown = dict.fromkeys((*_ESTIMATES, *(f"{what}_error" for what in _ESTIMATES)), math.nan)
    plain: Record = {
        "metric": name, "unit": declared.unit, "n_items": n, "value": float(runs["value"].mean()),
        "wanted": wanted, "effect": effect, "reason": "",
        **unknown, "n_needed": None, "n_for_effect": None,
    }  # fmt: skip
    if (runs["high"] - runs["low"]).isna().mean() > 0.5:
        few = "too few items for an interval"
        return plain | {"reason": next((str(r) for r in rows["reason"] if r), few)}
    seen, null, alarm = float(runs["n_clusters"].mean()), declared.null, 1 - level

    def numbers(runs: pd.DataFrame) -> dict[str, float]:
        found = {"width": scale * float((runs["high"] - runs["low"]).mean())}
        if wanted:
            found["n_needed"] = n * (found["width"] / wanted) ** 2
        if runs["deviation"].notna().any():
            apart, clusters = cluster_difference(runs, seen, declared), round(seen / scale**2)
            found["difference"] = detectable_difference(clusters, apart, alarm)
            if effect:
                found["power"] = power_of(clusters, effect, apart, alarm)
                found["n_for_effect"] = n / clusters * clusters_needed(effect, apart, alarm)
        if null and null.one_way and not null.lowers:
            # The smallest that mostly lies beyond what noise exceeds in one run of twenty. Noise
            # moves a distance by as much wherever it is: variances are taken as squares of them.
            is_square = declared.interval == "variance"
            of = runs[["value", "null_q95"]]
            of = of.clip(lower=0.0) ** 0.5 if is_square else of
            distance = float(of["null_q95"].mean() + special.ndtri(POWER) * of["value"].std())
            found["beside_noise"] = (scale * distance) ** (2 if is_square else 1)
        return found

    values: Record = {**numbers(runs)}
    left = pd.DataFrame([numbers(runs.drop(index=i)) for i in runs.index])
    errors = ((len(runs) - 1) * left.var(ddof=0, skipna=False)) ** 0.5
    values |= {what: math.ceil(n) for what, n in values.items() if what.startswith("n_")}
    return plain | values | {f"{what}_error": float(e) for what, e in errors.items()}


def cluster_difference(runs: pd.DataFrame, seen: float, declared: Metric) -> ClusterDifference:
    """By how much a cluster differs between two runs, of which one at least says so."""
    # Comparisons hold a number that noise moves against more than it varies; how far that is, the
    # seeds say. A rate varies more in a worse model.
    most = float(runs["most"].mean())
    # Comparisons say it with two clusters made up, which are counted apart.
    square = float((runs["deviation"] ** 2).mean()) * (seen + 2) - 2 * most**2
    deviation = math.sqrt(max(0.0, square / seen))
    values = runs["value_debiased" if runs["noise_off"].mean() > 0.5 else "value"]
    low, high = declared.bounds
    share = math.nan
    if declared.interval in ("rate", "composite", "score"):
        # A rate is the part of its range that is well done.
        share = min(max((float(values.mean()) - low) / (high - low), 0.0), 1.0)
        share = 1 - share if declared.better == "lower" else share
    found = ClusterDifference(deviation, most, share=share, whole=high - low)
    noisy = declared.null and declared.null.one_way
    if not noisy or not deviation > 0 or not values.std() > 0:
        return found
    return replace(found, spread=math.sqrt(2 * seen) * float(values.std()) / deviation)


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


def best(error: Mapping[str, float]) -> str:
    """What buys most, for as many replies."""
    return min((k for k in KINDS if k in error), key=lambda k: error[k], default="")


def advices(
    made: Simulation, like: str, epochs: int, rows: pd.DataFrame | None
) -> Iterator[Record]:
    """What to buy next by a simulated model's answers over a few seeds, and by each model's own."""
    paper, part = get_paper(made.task), part_of(made, MOST_SIMULATED // 2)
    runs = [part.observations(like, seed, epochs=2) for seed in range(_SEEDS_OF_SPLIT)]
    answers = [(f"respondent/{like}", runs)]
    if rows is not None:
        answers += [(str(m), [own]) for m, own in rows.groupby("model", sort=False)]
    factors = [f.name for f in paper.factors]
    for model, runs in answers:
        found = [one for run in runs for _, one in splits(run, paper.split_of, factors)]
        yield advice_of(model, made, found, epochs)


def advice_of(model: str, made: Simulation, splits: Sequence[Components], epochs: int) -> Record:
    """What splits of a variance, weighed by their items, say of the plan and of twice as much."""
    # The standard `error` of the mean `score` is over wordings at large, by what is doubled ("" for
    # the plan as it is); `these` is the same over the wordings that are asked. `shares` are of the
    # variance of single answers, by part. `reason` says why there is no advice, `note` what can't
    # be told apart.
    items, score = n_items(made.samples), get_paper(made.task).split_of
    known = [s for s in splits if not s.reason]
    if not known:
        why = next((s.reason for s in splits), "fewer than two prompt variants were run")
        none: Record = {"shares": {}, "error": {}, "these": {}, "reason": why, "note": ""}
        return {"model": model, "score": score, "asked": Design(items, 1, epochs), **none}

    def mean(values: list[float]) -> float:
        return float(np.average(values, weights=[s.asked.items for s in known]))

    parts = {p: mean([s.parts[p].value for s in known]) for p in PARTS}
    design = Design(items, round(mean([s.asked.wordings for s in known])), epochs)
    split = Components(math.nan, design, 0, math.nan, {p: Part(v) for p, v in parts.items()})
    error, these = ({"": split.error(design, other_wordings=o)} for o in (True, False))
    for kind in KINDS:
        most = replace(design, **{kind: 2 * getattr(design, kind)})
        error[kind] = split.error(split.best(most.replies, most))
        if kind != "wordings":
            best = split.best(most.replies, most, other_wordings=False)
            these[kind] = split.error(best, other_wordings=False)
    whole = math.fsum(parts.values()) or 1.0
    note = next((s.parts["resampling"].reason for s in known), "")
    shares = {p: v / whole for p, v in parts.items()}
    return {"model": model, "score": score, "asked": design, "shares": shares, "error": error,
            "these": these, "reason": "", "note": note}  # fmt: skip

"""The bundled questions in their own clusters, answered by simulated models whose truth is known.

Items of one cluster are known together, as `askew plan` has it. Answers may be lost: any in ten, or
wrong ones only. Two models that differ are compared as `askew compare` does by default.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd

from askew.decide.calibrate import _measure
from askew.decide.simulation import IN_CLUSTERS, Simulation, _by_headline, simulation, widths
from askew.papers import get_paper, metric_of
from askew.report.study import at_top
from askew.stats.p_values import correct_p_values
from askew.stats.paired import Pairing
from askew.stats.tables import Interval
from bench.results import Result
from bench.studies import RESAMPLES, Counted

_LIKE, _ALARM, _ELSEWHERE = "typical", 0.05, 10**6
# Of replies that are lost: any, or wrong ones outside the plain condition.
_MISSING, _LOST = 0.1, 0.25
# What says that a reply is right, and the condition in which none is lost.
_RIGHT = {
    "knowno": ("correct", ("hint", "with_gold")), "mathcomp": ("correct", ("style", "none")),
    "instruction_boundary": ("correct", ("setting", "vanilla")),
    "format_bias": ("score", ("format", "")), "bend": ("score", ("arm", "plain")),
    "binary_qa": ("correct", ("form", "original")),
}  # fmt: skip


@cache
def made_of(task: str, items: int) -> Simulation:
    return simulation(task, items=items)


def lose(run: pd.DataFrame, task: str, how: str, seed: int) -> pd.DataFrame:
    """The answers that are left where some are lost."""
    rng = np.random.default_rng(seed)
    if how == "missing cells":
        return run[rng.random(len(run)) >= _MISSING]
    if how == "lost where wrong":
        right, (condition, plain) = _RIGHT[task]
        lost = (run[right].astype(float) < 1) & (run[condition] != plain)
        return run[~lost | (rng.random(len(run)) >= _LOST)]
    return run


def held(task: str, how: str, items: int, runs: int) -> Mapping[str, Counted]:
    """By headline, how many intervals hold what a simulated model's tendencies imply."""
    made, headlines = made_of(task, items), set(get_paper(task).decisive)
    expected = made.answerer.expected
    assert expected is not None
    told = expected(made.truths(), made.answerer.of(_LIKE))
    true = [e for e in told if e.metric in headlines and not math.isnan(e.value)]
    found = []
    for seed in range(runs):
        run = lose(made.observations(_LIKE, seed, alike=IN_CLUSTERS), task, how, seed)
        found.append(_measure(made.task, run, true, Interval(RESAMPLES, seed=seed, nulls=False)))
    counts: dict[str, Counted] = {}
    for one, of in zip(true, np.stack(found, axis=1), strict=True):
        low, high = of[:, 1], of[:, 2]
        name = " ".join([one.metric, *one.levels.values()]).strip()
        hits = (low <= one.value + 1e-9) & (one.value - 1e-9 <= high)
        counts[name] = (int(hits.sum()), int(np.isfinite(low).sum()))
    return counts


@dataclass(frozen=True)
class Other:
    """A model that differs from the typical one in a headline."""

    task: str
    headline: str
    items: int
    differs: Mapping[str, Any] = field(default_factory=dict)


OTHERS = (
    Other("knowno", "omni_accuracy", 120, {"knows": 0.65}),
    Other("knowno", "discernment", 120, {"knows": 0.55}),
    Other("binary_qa", "mbs", 120, {"wavers": 0.15}),
    Other("instruction_boundary", "rs_vanilla", 240, {"overcautious": 0.5}),
    Other("instruction_boundary", "boundary_cost", 240, {"follows_sparse": 0.9}),
    Other("mathcomp", "framing_pull", 60, {"follows_frame": 0.21}),
    Other("format_bias", "bias_f_mcq", 240, {"knows_in": {"text": 0.2}}),
    Other("bend", "worst_effect", 60, {"follows": 0.6}),
)


def power(other: Other, runs: int) -> tuple[float, float, float, float]:
    """How often a comparison shows a difference, by itself and corrected; the plan; the difference.

    The plan takes it that this headline alone differs: its test is then one of all that are made.
    Where others differ too, the step-down correction shows it more often.
    """
    made, task = made_of(other.task, other.items), other.task
    paper, of = get_paper(task), metric_of(task, other.headline)
    decisive = [m for m in paper.decisive if metric_of(task, m).better != "neither"]
    alone, shown, apart = [], [], []
    for seed in range(runs):
        first = made.observations(_LIKE, seed, alike=IN_CLUSTERS)
        second = made.observations(_LIKE, seed + _ELSEWHERE, other.differs, alike=IN_CLUSTERS)
        of_pair = partial(metric_of, task)
        paired = Pairing(RESAMPLES, 0.95, seed, baseline="a", declared=of_pair)
        both = pd.concat([first.assign(model="a"), second.assign(model="b")])
        table = paper.table(both, interval=paired, **paper.pooled)
        rows = table[at_top(table) & table["metric"].isin(decisive)].reset_index(drop=True)
        found = correct_p_values(
            [*rows["p_value"]], [task] * len(rows), [*rows["replicates"]], 0.95
        )
        plain = _by_headline(task, rows)[other.headline]
        alone.append(plain["p_value"] < _ALARM / rows["p_value"].notna().sum())
        row = _by_headline(task, rows.assign(p_value=found.p_values))[other.headline]
        shown.append(row["p_value"] < _ALARM)
        apart.append(row["value"])
    difference = abs(float(np.nanmean(apart)))
    # The plan takes points of 100; a variance that of two values so far apart.
    size = of.unit.factor * difference / 100
    effect = (
        2 * math.sqrt(difference) / (100 / of.unit.factor) if of.interval == "variance" else size
    )
    told = widths(made, _LIKE, 1, None, effect, 12, Interval(RESAMPLES))
    planned = next(w["power"] for w in told if w["metric"] == other.headline)
    return float(np.mean(alone)), float(np.mean(shown)), planned, difference


# How far the plan may lie from what is counted, and what chance excuses of it, in standard errors.
_NEAR, _EXCUSE = 0.1, 2.33


def planned(runs: int) -> Iterator[Result]:
    """Whether comparisons of bundled tasks show differences as often as the plan says."""
    for other in OTHERS:
        alone, shown, said, difference = power(other, runs)
        excuse = _EXCUSE * math.sqrt(said * (1 - said) / runs)
        yield Result(
            f"power: {other.headline}, {other.items} items, a difference of {difference:.3g}",
            f"{alone:.2f} of {runs}, corrected {shown:.2f}, planned {said:.2f}",
            f"within {_NEAR:g}",
            abs(alone - said) <= _NEAR + excuse and shown >= said - _NEAR - excuse,
        )  # fmt: skip

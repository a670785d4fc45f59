"""Compare estimates and intervals, run after run, with the true effects of simulated models.

A model's parameters imply the true value of every metric (`expected`, next to how it answers).
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import bdtr

from askew.decide.simulation import Simulation, simulation
from askew.papers import get_paper, names
from askew.parameters import name_hint, reading_progress
from askew.report.study import levels_of
from askew.respondents.answering import Expectation
from askew.respondents.provider import Answerer, answerer_of, respondents
from askew.stats.intervals import Floats
from askew.stats.tables import OVERALL, Interval

ITEMS = 120
RESAMPLES = 1_000
# The low coverage that must be detected, and the power to detect it.
COVERAGE, POWER = 0.88, 0.9
# The chance that a report without a fault has a failed check.
_RARE = 0.01
_SAME = 1e-9
# The p-value up to which a model without the effect counts as a false positive.
_FINDING = 0.05
# After so many runs with equal numbers, a model is not run again.
_CERTAIN = 5
OK, FAILED, _NO_INTERVAL = "ok", "failed", "no interval"


@dataclass(frozen=True)
class CalibrationReport:
    """A calibration's checks: one row of `table` per task, simulated model, metric and levels.

    Columns over the repetitions: `true_value`, the mean estimate (`measured`), its `bias` and
    `deviation`, the first interval, the numbers of intervals (`n_intervals`) and of those that
    cover the true value (`n_covered`), and the `verdict`. For models without the effect also the
    number of p-values (`n_tests`), of those up to 0.05 (`n_false_positives`), and the largest
    difference between their distribution and a uniform one (`excess`).
    """

    table: pd.DataFrame = field(repr=False)
    level: float  # what the intervals claim to cover
    without_true_values: tuple[str, ...]  # tasks without true values
    repetitions: int = 0  # of models that vary; `needed` detect a coverage of 0.88 with 90% power
    needed: int = 0
    unchecked: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Metrics without true values, by task, each with its reason."""
    graded: tuple[str, ...] = ()  # tasks that can use a grader; none was used here

    @property
    def passed(self) -> bool:
        """Whether there are checks and none failed."""
        return bool(len(self.table)) and not (self.table["verdict"] == FAILED).any()

    def power(self, coverage: float) -> float:
        """The power of a check to detect this true coverage."""
        return flag_rate(self.repetitions, self.level, coverage, _n_tests(self.table))

    @property
    def smallest_gap(self) -> float:
        """Difference from the level that a check detects with 90% power."""
        gaps = (g / 1000 for g in range(1, int(1000 * self.level)))
        return next((g for g in gaps if self.power(self.level - g) >= POWER), math.nan)


def calibrate(
    tasks: Sequence[str] | None = None, respondents: Sequence[str] | None = None, *,
    items: int = ITEMS, repetitions: int | None = None, interval: Interval | None = None,
    overrides: Mapping[str, Any] | None = None, quiet: bool = True,
) -> CalibrationReport:  # fmt: skip
    """Compare repeated estimates of simulated models with their true values.

    Default: all tasks with true values, all models that differ in a task, and enough repetitions to
    detect a coverage of 0.88 with 90% power, or five if nothing varies.
    """
    if repetitions is not None and repetitions < 1:
        raise ValueError(f"repetitions={repetitions}: run at least once")
    how = interval or Interval(resamples=RESAMPLES)
    known = {t: a for t in names() if (a := answerer_of(t)) and a.expected}
    chosen = [get_paper(t).task for t in tasks] if tasks else [*known]
    if unknown := [t for t in chosen if t not in known]:
        raise ValueError(f"no true values are declared for {', '.join(unknown)}")
    answering = {t: known[t] for t in chosen}
    planned = [
        one for task, answerer in answering.items()
        for one in _plan(task, answerer, respondents, items, overrides)
    ]  # fmt: skip
    # A row tests its intervals and, for models without the effect, its p-values in two ways.
    n_tests = sum(3 if e.null else 1 for *_, true_values in planned for e in true_values)
    needed = repetitions_for(how.level, COVERAGE, POWER, n_tests)
    often, rows = repetitions or needed, list[dict[str, Any]]()
    with reading_progress(often * len(planned), quiet, "calibrating") as on_done:
        for made, respondent, true_values in planned:
            measured: list[Floats] = []
            for seed in range(often):
                same = (np.array_equal(measured[0], m, equal_nan=True) for m in measured[1:])
                if not (len(measured) == _CERTAIN and all(same)):
                    run = made.observations(respondent, seed, overrides)
                    measured.append(_measure(made.task, run, true_values, how))
                on_done(f"{made.task}, {respondent}")
            for one, of in zip(true_values, np.stack(measured, axis=1), strict=True):
                rows.append({"task": made.task, "respondent": respondent, **comparison(one, of)})
    table = with_verdicts(pd.DataFrame(rows), how.level)
    checked = {(made.task, e.metric) for made, _, true_values in planned for e in true_values}
    unchecked = {
        task: {
            m.name: m.no_true_value or "not asked of these respondents, or not by default"
            for m in get_paper(task).metrics
            if not any(of == task and m.fits(name) for of, name in checked)
        }
        for task in answering
    }
    graded = tuple(t for t in answering if get_paper(t).graded)
    without = tuple(t for t in names() if t not in known)
    return CalibrationReport(table, how.level, without, often, needed, unchecked, graded)


def repetitions_for(level: float, coverage: float, power: float, rows: int) -> int:
    """Return the repetitions at which a check has this power to detect this coverage."""
    # With `rows` checks and no fault, one in a hundred reports has a failed check (Bonferroni).
    if not 0 < coverage < level:
        raise ValueError(f"coverage={coverage}: give one between 0 and the level, {level}")
    most = 1
    while flag_rate(most, level, coverage, rows) < power:
        most *= 2
    return next(
        n for n in range(most // 2, most + 1) if flag_rate(n, level, coverage, rows) >= power
    )


def flag_rate(n: int, level: float, coverage: float, rows: int) -> float:
    """Power of a check to detect this true coverage after `n` repetitions."""
    few = int((bdtr(np.arange(n + 1), n, level) < _RARE / max(1, rows)).sum())
    return float(bdtr(few - 1, n, coverage)) if few else 0.0


def _n_tests(table: pd.DataFrame) -> int:
    return len(table) + 2 * int((table["n_tests"] > 0).sum()) if len(table) else 0


def _plan(
    task: str, answerer: Answerer, wanted: Sequence[str] | None, items: int,
    overrides: Mapping[str, Any] | None,
) -> Iterator[tuple[Simulation, str, list[Expectation]]]:  # fmt: skip
    """Yield runs, models and their true values; metrics with conditions of their own come last."""
    known, own, seen = respondents(), answerer.tendencies, set[tuple[object, ...]]()
    if unknown := [r for r in wanted or () if r not in known]:
        raise ValueError(f"unknown simulated model {unknown[0]!r}. {name_hint(unknown[0], known)}")
    # Each that has tendencies of its own in the task.
    distinct = [n for n in own if n == next(other for other in own if own[other] == own[n])]
    given = {"data": "bundled"} if get_paper(task).has_levels else {}
    for parameters in ({}, *answerer.also):
        made = simulation(task, items=items, **given, **parameters)
        for respondent in wanted or distinct:
            expected = made.answerer.expected
            tendencies = made.tendencies(respondent, overrides)
            found = {
                (respondent, e.metric, *e.levels.items()): e
                for e in (expected(made.truths(), tendencies) if expected else ())
                if not math.isnan(e.value)
            }
            if true_values := [e for place, e in found.items() if place not in seen]:
                yield made, respondent, true_values
            seen |= found.keys()


# Of every number: value, interval, items, and beside a null its p-value and value without noise.
_COLUMNS = ["value", "low", "high", "n_items", "p_value", "value_debiased"]


def _measure(
    task: str, run: pd.DataFrame, true_values: Sequence[Expectation], interval: Interval
) -> Floats:
    """A row of `_COLUMNS` for every true value; nan where it could not be measured."""
    if not len(run):
        nothing = pd.DataFrame(math.nan, index=range(len(true_values)), columns=_COLUMNS)
        return nothing.assign(n_items=0).to_numpy(float)
    paper = get_paper(task)
    table: pd.DataFrame = paper.table(run, interval=interval, **paper.pooled)
    levels = levels_of(table)
    # A level that says "all" nowhere (an arm, a category) has to be named or have one value.
    usual = {c: OVERALL if (table[c] == OVERALL).any() else table[c].iloc[0] for c in levels}
    places = [(e.metric, *(str(e.levels.get(c, usual[c])) for c in levels)) for e in true_values]
    keys = pd.MultiIndex.from_frame(table[["metric", *levels]].astype(str))
    return table[_COLUMNS].set_axis(keys).loc[places].to_numpy(float)


def comparison(one: Expectation, runs: Floats) -> dict[str, Any]:
    """A true value and what repeated runs, a row of `_COLUMNS` each, say of it."""
    of = pd.DataFrame(runs, columns=_COLUMNS)
    values, given = of["value"], of["low"].notna()
    covered = (of["low"] <= one.value + _SAME) & (one.value - _SAME <= of["high"])
    p_values = np.sort(of["p_value"].dropna()) if one.null else np.empty(0)
    # Kolmogorov's one-sided statistic: by how much more p-values lie below some p than p of them.
    # Steps count where they are complete: equal p-values are one step.
    below = np.searchsorted(p_values, p_values, side="right") / max(1, p_values.size)
    excess = max(0.0, float((below - p_values).max())) if p_values.size else math.nan
    low, high = of.loc[given, ["low", "high"]].head(1).max()
    return {
        "metric": one.metric,
        "levels": ", ".join(f"{k}={v}" for k, v in one.levels.items() if v),
        "true_value": one.value,
        "measured": values.mean(), "bias": values.mean() - one.value, "deviation": values.std(),
        "low": low, "high": high,
        "n_covered": int(covered.sum()), "n_intervals": int(given.sum()),
        "coverage": covered[given].mean(),
        "n_false_positives": int((p_values <= _FINDING).sum()), "n_tests": p_values.size,
        "excess": excess,
        "value_debiased": of["value_debiased"].mean() if one.null else math.nan,
        "repetitions": len(runs), "n_items": int(of["n_items"].max()),
    }  # fmt: skip


def with_verdicts(table: pd.DataFrame, level: float) -> pd.DataFrame:
    """Add a verdict per row: failed if chance explains the row with too small a probability."""
    # A row fails if the intervals cover the true value too rarely, or if a model without the effect
    # has too many p-values up to 0.05 or up to any value (Massart's bound). A run without an
    # interval has a reason for it and counts neither way.
    if table.empty:
        return table.assign(verdict="")
    n, tested = table["n_intervals"], table["n_tests"]
    chances = [
        bdtr(table["n_covered"], n, level),
        bdtr(tested - table["n_false_positives"], tested, 1 - _FINDING),
        np.exp(-2 * tested * table["excess"] ** 2),
    ]
    failed = np.fmin.reduce(chances) < _RARE / max(1, _n_tests(table))
    return table.assign(verdict=np.select([failed, n > 0], [FAILED, OK], _NO_INTERVAL))

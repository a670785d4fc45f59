"""Does the instrument measure what is there? Simulated models with planted tendencies say so.

A respondent's tendencies imply what every metric should show (`expected`, next to how it answers).
Runs are repeated with fresh seeds; the certificate says what was planted, what was measured, how
often the interval held what was planted, how often a model without the effect was called biased,
and what it could not have seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import bdtr

from askew.decide.simulation import Simulation, simulation, tendencies_of
from askew.papers import get_paper, names
from askew.parameters import suggest_names
from askew.progress import Progress, reading_progress
from askew.report.study import levels_of
from askew.respondents.answering import Expectation
from askew.respondents.provider import Answerer, answerer_of, respondents
from askew.stats.intervals import Floats
from askew.stats.tables import OVERALL, Interval

ITEMS = 120
RESAMPLES = 1_000
# The true coverage that is to be seen, and how likely.
COVERAGE, POWER = 0.88, 0.9
# A metric is called off where chance alone would do it this rarely, over the whole certificate.
_RARE = 0.01
_SAME = 1e-9
# A p-value that is a finding, and what it may be at most without the effect.
_FINDING = 0.05
# Runs after which a respondent whose every number was the same each time is not asked again.
_CERTAIN = 5
HOLDS, OFF, _NO_INTERVAL = "holds", "off", "no interval"


@dataclass(frozen=True)
class Certificate:
    """What came of a calibration, with a row a task, respondent, metric and level in its `table`.

    Of repeated measurements it has the mean (`measured`), `bias` and `deviation`, one interval,
    how many were `given` and `held` what was `planted`, and a `verdict`. Of a respondent without
    the effect that the metric looks for also p-values (`tested`), those up to 0.05 (`alarms`), and
    by how much more of them lie below some p than p (`excess`).
    """

    table: pd.DataFrame = field(repr=False)
    level: float
    """What the intervals claim to cover."""
    uncovered: tuple[str, ...]
    """Tasks without planted values."""
    repetitions: int = 0
    """How often a respondent was asked whose numbers vary; `needed` times show a true coverage of
    0.88 nine times in ten."""
    needed: int = 0
    unseen: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Metrics without planted values, by task, each with its reason."""
    graded: tuple[str, ...] = ()
    """Tasks that may ask a grader; none was asked here."""

    @property
    def holds(self) -> bool:
        """Whether every metric is measured as planted."""
        return bool(len(self.table)) and not (self.table["verdict"] == OFF).any()

    def sees(self, coverage: float) -> float:
        """The chance that a row with this true coverage is called off."""
        return flag_rate(self.repetitions, self.level, coverage, _tests(self.table))

    @property
    def smallest_gap(self) -> float:
        """By how much a true coverage has to fall short to be called off nine times in ten."""
        gaps = (g / 1000 for g in range(1, int(1000 * self.level)))
        return next((g for g in gaps if self.sees(self.level - g) >= POWER), math.nan)


def calibrate(
    tasks: Sequence[str] | None = None, respondents: Sequence[str] | None = None, *,
    items: int = ITEMS, repetitions: int | None = None, interval: Interval | None = None,
    overrides: Mapping[str, Any] | None = None, quiet: bool = True,
    progress: Progress | None = None,
) -> Certificate:  # fmt: skip
    """Measure simulated models again and again, and compare with what was planted.

    By default all tasks that have planted values, all models that differ in a task, and as many
    repetitions as show a true coverage of 0.88 nine times in ten, or five where nothing varies.
    """
    if repetitions is not None and repetitions < 1:
        raise ValueError(f"repetitions={repetitions}: run at least once")
    how = interval or Interval(resamples=RESAMPLES)
    answering = {t: (a, _respondents(a, respondents)) for t, a in _answerers(tasks).items()}
    planned = [
        (made, respondent, planted)
        for task, (answerer, asked) in answering.items()
        for made, respondent, planted in _plan(task, answerer, asked, items, overrides)
    ]
    # Rows are put to a test of their intervals and, without the effect, two of p-values.
    n_tests = sum(3 if e.null else 1 for *_, planted in planned for e in planted)
    needed = repetitions_for(how.level, COVERAGE, POWER, n_tests)
    often = repetitions or needed
    rows: list[dict[str, Any]] = []
    with reading_progress(often * len(planned), quiet, progress, "calibrating") as on_done:
        for made, respondent, planted in planned:
            measured: list[Floats] = []
            for seed in range(often):
                same = (np.array_equal(measured[0], m, equal_nan=True) for m in measured[1:])
                if not (len(measured) == _CERTAIN and all(same)):
                    run = made.observations(respondent, seed, overrides)
                    measured.append(_measure(made.task, run, planted, how))
                on_done(f"{made.task}, {respondent}")
            rows += _comparison(made.task, respondent, planted, measured)
    table = _judge(pd.DataFrame(rows), how.level)
    graded = tuple(t for t in answering if get_paper(t).graded)
    unseen = {t: _unseen(t, table) for t in answering}
    without = tuple(t for t in names() if t not in _answerers())
    return Certificate(table, how.level, without, often, needed, unseen, graded)


def repetitions_for(level: float, coverage: float, power: float, rows: int) -> int:
    """How many repetitions call a row off with this chance, at the limit of one row of so many.

    Together they are called off by chance once in a hundred.
    """
    if not 0 < coverage < level:
        raise ValueError(f"coverage={coverage}: give one between 0 and the level, {level}")
    most = 1
    while flag_rate(most, level, coverage, rows) < power:
        most *= 2
    return next(
        n for n in range(most // 2, most + 1) if flag_rate(n, level, coverage, rows) >= power
    )


def flag_rate(n: int, level: float, coverage: float, rows: int) -> float:
    """The chance that intervals with this true coverage are called off after `n` repetitions."""
    few = int((bdtr(np.arange(n + 1), n, level) < _limit(rows)).sum())
    return float(bdtr(few - 1, n, coverage)) if few else 0.0


def _tests(table: pd.DataFrame) -> int:
    return len(table) + 2 * int((table["tested"] > 0).sum()) if len(table) else 0


def _limit(rows: int) -> float:
    """How rare by chance a row has to be to be called off."""
    return _RARE / max(1, rows)


def _plan(
    task: str, answerer: Answerer, asked: Sequence[str], items: int,
    overrides: Mapping[str, Any] | None,
) -> Iterator[tuple[Simulation, str, list[Expectation]]]:  # fmt: skip
    """Who is asked what, with what is planted; metrics that need conditions of their own after."""
    seen: set[tuple[object, ...]] = set()
    for parameters in ({}, *answerer.also):
        made = simulation(task, items=items, **parameters)
        for respondent in asked:
            expected = made.answerer.expected
            tendencies = tendencies_of(made.answerer, respondent, overrides)
            told = {
                (respondent, e.metric, *e.levels.items()): e
                for e in (expected(made.truths(), tendencies) if expected else ())
                if not math.isnan(e.value)
            }
            if planted := [e for place, e in told.items() if place not in seen]:
                yield made, respondent, planted
            seen |= told.keys()


def _unseen(task: str, table: pd.DataFrame) -> dict[str, str]:
    """The metrics of a task that no row checks, with the reason."""
    checked = set(table.loc[table["task"] == task, "metric"]) if len(table) else set()
    return {
        metric.name: metric.unplanted or "not asked of these respondents, or not by default"
        for metric in get_paper(task).metrics
        if not any(metric.fits(name) for name in checked)
    }


def _answerers(wanted: Sequence[str] | None = None) -> dict[str, Answerer]:
    """How simulated models answer each of these tasks; default all that have planted values."""
    planted = {t: a for t in names() if (a := answerer_of(t)) and a.expected}
    chosen = [get_paper(t).task for t in wanted] if wanted else list(planted)
    without = [t for t in chosen if t not in planted]
    if without:
        raise ValueError(f"no planted values are declared for {', '.join(without)}")
    return {t: planted[t] for t in chosen}


def _respondents(answerer: Answerer, wanted: Sequence[str] | None) -> list[str]:
    """Those asked for, or each that has tendencies of its own in the task."""
    known = respondents()
    unknown = [r for r in wanted or () if r not in known]
    if unknown:
        raise ValueError(
            f"unknown simulated model {unknown[0]!r}. {suggest_names(unknown[0], known)}"
        )
    distinct: dict[str, Any] = {}
    for name, tendencies in answerer.tendencies.items():
        if tendencies not in distinct.values():
            distinct[name] = tendencies
    return list(wanted or distinct)


# Of every number: value, interval, items, and beside a null its p-value and value without noise.
_COLUMNS = ("value", "low", "high", "n_items", "p_value", "value_debiased")


def _measure(
    task: str, run: pd.DataFrame, planted: Sequence[Expectation], interval: Interval
) -> Floats:
    """A row of `_COLUMNS` for every planted number; nan where it could not be measured."""
    if not len(run):
        return np.array(
            [[0 if name == "n_items" else math.nan for name in _COLUMNS]] * len(planted)
        )
    paper = get_paper(task)
    table: pd.DataFrame = paper.table(run, interval=interval, **paper.pooled)
    levels = levels_of(table)
    # A level that says "all" nowhere (an arm, a category) has to be named or have one value.
    usual = {c: OVERALL if (table[c] == OVERALL).any() else table[c].iloc[0] for c in levels}
    places = [(e.metric, *(str(e.levels.get(c, usual[c])) for c in levels)) for e in planted]
    keys = pd.MultiIndex.from_frame(table[["metric", *levels]].astype(str))
    return table[[*_COLUMNS]].set_axis(keys).loc[places].to_numpy(float)


def _comparison(
    task: str, respondent: str, planted: Sequence[Expectation], measured: Sequence[Floats]
) -> Iterator[dict[str, Any]]:
    for one, runs in zip(planted, np.stack(measured, axis=1), strict=True):
        of = pd.DataFrame(runs, columns=_COLUMNS)
        values, given = of["value"], of["low"].notna()
        held = (of["low"] <= one.value + _SAME) & (one.value - _SAME <= of["high"])
        tested = np.sort(of["p_value"].dropna()) if one.null else np.empty(0)
        low, high = of.loc[given, ["low", "high"]].head(1).max()
        yield {
            "task": task,
            "respondent": respondent,
            "metric": one.metric,
            "levels": ", ".join(f"{k}={v}" for k, v in one.levels.items() if v),
            "planted": one.value,
            "measured": values.mean(),
            "bias": values.mean() - one.value,
            "deviation": values.std(),
            "low": low,
            "high": high,
            "held": int(held.sum()),
            "given": int(given.sum()),
            "coverage": held[given].mean(),
            "alarms": int((tested <= _FINDING).sum()),
            "tested": tested.size,
            "excess": _excess(tested),
            "value_debiased": of["value_debiased"].mean() if one.null else math.nan,
            "repetitions": len(measured),
            "n_items": int(of["n_items"].max()),
        }


def _excess(p_values: Floats) -> float:
    """By how much more p-values lie below some p than p of them: uniform ones, none but by chance.

    Steps count where they are complete: equal p-values are one step.
    """
    if not p_values.size:
        return math.nan
    below = np.searchsorted(p_values, p_values, side="right") / p_values.size
    return max(0.0, float((below - p_values).max()))


def _judge(table: pd.DataFrame, level: float) -> pd.DataFrame:
    """A verdict a row: off where chance would do it too rarely.

    That is where the interval held the planted value too rarely, or where a respondent without the
    effect was called biased too often, at one p-value in twenty or at any (Massart's bound). A run
    that gave no interval, with its reason, claimed nothing, and counts neither way.
    """
    limit = _limit(_tests(table))
    verdicts = []
    for row in table.to_dict("records"):
        n, tested = int(row["given"]), int(row["tested"])
        rare = [float(bdtr(int(row["held"]), n, level))] if n else []
        if tested:
            quiet = float(bdtr(tested - int(row["alarms"]), tested, 1 - _FINDING))
            rare += [quiet, math.exp(-2 * tested * float(row["excess"]) ** 2)]
        verdicts.append(OFF if rare and min(rare) < limit else HOLDS if n else _NO_INTERVAL)
    return table.assign(verdict=pd.Series(verdicts, index=table.index, dtype=object))

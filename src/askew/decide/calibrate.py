"""Does the instrument measure what is there? Simulated models with planted tendencies say so.

A respondent's tendencies imply what every metric should show (`expected`, next to how it answers).
Runs are repeated with fresh seeds; the certificate says what was planted, what was measured, and
how often the interval held what was planted.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from askew.decide.simulation import Simulation, simulation, tendencies_of
from askew.papers import asked_for, names
from askew.progress import Progress, reading_progress
from askew.report.summary import levels_of
from askew.respondents.answering import Expectation
from askew.respondents.provider import Answerer, answerer_of, respondents
from askew.statistics.tables import OVERALL, Interval

REPETITIONS = 40
ITEMS = 120
RESAMPLES = 1_000
# A metric is called off where chance alone would do it this rarely, over the whole certificate.
_RARE = 0.001
_SAME = 1e-9
HOLDS, OFF, _NO_INTERVAL = "holds", "off", "no interval"


@dataclass(frozen=True)
class Certificate:
    """What came of a calibration.

    Attributes:
        table: one row a task, respondent, metric and level: `planted`, `measured` (the mean),
            `bias`, `deviation` (of single measurements), `low` and `high` (of the first interval),
            `held` (intervals that hold what was planted), `given` (intervals), `coverage`,
            `repetitions`, `n_items`, and `verdict`.
        level: what the intervals claim to cover.
        uncovered: tasks without planted values.
    """

    table: pd.DataFrame = field(repr=False)
    level: float
    uncovered: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether every metric is measured as planted."""
        return bool(len(self.table)) and not (self.table["verdict"] == OFF).any()


def calibrate(
    tasks: Sequence[str] | None = None,
    respondents: Sequence[str] | None = None,
    *,
    items: int = ITEMS,
    repetitions: int = REPETITIONS,
    interval: Interval | None = None,
    overrides: Mapping[str, Any] | None = None,
    quiet: bool = True,
    progress: Progress | None = None,
) -> Certificate:
    """Measure simulated models again and again, and compare with what was planted.

    Args:
        tasks: which tasks; default all that have planted values.
        respondents: which simulated models; default all that differ in a task.
        items: how many items of each task.
        repetitions: how many runs of each respondent, each with a seed of its own.
        interval: how to make intervals.
        overrides: tendencies to set otherwise.
        quiet: no progress on stderr.
        progress: called with runs done, runs in all, and what was run, instead.
    """
    if repetitions < 1:
        raise ValueError(f"repetitions={repetitions}: run at least once")
    how = interval or Interval(resamples=RESAMPLES)
    planned = {t: _respondents(a, respondents) for t, a in _answerers(tasks).items()}
    rows: list[dict[str, Any]] = []
    runs = repetitions * sum(map(len, planned.values()))
    with reading_progress(runs, quiet, progress, "calibrating") as on_done:
        for task, answering in planned.items():
            made = simulation(task, items=items)
            for respondent in answering:
                planted = _planted(made, respondent, overrides)
                measured = []
                for seed in range(repetitions):
                    run = made.observations(respondent, seed, overrides)
                    measured.append(_measured(task, run, planted, how))
                    on_done(f"{task}, {respondent}")
                rows += _compared(task, respondent, planted, measured)
    table = _judged(pd.DataFrame(rows), how.level)
    return Certificate(table, how.level, tuple(t for t in names() if t not in _answerers()))


def _answerers(wanted: Sequence[str] | None = None) -> dict[str, Answerer]:
    """How simulated models answer each of these tasks; default all that have planted values."""
    planted = {t: a for t in names() if (a := answerer_of(t)) and a.expected}
    chosen = [asked_for(t).task for t in wanted] if wanted else list(planted)
    without = [t for t in chosen if t not in planted]
    if without:
        raise ValueError(f"no planted values are declared for {', '.join(without)}")
    return {t: planted[t] for t in chosen}


def _respondents(answerer: Answerer, wanted: Sequence[str] | None) -> list[str]:
    """Those asked for, or each that has tendencies of its own in the task."""
    known = respondents()
    unknown = [r for r in wanted or () if r not in known]
    if unknown:
        raise ValueError(f"no respondent {unknown[0]!r}; there are: {', '.join(known)}")
    distinct: dict[str, Any] = {}
    for name, tendencies in answerer.tendencies.items():
        if tendencies not in distinct.values():
            distinct[name] = tendencies
    return list(wanted or distinct)


def _planted(
    made: Simulation, respondent: str, overrides: Mapping[str, Any] | None
) -> list[Expectation]:
    expected = made.answerer.expected
    if expected is None:
        return []
    tendencies = tendencies_of(made.answerer, respondent, overrides)
    return [e for e in expected(made.truths(), tendencies) if not math.isnan(e.value)]


_Number = tuple[float, float, float, int]


def _measured(
    task: str, run: pd.DataFrame, planted: Sequence[Expectation], interval: Interval
) -> list[_Number]:
    """Value, interval and items of every planted number; nan where it could not be measured."""
    if not len(run):
        return [(math.nan, math.nan, math.nan, 0)] * len(planted)
    table: pd.DataFrame = asked_for(task).table(run, interval=interval)
    levels = levels_of(table)
    keys = table[["metric", *levels]].astype(str).itertuples(index=False, name=None)
    found = dict(zip(keys, range(len(table)), strict=True))
    # A level that says "all" nowhere (an arm, a category) has to be named or have one value.
    single = {c: str(table[c].iloc[0]) for c in levels if not (table[c] == OVERALL).any()}
    numbers = []
    for one in planted:
        place = [str(one.levels.get(c, single.get(c, OVERALL))) for c in levels]
        row = found.get((one.metric, *place))
        if row is None:
            raise ValueError(f"{task}: no number {one.metric} at {dict(one.levels)} in the table")
        at = table.iloc[row]
        numbers.append(
            (float(at["value"]), float(at["low"]), float(at["high"]), int(at["n_items"]))
        )
    return numbers


def _compared(
    task: str,
    respondent: str,
    planted: Sequence[Expectation],
    measured: Sequence[Sequence[_Number]],
) -> Iterator[dict[str, Any]]:
    for i, one in enumerate(planted):
        values, low, high, n_items = np.array([m[i] for m in measured]).T
        held = (low <= one.value + _SAME) & (one.value - _SAME <= high)
        known, given = values[~np.isnan(values)], ~np.isnan(low)
        yield {
            "task": task,
            "respondent": respondent,
            "metric": one.metric,
            "levels": ", ".join(f"{k}={v}" for k, v in one.levels.items() if v),
            "planted": one.value,
            "measured": float(known.mean()) if known.size else math.nan,
            "bias": float(known.mean()) - one.value if known.size else math.nan,
            "deviation": float(known.std(ddof=1)) if known.size > 1 else math.nan,
            "low": float(low[given][0]) if given.any() else math.nan,
            "high": float(high[given][0]) if given.any() else math.nan,
            "held": int(held.sum()),
            "given": int(given.sum()),
            "coverage": float(held[given].mean()) if given.any() else math.nan,
            "repetitions": len(measured),
            "n_items": int(n_items.max()),
        }


def _judged(table: pd.DataFrame, level: float) -> pd.DataFrame:
    """A verdict a row: off where the interval held the planted value too rarely for chance.

    A run that gave no interval, with its reason, claimed nothing, and counts neither way.
    """
    limit = _RARE / max(1, len(table))
    return table.assign(
        verdict=[
            _NO_INTERVAL if not n else HOLDS if binomial_tail(k, n, level) >= limit else OFF
            for k, n in zip(table.get("held", []), table.get("given", []), strict=True)
        ]
    )


def binomial_tail(k: int, n: int, p: float) -> float:
    """The chance of at most `k` successes in `n` trials."""
    return min(1.0, math.fsum(math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(k + 1)))

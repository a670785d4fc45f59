"""Where questions are too easy to tell models apart: nearly all are right where nothing bends.

Above 97 % under the condition that a paper declares plain, better models have at most three points
left to show, and what a condition takes from a model is all that is seen of it. A rate is said to
lie there by its interval, not by itself: where that reaches below, it may, and of fewer items than
anything is decided on nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers import asked_for
from askew.report.document import Estimate
from askew.report.summary import rows_by_task
from askew.schema import ENOUGH_ITEMS, PERCENT, Paper, Scalar
from askew.sources.tiers import HARD
from askew.statistics.tables import (
    DEFAULT_INTERVAL,
    OVERALL,
    Analysis,
    Counts,
    Interval,
    Key,
    Quantity,
    Totals,
    metric_table,
    unit_table,
)

CEILING = 0.97
_LEVELS = ("subset", "tier")
_RIGHT = "right"


@dataclass(frozen=True)
class AtCeiling:
    """Questions of which a model answers nearly all.

    Attributes:
        task: the paper's task.
        model: whose answers.
        subset: which of its sets.
        tier: of which tier; empty where the set has none.
        estimate: the rate under the plain condition, with its interval.
        instead: what to ask instead.
    """

    task: str
    model: str
    subset: str
    tier: str
    estimate: Estimate
    instead: str

    @property
    def sure(self) -> bool:
        """Whether the whole interval lies there."""
        return self.estimate.low >= CEILING

    @property
    def rate(self) -> str:
        """The set with its rate, in a few words."""
        paper, found = asked_for(self.task), self.estimate
        tier = f" ({self.tier})" if self.tier else ""
        name = "all sets" if self.subset == OVERALL else paper.subset_names.get(self.subset)
        return (
            f"{name or self.subset}{tier} "
            f"{PERCENT.write(found.value)}% ({found.interval(PERCENT)}, n = {found.n_items:,})"
        )


def at_ceiling(
    observations: pd.DataFrame, interval: Interval = DEFAULT_INTERVAL
) -> list[AtCeiling]:
    """Every set and tier at its ceiling for a model: 97 % or more under the plain condition.

    Where all sets of a tier together lie there, they stand for each.

    Args:
        observations: a table by `read_observations`, of any tasks.
        interval: how to make intervals.
    """
    parts = rows_by_task(observations)
    return [f for task, rows in parts.items() for f in _of_task(asked_for(task), rows, interval)]


def ceiling_notes(
    observations: pd.DataFrame, interval: Interval = DEFAULT_INTERVAL
) -> tuple[str, ...]:
    """The same as sentences, one a task, model and what to ask instead."""
    return said_of(at_ceiling(observations, interval))


def said_of(found: Sequence[AtCeiling]) -> tuple[str, ...]:
    """Sets at their ceiling as sentences, one a task, model and what to ask instead."""
    groups: dict[tuple[str, str, bool, str], list[AtCeiling]] = {}
    for one in found:
        groups.setdefault((one.task, one.model, one.sure, one.instead), []).append(one)
    return tuple(
        f"{task}, {model}: {'at' if sure else 'perhaps at'} the ceiling, too easy to tell strong "
        f"models apart. {instead}. Right where nothing bends: {'; '.join(o.rate for o in group)}"
        for (task, model, sure, instead), group in groups.items()
    )


def _of_task(paper: Paper, rows: pd.DataFrame, interval: Interval) -> Iterator[AtCeiling]:
    plain = plain_rows(paper, rows)
    if not len(plain):
        return
    table = metric_table(plain, ("model",), _LEVELS, _analyse, interval)
    high = table[(table["value"] >= CEILING) & (table["n_items"] >= ENOUGH_ITEMS)]
    whole = set(high[high["subset"] == OVERALL][["model", "tier"]].itertuples(index=False))
    for row in high.to_dict("records"):
        if row["subset"] == OVERALL or (row["model"], row["tier"]) not in whole:
            numbers = (row[n] for n in ("value", "low", "high", "n_items", "n_dropped", "reason"))
            subset, tier = str(row["subset"]), str(row["tier"])
            yield AtCeiling(
                paper.task,
                str(row["model"]),
                subset,
                tier,
                Estimate(*numbers),
                instead_of(paper, subset, tier),
            )


def plain_rows(paper: Paper, rows: pd.DataFrame) -> pd.DataFrame:
    """Answers under the paper's plain condition, with whether they are right.

    Of several plain conditions, a subset has the first that it was asked under.
    """
    if paper.split_of not in rows:
        return rows[:0]
    subset, names = pd.factorize(rows["subset"])
    kept, asked = np.zeros(len(rows), dtype=bool), np.zeros(len(names), dtype=bool)
    for condition in paper.plain:
        fits = _fits(rows, condition) & ~asked[subset]
        kept |= fits
        asked[subset[fits]] = True
    plain = rows[kept]
    right = plain[paper.split_of].astype(float)
    tier = plain["tier"].fillna("") if "tier" in plain else ""
    return plain.assign(**{_RIGHT: right, "tier": tier})[right.notna()]


def _fits(rows: pd.DataFrame, condition: Mapping[str, Scalar]) -> npt.NDArray[np.bool_]:
    """Which rows were asked so; a factor that a table lacks was not varied."""
    fits = np.ones(len(rows), dtype=bool)
    for name, value in condition.items():
        if name in rows:
            codes, values = pd.factorize(rows[name], use_na_sentinel=False)
            fits &= np.array([str(v) == str(value) for v in values], dtype=bool)[codes]
    return fits


def _analyse(rows: pd.DataFrame) -> Analysis:
    rows = rows.assign(stratum=rows["subset"])
    tiers = rows.groupby("tier")["subset"].transform("nunique")
    rows = pd.concat([rows, rows[tiers > 1].assign(subset=OVERALL)])
    table = unit_table(rows, _LEVELS, (_RIGHT,), strata=("stratum",))
    counts: dict[Key, Counts] = {
        tuple(map(str, place)): Counts(part["item"].nunique(), 0, part["unit"].nunique())
        for place, part in rows.groupby([*_LEVELS], sort=False)
    }

    def statistic(totals: Totals) -> dict[Key, Quantity]:
        return {
            (_RIGHT, *place): Quantity(
                totals.ratio((*place, _RIGHT), (*place, "n")), "rate", counts=count
            )
            for place, count in counts.items()
        }

    return Analysis(table, statistic, counts)


def instead_of(paper: Paper, subset: str, tier: str) -> str:
    """What to ask where a set is at its ceiling: all sets of our own have hard questions."""
    bundled = paper.has("items") and subset in (OVERALL, *paper.selection("bundled"))
    if tier != HARD and bundled:
        data = "" if tier else " -T data=bundled"
        return f"Ask its hard questions:{data} -T tier={HARD}"
    if paper.has("items") and tier and hasattr(paper.items, "SOURCES"):
        return "Ask the paper's questions (-T data=paper), or harder ones of your own"
    return "Ask harder questions of your own"


def rates_by_tier(
    observations: pd.DataFrame, interval: Interval = DEFAULT_INTERVAL
) -> pd.DataFrame:
    """How many are right where nothing bends, a row a task, model, set and tier.

    Args:
        observations: a table by `read_observations`, of any tasks.
        interval: how to make intervals.
    """
    tables = []
    for task, rows in rows_by_task(observations).items():
        plain = plain_rows(asked_for(task), rows)
        if len(plain):
            table = metric_table(plain, ("model",), _LEVELS, _analyse, interval)
            tables.append(table.drop(columns="metric").assign(task=task))
    return pd.concat(tables, ignore_index=True) if tables else pd.DataFrame()

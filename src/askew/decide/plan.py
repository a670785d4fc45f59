"""Before money is spent: samples, calls, tokens, cost, time, and the interval to expect."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelCost

from askew.decide.simulation import Simulation, simulation
from askew.decide.workload import (
    GRADER,
    TESTED,
    Assumptions,
    Load,
    cost_of,
    price_of,
    reasons,
    workload,
)
from askew.papers import asked_for, metric_of
from askew.report.summary import at_top, levels_of
from askew.schema import Unit
from askew.statistics.tables import Interval

# More samples than this are not simulated: the width is carried over from a part of them.
MOST_SIMULATED = 4_000
LIKE = "typical"
_TOO_FEW = "too few items for an interval"


@dataclass(frozen=True)
class Expense:
    """What one model has to do in one role, and what it costs.

    Attributes:
        model: its name; empty for a role that no model was named for.
        role: "model" for the one under test, or a role of the task.
        load: calls, and tokens in and out.
        cost: dollars; None where no price is known.
        price_from: whose price it is.
        thinks: whether hidden reasoning is counted.
        minutes: how long the calls take at the given rate.
    """

    model: str
    role: str
    load: Load
    cost: float | None
    price_from: str
    thinks: bool
    minutes: float


@dataclass(frozen=True)
class Width:
    """The width of an interval to expect, and what a wanted one needs."""

    metric: str
    unit: Unit
    n_items: int
    value: float
    width: float
    wanted: float | None = None
    n_needed: int | None = None
    reason: str = ""


@dataclass(frozen=True)
class Plan:
    """What a run asks, costs and shows."""

    task: str
    data: str
    n_items: int
    n_samples: int
    epochs: int
    rate: float
    expenses: tuple[Expense, ...]
    widths: tuple[Width, ...]
    assumptions: Assumptions
    like: str
    level: float

    @property
    def cost(self) -> float | None:
        """Dollars in all; None where some price is not known."""
        costs = [e.cost for e in self.expenses]
        return None if any(c is None for c in costs) else math.fsum(c or 0.0 for c in costs)


def plan(
    task: str,
    models: Sequence[str],
    *,
    data: str = "bundled",
    parameters: Mapping[str, Any] | None = None,
    epochs: int = 1,
    roles: Mapping[str, str] | None = None,
    prices: Mapping[str, ModelCost] | None = None,
    rate: float = 60.0,
    wanted_width: float | None = None,
    like: str = LIKE,
    assumptions: Assumptions | None = None,
    interval: Interval | None = None,
) -> Plan:
    """What a run would ask and cost, and how wide its headline's interval would be.

    Nothing is sent anywhere; only a paper's files are fetched where they are not cached. Tokens
    are estimated from characters. The width is that of a simulated model with human-like
    mistakes on these very samples; another model's may differ, and none is wider for a rate than
    at one half.

    Args:
        task: its name.
        models: the models to test.
        data: "bundled", "paper", or the path of a file.
        parameters: other parameters of the task.
        epochs: how often every sample is asked.
        roles: models of the roles `grader` and `polisher`.
        prices: dollars a million tokens, by model; Inspect's own data where a model is missing.
        rate: requests a minute.
        wanted_width: the width that an interval should have, in the metric's own unit.
        like: the simulated model whose answers stand in.
        assumptions: what stands in for what can't be known.
        interval: how to make intervals.
    """
    if epochs < 1 or not rate > 0:
        raise ValueError(f"epochs={epochs}, rate={rate}: give at least 1 epoch and a rate above 0")
    if wanted_width is not None and not wanted_width > 0:
        raise ValueError(f"width={wanted_width}: give a width above 0")
    given = dict(parameters or {})
    bound = dict(roles or {})
    taken = assumptions or Assumptions()
    how = interval or Interval(resamples=2_000)
    made = simulation(task, data=data, **given)
    loads = workload(made.task, made.samples, given, taken, has_grader=GRADER in bound)
    # Every model under test brings its own calls of the judge and the polisher.
    asked = [(model, TESTED, epochs) for model in dict.fromkeys(models)]
    asked += [(bound.get(r, ""), r, epochs * len(models)) for r in loads if r != TESTED]
    expenses = [
        _expense(model, role, loads[role].times(often), prices or {}, rate, taken)
        for model, role, often in asked
    ]
    return Plan(
        made.task,
        data,
        _n_items(made.samples),
        len(made.samples),
        epochs,
        rate,
        tuple(expenses),
        tuple(_widths(made, like, wanted_width, how)),
        taken,
        like,
        how.level,
    )


def _n_items(samples: Sequence[Sample]) -> int:
    return len({((s.metadata or {})["subset"], (s.metadata or {})["item"]) for s in samples})


def _expense(
    model: str,
    role: str,
    load: Load,
    prices: Mapping[str, ModelCost],
    rate: float,
    assumptions: Assumptions,
) -> Expense:
    thinks = bool(model) and reasons(model)
    if thinks:
        load = load + Load(0, 0, load.calls * assumptions.hidden_reasoning)
    price, source = price_of(model, prices) if model else (None, "no model named")
    cost = cost_of(price, load.tokens_in, load.tokens_out) if price else None
    return Expense(model, role, load, cost, source, thinks, load.calls / rate)


def _widths(
    made: Simulation, like: str, wanted: float | None, interval: Interval
) -> Iterator[Width]:
    """The headline's interval, as a simulated model would have it on these samples."""
    part = _part(made)
    scale = math.sqrt(_n_items(part.samples) / max(1, _n_items(made.samples)))
    observations = part.observations(like)
    table = asked_for(made.task).table(observations, interval=interval)
    for row in _headlines(made.task, table).to_dict("records"):
        width = scale * (float(row["high"]) - float(row["low"]))
        n_items = round(int(row["n_items"]) / scale**2)
        needed = None
        if wanted is not None and not math.isnan(width):
            needed = math.ceil(n_items * (width / wanted) ** 2)
        unit = metric_of(made.task, str(row["metric"])).unit
        reason = (str(row["reason"]) or _TOO_FEW) if math.isnan(width) else ""
        name = str(row["headline"])
        yield Width(name, unit, n_items, float(row["value"]), width, wanted, needed, reason)


def _part(made: Simulation) -> Simulation:
    """The first whole items, subsets in turn, of at most `MOST_SIMULATED` samples."""
    if len(made.samples) <= MOST_SIMULATED:
        return made
    last = (made.samples[MOST_SIMULATED].metadata or {})["item"]
    first = made.samples[:MOST_SIMULATED]
    kept = [s for s in first if (s.metadata or {})["item"] != last]
    return Simulation(made.task, kept or first, made.scorer, made.answerer)


def _headlines(task: str, table: pd.DataFrame) -> pd.DataFrame:
    """The top rows of the paper's headline metrics; one a value of the level that some name."""
    top = table[at_top(table)]
    metrics, headlines = set(top["metric"]), set(asked_for(task).headlines)
    names = [
        m
        if m in headlines
        else next((n for v in at if (n := f"{m}_{v}") in headlines - metrics), "")
        for m, *at in top[["metric", *levels_of(top)]].itertuples(index=False, name=None)
    ]
    return top.assign(headline=names)[[bool(name) for name in names]]

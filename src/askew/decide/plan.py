"""Before money is spent: samples, calls, tokens, cost, time, and what would be shown."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.dataset import Sample
from inspect_ai.model import ModelCost

from askew.decide.power import (
    SEEDS,
    Advice,
    Width,
    Wish,
    advice_of_logs,
    n_items,
    simulated_advice,
    widths,
)
from askew.decide.simulation import simulation
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
from askew.papers import asked_for
from askew.progress import Progress, reading_progress
from askew.report.ceiling import CEILING, NO_CEILING, Ceilings
from askew.report.study import Study
from askew.sources.tiers import TIERS
from askew.stats.p_values import UnitDifference, difference_shown
from askew.stats.tables import Interval

LIKE = "typical"
# A rate at which a set has room: where strong models lie on questions that tell them apart.
MIDDLE = 0.7


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
class TierShown:
    """What a tier can show between two models asked the same questions.

    Attributes:
        tier: its name.
        n_items: how many questions.
        n_units: of how many texts.
        at_ceiling: the difference of accuracy that shows between models near 97 %, as a fraction.
        in_the_middle: the same of models near 70 %.
    """

    tier: str
    n_items: int
    n_units: int
    at_ceiling: float
    in_the_middle: float

    @property
    def has_room(self) -> bool:
        """Whether a better model than one at the ceiling could be told from it."""
        return self.at_ceiling <= 1 - CEILING


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
    seeds: int = SEEDS
    advice: tuple[Advice, ...] = ()
    at_least: bool = False
    """Whether somebody else's solver asks, which may make more calls than are counted here."""
    tiers: tuple[TierShown, ...] = ()
    """What each tier of questions can show."""
    ceilings: Ceilings = NO_CEILING
    """Where real models' answers lie at the ceiling."""

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
    effect: float | None = None,
    seeds: int = SEEDS,
    study: Study | None = None,
    like: str = LIKE,
    assumptions: Assumptions | None = None,
    interval: Interval | None = None,
    quiet: bool = True,
    progress: Progress | None = None,
) -> Plan:
    """What a run would ask and cost, and what its headlines would show.

    Nothing is sent anywhere; only a paper's files are fetched where they are not cached. Tokens
    are estimated from characters. Widths and power are those of a simulated model with human-like
    mistakes on these very samples, averaged over seeds; another model's may differ, and none is
    wider for a rate than at one half.

    Args:
        task: its name.
        models: the models to test.
        data: "bundled", "paper", or the path of a file.
        parameters: other parameters of the task.
        epochs: how often every sample is asked.
        roles: models of the roles `grader` and `polisher`.
        prices: dollars a million tokens, by model; Inspect's own data where a model is missing.
        rate: requests a minute.
        wanted_width: the width that an interval should have; as an effect, see there.
        effect: the difference between two models that should show: 0.05 is 5 points, and of a
            metric in another unit the smallest difference that matters.
        seeds: how many simulated runs are averaged.
        study: answers of real models, for what to buy next.
        like: the simulated model whose answers stand in.
        assumptions: what stands in for what can't be known.
        interval: how to make intervals.
        quiet: no progress on stderr.
        progress: called with steps done, steps in all, and what was done, instead.
    """
    if epochs < 1 or not rate > 0:
        raise ValueError(f"epochs={epochs}, rate={rate}: give at least 1 epoch and a rate above 0")
    for name, wanted in (("width", wanted_width), ("effect", effect)):
        if wanted is not None and not wanted > 0:
            raise ValueError(
                f"{name}={wanted}: give {'a width' if name == 'width' else 'an effect'} above 0"
            )
    if seeds < 2:
        raise ValueError(f"seeds={seeds}: give at least 2 seeds, to tell the error from")
    given = dict(parameters or {})
    bound = dict(roles or {})
    taken = assumptions or Assumptions()
    how = interval or Interval(resamples=500)
    paper = asked_for(task)
    # One that asks a task of somebody's has no data to choose.
    origin = {"data": data} if paper.has("items") or (data != "bundled" and paper.items) else {}
    made = simulation(task, **origin, **given)
    with reading_progress(seeds, quiet, progress, "simulating runs") as on_done:
        shown = (*widths(made, like, epochs, Wish(wanted_width, effect), seeds, how, on_done),)
    real = study.by_task.get(made.task) if study else None
    bought = [] if real is None else advice_of_logs(made, real, epochs)
    loads = workload(made.task, made.samples, given, taken, has_grader=GRADER in bound)
    # Every model under test brings its own calls of the judge and the polisher.
    tested = list(dict.fromkeys(models))
    asked = [(model, TESTED, epochs) for model in tested]
    asked += [(bound.get(r, ""), r, epochs * len(tested)) for r in loads if r != TESTED]
    expenses = [
        _expense(model, role, loads[role].times(often), prices or {}, rate, taken)
        for model, role, often in asked
    ]
    return Plan(
        made.task,
        data if origin else str((made.samples[0].metadata or {})["subset"]),
        n_items(made.samples),
        len(made.samples),
        epochs,
        rate,
        tuple(expenses),
        shown,
        taken,
        like,
        how.level,
        seeds,
        (simulated_advice(made, like, epochs), *bought),
        at_least=not origin,
        tiers=tiers_shown(made.samples, how.level),
        ceilings=study.ceilings(how).only(lambda of, _: of == made.task) if study else NO_CEILING,
    )


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


def tiers_shown(samples: Sequence[Sample], level: float) -> tuple[TierShown, ...]:
    """What every tier among these samples can show; nothing where they have none.

    Args:
        samples: what is to be asked.
        level: the confidence level of intervals.
    """
    told: Iterator[Mapping[str, Any]] = (sample.metadata or {} for sample in samples)
    asked: dict[str, dict[str, set[tuple[str, str]]]] = {}
    for meta in told:
        of = asked.setdefault(str(meta.get("tier") or ""), {"item": set(), "unit": set()})
        for kind, found in of.items():
            found.add((str(meta.get("subset")), str(meta.get(kind))))
    return tuple(
        TierShown(
            tier,
            len(asked[tier]["item"]),
            units := len(asked[tier]["unit"]),
            _shown(units, CEILING, level),
            _shown(units, MIDDLE, level),
        )
        for tier in TIERS
        if tier in asked
    )


def _shown(n_units: int, rate: float, level: float) -> float:
    """The difference that shows between two models of about this rate, whose mistakes differ."""
    unit = UnitDifference(math.sqrt(2 * rate * (1 - rate)), 1.0)
    return difference_shown(n_units, unit, 1 - level)

"""What ends a run early: a model role that is not bound, or a headline that is known well enough.

Both go by Inspect's early stopping. By `stop_when`, clusters (items that share a text) run in a
random order, whole or not at all; those asked first decide whether to go on, whichever replies come
in sooner. An ordinary interval would err far more often, looked at after every item. A confidence
sequence holds at all looks together: here the normal mixture of Robbins (1970), with its variance
estimated (Waudby-Smith et al., Annals of Statistics 52, 2024) by a jackknife over clusters.
"""

import math
import random
from collections.abc import Callable, Hashable, Mapping, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple

import click
import numpy as np
import pandas as pd
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.model import GenerateConfig, model_roles
from inspect_ai.scorer import MetricProtocol, SampleScore
from inspect_ai.util import AdaptiveConcurrency, EarlyStop
from pydantic import JsonValue

from askew.parameters import SelectionError, check_fraction
from askew.schema import ENOUGH_ITEMS, STOPPED_BY, Paper
from askew.scoring.outcome import BOUNDS
from askew.stats.intervals import UNKNOWN, Bounds, Floats
from askew.stats.quantities import Quantity, is_decided_by_few
from askew.stats.tables import Groups, Interval, Totals, select_values, table_of

# A look costs about what an interval does: each has so many more clusters than the one before.
_NEXT = 1.05
# A sample that has not ended when so many later ones have is not waited for: it may have failed,
# of which Inspect says nothing here. So many, or so many times those under way at once.
_PATIENCE, _TIMES = 100, 4
# Where the sequence is at its tightest, in clusters.
_TIGHTEST = 100
# A number's variance is that of its clusters and of so many more, as far off as can be: few
# clusters can look alike by chance, which an estimate alone would believe.
_ADDED_UNITS = 4
# Variances are of shares in squared points of 100: no root is larger.
_LARGEST_ROOT = 50.0


def check_roles(needed: Mapping[str, str]) -> None:
    """Raise where a role is not bound in the run that is under way."""
    for role, why in needed.items():
        if role not in model_roles():
            raise SelectionError(
                f"{why} needs the model role {role!r}, which is not bound: add "
                f"--model-role {role}=<model> (askew never uses the model under test for it)"
            )


def _raise(error: Exception) -> None:
    raise error


class BoundRoles:
    """Inspect's `EarlyStopping` of a task that needs model roles: it never stops what has begun."""

    def __init__(self, needed: Mapping[str, str]) -> None:
        """Need roles: each with what needs it, for the message."""
        self.needed = needed
        # Further conditions of a run, by its specification and epochs: they raise where unmet.
        self.checks: list[Callable[[EvalSpec, int], None]] = []

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        try:
            check_roles(self.needed)
            for check in self.checks:
                check(task, epochs)
        except SelectionError as error:
            # Inspect makes an errored log of it, and its command line would end with 0.
            if command := click.get_current_context(silent=True):
                command.call_on_close(partial(_raise, error))
            raise
        return "askew roles"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        return None

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None: ...

    async def complete_task(self) -> dict[str, JsonValue]:
        return {}


class SampleCluster(NamedTuple):
    """What a sample is of: its item, and the cluster that is asked whole or not at all."""

    item: Hashable
    cluster: Hashable


def stopping(
    samples: Sequence[Sample], needed: Mapping[str, str], width: float | None, paper: Paper,
    metric: MetricProtocol, of: Mapping[str, SampleCluster], seed: str,
) -> tuple[list[Sample], BoundRoles | None]:  # fmt: skip
    """The samples in the order in which to ask them, and what may end their run, if anything.

    It needs roles, and `SequentialStopping` is told the rest; a task without a `width` runs whole.
    """
    command = click.get_current_context(silent=True)
    # `inspect eval` runs this task itself: the roles of its command are those of the run.
    if command and f"askew/{paper.task}" in [*(command.params.get("tasks") or ())]:
        check_roles(needed)
    if width is None:
        return [*samples], BoundRoles(needed) if needed else None
    order = list(dict.fromkeys(of[str(sample.id)].cluster for sample in samples))
    random.Random(f"stop_when/{seed}").shuffle(order)
    place = {cluster: i for i, cluster in enumerate(order)}
    # Those of a cluster stay together, as they were.
    ordered = sorted(samples, key=lambda sample: place[of[str(sample.id)].cluster])
    in_order = {str(sample.id): of[str(sample.id)] for sample in ordered}
    return ordered, SequentialStopping(paper, metric, in_order, width, needed)


@dataclass
class _Run:
    """One run of a task: what was asked of which clusters, and whether that is enough."""

    clusters: Sequence[Sequence[str]]  # the samples of each, in the order in which they are asked
    epochs: int
    patience: int
    # Samples that were begun, with how many had ended when they last were.
    begun: dict[str, int] = field(default_factory=dict)
    ended: dict[tuple[str, int], SampleScore | None] = field(default_factory=dict)
    reached: int = 0  # up to which cluster every one has ended, or is not waited for
    next_look: int = ENOUGH_ITEMS
    found: dict[str, float] = field(default_factory=dict)
    enough: bool = False

    def __post_init__(self) -> None:
        self.place = {name: i for i, cluster in enumerate(self.clusters) for name in cluster}

    def is_begun(self, cluster: Sequence[str]) -> bool:
        return not self.begun.keys().isdisjoint(cluster)

    def is_over(self, cluster: Sequence[str]) -> bool:
        """Whether a cluster has ended in the first epoch, or is not waited for."""
        latest = len(self.ended) - self.patience
        return all((name, 1) in self.ended for name in cluster) or all(
            self.begun.get(name, math.inf) <= latest for name in cluster
        )


_RUN: ContextVar[_Run] = ContextVar("run")


class SequentialStopping(BoundRoles):
    """Asks no further cluster once the headline's interval is narrow."""

    def __init__(
        self, paper: Paper, metric: MetricProtocol, of: Mapping[str, SampleCluster], width: float,
        needed: Mapping[str, str] | None = None,
    ) -> None:  # fmt: skip
        """Stop a paper's task at a width of its headline, as a share of its largest value.

        Clusters are decided by in the order of `of`: what every sample is of, by its id. The
        metric is what Inspect shows of the paper, the headline with its interval first.
        """
        super().__init__(needed or {})
        self._paper, self._metric, self._of = paper, metric, of
        self.width = check_fraction("stop_when", width)
        self._headline, self._scorer = paper.headlines[0], f"{paper.task}_scorer"

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        await super().start_task(task, samples, epochs)
        clusters: dict[Hashable, list[str]] = {}
        # Not in the order of a shuffled run: there large clusters would come first.
        there = {str(sample.id) for sample in samples}
        for name in (name for name in self._of if name in there):
            clusters.setdefault(self._of[name].cluster, []).append(name)
        at_once = task.config.max_samples or _connections(task.model_generate_config)
        # A task may run for several models at once, each in a context of its own.
        _RUN.set(_Run([*clusters.values()], epochs, max(_PATIENCE, _TIMES * at_once)))
        return STOPPED_BY

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        run, name = _RUN.get(), str(id)
        if run.enough and not run.is_begun(run.clusters[run.place[name]]):
            return EarlyStop(id=id, epoch=epoch, reason=f"{self._headline} is known well enough")
        run.begun[name] = len(run.ended)
        return None

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        run, name = _RUN.get(), str(id)
        if name not in run.place:
            return
        run.begun.setdefault(name, len(run.ended))  # an earlier attempt may have asked it
        own = [s for scorer, s in scores.items() if scorer.rpartition("/")[2] == self._scorer]
        run.ended[name, epoch] = own[0] if own else None
        while run.reached < len(run.clusters) and run.is_over(run.clusters[run.reached]):
            run.reached += 1
        if not run.enough and run.next_look <= run.reached < len(run.clusters):
            run.next_look = math.ceil(run.reached * _NEXT)
            run.found = self._look(run, run.reached)
            run.enough = self._width(run.found) < self.width

    async def complete_task(self) -> dict[str, JsonValue]:
        run = _RUN.get()
        # What came after the last look counts too, and both intervals hold.
        status = self._look(run, len(run.clusters)) if run.ended else {}
        if run.found:
            low, high = max(run.found["low"], status["low"]), min(run.found["high"], status["high"])
            if low <= status["value"] <= high:
                status |= {"low": low, "high": high}
        begun = [name for cluster in run.clusters if run.is_begun(cluster) for name in cluster]
        return {
            "stopped": run.enough and len(begun) < len(run.place),
            "reached": run.enough or (bool(status) and self._width(status) < self.width),
            "headline": self._headline,
            "stop_when": self.width,
            "items": len({self._of[sample].item for sample in begun}),
            "of_items": len({self._of[sample].item for sample in run.place}),
            "samples": len(begun) * run.epochs,
            "of_samples": len(run.place) * run.epochs,
            **{name: v if math.isfinite(v) else None for name, v in status.items()},
        }

    def _look(self, run: _Run, until: int) -> dict[str, float]:
        """The headline of the first clusters, with bounds that hold at every look."""
        scores = [score for (of, _), score in run.ended.items() if score and run.place[of] < until]
        token = BOUNDS.set(Anytime())
        try:
            values: Mapping[str, Any] = self._metric(scores)  # type: ignore[assignment]
        finally:
            BOUNDS.reset(token)
        ends = {"value": "", "low": "_low", "high": "_high"}
        return {end: float(values.get(self._headline + of, math.nan)) for end, of in ends.items()}

    def _width(self, found: Mapping[str, float]) -> float:
        """How wide the interval is, as a share of the largest value; of a variance, in its root.

        What has no largest value is written on a scale of 100.
        """
        declared = self._paper.headline_declaration(self._headline)
        most, is_variance = declared.bounds[1], declared.interval == "variance"
        if math.isinf(most):
            most = 100.0 ** (1 + is_variance) / declared.unit.factor
        ends = [found["low"], found["high"], most]
        low, high, most = map(math.sqrt, ends) if is_variance else ends
        return (high - low) / most


def _connections(config: GenerateConfig) -> int:
    """How many samples Inspect has under way at most where nothing else says so; 0: few."""
    adaptive = config.adaptive_connections
    if config.max_connections or adaptive is False:
        return config.max_connections or 0
    usual = AdaptiveConcurrency() if adaptive in (None, True) else adaptive
    return usual.max if isinstance(usual, AdaptiveConcurrency) else int(usual or 0)


@dataclass(frozen=True)
class Anytime(Interval):
    """Given to a table function in place of an interval: bounds that hold at every look."""

    def frame(self, by: Sequence[str], levels: Sequence[str], groups: Groups) -> pd.DataFrame:
        """The rows of the numbers that are asked for alone."""
        rows = []
        for group, analysis in groups:
            for key, levels_of in self.only_of(group).items():
                alone, table = select_values(analysis, {key}), analysis.table
                if (point := alone.observed.get(key)) is None:
                    continue
                without = Totals(table.features.sum(axis=0) - table.features, table.columns)
                rest, n = alone.statistic(without)[key], point.counts.n_clusters
                for level in levels_of:
                    low, high = bounds_at_any_time(point, rest, n, level)
                    rows.append(((key[0], *group, *key[1:]), {"low": low, "high": high}))
        return table_of(by, levels, rows)


def bounds_at_any_time(point: Quantity, rest: Quantity, n_clusters: int, level: float) -> Bounds:
    """The bounds of a number worth `n_clusters`, from what it is without each cluster (`rest`).

    What is the largest of several numbers, or made of rates of which one has few hits, has the
    bounds that these have together (Bonferroni): a formula of rates rises with each.
    """
    least, most = point.bounds
    value, others = float(point.values[0]), rest.values
    if n_clusters < ENOUGH_ITEMS or math.isnan(value) or np.isnan(others).any():
        return UNKNOWN
    # By how much few clusters raise the number on average.
    bias = (len(others) - 1) * (float(others.mean()) - value)
    if point.interval == "variance":
        # Its root moves as far as a cluster does, also where there is no variance but noise's.
        root = math.sqrt(value)
        reach = _reach(root, np.sqrt(others), n_clusters, (0.0, _LARGEST_ROOT), level)
        low = math.sqrt(max(0.0, value - max(0.0, bias))) - reach
        return max(0.0, low) ** 2, min(_LARGEST_ROOT, root + reach) ** 2
    by_parts = point.interval == "largest" or (point.made and is_decided_by_few(point))
    if point.parts and by_parts:
        together = 1 - (1 - level) / len(point.parts)
        values = np.array([part.values[0] for part in point.parts])
        each = zip(values, point.parts, rest.parts, strict=True)
        reaches = np.array([
            _reach(float(of), without.values, part.n_clusters, point.bounds, together)
            for of, part, without in each
        ])  # fmt: skip
        ends = np.clip(np.stack([values - reaches, values + reaches], axis=1), least, most)
        made = point.made(ends) if point.made else ends.max(axis=0)
        return float(made[0]), float(made[1])
    if point.made:
        # It moves as much as the rate of the fewest clusters does.
        n_clusters = min(part.n_clusters for part in point.parts)
    reach = _reach(value, others, n_clusters, point.bounds, level) + abs(bias)
    return max(least, value - reach), min(most, value + reach)


def _reach(value: float, rest: Floats, n_clusters: int, bounds: Bounds, level: float) -> float:
    """How far a number may lie from the truth, at all looks together."""
    n, n_clusters = len(rest), max(1, n_clusters)
    variance = (n - 1) / n * float(((rest - rest.mean()) ** 2).sum())
    farthest = max(value - bounds[0], bounds[1] - value)
    added = _ADDED_UNITS * (farthest / n_clusters) ** 2
    return math.sqrt(variance + added) * mixture(n_clusters, level)


def mixture(n: float, level: float) -> float:
    """How many standard errors of a mean of so many clusters hold at all looks together."""
    error = 1 - level
    tightest = -2 * math.log(error) + math.log(1 - 2 * math.log(error))
    grown = 1 + n * tightest / _TIGHTEST
    return math.sqrt(2 * grown / (grown - 1) * math.log(math.sqrt(grown) / error))

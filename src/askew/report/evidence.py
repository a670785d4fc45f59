"""What a chapter is built from: one task's observations, its metric rows, and the models."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from askew.report.accounting import logged_models
from askew.report.document import Estimate, Model
from askew.schema import RESPONDENT_API
from askew.statistics.tables import DEFAULT_INTERVAL, Interval
from askew.untrusted import one_line

_NOT_LEVELS = ("task", "metric", "model", "value", "low", "high", "n_items", "n_dropped", "reason")


def models_of(observations: pd.DataFrame) -> tuple[Model, ...]:
    """The models in the order in which they were read, also those with nothing scored.

    Simulated ones are known by their provider.
    """
    names = logged_models(observations)
    if len(observations):
        named = "model_name" if "model_name" in observations else "model"
        pairs = observations[["model", named]].set_axis(["model", "name"], axis="columns")
        for label, name in pairs.drop_duplicates().itertuples(index=False):
            names.setdefault(str(label), str(name))
    shorts = Counter(_without_provider(label) for label in names)
    return tuple(
        Model(
            label,
            one_line(short if shorts[short := _without_provider(label)] == 1 else label),
            name.startswith(f"{RESPONDENT_API}/"),
        )
        for label, name in names.items()
    )


def _without_provider(label: str) -> str:
    """The label after its first part; slashes inside the settings it names don't count."""
    provider, slash, rest = label.partition("/")
    return rest if slash and rest and "(" not in provider else label


@dataclass(frozen=True)
class Evidence:
    """One task's part of the tables."""

    task: str
    observations: pd.DataFrame
    rows: pd.DataFrame
    models: Sequence[Model]
    data: Sequence[str] = ()
    """Where the questions came from: "bundled", "paper", or the user's files."""
    interval: Interval = DEFAULT_INTERVAL
    """How the intervals of the rows were made, for numbers that a chapter adds."""
    losses: pd.DataFrame | None = None
    """What was left out of the task, as `left_out` tells it; None where nobody asked."""

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """The columns of the metric rows that tell numbers of one metric and model apart."""
        columns = [c for c in self.rows.columns if c not in _NOT_LEVELS]
        return tuple(c for c in columns if self.rows[c].notna().any())

    @cached_property
    def _index(self) -> dict[tuple[Hashable, ...], Estimate]:
        keys = ["metric", "model", *self.levels]
        numbers = ["value", "low", "high", "n_items", "n_dropped", "reason"]
        table: dict[tuple[Hashable, ...], Estimate] = {}
        for row in self.rows[keys + numbers].itertuples(index=False, name=None):
            key = (row[0], row[1], *(str(v) for v in row[2 : len(keys)]))
            value, low, high, n_items, n_dropped, reason = row[len(keys) :]
            table[key] = Estimate(
                float(value), float(low), float(high), int(n_items), int(n_dropped), str(reason)
            )
        return table

    def estimate(
        self, metric: str, model: Model, *levels: str, absent: str = "not asked"
    ) -> Estimate:
        """A number by its metric, model and level values in the order of `levels`.

        Args:
            metric: the metric's name.
            model: whose number.
            levels: one value a level.
            absent: the reason to give where the table has no such number.
        """
        if model.label not in self._observed:
            absent = "no sample was scored"
        found = self._index.get((metric, model.label, *levels))
        return found or Estimate(math.nan, reason=absent)

    @cached_property
    def _observed(self) -> frozenset[str]:
        return frozenset(self.observations["model"])

    def of(self, model: Model) -> pd.DataFrame:
        """The observations of one model."""
        return self.observations[self.observations["model"] == model.label]

    @property
    def simulated(self) -> tuple[str, ...]:
        return tuple(m.short for m in self.models if m.simulated)

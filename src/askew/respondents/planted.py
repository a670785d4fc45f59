"""What a metric should show of a simulated model: a formula of its tendencies."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Expectation:
    """The value of a metric that a respondent's tendencies imply.

    Attributes:
        metric: its name in the paper's metric table.
        value: what any number of items and repetitions would converge to.
        levels: where in the table, for levels that are not "all".
    """

    metric: str
    value: float
    levels: Mapping[str, str] = field(default_factory=dict)


def mean(values: Iterable[float]) -> float:
    """The mean; nan of nothing."""
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else math.nan


def population_variance(values: Sequence[float]) -> float:
    """The mean squared distance from the mean."""
    centre = mean(values)
    return mean((v - centre) ** 2 for v in values)

"""Metrics as Inspect shows them: the functions of `askew.metrics` over a task's live scores.

Point values only, one flat dictionary of numbers, defined on any set of samples: Inspect calls
them from the first sample on, and only ever with samples that were scored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from inspect_ai.scorer import MetricProtocol, SampleScore

from askew.schema import observation_row
from askew.statistics.tables import OVERALL

MetricTable = Callable[[pd.DataFrame], pd.DataFrame]


def observations_of(scores: Sequence[SampleScore]) -> pd.DataFrame:
    """The observation table of a task's scored samples."""
    rows = [
        observation_row(s.sample_metadata or {}, s.score.value, s.score.answer, s.score.metadata)
        for s in scores
        if isinstance(s.score.value, Mapping)
    ]
    return pd.DataFrame(rows)


def flat(table: pd.DataFrame) -> dict[str, float]:
    """Metric rows as one dictionary: overall values first, then one a subset."""
    values: dict[str, float] = {}
    parts: dict[str, float] = {}
    rows = zip(table["metric"], table["subset"], table["value"], strict=True)
    for name, subset, value in rows:
        if subset == OVERALL:
            values[str(name)] = float(value)
        else:
            parts[f"{subset}_{name}"] = float(value)
    return values | parts


def live(make_table: MetricTable, headlines: Sequence[str]) -> MetricProtocol:
    """A metric function over live scores; headlines are there, as nan, before any sample is."""

    def compute(scores: list[SampleScore]) -> dict[str, Any]:
        observations = observations_of(scores)
        empty = dict.fromkeys(headlines, math.nan)
        return {**empty, **flat(make_table(observations))} if len(observations) else empty

    return compute

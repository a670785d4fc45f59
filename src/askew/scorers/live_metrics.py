"""Metrics as Inspect shows them: the functions of `askew.metrics` over a task's live scores.

Point values only, one flat dictionary of numbers, defined on any set of samples: Inspect calls
them from the first sample on, and only ever with samples that were scored.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pandas as pd
from inspect_ai.scorer import Metric, MetricProtocol, SampleScore, metric

from askew import metrics
from askew.metrics.formats import headlines
from askew.schema import observation_row

Table = Callable[[pd.DataFrame], pd.DataFrame]


def observations_of(scores: Sequence[SampleScore]) -> pd.DataFrame:
    """The observation table of a task's scored samples."""
    rows = [
        observation_row(s.sample_metadata or {}, s.score.value, s.score.answer, s.score.metadata)
        for s in scores
        if isinstance(s.score.value, Mapping)
    ]
    return pd.DataFrame(rows)


def flat(table: pd.DataFrame, overall: str = "all") -> dict[str, float]:
    """Metric rows as one dictionary: overall values first, then one a subset."""
    values: dict[str, float] = {}
    parts: dict[str, float] = {}
    rows = zip(table["metric"], table["subset"], table["value"], strict=True)
    for name, subset, value in rows:
        if subset == overall:
            values[str(name)] = float(value)
        else:
            parts[f"{subset}_{name}"] = float(value)
    return values | parts


def live(make_table: Table, headlines: Sequence[str]) -> MetricProtocol:
    """A metric function over live scores; headlines are there, as nan, before any sample is."""

    def compute(scores: list[SampleScore]) -> dict[str, Any]:
        observations = observations_of(scores)
        empty = dict.fromkeys(headlines, math.nan)
        return {**empty, **flat(make_table(observations))} if len(observations) else empty

    return compute


@metric(name="knowno_metrics", scores="unreduced")
def knowno_metrics() -> Metric:
    """OmniAccuracy and its parts, overall and by subset."""
    return live(lambda rows: metrics.knowno(rows, by=(), interval=None), ("omni_accuracy",))


@metric(name="binary_qa_metrics", scores="unreduced")
def binary_qa_metrics() -> Metric:
    """MBS and its parts, overall and by domain."""
    return live(lambda rows: metrics.binary_qa(rows, by=(), interval=None), ("mbs",))


@metric(name="format_bias_metrics", scores="unreduced")
def format_bias_metrics() -> Metric:
    """BiasF by category of formats; FI, SysE and EstTrue by format."""
    return live(headlines, ())


@metric(name="mathcomp_metrics", scores="unreduced")
def mathcomp_metrics() -> Metric:
    """framing_pull with its three terms; DirErr, accuracy and unread replies over all framings."""
    terms = ("framing_pull_more", "framing_pull_less", "framing_pull_equal")
    return live(mathcomp_headlines, ("framing_pull", *terms))


def mathcomp_headlines(observations: pd.DataFrame) -> pd.DataFrame:
    """MathComp's pooled numbers; the heat-maps are analysis' work."""
    table = metrics.mathcomp(observations, by=(), interval=None, cuts=((),))
    return table[(table["identity"] == "all")]


_BOUNDARY_RATES = ("acc", "sr", "gr", "gr_none", "gr_multi", "rs", "follow_rate")


def boundary_headlines(observations: pd.DataFrame) -> pd.DataFrame:
    """Instruction Boundary's main numbers over all subsets, named by family and condition."""
    table = metrics.instruction_boundary(observations, by=(), interval=None, pooled_only=True)
    across = table["setting"] == "all"
    # Choice questions of miscellany are all of one form: their accuracy says everything.
    single = (table["family"] == "choice") & (table["setting"] == "miscellany")
    rates = table["metric"].isin(_BOUNDARY_RATES) & (~single | (table["metric"] == "acc"))
    shown = table[(table["subset"] == "all") & (across | rates)]
    levels = zip(shown["family"], shown["setting"], shown["variant"], shown["metric"], strict=True)
    names = ["_".join(part for part in row if part not in ("", "all")) for row in levels]
    return shown.assign(metric=[name.replace("+", "_") for name in names])


@metric(name="instruction_boundary_metrics", scores="unreduced")
def instruction_boundary_metrics() -> Metric:
    """RS under vanilla and boundary_cost; SR, GR and RS by family and condition."""
    return live(boundary_headlines, ("rs_vanilla", "boundary_cost"))

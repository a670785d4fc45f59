"""Format bias: how well formats are followed, and how far performance varies over them.

FI is the share of replies that follow their format, SysE the mean score of all replies, EstTrue
their ratio (Eq. 5), BiasF the variance of EstTrue over formats (Eq. 8). Rates are fractions;
BiasF and the variance of FI are in squared percentage points, as the paper prints them.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import pandas as pd

from askew.papers.format_bias.formulas import (
    CONFIDENCE,
    MARGIN,
    bias_f,
    est_true,
    est_true_reliable,
    fi_needed,
)
from askew.papers.format_bias.numbers_blocks import prepared
from askew.papers.format_bias.numbers_quantities import BIAS_METRICS, Options, analysis_of
from askew.statistics.tables import DEFAULT_INTERVAL, Interval, metric_table

__all__ = ["bias_f", "est_true", "est_true_reliable", "fi_needed", "format_bias", "headlines"]

_LEVELS = ("subset", "category", "format", "prompting", "demos", "repeat")


def format_bias(
    observations: pd.DataFrame,
    by: Sequence[str] = ("model",),
    interval: Interval | None = DEFAULT_INTERVAL,
    *,
    zero_filled: bool = False,
    margin: float = MARGIN,
    level: float = CONFIDENCE,
    pooled_only: bool = False,
) -> pd.DataFrame:
    """Format bias per cell, per format and per category of formats, for every arm.

    A cell is one paper task, format and prompting. `subset`, `format` and `prompting` are "all"
    where a row averages over them, without weights, as the paper does. Arms (`demos`, `repeat`)
    are never mixed. BiasF rests on the items that were scored in every format; the other
    metrics on all observations of their cells.

    Args:
        observations: rows with `category`, `format`, `prompting`, `demos`, `repeat`,
            `format_ok` and `score` beside the common columns.
        by: columns to tell apart, a row a metric for each.
        interval: how to make intervals; `None` for point values only.
        zero_filled: count EstTrue as 0, as the paper does, where no reply follows a format.
        margin: the margin of error of Theorem 3.1.
        level: its confidence level.
        pooled_only: only the rows over all subsets and promptings, without Theorem 3.1's marks.
    """
    analyse = partial(analysis_of, options=Options(zero_filled, margin, level, pooled_only))
    table = metric_table(prepared(observations), by, _LEVELS, analyse, interval)
    is_bias = table["metric"].isin(BIAS_METRICS) & table["low"].notna()
    # The corrected interval need not hold the uncorrected value: show no value outside its own.
    table.loc[is_bias, "low"] = table.loc[is_bias, ["low", "value"]].min(axis=1)
    table.loc[is_bias, "high"] = table.loc[is_bias, ["high", "value"]].max(axis=1)
    return table


def headlines(observations: pd.DataFrame) -> pd.DataFrame:
    """One number a metric and category or format, for display while a task runs.

    Columns `metric`, `subset` (always "all") and `value`. Names are `bias_f_<category>`,
    `fi_<format>` and the like; those of arms other than the plainest carry the arm.
    """
    table = format_bias(observations, by=(), interval=None, pooled_only=True)
    shown = table[table["metric"].isin(_SHOWN)]
    shown = shown.sort_values("metric", key=lambda m: m.map(_SHOWN.index), kind="stable")
    of = shown["format"].where(shown["format"] != "all", shown["category"])
    arm = "_demos" + shown["demos"].astype(str) + "_repeat" + shown["repeat"].astype(str)
    plainest = (shown["demos"] == shown["demos"].min()) & (shown["repeat"] == shown["repeat"].min())
    name = shown["metric"] + "_" + of + arm.mask(plainest, "")
    return pd.DataFrame({"metric": name, "subset": "all", "value": shown["value"]})


_SHOWN = ("bias_f", "est_true", "fi", "sys_e")

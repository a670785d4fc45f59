"""Of a table of metric rows, those at the top: over all subsets, formats and the like."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pandas as pd

OVERALL = "all"
# Columns of a metric or difference table that are no levels.
NOT_LEVELS = (
    "task", "metric", "model", "value", "low", "high", "n_items", "n_dropped", "reason",
    "baseline_value", "model_value", "p_value", "n_units",
)  # fmt: skip


def levels_of(table: pd.DataFrame) -> list[str]:
    """The columns that tell numbers of one metric and model apart."""
    return [str(c) for c in table.columns if c not in NOT_LEVELS]


def at_top(table: pd.DataFrame, opened: Sequence[str] = ()) -> npt.NDArray[np.bool_]:
    """Which rows say "all" at every level at which their metric has such a row at all.

    Args:
        table: metric rows of one task.
        opened: levels at which every value is wanted.
    """
    kept = np.ones(len(table), dtype=bool)
    for level in levels_of(table):
        if level in opened:
            continue
        overall = (table[level] == OVERALL).to_numpy(bool)
        has_overall = pd.Series(overall).groupby(table["metric"].to_numpy(), sort=False)
        kept &= overall | ~has_overall.transform("any").to_numpy(bool)
    return kept

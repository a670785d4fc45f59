"""What a random guesser gets on the same items: the row that other rows are to beat."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers.binary_qa.numbers import tally
from askew.papers.binary_qa.quantities import FORMS, Asked, quantities
from askew.papers.binary_qa.score import checked_weights
from askew.statistics.intervals import LEVEL, Floats, percentile_interval
from askew.statistics.tables import Counts, Key, MetricRows, Totals

_SAYS_NO, _SAYS_YES = 2, 1
# Guessers are drawn in blocks so that memory stays flat however many items there are.
_BLOCK_ANSWERS = 4_000_000


def random_guesser(
    observations: pd.DataFrame,
    draws: int = 1_000,
    seed: int = 0,
    weights: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Binary QA's metrics of a guesser that says Yes and No with equal chance, in every form.

    `value` is the mean over many such guessers, `low` and `high` hold 95% of them.

    Args:
        observations: rows that say which items there are; who answered does not matter.
        draws: how many guessers.
        seed: equal seeds give equal rows.
        weights: weights of MBS; the paper's by default.
    """
    if draws < 1:
        raise ValueError(f"draws={draws}: draw at least one guesser")
    items = observations.drop_duplicates(["subset", "item"])
    truths = {str(s): part["truth"].to_numpy(str) for s, part in items.groupby("subset")}
    order = [s for s in dict.fromkeys(items["subset"]) if s in truths]
    totals = _guessed(truths, order, draws, seed)
    asked = Asked(order, frozenset(FORMS), _counts(truths), checked_weights(weights))
    rows = MetricRows((), ("subset",))
    for key, quantity in quantities(totals, asked).items():
        metric, subset = key
        low, high = percentile_interval(quantity.values, LEVEL)
        # A guesser that happens to give one answer only has no precision; the others stand.
        defined = quantity.values[~np.isnan(quantity.values)]
        value = float(defined.mean()) if defined.size else math.nan
        n_items = sum(len(t) for s, t in truths.items() if subset in (s, "all"))
        rows.rows.append(
            {
                "metric": metric,
                "subset": subset,
                "value": value,
                "low": low,
                "high": high,
                "n_items": n_items,
                "n_dropped": 0,
                "reason": "" if defined.size else quantity.reason,
            }
        )
    return rows.frame()


def _guessed(
    truths: Mapping[str, npt.NDArray[np.str_]], order: list[str], draws: int, seed: int
) -> Totals:
    """The sums that each guesser gets: one row a guesser, a block of columns a domain."""
    rng = np.random.default_rng(seed)
    columns: dict[Key, int] = {}
    blocks = []
    for subset in order:
        names, sums = _sums(truths[subset], draws, rng)
        columns |= {(subset, name): len(columns) + i for i, name in enumerate(names)}
        blocks.append(sums)
    return Totals(np.concatenate(blocks, axis=1), columns)


def _sums(
    truth: npt.NDArray[np.str_], draws: int, rng: np.random.Generator
) -> tuple[list[str], Floats]:
    parts = []
    names: list[str] = []
    step = max(1, _BLOCK_ANSWERS // (len(truth) * len(FORMS)))
    for start in range(0, draws, step):
        n = min(step, draws - start)
        shape = (n * len(truth), len(FORMS))
        answers = rng.integers(_SAYS_YES, _SAYS_NO + 1, size=shape, dtype=np.int8)
        names, features = tally(np.tile(truth, n), answers)
        parts.append(features.reshape(n, len(truth), -1).sum(axis=1))
    return names, np.concatenate(parts)


def _counts(truths: Mapping[str, npt.NDArray[np.str_]]) -> dict[Key, Counts]:
    return {("mbs", s): Counts(len(t)) for s, t in truths.items()}

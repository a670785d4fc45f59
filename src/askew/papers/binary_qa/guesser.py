"""What a random guesser gets on the same items: the row that other rows are to beat."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pandas as pd

from askew.papers.binary_qa.numbers import CODES, Answers, Basis, counts_of, quantities
from askew.papers.binary_qa.paper import FORMS, MEASURED
from askew.papers.binary_qa.score import checked_weights
from askew.statistics.intervals import LEVEL, Floats, percentile_interval
from askew.statistics.tables import OVERALL, Key, MetricRows, Totals

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
    basis = Basis(order, frozenset(FORMS), {}, checked_weights(weights))
    rows = MetricRows((), ("subset",))
    for (metric, subset), quantity in quantities(totals, basis).items():
        low, high = percentile_interval(quantity.values, LEVEL)
        # A guesser that happens to give one answer only has no precision; the others stand.
        defined = quantity.values[~np.isnan(quantity.values)]
        value = float(defined.mean()) if defined.size else math.nan
        n_items = sum(len(t) for s, t in truths.items() if subset in (s, OVERALL))
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
    names: list[Key] = [(subset, c.name) for subset in order for c in counts_of(MEASURED)]
    sums = np.concatenate([_sums(truths[subset], draws, rng) for subset in order], axis=1)
    return Totals(sums, {name: i for i, name in enumerate(names)})


def _sums(truth: npt.NDArray[np.str_], draws: int, rng: np.random.Generator) -> Floats:
    parts = []
    step = max(1, _BLOCK_ANSWERS // (len(truth) * len(FORMS)))
    for start in range(0, draws, step):
        n = min(step, draws - start)
        codes = rng.integers(
            min(CODES.values()),
            max(CODES.values()) + 1,
            size=(n * len(truth), len(FORMS)),
            dtype=np.int8,
        )
        answers = Answers(np.tile(truth, n), codes)
        each = [c.of(answers).reshape(n, -1).sum(axis=1) for c in counts_of(MEASURED)]
        parts.append(np.stack(each, axis=1))
    return np.concatenate(parts)

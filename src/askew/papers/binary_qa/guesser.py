"""What a guesser would show, beside which Binary QA's numbers are read."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pandas as pd

from askew.papers.binary_qa.numbers import SUMS, analysed, checked_weights, counted
from askew.papers.binary_qa.paper import FORMS, LABELS
from askew.stats import tables
from askew.stats.intervals import LEVEL, Floats, percentile_interval

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
    items = observations.drop_duplicates(["subset", "item"])[["subset", "item", "unit", "truth"]]
    asked = items.merge(pd.DataFrame({"form": [*FORMS]}), how="cross")
    made = analysed(asked.assign(answer=asked["truth"]), checked_weights(weights))
    guessed = made.statistic(_guesses(items, draws, seed))
    rows = []
    for (metric, subset), right in made.observed.items():
        values = guessed[metric, subset].values
        # A guesser that happens to give one answer only has no precision; the others stand.
        defined = values[~np.isnan(values)]
        said = {"value": float(defined.mean()) if defined.size else math.nan}
        said |= dict(zip(("low", "high"), percentile_interval(values, LEVEL), strict=True))
        said |= {"n_items": right.counts.n_items, "n_dropped": 0}
        why = "" if defined.size else right.reason
        rows.append({"metric": metric, "subset": subset, **said, "reason": why})
    return pd.DataFrame(rows)


def _guesses(items: pd.DataFrame, draws: int, seed: int) -> tables.Totals:
    """The sums that each guesser gets: one row a guesser, a block of columns a domain."""
    rng = np.random.default_rng(seed)
    sums: dict[tables.Key, Floats] = {}
    for subset, truth in items.groupby("subset", sort=False)["truth"]:
        step = max(1, _BLOCK_ANSWERS // (len(truth) * len(FORMS)))
        blocks = []
        for n in (min(step, draws - start) for start in range(0, draws, step)):
            shape = (n * len(truth), len(FORMS))
            said = rng.integers(1, len(LABELS) + 1, size=shape, dtype=np.int8)
            guesses = counted(np.tile(truth.to_numpy(str), n), said)
            blocks.append([guesses[k].reshape(n, -1).sum(axis=1) for k in SUMS])
        found = zip(SUMS, np.concatenate(blocks, axis=1), strict=True)
        sums |= {(subset, name): values for name, values in found}
    columns = {key: i for i, key in enumerate(sums)}
    return tables.Totals(np.stack(list(sums.values()), axis=1), columns)

"""A vectorised, seeded cluster bootstrap.

Units (items, stories, passages) are resampled, never single replies. A metric is a function of
sums over units, so a resample is a weighted sum and ten thousand of them are one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from askew.stats.intervals import RESAMPLES, Floats, Ints

# Resamples are drawn in blocks, so that memory stays flat however many are asked for.
_BLOCK_CELLS = 4_000_000
_HANDFUL = 8
_SUMS = 512
_SUMS_DIGITS = 9


def bootstrap_totals(
    features: Floats, strata: Ints, resamples: int = RESAMPLES, seed: int = 0,
    only: Ints | None = None,
) -> Floats:  # fmt: skip
    """Feature sums of resampled units, one row a resample; units are drawn within strata.

    One unit less than a stratum has is drawn, each counting for a little more (Rao and Wu's
    rescaling bootstrap): the resamples then vary as samples do, however small the strata are.
    Sums of some columns `only` are those that all columns together would have.
    """
    rng = np.random.default_rng(seed)
    wanted = np.arange(features.shape[1]) if only is None else only
    # Sum by sum: a statistic reads one sum of all resamples at a time.
    totals = np.zeros((len(wanted), resamples))
    for stratum in np.unique(strata):
        inside = features[strata == stratum]
        # Most sums are of other strata's units, and here nothing but 0.
        varied = inside.any(axis=0)
        if varied.any():
            used = np.flatnonzero(varied[wanted])
            first, each, drawn = _drawn(inside[:, varied], resamples, rng)
            summed, done = each * inside[first][:, wanted[used]].T, 0
            for weights in drawn:
                # A few at a time: all sums of a block would take as much memory again.
                for start in range(0, len(used), _SUMS):
                    some = slice(start, start + _SUMS)
                    part = summed[some] @ weights.T
                    totals[used[some], done : done + len(weights)] += part
                done += len(weights)
    return totals.T


def _drawn(
    features: Floats, resamples: int, rng: np.random.Generator
) -> tuple[Ints, float, Iterator[Floats]]:
    """Units of a stratum, what one counts, and how often in every resample, in blocks of these.

    Units with the same features are interchangeable: drawing how often each distinct row occurs
    has the same distribution as drawing the units one by one, and is far less work when few
    rows are distinct (four right-or-wrong answers have sixteen).
    """
    n_units = features.shape[0]
    # Rounded: the same numbers, summed in another order, differ in their last digit.
    rounded = features.round(_SUMS_DIGITS)
    _, first, counts = np.unique(rounded, axis=0, return_index=True, return_counts=True)
    if len(first) == 1:
        return first, float(n_units), iter([np.ones((resamples, 1))])
    each = n_units / (n_units - 1)
    if 8 * len(first) <= n_units:
        weights = rng.multinomial(n_units - 1, counts / n_units, size=resamples)
        return first, each, iter([weights.astype(float)])
    return np.arange(n_units), each, _drawn_weights(n_units, resamples, rng)


def _drawn_weights(n_units: int, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each unit was drawn, one less than there are: one row a resample, in parts."""
    block = max(_HANDFUL, _BLOCK_CELLS // n_units)
    for start in range(0, resamples, block):
        some = min(block, resamples - start)
        drawn = rng.integers(0, n_units, size=(some, n_units - 1), dtype=np.int32)
        drawn += (np.arange(some, dtype=np.int32) * n_units)[:, None]
        flat = np.bincount(drawn.ravel(), minlength=some * n_units)
        yield flat.reshape(some, n_units).astype(np.float64)

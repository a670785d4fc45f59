"""A vectorised, seeded cluster bootstrap.

Clusters (items, stories, passages) are resampled, never single replies. A metric is a function of
sums over clusters, so a resample is a weighted sum and ten thousand of them are one matrix product.
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
    """Feature sums of resampled clusters, one row a resample; clusters are drawn within strata.

    One cluster less than a stratum has is drawn, each counting for a little more (Rao and Wu's
    rescaling bootstrap): the resamples then vary as samples do, however small the strata are.
    Sums of some columns `only` are those that all columns together would have.
    """
    rng = np.random.default_rng(seed)
    wanted = np.arange(features.shape[1]) if only is None else only
    # Sum by sum: a statistic reads one sum of all resamples at a time.
    totals = np.zeros((len(wanted), resamples))
    for stratum in np.unique(strata):
        inside = features[strata == stratum]
        # Most sums are of other strata's clusters, and here nothing but 0.
        varied = inside.any(axis=0)
        if varied.any():
            used = np.flatnonzero(varied[wanted])
            first, each, drawn = _draw(inside[:, varied], resamples, rng)
            summed, done = each * inside[first][:, wanted[used]].T, 0
            for weights in drawn:
                # A few at a time: all sums of a block would take as much memory again.
                for start in range(0, len(used), _SUMS):
                    some = slice(start, start + _SUMS)
                    part = summed[some] @ weights.T
                    totals[used[some], done : done + len(weights)] += part
                done += len(weights)
    return totals.T


def _draw(
    features: Floats, resamples: int, rng: np.random.Generator
) -> tuple[Ints, float, Iterator[Floats]]:
    """Clusters of a stratum, what one counts, and how often in every resample, in blocks of these.

    Clusters with the same features are interchangeable: drawing how often each distinct row occurs
    has the same distribution as drawing the clusters one by one, and is far less work when few
    rows are distinct (four right-or-wrong answers have sixteen).
    """
    n_clusters = features.shape[0]
    # Rounded: the same numbers, summed in another order, differ in their last digit.
    rounded = features.round(_SUMS_DIGITS)
    _, first, counts = np.unique(rounded, axis=0, return_index=True, return_counts=True)
    if len(first) == 1:
        return first, float(n_clusters), iter([np.ones((resamples, 1))])
    each = n_clusters / (n_clusters - 1)
    if 8 * len(first) <= n_clusters:
        weights = rng.multinomial(n_clusters - 1, counts / n_clusters, size=resamples)
        return first, each, iter([weights.astype(float)])
    return np.arange(n_clusters), each, _drawn_weights(n_clusters, resamples, rng)


def _drawn_weights(n_clusters: int, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each cluster was drawn, one less than there are: one row a resample, in parts."""
    block = max(_HANDFUL, _BLOCK_CELLS // n_clusters)
    for start in range(0, resamples, block):
        some = min(block, resamples - start)
        drawn = rng.integers(0, n_clusters, size=(some, n_clusters - 1), dtype=np.int32)
        drawn += (np.arange(some, dtype=np.int32) * n_clusters)[:, None]
        flat = np.bincount(drawn.ravel(), minlength=some * n_clusters)
        yield flat.reshape(some, n_clusters).astype(np.float64)

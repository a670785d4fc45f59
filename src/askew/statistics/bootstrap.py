"""A vectorised, seeded cluster bootstrap.

Units (items, stories, passages) are resampled, never single replies. A metric is a function of
sums over units, so a resample is a weighted sum and ten thousand of them are one matrix product.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from askew.statistics.intervals import RESAMPLES, Floats, Ints
from askew.statistics.products import product

# Resamples are drawn in blocks, so that memory stays flat however many are asked for: of as many
# numbers as a processor's cache holds, or far more where that would be a handful of resamples.
_CACHED_CELLS = 64_000
_BLOCK_CELLS = 4_000_000
_HANDFUL = 8
_SUMS_DIGITS = 9


def bootstrap_totals(
    features: Floats,
    strata: Ints,
    resamples: int = RESAMPLES,
    seed: int = 0,
    columns: Sequence[int] | None = None,
) -> Floats:
    """Feature sums of resampled units, one row a resample; units are drawn within strata.

    One unit less than a stratum has is drawn, each counting for a little more (Rao and Wu): the
    resamples then vary as samples do, however small the strata are.

    Args:
        features: one row a unit, one column an additive quantity.
        strata: the stratum of each unit; each keeps its weight in every resample.
        resamples: how many rows to return.
        seed: equal seeds give equal rows.
        columns: the features to sum up, default all; what is drawn does not depend on it.
    """
    kept = np.arange(features.shape[1]) if columns is None else np.array(columns, dtype=np.int64)
    # Sum by sum: a statistic reads one sum of all resamples at a time.
    totals = np.zeros((len(kept), resamples))
    for drawn in draws(features, strata, resamples, seed):
        drawn.add_to(totals, kept)
    return totals.T


@dataclass(frozen=True)
class Draws:
    """What was drawn of one stratum: features of units, and how often each counts in resamples."""

    features: Floats
    used: Ints
    """Which features those are; most sums are of other strata's units, and here nothing but 0."""
    weights: Iterable[npt.NDArray[Any]]
    """Parts of all resamples: a row a resample, a column a unit."""

    def add_to(self, totals: Floats, kept: Ints) -> None:
        """Add the sums of some features, each to its row."""
        here = np.flatnonzero(np.isin(kept, self.used))
        of = self.features[:, np.searchsorted(self.used, kept[here])].T
        at = 0
        for weights in self.weights:
            totals[here, at : at + len(weights)] += product(of, weights.T)
            at += len(weights)

    def kept(self) -> Draws:
        """The same, to be added up more than once."""
        return replace(self, weights=[w.astype(np.uint32) for w in self.weights])


def draws(features: Floats, strata: Ints, resamples: int, seed: int) -> Iterator[Draws]:
    """What `bootstrap_totals` adds up, stratum by stratum; each to be used before the next."""
    rng = np.random.default_rng(seed)
    for stratum in np.unique(strata):
        inside = features[strata == stratum]
        if (used := np.flatnonzero(inside.any(axis=0))).size:
            yield _drawn(inside[:, used], used, resamples, rng)


def _drawn(features: Floats, used: Ints, resamples: int, rng: np.random.Generator) -> Draws:
    """Units drawn with replacement.

    Units with the same features are interchangeable: drawing how often each distinct row occurs
    has the same distribution as drawing the units one by one, and is far less work when few
    rows are distinct (four right-or-wrong answers have sixteen).
    """
    n_units = features.shape[0]
    # Rounded: the same numbers, summed in another order, differ in their last digit.
    rounded = features.round(_SUMS_DIGITS)
    _, first, counts = np.unique(rounded, axis=0, return_index=True, return_counts=True)
    if len(first) == 1:
        return Draws(features.sum(axis=0, keepdims=True), used, [np.ones((resamples, 1))])
    each = n_units / (n_units - 1)
    if 8 * len(first) <= n_units:
        weights = rng.multinomial(n_units - 1, counts / n_units, size=resamples)
        return Draws(each * features[first], used, [weights])
    return Draws(each * features, used, _drawn_weights(n_units, resamples, rng))


def _drawn_weights(n_units: int, resamples: int, rng: np.random.Generator) -> Iterator[Floats]:
    """How often each unit was drawn, one less than there are: one row a resample, in parts."""
    block = _CACHED_CELLS // n_units
    if block < _HANDFUL:
        block = max(_HANDFUL, _BLOCK_CELLS // n_units)
    for start in range(0, resamples, block):
        some = min(block, resamples - start)
        drawn = rng.integers(0, n_units, size=(some, n_units - 1), dtype=np.int32)
        drawn += (np.arange(some, dtype=np.int32) * n_units)[:, None]
        flat = np.bincount(drawn.ravel(), minlength=some * n_units)
        yield flat.reshape(some, n_units).astype(np.float64)

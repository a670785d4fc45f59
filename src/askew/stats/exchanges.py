"""Sums whose labels have traded places: what is observed where an effect is absent.

Where conditions make no difference, a unit's replies under one condition might as well have come
under another. Labels are exchanged within units (a unit keeps its items and epochs together, and
with them whatever they share), or units trade the groups that they lie in.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator

import numpy as np

from askew.stats.intervals import Floats, Ints
from askew.stats.nulls import EXCHANGES
from askew.stats.tables import Key, Totals, UnitTable

# Of a column: which columns it may trade places with, its label among them, and what it sums apart
# from both; None where it keeps its place.
Split = Callable[[Key], tuple[Hashable, Hashable, Hashable] | None]
_CELLS_AT_ONCE = 2_000_000


def exchanged_within(
    table: UnitTable, draws: int = EXCHANGES, seed: int = 0, *, split: Split
) -> Totals:
    """Sums where every unit's conditions have traded places, one row a draw.

    A unit exchanges the conditions that it was asked in, so every condition keeps its units.

    Args:
        table: sums per unit.
        draws: how many rows.
        seed: equal seeds give equal rows.
        split: the condition of a column, among which others, and what it sums.
    """
    rng = np.random.default_rng(seed)
    totals = np.repeat(table.features.sum(axis=0, keepdims=True), draws, axis=0)
    for blocks, places in _blocks(table, split):
        totals[:, places[places >= 0]] = 0.0
        for labels, units in _asked_alike(blocks):
            moved = _shuffled_sums(blocks[np.ix_(units, labels)], draws, rng)
            _put(totals, places[labels], moved)
    return Totals(totals, table.columns)


def exchanged_across(
    table: UnitTable, draws: int = EXCHANGES, seed: int = 0, *, split: Split
) -> Totals:
    """Sums where units have traded the groups that they lie in, which keep their sizes.

    Args:
        table: sums per unit; every unit is in one group.
        draws: how many rows.
        seed: equal seeds give equal rows.
        split: the group of a column, among which others, and what it sums.
    """
    rng = np.random.default_rng(seed)
    totals = np.repeat(table.features.sum(axis=0, keepdims=True), draws, axis=0)
    for blocks, places in _blocks(table, split):
        is_in = (blocks != 0).any(axis=2)
        if (is_in.sum(axis=1) > 1).any():
            raise ValueError("units that lie in several groups can't trade places between groups")
        inside = is_in.any(axis=1)
        group, own = is_in[inside].argmax(axis=1), blocks[inside].sum(axis=1)
        drawn = rng.permuted(np.tile(group, (draws, 1)), axis=1)
        moved = [(drawn == g).astype(float) @ own for g in range(blocks.shape[1])]
        totals[:, places[places >= 0]] = 0.0
        _put(totals, places, np.stack(moved, axis=1))
    return Totals(totals, table.columns)


def turned(table: UnitTable, other: Floats, draws: int = EXCHANGES, seed: int = 0) -> Totals:
    """Sums where half of the units, at random, are as they would be the other way round.

    Args:
        table: sums per unit.
        other: the same sums the other way round: what was said and what is true, say, swapped.
        draws: how many rows.
        seed: equal seeds give equal rows.
    """
    rng = np.random.default_rng(seed)
    heads = rng.integers(0, 2, size=(draws, len(table.features))).astype(float)
    sums = heads @ other + (1 - heads) @ table.features
    return Totals(sums, table.columns)


def _blocks(table: UnitTable, split: Split) -> Iterator[tuple[Floats, Ints]]:
    """Columns that trade places: units by labels by sums, and the column of each (-1 for none)."""
    found = {key: at for key in table.columns if (at := split(key)) is not None}
    padded = np.hstack([table.features, np.zeros((len(table.features), 1))])
    for group in dict.fromkeys(at[0] for at in found.values()):
        inside = {key: at[1:] for key, at in found.items() if at[0] == group}
        labels = {
            label: i for i, label in enumerate(dict.fromkeys(at[0] for at in inside.values()))
        }
        rests = {rest: i for i, rest in enumerate(dict.fromkeys(at[1] for at in inside.values()))}
        places = np.full((len(labels), len(rests)), -1, dtype=np.int64)
        for key, (label, rest) in inside.items():
            places[labels[label], rests[rest]] = table.columns[key]
        yield padded[:, places], places


def _asked_alike(blocks: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Units that were asked in the same conditions, with those conditions."""
    asked = (blocks != 0).any(axis=2)
    patterns, of = np.unique(asked, axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        yield np.flatnonzero(pattern), np.flatnonzero(of.ravel() == i)


def _shuffled_sums(blocks: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draws by conditions by what is summed: over units, each with its conditions in new order."""
    n_units, n_labels, n_sums = blocks.shape
    out = np.zeros((draws, n_labels, n_sums))
    if not blocks.size:
        return out
    # What a unit has alike in all its conditions, such as how often it was asked, stays.
    varies = (blocks != blocks[:, :1]).any(axis=1)
    mixed, kept = np.flatnonzero(varies.any(axis=1)), np.flatnonzero(varies.any(axis=0))
    out[:] = blocks[:, 0].sum(axis=0)
    flat = blocks[np.ix_(mixed, np.arange(n_labels), kept)].reshape(
        len(mixed) * n_labels, len(kept)
    )
    first = np.arange(len(mixed))[:, None] * n_labels
    alike = out[0][:, kept] - flat[::n_labels].sum(axis=0)
    step = max(1, _CELLS_AT_ONCE // max(1, blocks.size))
    for start in range(0, draws, step):
        some = out[start : start + step]
        order = rng.random((len(some), n_units, n_labels)).argsort(axis=2)
        if len(mixed):
            moved = np.take(flat, order[:, mixed] + first, axis=0).sum(axis=1)
            some[:, :, kept] = moved + alike
    return out


def _put(totals: Floats, places: Ints, moved: Floats) -> None:
    """Add moved sums to the columns that they came to; a column that is not there has none."""
    for label, rest in zip(*np.nonzero(places >= 0), strict=True):
        totals[:, places[label, rest]] += moved[:, label, rest]

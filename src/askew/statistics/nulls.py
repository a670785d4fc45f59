"""What a model without the effect scores: sums whose conditions have traded places.

A maximum, a spread or an absolute value is above zero where nothing is there to find: noise alone
makes it so. Where conditions make no difference, a unit's replies under one condition might as well
have come under another, so labels are exchanged within units (a unit keeps its items and epochs
together, and with them whatever they share) and the number is computed again. What it shows then
is what noise makes of it with this many units.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np

from askew.statistics.intervals import Floats, Ints
from askew.statistics.tables import Key, Totals, UnitTable

# A column's condition, and what it sums apart from that; None where it belongs to no condition.
Split = Callable[[Key], tuple[Hashable, Hashable] | None]
# How many exchanges: p-values are steps of a thousandth.
EXCHANGES = 999
_CELLS_AT_ONCE = 2_000_000
# How a number grows with noise: in its square, as a distance and a standard deviation do, or as it
# stands, as a variance does.
Growth = Literal["square", "plain"]


@dataclass(frozen=True)
class NoEffect:
    """A number beside what it would be without the effect.

    Attributes:
        mean: what a model without the effect shows on average.
        most: what it exceeds in one run of twenty.
        without_noise: the number with its noise taken off; 0 where noise explains all of it.
        p_value: how often a model without the effect shows as much.
    """

    mean: float
    most: float
    without_noise: float
    p_value: float


UNKNOWN = NoEffect(math.nan, math.nan, math.nan, math.nan)


def no_effect(value: float, drawn: Floats, growth: Growth) -> NoEffect:
    """A number beside its values without the effect, which only make it larger.

    Args:
        value: the number.
        drawn: its values where conditions have traded places.
        growth: how noise adds to it.
    """
    known = drawn[~np.isnan(drawn)]
    if math.isnan(value) or known.size < 0.95 * drawn.size or not known.size:
        return UNKNOWN
    if growth == "plain":
        without_noise = max(0.0, value - float(known.mean()))
    else:
        square = math.copysign(value**2, value) - float((known**2).mean())
        without_noise = math.sqrt(max(0.0, square))
    # What differs by rounding alone is equal.
    as_much = int((known >= value - 1e-9 * max(1.0, abs(value))).sum())
    return NoEffect(
        float(known.mean()),
        float(np.quantile(known, 0.95)),
        without_noise,
        (1 + as_much) / (1 + known.size),
    )


def exchanged_within(
    table: UnitTable, split: Split, draws: int = EXCHANGES, seed: int = 0
) -> Totals:
    """Sums where every unit's conditions have traded places, one row a draw.

    A unit exchanges the conditions that it was asked in, so every condition keeps its units.

    Args:
        table: sums per unit.
        split: the condition of a column, and what it sums.
        draws: how many rows.
        seed: equal seeds give equal rows.
    """
    rng = np.random.default_rng(seed)
    blocks, places = _blocks(table, split)
    totals = np.repeat(table.features.sum(axis=0, keepdims=True), draws, axis=0)
    totals[:, places[places >= 0]] = 0.0
    for labels, units in _asked_alike(blocks):
        asked = blocks[np.ix_(units, labels)]
        moved = _shuffled_sums(asked, draws, rng)
        _put(totals, places[labels], moved)
    return Totals(totals, table.columns)


def exchanged_across(
    table: UnitTable, split: Split, draws: int = EXCHANGES, seed: int = 0
) -> Totals:
    """Sums where units have traded their groups, each group keeping its number of units.

    Args:
        table: sums per unit; every unit is in one group.
        split: the group of a column, and what it sums.
        draws: how many rows.
        seed: equal seeds give equal rows.
    """
    rng = np.random.default_rng(seed)
    blocks, places = _blocks(table, split)
    is_in = (blocks != 0).any(axis=2)
    if (is_in.sum(axis=1) > 1).any():
        raise ValueError("units that lie in several groups can't trade places between groups")
    inside = is_in.any(axis=1)
    group, own = is_in[inside].argmax(axis=1), blocks[inside].sum(axis=1)
    totals = np.repeat(table.features.sum(axis=0, keepdims=True), draws, axis=0)
    drawn = rng.permuted(np.tile(group, (draws, 1)), axis=1)
    moved = np.stack([(drawn == g).astype(float) @ own for g in range(blocks.shape[1])], axis=1)
    totals[:, places[places >= 0]] = 0.0
    _put(totals, places, moved)
    return Totals(totals, table.columns)


def turned(
    table: UnitTable, opposite: Mapping[Key, Key], draws: int = EXCHANGES, seed: int = 0
) -> Totals:
    """Sums where half of the units, at random, have columns and their opposites swapped.

    Args:
        table: sums per unit.
        opposite: of every column that has one, the column that it trades places with.
        draws: how many rows.
        seed: equal seeds give equal rows.
    """
    rng = np.random.default_rng(seed)
    order = np.arange(table.features.shape[1])
    for key, other in opposite.items():
        order[table.columns[key]] = table.columns[other]
    flipped = table.features[:, order]
    heads = rng.integers(0, 2, size=(draws, len(table.features))).astype(float)
    return Totals(heads @ flipped + (1 - heads) @ table.features, table.columns)


def _blocks(table: UnitTable, split: Split) -> tuple[Floats, Ints]:
    """Sums as units by conditions by what is summed, and the column of each (-1 for none)."""
    found = {key: at for key in table.columns if (at := split(key)) is not None}
    labels = {label: i for i, label in enumerate(dict.fromkeys(at[0] for at in found.values()))}
    rests = {rest: i for i, rest in enumerate(dict.fromkeys(at[1] for at in found.values()))}
    places = np.full((len(labels), len(rests)), -1, dtype=np.int64)
    for key, (label, rest) in found.items():
        places[labels[label], rests[rest]] = table.columns[key]
    padded = np.hstack([table.features, np.zeros((len(table.features), 1))])
    return padded[:, places], places


def _asked_alike(blocks: Floats) -> Iterator[tuple[Ints, Ints]]:
    """Units that were asked in the same conditions, with those conditions."""
    asked = (blocks != 0).any(axis=2)
    patterns, of = np.unique(asked, axis=0, return_inverse=True)
    for i, pattern in enumerate(patterns):
        yield np.flatnonzero(pattern), np.flatnonzero(of.ravel() == i)


def _shuffled_sums(blocks: Floats, draws: int, rng: np.random.Generator) -> Floats:
    """Draws by conditions by what is summed: over units, each with its conditions in new order."""
    n_units, n_labels, n_sums = blocks.shape
    out = np.empty((draws, n_labels, n_sums))
    step = max(1, _CELLS_AT_ONCE // max(1, blocks.size))
    for start in range(0, draws, step):
        some = out[start : start + step]
        order = rng.random((len(some), n_units, n_labels)).argsort(axis=2)
        some[:] = np.take_along_axis(blocks[None], order[..., None], axis=2).sum(axis=1)
    return out


def _put(totals: Floats, places: Ints, moved: Floats) -> None:
    """Add moved sums to the columns that they came to; a column that is not there has none."""
    for label, rest in zip(*np.nonzero(places >= 0), strict=True):
        totals[:, places[label, rest]] += moved[:, label, rest]

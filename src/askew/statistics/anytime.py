"""Intervals that hold at every look: a run may be stopped by what it has shown so far.

An ordinary interval is right for a number of items that was fixed before. Looked at after every
item, and stopped when it pleases, it errs far more often than it says. A confidence sequence holds
at all looks together. This one is the normal mixture of Robbins (1970), whose variance is
estimated as Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas do ("Time-uniform central limit theory
and asymptotic confidence sequences", Annals of Statistics 52, 2024), by a jackknife over units, so
that it fits every number that is made of sums. docs/early_stopping.md says what is assumed, and
what it costs.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np

from askew.schema import ENOUGH_ITEMS
from askew.statistics.deferred import Deferred, narrowed
from askew.statistics.intervals import UNKNOWN, Bounds, Floats
from askew.statistics.quantities import Counts, Quantity, is_decided_by_few
from askew.statistics.tables import Analysis, Key, Totals

# Where the sequence is at its tightest, in units.
_TIGHTEST = 100
# A number's variance is that of its units and of so many more, as far off as can be: few units can
# look alike by chance, which an estimate alone would believe.
_ADDED_UNITS = 4
# Variances are of shares in squared points of 100: no root is larger.
_LARGEST_ROOT = 50.0


class Anytime(Deferred):
    """Given to a table function in place of an interval: bounds that hold at every look."""

    nulls = False

    def rows(
        self, wanted: Collection[tuple[Key, float]]
    ) -> Mapping[tuple[Key, float], Mapping[str, Any]]:
        found = {}
        for place, level in wanted:
            group, analysis = self._found[place]
            low, high = anytime(analysis, (place[0], *place[1 + len(group) :]), level)
            found[place, level] = {"low": low, "high": high}
        return found


def anytime(analysis: Analysis, key: Key, level: float) -> Bounds:
    """The bounds of a number that hold at this look and at all others together."""
    alone, table = narrowed(analysis, {key}), analysis.table
    point = alone.statistic(table.point())[key]
    rest = Totals(table.features.sum(axis=0) - table.features, table.columns)
    counts = point.counts or analysis.counts.get(key[1:], Counts(0))
    return bounds_at_any_time(point, alone.statistic(rest)[key], counts.n_units, level)


def bounds_at_any_time(point: Quantity, rest: Quantity, n_units: int, level: float) -> Bounds:
    """The bounds of a number from what it is without each unit.

    What is the largest of several numbers, or made of rates of which one has few hits, has the
    bounds that these have together (Bonferroni): a formula of rates rises with each.

    Args:
        point: the number.
        rest: the number without each of the units.
        n_units: how many units it is worth.
        level: confidence level.
    """
    least, most = point.bounds
    value, others = float(point.values[0]), rest.values
    if n_units < ENOUGH_ITEMS or math.isnan(value) or np.isnan(others).any():
        return UNKNOWN
    if point.interval == "variance":
        # Its root moves as far as a unit does, also where there is no variance but noise's.
        root = math.sqrt(value)
        reach = _reach(root, np.sqrt(others), n_units, (0.0, _LARGEST_ROOT), level)
        noise = max(0.0, _bias(value, others))
        low = math.sqrt(max(0.0, value - noise)) - reach
        return max(0.0, low) ** 2, min(_LARGEST_ROOT, root + reach) ** 2
    by_parts = point.interval == "largest" or (point.made and is_decided_by_few(point))
    if point.parts and by_parts:
        together = 1 - (1 - level) / len(point.parts)
        values = np.array([part.values[0] for part in point.parts])
        reaches = np.array(
            [
                _reach(float(of), without.values, part.n_units, point.bounds, together)
                for of, part, without in zip(values, point.parts, rest.parts, strict=True)
            ]
        )
        ends = np.clip(np.stack([values - reaches, values + reaches], axis=1), least, most)
        made = point.made(ends) if point.made else ends.max(axis=0)
        return float(made[0]), float(made[1])
    if point.made:
        # It moves as much as the rate of the fewest units does.
        n_units = min(part.n_units for part in point.parts)
    reach = _reach(value, others, n_units, point.bounds, level) + abs(_bias(value, others))
    return max(least, value - reach), min(most, value + reach)


def _reach(value: float, rest: Floats, n_units: int, bounds: Bounds, level: float) -> float:
    """How far a number may lie from the truth, at all looks together."""
    n, n_units = len(rest), max(1, n_units)
    variance = (n - 1) / n * float(((rest - rest.mean()) ** 2).sum())
    farthest = max(value - bounds[0], bounds[1] - value)
    added = _ADDED_UNITS * (farthest / n_units) ** 2
    return math.sqrt(variance + added) * mixture(n_units, level)


def _bias(value: float, rest: Floats) -> float:
    """By how much few units raise the number on average."""
    return (len(rest) - 1) * (float(rest.mean()) - value)


def mixture(n: float, level: float) -> float:
    """How many standard errors of a mean of so many units hold at all looks together."""
    error = 1 - level
    tightest = -2 * math.log(error) + math.log(1 - 2 * math.log(error))
    grown = 1 + n * tightest / _TIGHTEST
    return math.sqrt(2 * grown / (grown - 1) * math.log(math.sqrt(grown) / error))

"""Differences between two models on the units that both answered, resampled together.

Every paper's table function makes them when it is given `Paired` in place of an interval: the
same units are drawn for both models, so what makes a unit hard for both cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from askew.statistics.intervals import MANY_DEGREES, Floats, bootstrap_totals, student_p, t_quantile
from askew.statistics.tables import (
    Analysis,
    Counts,
    Groups,
    Interval,
    Key,
    Quantity,
    Totals,
    UnitTable,
    spelled,
    strata_of,
)

_COLUMNS = (
    "value", "low", "high", "n_items", "n_dropped", "reason",
    "baseline_value", "model_value", "p_value", "n_units",
)  # fmt: skip
# Replicates that are undefined more often than this leave the spread of the rest unknown.
_UNDEFINED_SHARE = 0.05
_ONE_UNIT = "fewer than two units: nothing to resample"
_OFTEN_UNDEFINED = "not defined in more than one resample in twenty"
# A number that is a mark rather than an estimate (reliable or not) has no replicates.
_UNDRAWN = np.array([math.nan])


def _never(metric: str) -> bool:
    return False


@dataclass(frozen=True)
class Paired(Interval):
    """Rows are differences: each other group of `by` minus the baseline's.

    Columns beside the usual ones: `baseline_value`, `model_value`, `p_value`, `n_units`. The
    two groups must hold the same samples; units that only one of them has count as empty in
    the other.

    Attributes:
        baseline: which group of `by` is the baseline.
        nearer_zero: whether of this metric the distance from 0 is compared, not the value.
    """

    baseline: str = ""
    nearer_zero: Callable[[str], bool] = _never

    def frame(self, by: Sequence[str], levels: Sequence[str], groups: Groups) -> pd.DataFrame:
        """One row a number and model, for every number that both analyses have."""
        analyses = {key[0]: analysis for key, analysis in groups}
        before = analyses.pop(self.baseline, None)
        rows = [
            {
                "metric": key[0],
                **dict(zip(by, (model,), strict=True)),
                **dict(zip(levels, key[1:], strict=True)),
                **difference,
            }
            for model, after in analyses.items()
            if before is not None
            for key, difference in differences(before, after, self)
        ]
        return pd.DataFrame(rows, columns=["metric", *by, *levels, *_COLUMNS])


def differences(
    before: Analysis, after: Analysis, paired: Paired
) -> Iterator[tuple[Key, dict[str, object]]]:
    """`after` minus `before` for every number that both have, as the columns of its row.

    Args:
        before: the baseline's sums and statistic.
        after: the model's.
        paired: how many resamples, at which level, and whose distance from 0 counts.
    """
    pair = (before, after)
    points = [a.statistic(a.table.point()) for a in pair]
    drawn = _resampled_together(before.table, after.table, paired.resamples, paired.seed)
    replicates = [a.statistic(totals) for a, totals in zip(pair, drawn, strict=True)]
    for key in (key for key in points[0] if key in points[1]):
        counts = [
            p[key].counts or a.counts.get(key[1:], Counts(0))
            for a, p in zip(pair, points, strict=True)
        ]
        folded = paired.nearer_zero(str(key[0]))
        drawn_values = [r[key].values if key in r else _UNDRAWN for r in replicates]
        difference = _difference(
            [_folded(p[key]) if folded else p[key] for p in points],
            [np.abs(v) if folded else v for v in drawn_values],
            counts,
            paired.level,
        )
        shown = [float(p[key].values[0]) for p in points]
        yield key, {**difference, "baseline_value": shown[0], "model_value": shown[1]}


def _folded(quantity: Quantity) -> Quantity:
    """A number's distance from 0, which resampling moves up where the number is near 0."""
    most = max(abs(bound) for bound in quantity.bounds)
    return Quantity(np.abs(quantity.values), "mirrored", (0.0, most), quantity.reason)


def _difference(
    points: Sequence[Quantity], replicates: Sequence[Floats], counts: Sequence[Counts], level: float
) -> dict[str, object]:
    before, after = points
    value = float(after.values[0] - before.values[0])
    n_units = min(c.n_units or c.n_items for c in counts)
    drawn = np.asarray(replicates[1] - replicates[0], dtype=float)
    low = high = p_value = math.nan
    reason = "; ".join(dict.fromkeys(q.reason for q in points if math.isnan(q.values[0])))
    if n_units < 2:
        reason = reason or _ONE_UNIT
    elif math.isnan(value) or np.isnan(drawn).mean() > _UNDEFINED_SHARE:
        reason = reason or _OFTEN_UNDEFINED
    else:
        span = max(q.bounds[1] - q.bounds[0] for q in points)
        reflect = any(q.interval in ("mirrored", "spread", "variance") for q in points)
        low, high, p_value = paired_interval(value, drawn, n_units, span, level, reflect=reflect)
        reason = ""
    return {
        "value": value,
        "low": low,
        "high": high,
        "n_items": min(c.n_items for c in counts),
        "n_dropped": max(c.n_dropped for c in counts),
        "reason": reason,
        "p_value": p_value,
        "n_units": n_units,
    }


def paired_interval(
    value: float,
    replicates: Floats,
    n_units: int,
    span: float,
    level: float,
    *,
    reflect: bool = False,
) -> tuple[float, float, float]:
    """Interval and p-value of a difference: Student's, as if two more units had been asked.

    One of the two favours each model, by as much as a unit can. That is Bonett and Price's
    interval for paired rates, carried over to any number with a bootstrap variance: no number
    of equal answers is certainty, and three units that all differ one way prove nothing.

    Args:
        value: the difference.
        replicates: the difference in resamples of the units.
        n_units: how many units there are.
        span: how far the number can lie apart at most, one model at each end of its range.
        level: confidence level.
        reflect: resampling moves the number away from the truth; take the shift off.
    """
    mean, variance = float(np.nanmean(replicates)), float(np.nanvar(replicates))
    most = span if math.isfinite(span) else math.sqrt(variance * n_units)
    centre = 2 * value - mean if reflect else mean
    squares = n_units**2 * variance + 2 * most**2 + 2 * n_units * value**2 / (n_units + 2)
    error = math.sqrt(squares / ((n_units + 1) * (n_units + 2)))
    shrunk = centre * n_units / (n_units + 2)
    half = t_quantile(level, min(n_units - 1, MANY_DEGREES)) * error
    p_value = student_p(shrunk / error, n_units - 1) if error > 0 else 1.0
    low, high = min(value, shrunk - half), max(value, shrunk + half)
    return max(-most, low) if span else low, min(most, high) if span else high, p_value


def _resampled_together(
    before: UnitTable, after: UnitTable, resamples: int, seed: int
) -> tuple[Totals, Totals]:
    """Sums of both tables over the same resampled units."""
    units = sorted({*before.units, *after.units}, key=spelled)
    if len(before.units) != len(before.features) or len(after.units) != len(after.features):
        raise ValueError("a paired comparison needs tables whose units have names")
    place = {unit: i for i, unit in enumerate(units)}
    width = before.features.shape[1]
    both = np.zeros((len(units), width + after.features.shape[1]))
    both[[place[u] for u in before.units], :width] = before.features
    both[[place[u] for u in after.units], width:] = after.features
    drawn = bootstrap_totals(both, strata_of(units), resamples, seed)
    return Totals(drawn[:, :width], before.columns), Totals(drawn[:, width:], after.columns)

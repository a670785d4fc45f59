"""From a difference and its interval to a verdict in plain words."""

from __future__ import annotations

import math
from collections.abc import Mapping

from askew.schema import Metric

BETTER, WORSE = "better", "worse"
HIGHER, LOWER = "higher", "lower"
NO_DIFFERENCE = "no difference shown"
TOO_FEW = "too few items to tell"
NOT_COMPARABLE = "can't be compared"
VERDICTS: Mapping[str, str] = {
    BETTER: "the corrected p-value is below the limit, and the difference goes the right way",
    WORSE: "the corrected p-value is below the limit, and the difference goes the wrong way",
    HIGHER: "as above, for a metric that only describes: no way is the right one",
    LOWER: "as above, for a metric that only describes: no way is the right one",
    NO_DIFFERENCE: "a difference that matters would have shown: the interval is narrow enough",
    TOO_FEW: "the interval is too wide to show a difference that matters",
    NOT_COMPARABLE: "the number is not defined for both models; the reason stands beside it",
}


def verdict(
    difference: float, low: float, high: float, p_corrected: float, limit: float, of: Metric
) -> str:
    """One of `VERDICTS`.

    Args:
        difference: model minus baseline; of distances from 0 where that is what counts.
        low: lower bound of its interval.
        high: upper bound.
        p_corrected: its p-value after the correction.
        limit: the p-value from which on a difference is not shown.
        of: the metric's direction and margin.
    """
    if math.isnan(p_corrected):
        return NOT_COMPARABLE
    if p_corrected < limit:
        rises = low + high > 0
        if of.better == "neither":
            return HIGHER if rises else LOWER
        return BETTER if rises == (of.better == "higher") else WORSE
    return NO_DIFFERENCE if (high - low) / 2 <= of.margin else TOO_FEW


def needed(n_items: int, low: float, high: float, margin: float) -> int:
    """How many items would narrow the interval to plus or minus the margin, two digits of it.

    The width falls with the square root of the number of items.
    """
    half = (high - low) / 2
    if math.isnan(half) or n_items < 1:
        return 0
    items = n_items * (half / margin) ** 2
    step = int(10 ** max(0, math.floor(math.log10(max(items, 1))) - 1))
    return math.ceil(items / step) * step

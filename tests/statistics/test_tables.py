"""Rows of numbers: why there is none, or no interval."""

import math

import numpy as np
import pytest

from askew.statistics import tables
from askew.statistics.quantities import Quantity

HALF_UNKNOWN = Quantity(np.array([0.5, math.nan, 0.4, math.nan]))


@pytest.mark.parametrize(
    ("value", "replicate", "low", "reason"),
    [
        # Of a number that is not there: what its statistic says, whatever resamples show.
        (math.nan, None, math.nan, "not asked: no_hint"),
        (math.nan, HALF_UNKNOWN, math.nan, "not asked: no_hint"),
        (0.5, HALF_UNKNOWN, 0.4, ""),
        (0.5, None, math.nan, ""),
        (
            0.5, HALF_UNKNOWN, math.nan,
            "no interval: undefined in 50% of resamples of so few items; ask more",
        ),
    ],
)  # fmt: skip
def test_a_number_or_an_interval_that_is_not_there_has_its_reason(value, replicate, low, reason):
    quantity = Quantity(np.array([value]), reason="not asked: no_hint")
    assert tables._reason(quantity, replicate, value, low) == reason

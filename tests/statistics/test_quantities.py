"""What a number rests on, and where its resamples tell too little for an interval."""

import math

import numpy as np
import pytest

from askew.statistics.quantities import Counts, Quantity, Rate, bounds_of, worth_of_mean


@pytest.mark.parametrize(
    ("sizes", "worth"),
    [
        # Means of equal samples are as good as one sample of all of them.
        ([25, 25], 50),
        ([7], 7),
        # Variances 1/10 and 1/40: half of each root, squared, is 1/32.
        ([10, 40], 32),
        # The small one decides: 9 / (1 + 1/100 + 1/100).
        ([1, 100, 100], 9),
        (np.array([10.0, 40.0]), 32),
        ([], 0),
        ([10, 0], 0),
        ([10, math.nan], 0),
    ],
)
def test_a_mean_over_samples_is_worth_what_one_sample_of_its_variance_is(sizes, worth):
    assert worth_of_mean(sizes) == worth


@pytest.mark.parametrize(
    ("counts", "degrees"),
    [
        (Counts(50), 49),
        (Counts(50, n_units=20), 19),
        (Counts(50, n_dropped=7, n_units=20, n_strata=3), 17),
        (Counts(1), 1),
        (Counts(0), 1),
    ],
)
def test_degrees_of_freedom_are_units_less_strata(counts, degrees):
    assert counts.degrees == degrees


def undefined(share):
    """200 replicates of which so many in a hundred are undefined."""
    values = np.linspace(0.3, 0.5, 200)
    values[: 2 * share] = math.nan
    return values


# How many resamples in a hundred may be undefined; of a score, of which most are mostly so, half.
MOST_UNDEFINED = {
    "composite": 5,
    "percentile": 5,
    "mirrored": 5,
    "spread": 5,
    "variance": 5,
    "paired": 5,
    "largest": 5,
    "score": 50,
}


@pytest.mark.parametrize("kind", MOST_UNDEFINED)
def test_with_too_many_undefined_resamples_there_is_no_interval(kind):
    def known(share):
        values = undefined(share)
        parts = (Rate(values, 40), Rate(values, 40)) if kind == "largest" else ()
        points = tuple(Rate(np.array([0.4]), 40) for _ in parts)
        quantity = Quantity(np.array([0.4]), kind, parts=points)
        low, high = bounds_of(quantity, Quantity(values, kind, parts=parts), Counts(40), 0.95)
        assert math.isnan(low) == math.isnan(high)
        return not math.isnan(low)

    most = MOST_UNDEFINED[kind]
    assert [known(share) for share in (0, most - 1, most + 1, 100)] == [True, True, False, False]

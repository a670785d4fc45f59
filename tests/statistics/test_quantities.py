"""What a number rests on, and where its resamples tell too little for an interval."""

import math

import numpy as np
import pytest

from askew.statistics.composites import carried_bounds, stretched
from askew.statistics.intervals import composite_interval
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


EVENLY = np.linspace(0.3, 0.5, 200)
FEW, MANY = Rate(np.array([0.02]), 40), Rate(np.array([0.4]), 40)


def interval_of(kind, *parts, value=0.4, made=None, spread=0.0):
    """Bounds of a number of 40 units; its parts vary as the number does, or by `spread`."""
    drawn = [Rate(part.values + spread * (EVENLY - 0.4), part.n_units) for part in parts]
    quantity = Quantity(np.array([value]), kind, parts=parts, made=made)
    return bounds_of(quantity, Quantity(EVENLY, kind, parts=tuple(drawn)), Counts(40), 0.95)


def test_a_mark_has_no_interval_however_often_it_is_drawn():
    assert np.isnan(interval_of("none")).all()


def test_what_is_made_of_rates_with_few_hits_is_carried_from_what_is_known_of_them():
    """Without any spread a rate is worth its units."""

    def smaller(rates):
        return rates.min(axis=0)

    found = interval_of("composite", FEW, MANY, value=0.02, made=smaller)
    assert found == carried_bounds(smaller, [(0.02, 40.0), (0.4, 40.0)], 0.95)
    # Unless it is told how it is made, it is the mean.
    mean = carried_bounds(lambda rates: rates.mean(axis=0), [(0.02, 40.0), (0.4, 40.0)], 0.95)
    assert interval_of("composite", FEW, MANY, value=0.21) == mean
    # A spread tells how many trials it is worth: 0.4 * 0.6 by the variance.
    worth = 0.24 / np.var(EVENLY)
    varied = interval_of("composite", FEW, MANY, value=0.02, made=smaller, spread=1.0)
    parts = [(0.02, 0.02 * 0.98 / np.var(EVENLY)), (0.4, worth)]
    assert varied == pytest.approx(carried_bounds(smaller, parts, 0.95))
    assert interval_of("composite", MANY, MANY) == interval_of("composite")


def test_a_contrast_of_rates_is_stretched_and_nothing_else_is():
    # Resamples that vary less than 40 units of a rate of 30 in 100 would.
    rates, close = (Rate(np.array([0.3]), 40),), np.linspace(0.39, 0.41, 200)

    def bounds(kind, parts=rates):
        quantity = Quantity(np.array([0.4]), kind, parts=parts)
        return bounds_of(quantity, Quantity(close, kind, parts=parts), Counts(40), 0.95)

    wide = composite_interval(0.4, stretched(0.4, close, [0.3], 40), 40, (0.0, 1.0))
    plain = composite_interval(0.4, close, 40, (0.0, 1.0))
    assert wide[1] - wide[0] > 1.2 * (plain[1] - plain[0])
    assert bounds("percentile") == pytest.approx(wide)
    assert bounds("percentile", ()) == pytest.approx(plain)
    for kind in ("mirrored", "spread", "variance"):
        assert bounds(kind) == bounds(kind, ())

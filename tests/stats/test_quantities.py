"""What a number rests on, and where its resamples tell too little for an interval."""

import math

import numpy as np
import pytest

from askew.stats.composites import (
    bounded_interval,
    carried_bounds,
    largest_interval,
    paired_interval,
    rate_interval,
    stretched,
)
from askew.stats.intervals import composite_interval, difference_interval, variance_interval
from askew.stats.quantities import (
    Counts,
    Quantity,
    Rate,
    bounds_of,
    is_decided_by_few,
    worth_of_mean,
)


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


# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

# Forty items of twelve units in two strata: ten degrees.
COUNTS = Counts(40, 0, 12, 2)
NAN = math.nan


def number(kind, value=0.4, drawn=EVENLY, bounds=(0.0, 1.0), parts=(), made=None):
    """A number and its resamples; each part as its value, its resamples and its units."""
    point = tuple(Rate(np.array([rate]), n) for rate, _, n in parts)
    again = tuple(Rate(values, n) for _, values, n in parts)
    return (
        Quantity(np.array([value]), kind, bounds, parts=point, made=made),
        Quantity(drawn, kind, bounds, parts=again, made=made),
    )


def bounds(*given, counts=COUNTS, level=0.9, **more):
    return bounds_of(*number(*given, **more), counts, level)


def is_unknown(found):
    return all(map(math.isnan, found))


def test_without_a_level_or_resamples_or_a_value_there_are_no_bounds():
    point, drawn = number("percentile")
    assert is_unknown(bounds_of(point, drawn, COUNTS, None))
    assert is_unknown(bounds_of(point, None, COUNTS, 0.9))
    assert is_unknown(bounds("percentile", NAN))
    assert not is_unknown(bounds("percentile"))


def test_strata_and_the_level_count_in_every_kind():
    assert bounds("rate") == rate_interval(0.4, EVENLY, 12, 0.9, 10)
    assert bounds("paired") == paired_interval(0.4, EVENLY, 12, 1.0, 0.9, 10)
    plain = composite_interval(0.4, EVENLY, 12, (0.0, 1.0), 0.9, 10)
    assert bounds("percentile") == plain
    assert bounds("variance") == variance_interval(0.4, EVENLY, 12, (0.0, 1.0), 0.9, 10)
    assert bounds("composite") == bounded_interval(0.4, EVENLY.var(), 12, 10, 0.9)
    # Without parts, the largest is as any other number; and a composite of no end too.
    assert bounds("largest") == plain
    endless = bounds("composite", bounds=(0.0, math.inf))
    assert endless == composite_interval(0.4, EVENLY, 12, (0.0, math.inf), 0.9, 10)


def test_the_largest_of_several_has_bounds_that_hold_for_all():
    apart = np.random.default_rng(0).permutation(EVENLY) - 0.1
    parts = ((0.4, EVENLY, 30), (0.3, apart, 9))
    # No resample of the largest itself counts.
    found = bounds("largest", drawn=np.full(200, NAN), parts=parts, bounds=(-1.0, 0.9))
    expected = largest_interval(
        np.array([0.4, 0.3]), np.stack([EVENLY, apart]), [30, 9], 0.9, 10, 0.9
    )
    assert found == expected
    assert found[0] < 0.3 < 0.5 < found[1] < 0.9
    clipped = bounds("largest", parts=parts, bounds=(0.35, 0.45))
    assert clipped == (0.35, 0.45)


def test_a_difference_is_made_of_its_rates_with_all_of_their_units():
    parts = ((0.8, EVENLY + 0.4, 30), (0.5, EVENLY + 0.1, 20))
    first, second = ((v, *rate_interval(v, drawn, n, 0.9)) for v, drawn, n in parts)
    found = bounds("difference", 0.3, parts=parts, bounds=(-1.0, 1.0))
    assert found == difference_interval(first, second)


SHARED = {"composite": 0.0, "score": 0.03}


@pytest.mark.parametrize("kind", SHARED)
def test_a_number_within_a_range_is_a_share_of_it(kind):
    """From -1 to 3, in replicates of which some are not there: variance by the square of 4."""
    drawn = np.append(4 * EVENLY - 1 + SHARED[kind], np.full(5, NAN))
    found = bounds(kind, 0.6, drawn, (-1.0, 3.0))
    share = 0.4 - SHARED[kind] / 4
    low, high = bounded_interval(share, EVENLY.var(), 12, 10, 0.9)
    assert found == pytest.approx((4 * low - 1, 4 * high - 1))
    assert found[0] < 0.6 < found[1]


def test_a_score_moved_beyond_its_range_is_at_the_end_of_it():
    low, high = bounds("score", 0.1, np.array([0.5, 0.7]))
    expected = bounded_interval(0.0, 0.01, 12, 10, 0.9)
    assert (low, high) == pytest.approx((0.0, max(0.1, expected[1])))
    low, high = bounds("score", 0.9, np.array([0.3, 0.5]))
    expected = bounded_interval(1.0, 0.01, 12, 10, 0.9)
    assert (low, high) == pytest.approx((min(0.9, expected[0]), 1.0))
    # Wherever its middle is moved to, the score is within.
    assert bounds("score", 0.1, np.array([-0.5, -0.498]))[0] == 0.1
    assert bounds("score", 0.9, np.array([1.5, 1.502]))[1] == 0.9


def test_a_contrast_is_stretched_by_the_rates_that_it_is_made_of():
    parts = ((0.3, EVENLY, 7), (0.1, EVENLY, 5))
    narrow = 0.4 + (EVENLY - 0.4) / 8
    further = stretched(0.4, narrow, (0.3, 0.1), 12)
    expected = composite_interval(0.4, further, 12, (0.0, 1.0), 0.9, 10)
    assert bounds("percentile", drawn=narrow, parts=parts) == expected
    assert expected[1] > composite_interval(0.4, narrow, 12, (0.0, 1.0), 0.9, 10)[1] + 0.001


@pytest.mark.parametrize(
    ("parts", "few"),
    [((), False), (((0.4, 40), (0.5, 40)), False), (((0.4, 40), (0.1, 40)), True),
     (((0.98, 40), (0.5, 40)), True)],
)  # fmt: skip
def test_one_part_with_few_hits_decides(parts, few):
    rates = tuple(Rate(np.array([value]), n) for value, n in parts)
    assert is_decided_by_few(Quantity(np.ones(1), parts=rates)) is few

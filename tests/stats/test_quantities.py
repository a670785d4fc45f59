"""What a number rests on, and where its resamples tell too little for an interval."""

import math

import numpy as np
import pytest

from askew.stats.intervals import bounded_interval, carried_bounds
from askew.stats.quantities import (
    Counts,
    Quantity,
    Rate,
    bounds_of,
    is_decided_by_few,
    worth_of_mean,
)
from tests.cases import cases, cases_of


@pytest.mark.parametrize(
    ("sizes", "worth"),
    [
        # Means of equal samples are as good as one sample of all of them.
        *cases_of(__file__, "A_MEAN_OVER_SAMPLES_IS_WORTH_WHAT_ONE_SA"),
        # Variances 1/10 and 1/40: half of each root, squared, is 1/32.
        # The small one decides: 9 / (1 + 1/100 + 1/100).
        (np.array([10.0, 40.0]), 32),
    ],
)
def test_a_mean_over_samples_is_worth_what_one_sample_of_its_variance_is(sizes, worth):
    assert worth_of_mean(sizes) == worth


@pytest.mark.parametrize(
    ("counts", "degrees"),
    [
        (Counts(50), 49),
        (Counts(50, n_clusters=20), 19),
        (Counts(50, n_dropped=7, n_clusters=20, n_strata=3), 17),
        (Counts(1), 1),
        (Counts(0), 1),
    ],
)
def test_degrees_of_freedom_are_clusters_less_strata(counts, degrees):
    assert counts.degrees == degrees


EVENLY = np.linspace(0.3, 0.5, 200)
FEW, MANY = Rate(np.array([0.02]), 40), Rate(np.array([0.4]), 40)


def interval_of(kind, *parts, value=0.4, made=None, spread=0.0):
    """Bounds of a number of 40 clusters; its parts vary as the number does, or by `spread`."""
    drawn = [Rate(part.values + spread * (EVENLY - 0.4), part.n_clusters) for part in parts]
    quantity = Quantity(np.array([value]), kind, counts=Counts(40), parts=parts, made=made)
    return bounds_of(quantity, Quantity(EVENLY, kind, parts=tuple(drawn)), 0.95, None)


def test_a_mark_has_no_interval_however_often_it_is_drawn():
    assert np.isnan(interval_of("none")).all()


def test_what_is_made_of_rates_with_few_hits_is_carried_from_what_is_known_of_them():
    """Without any spread a rate is worth its clusters."""

    def smaller(rates):
        return rates.min(axis=0)

    found = interval_of("composite", FEW, MANY, value=0.02, made=smaller)
    assert found == carried_bounds(smaller, [(0.02, 40.0), (0.4, 40.0)], 0.95)
    # A spread tells how many trials it is worth: 0.4 * 0.6 by the variance.
    worth = 0.24 / np.var(EVENLY)
    varied = interval_of("composite", FEW, MANY, value=0.02, made=smaller, spread=1.0)
    parts = [(0.02, 0.02 * 0.98 / np.var(EVENLY)), (0.4, worth)]
    assert varied == pytest.approx(carried_bounds(smaller, parts, 0.95))
    assert interval_of("composite", MANY, MANY) == interval_of("composite")


# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

# Forty items of twelve clusters in two strata: ten degrees.
COUNTS = Counts(40, 0, 12, 2)
NAN = math.nan


def number(kind, value=0.4, drawn=EVENLY, bounds=(0.0, 1.0), parts=(), made=None):
    """A number and its resamples; each part as its value, its resamples and its clusters."""
    point = tuple(Rate(np.array([rate]), n) for rate, _, n in parts)
    again = tuple(Rate(values, n) for _, values, n in parts)
    return (
        Quantity(np.array([value]), kind, bounds, "", COUNTS, point, made),
        Quantity(drawn, kind, bounds, parts=again, made=made),
    )


def bounds(*given, **more):
    return bounds_of(*number(*given, **more), 0.9, None)


def is_unknown(found):
    return all(map(math.isnan, found))


def test_without_resamples_or_a_value_there_are_no_bounds():
    point, _ = number("composite")
    assert is_unknown(bounds_of(point, None, 0.9, None))
    assert is_unknown(bounds("composite", NAN))
    assert not is_unknown(bounds("composite"))


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


@cases("parts", "few")
def test_one_part_with_few_hits_decides(parts, few):
    rates = tuple(Rate(np.array([value]), n) for value, n in parts)
    assert is_decided_by_few(Quantity(np.ones(1), parts=rates)) is few

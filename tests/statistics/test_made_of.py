"""The interval of each kind of number, as it is made of what the number is made of."""

import math

import numpy as np
import pytest

from askew.statistics.composites import (
    bounded_interval,
    largest_interval,
    paired_interval,
    rate_interval,
    stretched,
)
from askew.statistics.intervals import composite_interval, difference_interval, variance_interval
from askew.statistics.quantities import Counts, Quantity, Rate, bounds_of, is_decided_by_few

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

EVENLY = np.linspace(0.3, 0.5, 200)
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


def test_no_bound_lies_beyond_what_the_number_can_be():
    for kind in ("percentile", "paired", "variance"):
        assert bounds(kind, bounds=(0.38, 0.41)) == (0.38, 0.41)
    assert bounds("percentile", drawn=np.full(9, NAN)) == pytest.approx((NAN, NAN), nan_ok=True)


@pytest.mark.parametrize(
    ("parts", "few"),
    [((), False), (((0.4, 40), (0.5, 40)), False), (((0.4, 40), (0.1, 40)), True),
     (((0.98, 40), (0.5, 40)), True)],
)  # fmt: skip
def test_one_part_with_few_hits_decides(parts, few):
    rates = tuple(Rate(np.array([value]), n) for value, n in parts)
    assert is_decided_by_few(Quantity(np.ones(1), parts=rates)) is few


def test_a_part_that_hardly_varies_is_worth_its_units():
    """A variance of 1e-15 is none."""

    def of(apart):
        drawn = 0.1 + np.tile([-apart, apart], 50)
        return bounds("composite", 0.1, parts=((0.1, drawn, 40),))

    assert of(3e-8) == of(0.0)
    low, high = of(4e-8)
    assert high - low < 1e-6 < of(0.0)[1] - of(0.0)[0]


@pytest.mark.parametrize("kind", ["difference", "composite"])
def test_resamples_of_another_number_of_parts_are_an_error(kind):
    two = ((0.02, EVENLY, 30), (0.5, EVENLY, 20))
    (point, _), (_, drawn) = number(kind, parts=two), number(kind, parts=two[:1])
    with pytest.raises(ValueError, match="zip"):
        bounds_of(point, drawn, COUNTS, 0.9)

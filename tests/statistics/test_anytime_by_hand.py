"""Bounds that hold at every look, as numbers: on examples worked out beside the code."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.statistics.anytime import Anytime, anytime, bounds_at_any_time, mixture
from askew.statistics.quantities import Quantity, Rate
from askew.statistics.tables import Analysis, Counts, UnitTable, metric_table
from tests.statistics.test_means import analyse, observed

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

SIGNED = (-1.0, 1.0)


def without_each(values):
    return (values.sum() - values) / (len(values) - 1)


def reached(variance, farthest, n_units, level=0.95):
    """A variance and that of four units more, as far off as can be, by the mixture's factor."""
    return math.sqrt(variance + 4 * (farthest / n_units) ** 2) * mixture(n_units, level)


def of_mean(values):
    """The variance of a mean, as it is estimated from one sample."""
    return values.var(ddof=1) / len(values)


def number(value, rest, **given):
    return Quantity(np.array([value]), **given), Quantity(rest, **given)


RIGHT = np.repeat([1.0, 0.0], [20, 10])


@pytest.mark.parametrize(
    ("n", "level", "factor"),
    # Robbins: with a = -2 ln 0.05 + ln(1 - 2 ln 0.05) = 7.9362 and g = 1 + n a / 100, it is the
    # root of 2 g / (g - 1) ln(root of g / 0.05).
    [(100, 0.95, 3.03521), (1, 0.95, 9.08438), (10_000, 0.95, 3.56164), (100, 0.9, 2.76394)],
)
def test_so_many_standard_errors_hold_at_all_looks_together(n, level, factor):
    assert mixture(n, level) == pytest.approx(factor, abs=1e-5)


def test_a_share_by_hand():
    """20 of 30 right: variance 2/9 / 29, the farthest end two thirds away."""
    reach = math.sqrt(2 / 9 / 29 + 4 * (2 / 90) ** 2) * mixture(30, 0.95)
    found = bounds_at_any_time(*number(2 / 3, without_each(RIGHT)), 30, 0.95)
    assert found == pytest.approx((2 / 3 - reach, 2 / 3 + reach))
    # The same seen from the other end.
    found = bounds_at_any_time(*number(1 / 3, without_each(1 - RIGHT)), 30, 0.95)
    assert found == pytest.approx((1 / 3 - reach, 1 / 3 + reach))
    at_half = np.tile([0.0, 1.0], 200)
    reach = math.sqrt(0.25 / 399 + 4 * (0.5 / 400) ** 2) * mixture(400, 0.8)
    found = bounds_at_any_time(*number(0.5, without_each(at_half)), 400, 0.8)
    assert found == pytest.approx((0.5 - reach, 0.5 + reach))


def test_a_number_that_is_worth_fewer_units_reaches_further():
    values = np.tile([0.0, 1.0], 100)
    reach = reached(0.25 / 199, 0.5, 50)
    found = bounds_at_any_time(*number(0.5, without_each(values)), 50, 0.95)
    assert found == pytest.approx((0.5 - reach, 0.5 + reach))


def test_twenty_units_have_bounds_and_nineteen_have_none():
    point, rest = number(2 / 3, without_each(RIGHT))
    assert not np.isnan(bounds_at_any_time(point, rest, 20, 0.95)).any()
    assert np.isnan(bounds_at_any_time(point, rest, 19, 0.95)).all()


def test_what_is_not_defined_now_or_without_some_unit_has_no_bounds():
    some = without_each(RIGHT)
    some[3] = math.nan
    for given in (number(2 / 3, some), number(math.nan, without_each(RIGHT))):
        assert np.isnan(bounds_at_any_time(*given, 30, 0.95)).all()


def test_bounds_reach_further_by_what_few_units_move_a_number():
    """The square of a mean of 0 and 1: the jackknife takes 99 times what the rest lies off."""
    values = np.tile([0.0, 1.0], 50)
    rest = without_each(values) ** 2
    # 49/99 and 50/99, squared.
    moved = 99 * ((49**2 + 50**2) / 2 / 99**2 - 0.25)
    assert moved == pytest.approx(0.25 / 99)
    spread = 99 / 100 * 100 * ((50**2 - 49**2) / 2 / 99**2) ** 2
    reach = reached(spread, 0.75, 100) + moved
    found = bounds_at_any_time(*number(0.25, rest), 100, 0.95)
    assert found == pytest.approx((max(0.0, 0.25 - reach), 0.25 + reach))
    # Whichever way it is moved.
    found = bounds_at_any_time(*number(0.75, 1 - rest), 100, 0.95)
    assert found == pytest.approx((0.75 - reach, min(1.0, 0.75 + reach)))


def test_a_variance_moves_as_far_as_its_root():
    """Of four hundred units, of which half would leave 0.16 and half 0.17: roots around 0.4."""
    value, rest = 0.1649, np.tile([0.1640, 0.1660], 200)
    roots = np.sqrt(rest)
    jackknife = 399 / 400 * ((roots - roots.mean()) ** 2).sum()
    reach = reached(jackknife, 50 - math.sqrt(value), 400)
    noise = 399 * (0.1650 - value)
    low, high = bounds_at_any_time(*number(value, rest, interval="variance"), 400, 0.95)
    assert (noise, low) == (pytest.approx(0.0399), 0.0)
    assert high == pytest.approx((math.sqrt(value) + reach) ** 2)
    # In shares of a hundred points the lower end is seen, less its noise; less is no noise.
    for off, taken in ((0.5, 0.5), (-0.5, 0.0)):
        value, rest = 900.0, np.tile([899.0, 901.0], 200) + off / 399
        roots = np.sqrt(rest)
        jackknife = 399 / 400 * ((roots - roots.mean()) ** 2).sum()
        reach = reached(jackknife, 30.0, 400)
        found = bounds_at_any_time(*number(value, rest, interval="variance"), 400, 0.95)
        expected = (math.sqrt(900 - taken) - reach) ** 2, (30 + reach) ** 2
        assert found == pytest.approx(expected, rel=1e-9)


def test_no_variance_is_larger_than_that_of_shares():
    value, rest = 2_400.0, np.full(40, 2_400.0)
    low, high = bounds_at_any_time(*number(value, rest, interval="variance"), 40, 0.95)
    assert high == 2_500.0
    assert low == pytest.approx((math.sqrt(value) - reached(0, math.sqrt(value), 40)) ** 2)


def made_of(parts, interval, made=None, bounds=SIGNED):
    """A number of rates, each with its units, and what it is without each unit."""
    of = made or (lambda rates: rates.max(axis=0))
    point = np.array([[part.mean()] for part, _ in parts])
    rest = np.array([without_each(part) for part, _ in parts])
    return tuple(
        Quantity(
            of(rates), interval, bounds, made=made,
            parts=tuple(Rate(rate, n) for rate, (_, n) in zip(rates, parts, strict=True)),
        )
        for rates in (point, rest)
    )  # fmt: skip


def test_the_largest_of_two_has_the_larger_ends_of_both_at_half_the_error():
    one, two = np.tile([0.5, -0.5, 0.0, 0.0], 50), np.tile([0.2, -0.1], 100)
    given = made_of([(one, 200), (two, 60)], "largest")
    wide = reached(of_mean(one), 1.0, 200, 0.975)
    narrow = reached(of_mean(two), 1.05, 60, 0.975)
    low, high = bounds_at_any_time(*given, 200, 0.95)
    assert low == pytest.approx(max(-wide, 0.05 - narrow))
    assert high == pytest.approx(max(wide, 0.05 + narrow))
    # Each within what the number can be.
    given = made_of([(one, 200), (two, 60)], "largest", bounds=(-1.0, 0.06))
    assert bounds_at_any_time(*given, 200, 0.95)[1] == 0.06
    given = made_of([(-one, 200), (-two, 60)], "largest", bounds=(-0.06, 1.0))
    assert bounds_at_any_time(*given, 200, 0.95)[0] == -0.06


def test_a_number_has_the_same_parts_without_each_unit():
    one = np.tile([0.5, -0.5, 0.0, 0.0], 50)
    point, _ = made_of([(one, 200), (one, 200)], "largest")
    _, rest = made_of([(one, 200)], "largest")
    with pytest.raises(ValueError, match="zip"):
        bounds_at_any_time(point, rest, 200, 0.95)


def test_a_part_of_no_unit_says_nothing():
    one = np.tile([0.5, -0.5, 0.0, 0.0], 50)
    low = reached(of_mean(one), 1.0, 200, 0.975)
    for n in (0, 1):
        given = made_of([(one, 200), (0.2 * one, n)], "largest")
        assert bounds_at_any_time(*given, 200, 0.95) == pytest.approx((-low, 1.0))


def test_what_is_made_of_a_rate_with_few_hits_is_made_of_the_ends_of_its_rates():
    """Two hits of forty beside half of them: twice one and once the other, by three."""
    rare, often = np.repeat([1.0, 0.0], [2, 38]), np.tile([0.0, 1.0], 20)

    def weighed(rates):
        return (2 * rates[0] + rates[1]) / 3

    given = made_of([(rare, 40), (often, 40)], "composite", weighed, (0.0, 1.0))
    ends = [
        (0.05, reached(of_mean(rare), 0.95, 40, 0.975)),
        (0.5, reached(of_mean(often), 0.5, 40, 0.975)),
    ]
    below, above = (
        weighed([min(1.0, max(0.0, value + way * reach)) for value, reach in ends])
        for way in (-1, 1)
    )
    assert bounds_at_any_time(*given, 80, 0.95) == pytest.approx((below, above))


def test_what_is_made_of_rates_with_many_hits_moves_as_the_rate_of_the_fewest_units():
    one, two = np.tile([0.0, 1.0], 50), np.repeat([1.0, 0.0], [60, 40])

    def mean(rates):
        return rates.mean(axis=0)

    given = made_of([(one, 100), (two, 45)], "composite", mean, (0.0, 1.0))
    reach = reached(of_mean((one + two) / 2), 0.55, 45)
    found = bounds_at_any_time(*given, 100, 0.95)
    assert found == pytest.approx((0.55 - reach, 0.55 + reach))
    # What is not made of rates by a formula has its own units, whatever its parts have.
    plain = made_of([(one, 100), (two, 45)], "composite", None, (0.0, 1.0))
    reach = reached(of_mean(two), 0.6, 100)
    found = bounds_at_any_time(*plain, 100, 0.95)
    assert found == pytest.approx((0.6 - reach, 0.6 + reach))


def three_of_four(counts=None, of=None):
    """Items of which three of four are right."""
    right = np.tile([1.0, 1.0, 1.0, 0.0], 25)
    features = np.column_stack([np.ones(100), right])
    table = UnitTable(features, {("n",): 0, ("ok",): 1}, np.zeros(100, dtype=np.int64))

    def statistic(totals):
        return {("acc", "a"): Quantity(totals.ratio(("ok",), ("n",)), counts=of)}

    return Analysis(table, statistic, counts or {})


@pytest.mark.parametrize(
    ("counts", "own", "n_units"),
    [
        ({("a",): Counts(200, 0, 100)}, None, 100),
        ({("a",): Counts(200, 0, 100)}, Counts(80, 0, 40), 40),
        ({("a",): Counts(100, 0, 19)}, None, None),
        ({}, None, None),
    ],
)
def test_a_number_rests_on_its_own_units_or_on_those_of_its_level(counts, own, n_units):
    found = anytime(three_of_four(counts, own), ("acc", "a"), 0.9)
    if n_units is None:
        assert np.isnan(found).all()
    else:
        reach = reached(0.1875 / 99, 0.75, n_units, 0.9)
        assert found == pytest.approx((0.75 - reach, min(1.0, 0.75 + reach)))


def test_rows_have_the_bounds_of_their_own_group_and_level():
    rows = [observed(20, "one", n=40), observed(30, "one", "b"), observed(10, "two", n=30)]
    together = pd.concat(rows, ignore_index=True)
    looks = Anytime()
    metric_table(together, ("model",), ("subset",), analyse, looks)
    wanted = [(("acc", "one", "a"), 0.95), (("acc", "one", "b"), 0.8), (("acc", "two", "a"), 0.95)]
    found = looks.rows(wanted)
    assert list(found) == wanted
    # Of the first model's 80 units, 40 are of each subset, and the others move it not at all.
    known = (0.5, 40, 80), (0.75, 40, 80), (1 / 3, 30, 30)
    for place, (value, n, units) in zip(wanted, known, strict=True):
        variance = (units - 1) / units * n * value * (1 - value) / (n - 1) ** 2
        reach = reached(variance, max(value, 1 - value), n, place[1])
        expected = {"low": max(0.0, value - reach), "high": min(1.0, value + reach)}
        assert found[place] == pytest.approx(expected)
    assert not looks.nulls

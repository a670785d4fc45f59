"""Bounds that hold at every look: looked at after every item, they err as rarely as they say."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.scoring.stopping import Anytime, bounds_at_any_time, mixture
from askew.stats.intervals import t_quantile
from askew.stats.quantities import Quantity, Rate
from askew.stats.tables import metric_table
from tests.cases import cases
from tests.stats.test_means import analyse, observed

RUNS, ITEMS, FIRST = 60, 140, 20


def without_each(values):
    return (values.sum() - values) / (len(values) - 1)


def bounds(values, n_clusters=None):
    """Of a share of these items, and the same without each of them."""
    found = number(values.mean(), without_each(values))
    return bounds_at_any_time(*found, n_clusters or len(values), 0.95)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.98])
def test_looking_after_every_item_misses_in_at_most_5_percent(share):
    missed = ordinary = 0
    for seed in range(RUNS):
        answers = (np.random.default_rng(seed).random(ITEMS) < share).astype(float)
        found = [bounds(answers[:n]) for n in range(FIRST, ITEMS)]
        missed += any(not low <= share <= high for low, high in found)
        means = [(answers[:n].mean(), answers[:n].std(ddof=1), n) for n in range(FIRST, ITEMS)]
        ordinary += any(
            abs(m - share) > t_quantile(0.95, n - 1) * s / math.sqrt(n) for m, s, n in means
        )
    assert missed <= 0.05 * RUNS
    # What a fixed number of items would do: the test tells the two apart.
    assert ordinary > 0.15 * RUNS


def test_fewer_items_than_decide_anything_have_no_bounds():
    assert all(map(math.isnan, bounds(np.ones(19))))
    assert all(map(math.isnan, bounds(np.ones(60), n_clusters=19)))


# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

SIGNED = (-1.0, 1.0)


def reached(variance, farthest, n_clusters, level=0.95):
    """A variance and that of four units more, as far off as can be, by the mixture's factor."""
    return math.sqrt(variance + 4 * (farthest / n_clusters) ** 2) * mixture(n_clusters, level)


def of_mean(values):
    """The variance of a mean, as it is estimated from one sample."""
    return values.var(ddof=1) / len(values)


def number(value, rest, **given):
    return Quantity(np.array([value]), **given), Quantity(rest, **given)


RIGHT = np.repeat([1.0, 0.0], [20, 10])


@cases("n", "level", "factor")
def test_so_many_standard_errors_cover_all_looks_together(n, level, factor):
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


def test_bounds_widen_by_the_influence_of_few_clusters():
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


def test_what_is_made_of_a_rate_with_few_hits_is_made_of_the_ends_of_its_rates():
    """Two hits of forty beside half of them: twice one and once the other, by three."""
    rare, often = np.repeat([1.0, 0.0], [2, 38]), np.tile([0.0, 1.0], 20)

    def weighed(rates):
        return (2 * rates[0] + rates[1]) / 3

    given = made_of([(rare, 40), (often, 40)], "composite", weighed, (0.0, 1.0))
    rates = np.array([0.05, 0.5])
    reach = [reached(of_mean(r), far, 40, 0.975) for r, far in ((rare, 0.95), (often, 0.5))]
    ends = [weighed(np.clip(rates + way * np.array(reach), 0, 1)) for way in (-1, 1)]
    assert bounds_at_any_time(*given, 80, 0.95) == pytest.approx(tuple(ends))


def test_rows_have_the_bounds_of_their_own_group_and_level():
    rows = [observed(20, "one", n=40), observed(30, "one", "b"), observed(10, "two", n=30)]
    wanted = {("acc", "one", "a"): 0.95, ("acc", "one", "b"): 0.8, ("acc", "two", "a"): 0.95}
    looks = Anytime(only={place: (level,) for place, level in wanted.items()})
    found = metric_table(pd.concat(rows), ("model",), ("subset",), analyse, looks)
    assert [*found[["metric", "model", "subset"]].itertuples(index=False, name=None)] == [*wanted]
    # Of the first model's 80 units, 40 are of each subset, and the others move it not at all.
    known = (0.5, 40, 80), (0.75, 40, 80), (1 / 3, 30, 30)
    said = zip(wanted.values(), known, found["low"], found["high"], strict=True)
    for level, (value, n, units), low, high in said:
        variance = (units - 1) / units * n * value * (1 - value) / (n - 1) ** 2
        reach = reached(variance, max(value, 1 - value), n, level)
        assert (low, high) == pytest.approx((max(0.0, value - reach), min(1.0, value + reach)))

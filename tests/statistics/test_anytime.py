"""Bounds that hold at every look: looked at after every item, they err as rarely as they say."""

import math

import numpy as np
import pytest

from askew.statistics.anytime import bounds_at_any_time
from askew.statistics.intervals import t_quantile
from askew.statistics.quantities import Quantity, Rate

RUNS, ITEMS, FIRST = 60, 140, 20


def a_mean(values, **other):
    """A share of these items, and the same without each of them."""
    n, total = len(values), values.sum()
    whole, rest = np.array([total / n]), (total - values) / (n - 1)
    return Quantity(whole, **other), Quantity(rest, **other)


def bounds(values, n_units=None, **other):
    return bounds_at_any_time(*a_mean(values, **other), n_units or len(values), 0.95)


@pytest.mark.parametrize("share", [0.5, 0.9, 0.98])
def test_peeking_after_every_item_misses_as_rarely_as_is_said(share):
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


def test_few_items_that_look_alike_are_not_believed():
    low, high = bounds(np.ones(30))
    assert low < 0.9
    assert high == 1.0


def test_fewer_items_than_decide_anything_have_no_bounds():
    assert all(map(math.isnan, bounds(np.ones(19))))
    assert all(map(math.isnan, bounds(np.ones(60), n_units=19)))


def test_bounds_narrow_with_items():
    widths = []
    for n in (40, 160, 640):
        low, high = bounds(np.arange(n) % 2.0)
        widths.append(high - low)
    assert widths == sorted(widths, reverse=True)
    assert widths[-1] < 0.2


def test_the_largest_of_several_is_held_by_the_bounds_of_all():
    rng = np.random.default_rng(1)
    one = rng.choice([-1.0, 0.0, 1.0], 200)
    alone, rest = a_mean(one, bounds=(-1.0, 1.0))
    same = tuple(Rate(alone.values, 200) for _ in range(4))
    others = tuple(Rate(rest.values, 200) for _ in range(4))
    made = {"interval": "largest", "bounds": (-1.0, 1.0)}
    largest = bounds_at_any_time(
        Quantity(alone.values, **made, parts=same), Quantity(rest.values, **made, parts=others),
        200, 0.95,
    )  # fmt: skip
    low, high = bounds_at_any_time(alone, rest, 200, 0.95)
    assert largest[0] < low < high < largest[1]


def test_a_variance_of_noise_alone_may_be_nothing():
    rng = np.random.default_rng(2)
    answers = (rng.random((100, 7)) < 0.6) * 100.0
    whole = np.array([answers.mean(axis=0).var()])
    rest = ((answers.sum(axis=0) - answers) / 99).var(axis=1)
    given = {"interval": "variance", "bounds": (0.0, 1.0)}
    low, high = bounds_at_any_time(Quantity(whole, **given), Quantity(rest, **given), 100, 0.95)
    assert whole[0] > 0
    assert low == 0.0
    # What a unit can do is not read off the ordinary bounds, which depend on the data.
    assert high > 25.0

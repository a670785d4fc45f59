"""Intervals of composites, simultaneous bounds and corrected p-values: promises that hold."""

import math

import numpy as np
import pytest

from askew.stats.bootstrap import bootstrap_totals
from askew.stats.composites import (
    bounded_interval,
    carried_bounds,
    hits_are_few,
    rate_interval,
)
from askew.stats.intervals import (
    variance_interval,
    wilson,
)


def _harmonic(rates) -> np.ndarray:
    positive = np.maximum(np.asarray(rates, dtype=float), 1e-300)
    return len(positive) / (1 / positive).sum(axis=0)


def test_a_class_of_which_nothing_is_right_decides():
    # 29 of 36 right in one form, none of 36 in another: the score is 0, and may be far from it.
    low, high = carried_bounds(_harmonic, [(29 / 36, 36), (0.0, 36)])
    assert low == pytest.approx(0.0)
    assert 0.15 < high < 0.2
    assert hits_are_few(0.0, 36)
    assert not hits_are_few(0.5, 36)
    # All right, or all but one: the resamples hold too few misses.
    assert hits_are_few(1.0, 36)
    assert hits_are_few(35 / 36, 36)
    assert not hits_are_few(34 / 36, 36)


RARE = [(0.8, 0.05, 30), (0.6, 0.5, 4)]


@pytest.mark.whole
@pytest.mark.parametrize(("good", "bad", "n"), RARE)
def test_a_rare_class_is_held_as_promised(good, bad, n):
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(400):
        rates = rng.binomial(n, (good, bad, good)) / n
        low, high = carried_bounds(_harmonic, [(r, n) for r in rates])
        held += low <= _harmonic((good, bad, good)) <= high
    assert held / 400 >= 0.92


@pytest.mark.parametrize(("n", "level"), [(12, 0.95), (48, 0.5)])
def test_means_of_few_answers_are_held_as_promised(n, level):
    rng = np.random.default_rng(n)
    centre = math.log(level / (1 - level))
    true = float((1 / (1 + np.exp(-(centre + rng.normal(size=200_000))))).mean())
    held = 0
    for _ in range(1000):
        chance = 1 / (1 + np.exp(-(centre + rng.normal(size=(n, 1)))))
        answers = (rng.random((n, 4)) < chance).mean(axis=1)
        low, high = bounded_interval(answers.mean(), answers.var(ddof=1) / n, n, n - 1)
        held += low <= true <= high
    assert held / 1000 >= 0.93


# Shares of units that gain and that lose: alike, one way only, both.
MOVED = [(0.16, 0.16), (0.02, 0.02), (0.0, 0.05), (0.05, 0.1), (0.0, 0.2), (0.1, 0.3), (0.6, 0.1)]


@pytest.mark.parametrize("n_items", [14])
def test_the_interval_of_a_rare_rate_reckons_with_items_that_err_throughout(n_items):
    """400 studies, 14 answers an item: 2 % of answers err, and one item of twenty in all of them.

    Where no such item was drawn, resamples see the 2 % alone: their interval held 56 and 71 of 100.
    """
    rng = np.random.default_rng(3)
    truth, held = 0.05 + 0.95 * 0.02, 0
    for study in range(400):
        errs = np.where(rng.random(n_items) < 0.05, 14, rng.binomial(14, 0.02, n_items))
        features = np.column_stack([errs, np.full(n_items, 14)]).astype(float)
        totals = bootstrap_totals(features, np.zeros(n_items, dtype=np.int64), 200, seed=study)
        low, high = rate_interval(errs.sum() / (14 * n_items), totals[:, 0] / totals[:, 1], n_items)
        held += low <= truth <= high
    assert held / 400 >= 0.92


def test_an_answer_a_unit_needs_no_estimate_of_its_variance():
    """Each of 60 units answers once, and the interval is Wilson's; no other is wider."""
    right = np.repeat([1.0, 0.0], [45, 15])
    strata = np.zeros(60, dtype=np.int64)
    drawn = bootstrap_totals(right[:, None], strata, 4_000)[:, 0] / 60
    assert rate_interval(0.75, drawn, 60) == pytest.approx(wilson(0.75, 60), abs=0.005)
    for shrunk in (0.9, 0.5, 0.1, 0.001):
        low, high = rate_interval(0.75, 0.75 + shrunk * (drawn - 0.75), 60)
        assert wilson(0.75, 60)[0] <= low < 0.75 < high <= wilson(0.75, 60)[1]


def test_the_interval_of_a_variance_reaches_further_than_few_resamples_do():
    """300 studies, two formats, three strata of two items: eight different resamples."""
    rng, strata, held, truth = np.random.default_rng(5), np.repeat([0, 1, 2], 2), 0, 0.0225

    def spread(totals):
        followed = (totals / 4).reshape(len(totals), 3, 2).mean(axis=1)
        return followed.var(axis=1)

    for study in range(300):
        followed = rng.binomial(2, (0.9, 0.6), (6, 2))
        features = np.zeros((6, 6))
        for unit, stratum in enumerate(strata):
            features[unit, 2 * stratum : 2 * stratum + 2] = followed[unit]
        value = float(spread(features.sum(axis=0, keepdims=True))[0])
        drawn = spread(bootstrap_totals(features, strata, 200, seed=study))
        low, high = variance_interval(value, drawn, 6, (0.0, 0.25), degrees=3)
        held += low <= truth <= high
    # 67 of 100 by percentiles alone.
    assert held / 300 >= 0.8

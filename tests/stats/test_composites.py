"""Intervals of composites, simultaneous bounds and corrected p-values: promises that hold."""

import math
import warnings

import numpy as np
import pytest

from askew.stats.bootstrap import bootstrap_totals
from askew.stats.composites import (
    bounded_interval,
    carried_bounds,
    hits_are_few,
    largest_interval,
    paired_interval,
    rate_interval,
    stretched,
)
from askew.stats.intervals import (
    composite_interval,
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


def test_a_contrast_of_rare_answers_reaches_further_than_its_resamples():
    drawn = np.random.default_rng(0).normal(0.1, 0.01, 500)
    rare = stretched(0.1, drawn, (0.02, 0.01), 24)
    often = stretched(0.1, drawn, (0.5, 0.4), 2_400)
    assert rare.std() > 1.3 * drawn.std()
    assert often.std() == pytest.approx(drawn.std(), rel=0.01)
    assert not stretched(0.1, np.full(9, 0.1), (0.02, 0.01), 24).std()
    # Where units differ more than single answers would, resamples stay as they are.
    wide = np.random.default_rng(0).normal(0.1, 0.5, 500)
    assert stretched(0.1, wide, (0.02, 0.01), 24) == pytest.approx(wide)


def test_contrasts_of_rare_answers_are_held_as_promised():
    """Units differ much in how often they err; half of them hardly ever do."""
    n, asked, rng = 24, 12, np.random.default_rng(3)

    def drawn_rates(units):
        logits = rng.normal(0, 1.5, (2, units))
        logits[1] = logits[0] + 0.6
        return rng.binomial(asked, 1 / (1 + np.exp(5 - logits))) / asked

    true = float(np.diff(drawn_rates(400_000).mean(axis=1))[0])
    held = 0
    for _ in range(400):
        neutral, framed = drawn_rates(n)
        weights = rng.multinomial(n - 1, np.full(n, 1 / n), 400) / (n - 1)
        value = float((framed - neutral).mean())
        rates = (framed.mean(), neutral.mean())
        further = stretched(value, weights @ (framed - neutral), rates, n)
        low, high = composite_interval(value, further, n, (-1.0, 1.0))
        held += low <= true <= high
    assert held / 400 >= 0.93


# Shares of units that gain and that lose: alike, one way only, both.
MOVED = [(0.16, 0.16), (0.02, 0.02), (0.0, 0.05), (0.05, 0.1), (0.0, 0.2), (0.1, 0.3), (0.6, 0.1)]


@pytest.mark.parametrize("moved", MOVED)
@pytest.mark.parametrize(("n", "promised"), [(8, 0.92), (24, 0.92)])
def test_paired_differences_are_held_as_promised(n, promised, moved):
    """Exactly: the chance of every number of units that gain and that lose, added up."""
    gains, loses = moved
    held = 0.0
    for up in range(n + 1):
        for down in range(n - up + 1):
            value, same = (up - down) / n, n - up - down
            spread = math.sqrt(((up + down) / n - value**2) / (n - 1))
            drawn = np.array([value - spread, value + spread])
            low, high = paired_interval(value, drawn, n, 1.0)
            ways = math.comb(n, up) * math.comb(n - up, down)
            chance = ways * gains**up * loses**down * (1 - gains - loses) ** same
            held += chance * (low <= gains - loses <= high)
    assert held >= promised


@pytest.mark.parametrize("n", [24])
def test_paired_differences_of_graded_scores_are_held_as_promised(n):
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(600):
        change = np.round(rng.beta(2, 1, (n, 3)) - rng.beta(2, 2, (n, 3)), 2).mean(axis=1)
        spread = change.std(ddof=1) / math.sqrt(n)
        drawn = change.mean() + np.array([-spread, spread])
        low, high = paired_interval(change.mean(), drawn, n, 1.0)
        held += low <= 2 / 3 - 1 / 2 <= high
    assert held / 600 >= 0.93


def test_a_largest_of_one_is_that_one_and_no_bound_reaches_past_bonferroni():
    rng = np.random.default_rng(4)
    drawn = 0.1 + rng.normal(0, 0.05, (1, 4_000))
    value = np.array([0.1])
    alone = paired_interval(0.1, drawn[0], 12, 1.0)
    assert largest_interval(value, drawn, [12], 1.0, 11) == pytest.approx(alone)
    # Of twelve units, one was ever different, in one of three numbers.
    rare = np.vstack([drawn, drawn, np.where(rng.random(4_000) < 0.01, 0.5, 0.0)])
    among = largest_interval(np.array([0.1, 0.1, 0.0]), rare, [12] * 3, 1.0, 11)
    surer = paired_interval(0.1, drawn[0], 12, 1.0, level=1 - 0.05 / 3)
    assert alone[0] >= among[0] >= surer[0]


def test_numbers_that_move_as_one_need_no_correction_and_those_that_do_not_nearly_all_of_it():
    rng = np.random.default_rng(5)
    one = 0.1 + rng.normal(0, 0.05, 20_000)
    apart = 0.1 + rng.normal(0, 0.05, (3, 20_000))

    def of(drawn):
        return largest_interval(np.full(3, 0.1), drawn, [12] * 3, 1.0, 11)

    alone = paired_interval(0.1, one, 12, 1.0)
    surer = paired_interval(0.1, one, 12, 1.0, level=1 - 0.05 / 3)
    assert of(np.stack([one] * 3)) == pytest.approx(alone, abs=0.003)
    assert of(apart) == pytest.approx(surer, abs=0.003)
    assert surer[1] - alone[1] > 0.02


def test_a_largest_of_what_never_differs_is_no_certainty():
    low, high = largest_interval(np.zeros(3), np.zeros((3, 9)), [40] * 3, 1.0, 39)
    assert -0.1 < low < 0 < high < 0.1


def test_what_no_resample_defines_is_told_without_warnings():
    nothing = np.full(9, np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert math.isnan(paired_interval(0.5, nothing, 2, 1.0)[0])
        assert np.isnan(stretched(0.5, nothing, (0.5, 0.0), 2)).all()
        assert rate_interval(0.5, nothing, 2) == wilson(0.5, 2)
        assert rate_interval(0.5, np.array([]), 2) == wilson(0.5, 2)


def test_a_largest_of_nothing_is_rarely_shown():
    rng = np.random.default_rng(3)
    alarms = held = 0
    for _ in range(300):
        chance = 1 / (1 + np.exp(-rng.normal(0.5, 1.2, (60, 1))))
        answers = (rng.random((60, 6)) < chance).astype(float)
        change = answers[:, :1] - answers[:, 1:]
        drawn = change[rng.integers(0, 60, size=(400, 60))].mean(axis=1)
        low, high = largest_interval(change.mean(axis=0), drawn.T, [60] * 5, 1.0, 59)
        alarms += low > 0
        held += low <= 0 <= high
    assert alarms / 300 <= 0.08
    assert held / 300 >= 0.92


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

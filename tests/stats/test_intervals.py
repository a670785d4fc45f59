"""Intervals: closed forms against known values, the bootstrap against theory and simulation."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.stats.bootstrap import bootstrap_totals
from askew.stats.composites import rate_interval
from askew.stats.intervals import (
    expanded_interval,
    percentile_interval,
    spread_interval,
    student_p,
    t_interval,
    t_quantile,
    wilson,
)
from tests.cases import cases


@cases("successes", "n", "low", "high")
def test_wilson_gives_the_published_limits(successes, n, low, high):
    assert wilson(successes / n, n) == pytest.approx((low, high), abs=5e-5)


@given(st.floats(0, 1), st.integers(1, 10_000))
def test_wilson_holds_the_rate_and_stays_in_the_unit_interval(rate, n):
    low, high = wilson(rate, n)
    assert 0 <= low <= rate <= high <= 1
    assert high > low


@pytest.mark.parametrize("n", [16, 21, 37, 39, 40, 1_000])
def test_rounding_moves_no_end_of_wilson_past_0_or_1(n):
    """By the formula alone, 21 wrong answers end at -1e-17, 16 right ones at 1 + 2e-16."""
    assert wilson(0.0, n)[0] == 0 == 1 - wilson(1.0, n)[1]


def test_an_interval_of_nothing_is_undefined():
    assert all(math.isnan(bound) for bound in wilson(0.5, 0))
    assert all(math.isnan(bound) for bound in wilson(math.nan, 5))
    assert all(math.isnan(bound) for bound in t_interval([1.0]))


@cases("level", "df", "quantile")
def test_students_quantiles_match_the_tables(level, df, quantile):
    assert t_quantile(level, df) == pytest.approx(quantile, rel=1e-5)


@pytest.mark.parametrize(("t", "df"), [(math.nan, 5), (2.0, 0), (math.nan, 0)])
def test_where_nothing_is_known_there_is_no_p_value(t, df):
    assert math.isnan(student_p(t, df))


def test_t_interval_of_a_sample_done_by_hand():
    # mean 4, sd 2, n 4: half-width 3.18245 * 2 / 2
    low, high = t_interval([2.0, 4.0, 4.0, 6.0])
    half = 3.182446 * math.sqrt(8 / 3) / 2
    assert (low, high) == pytest.approx((4 - half, 4 + half), rel=1e-5)


@pytest.mark.parametrize("distinct", [True, False], ids=["drawn one by one", "drawn by pattern"])
def test_bootstrap_totals_have_the_moments_of_resampling(distinct):
    rng = np.random.default_rng(3)
    values = rng.normal(size=400) if distinct else rng.integers(0, 3, size=400).astype(float)
    totals = bootstrap_totals(values[:, None], np.zeros(400, dtype=np.int64), 20_000, seed=1)[:, 0]
    assert totals.mean() == pytest.approx(values.sum(), abs=0.05 * math.sqrt(400) * values.std())
    assert totals.var() == pytest.approx(400 * values.var(), rel=0.05)


def test_strata_keep_their_number_of_units_in_every_resample():
    ones = np.ones((30, 2))
    ones[:10, 1], ones[10:, 0] = 0, 0
    strata = np.repeat([0, 1], [10, 20])
    totals = bootstrap_totals(ones, strata, 50, seed=0)
    assert (totals == [10.0, 20.0]).all()


def test_equal_seeds_give_equal_resamples_and_other_seeds_others():
    values = np.random.default_rng(0).normal(size=(50, 3))
    strata = np.zeros(50, dtype=np.int64)
    first, again = (bootstrap_totals(values, strata, 100, seed=5) for _ in range(2))
    assert (first == again).all()
    assert (first != bootstrap_totals(values, strata, 100, seed=6)).any()


def test_clustered_answers_widen_the_interval_of_a_rate():
    # 50 clusters of 4 answers that agree: worth 50 trials, not 200.
    rng = np.random.default_rng(1)
    right = rng.integers(0, 2, size=50).astype(float)
    features = np.column_stack([4 * right, np.full(50, 4.0)])
    totals = bootstrap_totals(features, np.zeros(50, dtype=np.int64), 5_000)
    low, high = rate_interval(right.mean(), totals[:, 0] / totals[:, 1], 50)
    naive_low, naive_high = wilson(right.mean(), 200)
    assert high - low > 1.8 * (naive_high - naive_low)
    assert (low, high) == pytest.approx(wilson(right.mean(), 50), abs=0.02)


def test_all_right_is_not_certainty():
    replicates = np.ones(1_000)
    assert rate_interval(1.0, replicates, 8)[0] == pytest.approx(wilson(1.0, 8)[0])
    low, high = expanded_interval(1.0, replicates, 8, (0.0, 1.0))
    assert low < 0.7
    assert high == 1.0


@pytest.mark.whole
@pytest.mark.parametrize(("n_units", "least"), [(5, 0.88), (30, 0.935)])
def test_few_units_get_percentiles_as_wide_as_students_t(n_units, least):
    """1,000 studies of a mean; resamples of 5 units never reach as far as t would."""
    rng = np.random.default_rng(4)
    held = plain = 0
    for study in range(1_000):
        seen = rng.normal(size=(n_units, 1))
        strata = np.zeros(n_units, dtype=np.int64)
        means = bootstrap_totals(seen, strata, 300, seed=study)[:, 0] / n_units
        low, high = expanded_interval(float(seen.mean()), means, n_units, (-math.inf, math.inf))
        held += low <= 0 <= high
        low, high = percentile_interval(means)
        plain += low <= 0 <= high
    assert least <= held / 1_000 <= 0.97
    assert held > plain


@pytest.mark.parametrize("rate", [0.9])
def test_the_cluster_bootstrap_covers_the_truth_as_often_as_it_says(rate):
    """500 simulated studies of 60 clusters: a 95% interval holds the truth in 92% to 98%."""
    rng = np.random.default_rng(11)
    held = 0
    for study in range(500):
        cluster_rates = rng.beta(4 * rate, 4 * (1 - rate), size=60)
        right = rng.binomial(4, cluster_rates).astype(float)
        features = np.column_stack([right, np.full(60, 4.0)])
        totals = bootstrap_totals(features, np.zeros(60, dtype=np.int64), 400, seed=study)
        low, high = rate_interval(right.sum() / 240, totals[:, 0] / totals[:, 1], 60)
        held += low <= rate <= high
    assert 0.92 <= held / 500 <= 0.98


@pytest.mark.parametrize("rates", [[0.5] * 5, [0.9] * 5, [0.9] * 4 + [0.7]], ids=str)
@pytest.mark.parametrize("n_items", [12])
def test_the_interval_of_a_spread_covers_it_also_where_there_is_none(rates, n_items):
    """250 studies of five domains; the mirrored interval would hold 0 in 70 of 100."""
    rng = np.random.default_rng(2)
    truth, held = float(np.std(rates)), 0
    for _ in range(250):
        seen = rng.binomial(n_items, rates) / n_items
        resampled = rng.binomial(n_items, seen, size=(300, 5)) / n_items
        low, high = spread_interval(
            float(seen.std()), resampled.std(axis=1), 5 * n_items, (0.0, 0.5)
        )
        assert low <= seen.std() <= high
        held += low <= truth + 1e-12 <= high + 1e-12
    assert held / 250 >= 0.92

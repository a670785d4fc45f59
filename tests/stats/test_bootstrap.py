"""Resamples: which clusters are drawn, how often each counts, and where sums go."""

import numpy as np
import pytest

from askew.stats.clusters import bootstrap_totals

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def alike(n):
    return np.zeros(n, dtype=np.int64)


def test_sums_that_strata_share_are_added_up_over_all_of_them():
    """Of equal clusters every resample is the sample: 3 of 2, and 4 of 5, are 26."""
    features = np.array([[2.0]] * 3 + [[5.0]] * 4)
    totals = bootstrap_totals(features, np.repeat([0, 1], [3, 4]), 6)
    assert totals.tolist() == [[26.0]] * 6
    # Also where the strata are drawn from: each varies by itself.
    apart = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [10.0, 100.0]])
    strata = np.array([0, 0, 1, 1])
    totals = bootstrap_totals(apart, strata, 200)
    # One of two is drawn, and counts twice.
    assert {tuple(row) for row in totals.tolist()} == {(0, 0), (2, 2), (20, 200), (22, 202)}


def test_a_cluster_counts_as_often_as_it_was_drawn():
    """Of three clusters two are drawn, each to count for one and a half."""
    totals = bootstrap_totals(np.eye(3), alike(3), 400)
    weights = np.round(totals / 1.5)
    assert totals == pytest.approx(1.5 * weights)
    kinds, times = np.unique(weights, axis=0, return_counts=True)
    assert kinds.tolist() == [[0, 0, 2], [0, 1, 1], [0, 2, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0]]
    # Pairs are twice as likely as one cluster twice.
    assert times / 400 == pytest.approx([1 / 9, 2 / 9, 1 / 9, 2 / 9, 2 / 9, 1 / 9], abs=0.06)


@pytest.mark.parametrize("n", [2, 3, 8])
@pytest.mark.parametrize("alike", [False, True], ids=["all different", "few patterns"])
def test_resamples_of_few_clusters_vary_as_samples_do(n, alike):
    """The variance of a resampled mean is the unbiased one: n - 1, not n, divides."""
    values = np.arange(n, dtype=float)
    if alike:
        values = np.repeat([0.0, 1.0], 12 * n)
    totals = bootstrap_totals(values[:, None], np.zeros(len(values), dtype=np.int64), 60_000)
    assert totals.mean() / len(values) == pytest.approx(values.mean(), rel=0.03)
    assert totals.var() == pytest.approx(len(values) * values.var(ddof=1), rel=0.03)
    if not alike:
        # One cluster less is drawn, each counting for as much more.
        assert totals.max() <= n * values.max() + 1e-9
        steps = np.unique(totals.round(6)) / (n / (n - 1))
        assert steps == pytest.approx(steps.round())


@pytest.mark.parametrize("n", [5, 40], ids=["drawn one by one", "drawn by pattern"])
def test_every_resample_weighs_as_much_as_the_sample(n):
    features = np.column_stack([np.ones(n), np.arange(n) % 2])
    totals = bootstrap_totals(features, np.zeros(n, dtype=np.int64), 200)
    assert totals[:, 0] == pytest.approx(np.full(200, float(n)))


def test_equal_seeds_give_equal_resamples_and_other_seeds_others():
    values = np.random.default_rng(0).normal(size=(50, 3))
    strata = np.zeros(50, dtype=np.int64)
    first, again = (bootstrap_totals(values, strata, 100, seed=5) for _ in range(2))
    assert (first == again).all()
    assert (first != bootstrap_totals(values, strata, 100, seed=6)).any()

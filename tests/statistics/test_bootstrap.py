"""Resamples: which units are drawn, how often each counts, and where what they add up to goes."""

import numpy as np
import pytest

from askew.statistics.bootstrap import bootstrap_totals, draws

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def alike(n):
    return np.zeros(n, dtype=np.int64)


def drawn_of(features, resamples=7, seed=0):
    (found,) = draws(features, alike(len(features)), resamples, seed)
    return found


def test_sums_that_strata_share_are_added_up_over_all_of_them():
    """Of equal units every resample is the sample: 3 of 2, and 4 of 5, are 26."""
    features = np.array([[2.0]] * 3 + [[5.0]] * 4)
    totals = bootstrap_totals(features, np.repeat([0, 1], [3, 4]), 6)
    assert totals.tolist() == [[26.0]] * 6
    # Also where the strata are drawn from: each varies by itself.
    apart = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 0.0], [10.0, 100.0]])
    strata = np.array([0, 0, 1, 1])
    totals = bootstrap_totals(apart, strata, 200)
    # One of two is drawn, and counts twice.
    assert {tuple(row) for row in totals.tolist()} == {(0, 0), (2, 2), (20, 200), (22, 202)}


@pytest.mark.parametrize("n", [5, 40], ids=["drawn one by one", "drawn by pattern"])
def test_chosen_features_are_those_of_all_in_the_order_asked_for(n):
    features = np.column_stack([np.arange(n) % 3, np.ones(n), np.arange(n) % 2]).astype(float)
    whole = bootstrap_totals(features, alike(n), 30, seed=4)
    some = bootstrap_totals(features, alike(n), 30, seed=4, columns=[2, 0])
    assert some == pytest.approx(whole[:, [2, 0]])
    assert bootstrap_totals(features, alike(n), 30, columns=[]).shape == (30, 0)


@pytest.mark.parametrize(
    ("n", "patterns", "rows"), [(16, 2, 2), (15, 2, 15), (24, 3, 3), (23, 3, 23), (9, 1, 1)]
)
def test_units_are_drawn_by_pattern_where_eight_share_one(n, patterns, rows):
    features = (np.arange(n) % patterns + 1.0)[:, None]
    found = drawn_of(features)
    assert found.features.shape == (rows, 1)
    weights = np.vstack([*found.weights])
    assert weights.shape == (7, rows)
    # One unit less is drawn; where all are alike, all of them are the resample.
    assert (weights.sum(axis=1) == (1 if patterns == 1 else n - 1)).all()


def test_units_that_differ_by_rounding_alone_are_alike():
    for apart, rows in ((1e-10, 1), (1e-8, 3)):
        features = np.array([[0.3], [0.3], [0.3 + apart]])
        assert len(drawn_of(features).features) == rows


def test_a_unit_counts_as_often_as_it_was_drawn():
    """Of three units two are drawn, each to count for one and a half."""
    found = drawn_of(np.array([[1.0], [10.0], [100.0]]), 400)
    assert found.features.ravel().tolist() == [1.5, 15.0, 150.0]
    weights = np.vstack([*found.weights])
    kinds, times = np.unique(weights, axis=0, return_counts=True)
    assert kinds.tolist() == [[0, 0, 2], [0, 1, 1], [0, 2, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0]]
    # Pairs are twice as likely as one unit twice.
    assert times / 400 == pytest.approx([1 / 9, 2 / 9, 1 / 9, 2 / 9, 2 / 9, 1 / 9], abs=0.06)

"""Resamples: which units are drawn, how often each counts, and where what they add up to goes."""

import numpy as np
import pytest

from askew.stats.bootstrap import bootstrap_totals

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def alike(n):
    return np.zeros(n, dtype=np.int64)


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


def test_a_unit_counts_as_often_as_it_was_drawn():
    """Of three units two are drawn, each to count for one and a half."""
    totals = bootstrap_totals(np.eye(3), alike(3), 400)
    weights = np.round(totals / 1.5)
    assert totals == pytest.approx(1.5 * weights)
    kinds, times = np.unique(weights, axis=0, return_counts=True)
    assert kinds.tolist() == [[0, 0, 2], [0, 1, 1], [0, 2, 0], [1, 0, 1], [1, 1, 0], [2, 0, 0]]
    # Pairs are twice as likely as one unit twice.
    assert times / 400 == pytest.approx([1 / 9, 2 / 9, 1 / 9, 2 / 9, 2 / 9, 1 / 9], abs=0.06)

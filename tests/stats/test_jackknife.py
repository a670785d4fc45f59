"""Errors by leaving out clusters: textbooks' tests where they are the same, and their promises."""

import math

import numpy as np
import pytest
from scipy import stats

from askew.stats.intervals import (
    Jackknife,
    equal_means_p,
    jackknife,
    largest_interval,
    largest_p,
    with_two_items,
)
from askew.stats.quantities import Counts, LeftOutValues, Quantity, Rate, bounds_of
from askew.stats.tables import ClusterTable, ratio

RNG = np.random.default_rng(4)
ONE = np.zeros(12, dtype=np.int64)


def table_of(*strata):
    """Clusters of these strata: a column a stratum with its sum, and one with its count."""
    values = np.concatenate(strata)
    codes = np.repeat(np.arange(len(strata)), [len(s) for s in strata])
    inside = codes[:, None] == np.arange(len(strata))
    features = np.hstack([inside * values[:, None], inside])
    names = [(name, i) for name in ("sum", "n") for i in range(len(strata))]
    columns = {name: place for place, name in enumerate(names)}
    clusters = [(c, i) for i, c in enumerate(codes)]
    return ClusterTable(features, columns, codes.astype(np.int64), clusters)


def mean(totals, stratum=0):
    return ratio(totals["sum", stratum], totals["n", stratum])


def test_of_one_mean_it_is_students_test():
    values = RNG.normal(0.3, 1, 12)
    table = table_of(values)
    found = jackknife(values.mean(), mean(table.left_out()), table.strata, 11)
    assert found.p_value == pytest.approx(stats.ttest_1samp(values, 0).pvalue)
    expected = stats.ttest_1samp(values, 0).confidence_interval(0.9)
    assert found.interval(0.9) == pytest.approx((expected.low, expected.high))


def test_of_two_samples_it_is_welchs_test():
    few, many = RNG.normal(0, 3, 5), RNG.normal(1, 1, 40)
    table = table_of(few, many)
    left = mean(table.left_out(), 1) - mean(table.left_out())
    found = jackknife(many.mean() - few.mean(), left, table.strata, 43)
    welch = stats.ttest_ind(many, few, equal_var=False)
    assert found.degrees == pytest.approx(welch.df)
    assert found.p_value == pytest.approx(welch.pvalue)


def test_bonett_and_prices_interval_by_hand():
    """Of 20 pairs three get worse and one better."""
    d = np.array([-1.0] * 3 + [1.0] + [0.0] * 16)
    found = jackknife(d.mean(), (d.sum() - d) / 19, np.zeros(20, dtype=np.int64), 19)
    more = with_two_items(found, 20, 1.0)
    worse, better = 4 / 22, 2 / 22
    assert more.value == pytest.approx(better - worse)
    error = math.sqrt((better + worse - (better - worse) ** 2) / 22)
    # By 21 in place of 22: the variance of a sample, as Student has it.
    assert more.error == pytest.approx(error * math.sqrt(22 / 21))


def test_where_nothing_is_known_there_is_no_error():
    assert jackknife(math.nan, np.zeros(12), ONE, 11) is None
    assert jackknife(0.1, np.array([0.1, math.nan]), ONE[:2], 1) is None
    still = jackknife(0.0, np.zeros(12), ONE, 11)
    assert (still.p_value, still.degrees) == (1.0, 11)


def test_the_largest_of_several_is_corrected_for_as_many_tests():
    parts = [Jackknife(0.1, 0.05, 20.0), Jackknife(-0.4, 0.05, 20.0), Jackknife(0.2, 0.1, 20.0)]
    t = stats.t.ppf(1 - 0.05 / 6, 20)
    assert largest_interval(parts) == pytest.approx((0.1 - t * 0.05, 0.2 + t * 0.1))
    assert largest_p(parts) == pytest.approx(3 * 2 * stats.t.sf(2, 20))
    assert largest_p(parts[1:2]) == 1.0


def test_equal_means_are_tested_as_greenhouse_and_geisser_do():
    x = RNG.normal(0, 1, (12, 1)) + RNG.normal(0, 1, (12, 4)) * [1, 1, 1, 4] + [0, 0, 0.5, 1]
    n, k = x.shape
    found = equal_means_p(x.mean(axis=0), (x.sum(axis=0) - x) / (n - 1), ONE, n - 1)
    left = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    f = n * x.mean(axis=0).var() * k / (k - 1) / ((left**2).sum() / (n - 1) / (k - 1))
    centre = np.eye(k) - 1 / k
    s = centre @ np.cov(x.T) @ centre
    epsilon = np.trace(s) ** 2 / (k - 1) / (s**2).sum()
    expected = stats.f.sf(f, epsilon * (k - 1), epsilon * (k - 1) * (n - 1))
    assert found == pytest.approx(expected)


def test_equal_means_where_nothing_varies_or_is_known():
    still = np.full((12, 3), 0.5)
    assert equal_means_p(still[0], still, ONE, 11) == 1.0
    assert math.isnan(equal_means_p(np.array([0.1, math.nan]), still[:, :2], ONE, 11))
    assert math.isnan(equal_means_p(still[0, :1], still[:, :1], ONE, 11))


def of_kind(kind, values, left, n_items=12):
    """Bounds and p-value of the largest of these values, or of the one."""
    one = np.array([max(values)])
    parts = tuple(Rate(np.array([v]), 12) for v in values if kind == "largest")
    rest = LeftOutValues(
        Quantity(left.max(axis=1), kind, parts=tuple(Rate(column, 12) for column in left.T)), ONE
    )
    quantity = Quantity(one, kind, (-1.0, 1.0), "", Counts(n_items, 0, 12), parts)
    drawn = Quantity(np.full(20, one[0]), kind)
    return bounds_of(quantity, drawn, 0.95, rest), rest.p_value(quantity)


def test_kinds_rest_on_what_is_left_without_each_cluster():
    d = np.random.default_rng(2).choice([-1.0, 0.0, 1.0], 12)
    left = ((d.sum() - d) / 11)[:, None]
    plain = jackknife(d.mean(), left[:, 0], ONE, 11)
    two = with_two_items(plain, 12, 1.0)
    assert of_kind("difference", [d.mean()], left)[0] == pytest.approx(plain.interval())
    for kind in ("paired", "largest"):
        bounds, p = of_kind(kind, [d.mean()], left)
        assert bounds == pytest.approx(two.interval())
        assert p == pytest.approx(two.p_value)
    # Twice as many items as clusters: what is made up weighs less.
    low, high = of_kind("paired", [d.mean()], left, n_items=24)[0]
    assert high - low < np.diff(two.interval())[0]


def test_a_difference_of_what_never_varies_is_no_certainty():
    (low, high), p = of_kind("difference", [0.0], np.zeros((12, 1)))
    assert low < -0.2
    assert high > 0.2
    assert p == 1.0


def test_a_stratum_with_a_single_cluster_has_no_standard_error():
    table = table_of(RNG.normal(0, 1, 8), np.array([0.4]))
    left = table.left_out()
    both = (mean(left) + mean(left, 1)) / 2
    assert jackknife(0.1, both, table.strata, 7) is None
    alone = jackknife(float(mean(table.point())[0]), mean(left), table.strata, 7)
    assert alone.degrees == 7

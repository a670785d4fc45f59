"""P-values over many rows, of equality, and the clusters they need, in simulations."""

import math

import numpy as np
import pytest
from scipy import stats

from askew.stats.intervals import student_p, t_interval
from askew.stats.p_values import (
    ClusterDifference,
    clusters_needed,
    correct_p_values,
    detectable_difference,
    equivalence_p,
    power_of,
)
from askew.stats.paired import bonett_price_test
from tests.cases import cases


def holm(p_values):
    """Each row a family of its own; what its resamples hold does not matter then."""
    drawn = np.random.default_rng(0).normal(size=(len(p_values), 400))
    return correct_p_values(p_values, range(len(p_values)), list(drawn)).p_values


def test_power_is_computed_far_beyond_the_levels_of_tests():
    # There scipy's noncentral t is nan.
    assert power_of(101, 4.8, ClusterDifference(1.0, 1.0), 0.01) == 1.0


def test_single_rows_are_corrected_as_holm_does_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], rel=0.02)
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_a_p_value_that_is_not_there_does_not_count():
    drawn = list(np.random.default_rng(0).normal(size=(3, 2_000)))
    for families in ("aaa", "abc"):
        found = correct_p_values([0.01, math.nan, 0.5], families, drawn)
        assert math.isnan(found.p_values[1])
        assert found.p_values[0] == pytest.approx(0.02, abs=0.003)


def test_equal_rows_are_corrected_as_one():
    drawn = np.random.default_rng(0).normal(size=2_000)
    together = correct_p_values([0.01, 0.01, 0.01], "aaa", [drawn, drawn, -drawn])
    apart = correct_p_values([0.01, 0.01, 0.01], "abc", [drawn, drawn, -drawn])
    assert together.p_values == pytest.approx([0.01] * 3, abs=0.002)
    assert together.levels == pytest.approx([0.05] * 3, abs=0.005)
    assert apart.p_values == pytest.approx([0.03] * 3, abs=0.002)
    assert apart.levels == pytest.approx([0.05 / 3] * 3, abs=0.003)


def test_a_family_counts_until_all_of_its_rows_are_shown():
    """Large effects in two families do not leave their other rows uncorrected for each other."""
    drawn = np.random.default_rng(0).normal(size=(4, 2_000))
    found = correct_p_values([1e-6, 0.03, 1e-6, 0.03], "aabb", list(drawn))
    assert found.p_values[1] == pytest.approx(0.06, abs=0.01)
    assert found.p_values[3] == pytest.approx(0.06, abs=0.01)


def test_equivalence_is_wrong_in_5_percent_at_the_margin():
    rng = np.random.default_rng(1)
    said = 0
    for _ in range(2000):
        x = rng.normal(0.05, 0.1, 40)
        low, high = t_interval(x, 0.9)
        p = equivalence_p(float(x.mean()), float(x.std(ddof=1) / math.sqrt(40)), 39, 0.05)
        assert (p < 0.05) == (low > -0.05 and high < 0.05)
        said += p < 0.05
    assert 0.035 <= said / 2000 <= 0.06
    assert equivalence_p(0.0, 0.0, 5, 0.05) == 0.0
    assert math.isnan(equivalence_p(math.nan, 0.1, 5, 0.05))


# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

NAN = math.nan
# Four resamples around 0, each further out than the last: of p-values 1, 3/4, 1/2 and 1/4.
FOUR = np.array([0.1, -0.2, 0.3, -0.2])
FOUR_P = [1.0, 0.75, 0.25, 0.75]


def test_two_rows_of_a_family_are_compared_with_the_smallest_of_both():
    """As small as 0.5 is the smallest in three of four resamples: with the row's own, 4 of 5."""
    other = np.array([0.3, 0.1, -0.2, -0.2])
    smallest = np.minimum(FOUR_P, [0.25, 1.0, 0.75, 0.75])
    assert smallest.tolist() == [0.25, 0.75, 0.25, 0.75]
    # 0.25 or less in two of four: 3 of 5, more than twice 0.25.
    assert correct_p_values([0.25, 0.6], "aa", [FOUR, other]).p_values == pytest.approx([0.5, 0.6])
    # 0.75 or less in all four; more than 1 none is.
    assert correct_p_values([0.75, 0.9], "aa", [FOUR, other]).p_values == pytest.approx([1.0, 1.0])
    # 0.7 or less in two of four: 3 of 5, and never less than the p-value itself.
    assert correct_p_values([0.7, 0.71], "aa", [FOUR, other]).p_values == pytest.approx([0.7, 0.71])
    # 0.4 or less in two of four: 3 of 5, less than twice 0.4.
    assert correct_p_values([0.4, 0.9], "aa", [FOUR, other]).p_values == pytest.approx([0.6, 0.9])
    # Whichever comes first.
    assert correct_p_values([0.9, 0.4], "aa", [other, FOUR]).p_values == pytest.approx([0.9, 0.6])
    levels = correct_p_values([0.4, 0.9], "aa", [FOUR, other], 0.6).levels
    assert levels == pytest.approx([max(0.2, float(np.quantile(smallest, 0.4)))] * 2)


def test_resamples_that_differ_by_rounding_are_tied():
    drawn = np.random.default_rng(0).integers(-2, 3, 400) / 7
    other = np.random.default_rng(1).integers(-1, 2, 400) / 3
    noise = np.random.default_rng(2).normal(0, 1e-15, 400)
    once = correct_p_values([0.02, 0.03], "aa", [drawn, other])
    assert correct_p_values([0.02, 0.03], "aa", [drawn + noise, other - noise]) == once


@pytest.mark.parametrize(("value", "inside"), [(0.02, 3.0), (-0.02, 3.0), (0.0, 5.0), (0.09, -4.0)])
def test_equivalence_is_shown_by_students_distance_from_the_margin(value, inside):
    """Margin 0.05, error 0.01, two degrees: one half less half of t by the root of t t + 2."""
    expected = 0.5 - inside / math.sqrt(inside**2 + 2) / 2
    assert equivalence_p(value, 0.01, 2, 0.05) == pytest.approx(expected)


def test_equivalence_where_nothing_varies_or_is_known():
    assert equivalence_p(0.05, 0.01, 2, 0.05) == 0.5
    assert [equivalence_p(v, 0.0, 2, 0.05) for v in (0.049, 0.05, -0.049, -0.05)] == [0, 1, 0, 1]
    unknown = (NAN, 0.01, 2), (0.0, NAN, 2), (0.0, 0.01, 0)
    assert all(math.isnan(equivalence_p(*given, 0.05)) for given in unknown)
    assert equivalence_p(0.0, 0.01, 1, 0.01) == pytest.approx(0.25)


@pytest.mark.parametrize("spread", [1.0, 1.5])
@cases("n", "difference", "level")
def test_power_is_that_of_students_noncentral_t(n, difference, level, spread):
    cluster = ClusterDifference(0.4, 0.7, spread)
    squares = n * 0.16 + 2 * 0.49 + 2 * n * difference**2 / (n + 2)
    away = difference * n / (n + 2) / math.sqrt(squares / ((n + 1) * (n + 2)))
    reach = stats.t.isf(level / 2, n - 1)
    expected = stats.nct.sf(reach / spread, n - 1, away / spread)
    assert power_of(n, difference, cluster, level) == pytest.approx(expected, rel=1e-6)
    assert ClusterDifference(0.4, 0.7) == ClusterDifference(0.4, 0.7, 1.0)


@pytest.mark.parametrize("margin", [0.3, 0.1, 0.017])
def test_clusters_needed_are_the_fewest_that_show_it_four_times_in_five(margin):
    cluster = ClusterDifference(0.4, 0.7)
    n = clusters_needed(margin, cluster, 0.05)
    assert power_of(n - 1, margin, cluster, 0.05) < 0.8 <= power_of(n, margin, cluster, 0.05)
    one_less, shown = (detectable_difference(k, cluster, 0.05) for k in (n - 1, n))
    assert shown <= margin < one_less
    # As often as that, and no more.
    assert power_of(n, shown, cluster, 0.05) == pytest.approx(0.8, abs=1e-9)


def paired(value, variance, degrees=9, span=1.0, level=0.95, **given):
    return bonett_price_test(value, variance, 10, degrees, span, level, **given)


def test_a_paired_test_by_hand():
    """Ten clusters, 0.3 apart: error root of (90 v + 2 + 20 * 0.09 / 12) / 132, two degrees."""
    error = math.sqrt((90 * 0.01 + 2 + 0.15) / 132)
    half = 4.302652729912 * error
    found = paired(0.3, 0.01, degrees=2, margin=0.2)
    assert (found["low"], found["high"]) == pytest.approx((0.25 - half, 0.25 + half))
    assert found["p_value"] == pytest.approx(student_p(0.25 / error, 2))
    assert found["p_equal"] == pytest.approx(equivalence_p(0.3, error, 2, 0.2))
    assert found["deviation"] == pytest.approx(math.sqrt((100 * 0.01 + 2) / 12))
    assert found["most"] == 1.0
    # Unless a margin or a shift is told, there is none.
    plain = paired(0.3, 0.01, degrees=2)
    assert plain == paired(0.3, 0.01, degrees=2, margin=0.0, shift=0.0)
    assert plain["p_equal"] > 0.5


def test_a_shift_moves_the_middle_and_the_tests_but_not_what_is_shown():
    error = math.sqrt((90 * 0.01 + 2 + 0.15) / 132)
    half = 2.262157162854 * error
    found = paired(0.3, 0.01, shift=0.1, margin=0.25)
    assert (found["low"], found["high"]) == pytest.approx((2 / 12 - half, 2 / 12 + half))
    assert found["p_value"] == pytest.approx(student_p(2 / 12 / error, 9))
    assert found["p_equal"] == pytest.approx(equivalence_p(0.2, error, 9, 0.25))
    # However far it moves, the difference is within.
    assert paired(0.3, 0.0, span=0.5, shift=2.0, level=0.1)["high"] == 0.3
    assert paired(-0.3, 0.0, span=0.5, shift=-2.0, level=0.1)["low"] == -0.3


def test_bounds_of_a_difference_lie_within_its_span():
    wide = paired(0.3, 1.0)
    assert (wide["low"], wide["high"]) == (-1.0, 1.0)
    # Of no end it is what resamples say of a cluster: ten times the variance, its root.
    endless = paired(0.3, 0.4, degrees=1, span=math.inf)
    assert endless["most"] == 2.0
    assert (endless["low"], endless["high"]) == (-2.0, 2.0)
    # Without any span nothing is clipped.
    none = paired(0.3, 0.4, span=0.0)
    error = math.sqrt((90 * 0.4 + 0.15) / 132)
    assert none["high"] == pytest.approx(0.25 + 2.262157162854 * error)
    assert none["low"] == pytest.approx(0.25 - 2.262157162854 * error)

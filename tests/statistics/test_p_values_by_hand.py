"""P-values, power and units needed, as numbers: on examples worked out beside the code."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from askew.statistics import p_values
from askew.statistics.intervals import student_p
from askew.statistics.p_values import (
    Corrected,
    UnitDifference,
    corrected,
    difference_shown,
    equivalence_p,
    power_of,
    units_needed,
)
from askew.statistics.paired import PairedTest, paired_test

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

NAN = math.nan
NORMAL = NormalDist()
# Four resamples around 0, each further out than the last: of p-values 1, 3/4, 1/2 and 1/4.
FOUR = np.array([0.1, -0.2, 0.3, -0.2])
FOUR_P = [1.0, 0.75, 0.25, 0.75]


def test_p_values_of_resamples_are_their_ranks():
    """By how many lie as far from their mean, or further; what is tied counts for all."""
    assert p_values._null_p_values(FOUR + 7) == pytest.approx(FOUR_P)
    # What is not defined lies nowhere: as near as can be.
    some = np.array([0.1, -0.3, NAN, 0.2])
    assert p_values._null_p_values(some) == pytest.approx([0.75, 0.25, 1.0, 0.5])
    # What varies by 1e-12 says nothing, and a little more does.
    squared = np.array([-7.0, -1.0, 1.0, 7.0])
    for hardly, found in ((2e-13, [1.0] * 4), (2.01e-13, [0.5, 1.0, 1.0, 0.5])):
        assert p_values._null_p_values(hardly * squared).tolist() == found


def test_a_row_by_itself_keeps_its_p_value():
    found = corrected([0.3], "a", [FOUR])
    assert found.p_values == [0.3]
    # The smallest of its four p-values, at a share of 0.2 of them.
    assert corrected([0.3], "a", [FOUR], 0.8).levels == pytest.approx(
        [max(0.2, float(np.quantile(FOUR_P, 0.2)))]
    )
    assert found.levels == pytest.approx([max(0.05, float(np.quantile(FOUR_P, 0.05)))])


def test_two_rows_of_a_family_are_held_against_the_smallest_of_both():
    """As small as 0.5 is the smallest in three of four resamples: with the row's own, 4 of 5."""
    other = np.array([0.3, 0.1, -0.2, -0.2])
    smallest = np.minimum(FOUR_P, [0.25, 1.0, 0.75, 0.75])
    assert smallest.tolist() == [0.25, 0.75, 0.25, 0.75]
    # 0.25 or less in two of four: 3 of 5, more than twice 0.25.
    assert corrected([0.25, 0.6], "aa", [FOUR, other]).p_values == pytest.approx([0.5, 0.6])
    # 0.75 or less in all four; more than 1 none is.
    assert corrected([0.75, 0.9], "aa", [FOUR, other]).p_values == pytest.approx([1.0, 1.0])
    # 0.7 or less in two of four: 3 of 5, and never less than the p-value itself.
    assert corrected([0.7, 0.71], "aa", [FOUR, other]).p_values == pytest.approx([0.7, 0.71])
    # 0.4 or less in two of four: 3 of 5, less than twice 0.4.
    assert corrected([0.4, 0.9], "aa", [FOUR, other]).p_values == pytest.approx([0.6, 0.9])
    # Whichever comes first.
    assert corrected([0.9, 0.4], "aa", [other, FOUR]).p_values == pytest.approx([0.9, 0.6])
    levels = corrected([0.4, 0.9], "aa", [FOUR, other], 0.6).levels
    assert levels == pytest.approx([max(0.2, float(np.quantile(smallest, 0.4)))] * 2)


def test_no_row_is_shown_before_one_with_a_smaller_p_value():
    """Holm: thrice, twice and once; what would fall below the last stays level with it."""
    still = [np.zeros(4)] * 3
    found = corrected([0.02, 0.011, 0.015], "abc", still)
    assert found.p_values == pytest.approx([0.033, 0.033, 0.033])
    found = corrected([0.2, 0.01, 0.02], "abc", still)
    assert found.p_values == pytest.approx([0.2, 0.03, 0.04])
    assert corrected([0.5, 0.9], "ab", still).p_values == pytest.approx([1.0, 1.0])


def test_levels_are_bonferronis_at_least_and_rows_without_p_values_have_none():
    still = [np.zeros(4)] * 4
    found = corrected([0.2, NAN, 0.01, 0.02], "abcc", still, 0.9)
    # Nothing varies: all p-values of resamples are 1, and so is what the smallest may be.
    assert found.levels == pytest.approx([1.0, NAN, 1.0, 1.0], nan_ok=True)
    varied = [np.linspace(-1, 1, 1_000) ** 3] * 4
    found = corrected([0.2, NAN, 0.01, 0.02], "abcc", varied, 0.9)
    share = float(np.quantile(p_values._null_p_values(varied[0]), 0.05))
    assert found.levels == pytest.approx([share, NAN, share, share], nan_ok=True)
    assert share == pytest.approx(0.05, abs=0.002)
    # Many rows that never move together: a level each.
    apart = [np.eye(40)[i] for i in range(40)]
    found = corrected([0.5] * 40, "a" * 40, apart, 0.8)
    assert found.levels == pytest.approx([max(0.2 / 40, 1 / 40)] * 40)
    assert corrected([], "", []) == Corrected([], [])
    assert corrected([NAN], "a", [FOUR]).levels == [pytest.approx(NAN, nan_ok=True)]


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
@pytest.mark.parametrize(
    ("n", "difference", "level"), [(2, 0.9, 0.05), (3, 0.5, 0.2), (40, 0.2, 0.01)]
)
def test_power_by_its_formula(n, difference, level, spread):
    """Student's quantile by three terms of Cornish and Fisher's, his distance nearly normal."""
    unit = UnitDifference(0.4, 0.7, spread)
    z, df = NORMAL.inv_cdf(1 - level / 2), n - 1
    reach = z + z * (z**2 + 1) / 4 / df + z * (5 * z**4 + 16 * z**2 + 3) / 96 / df**2
    squares = n * 0.16 + 2 * 0.49 + 2 * n * difference**2 / (n + 2)
    error = math.sqrt(squares / ((n + 1) * (n + 2)))
    away = difference * n / (n + 2) / error
    expected = NORMAL.cdf((away - reach) / math.sqrt(spread**2 + reach**2 / 2 / df))
    assert power_of(n, difference, unit, level) == pytest.approx(expected, rel=1e-9)
    assert UnitDifference(0.4, 0.7) == UnitDifference(0.4, 0.7, 1.0)


def test_one_unit_and_what_never_varies_show_nothing():
    unit = UnitDifference(0.4, 0.7)
    assert power_of(1, 0.9, unit, 0.05) == 0.0
    assert power_of(2, 0.9, unit, 0.05) > 0.0
    assert power_of(9, 0.0, UnitDifference(0.0, 0.0), 0.05) == 0.0
    # A difference in truth is itself something that varies.
    assert power_of(9, 0.3, UnitDifference(0.0, 0.0), 0.05) > 0.5


@pytest.mark.parametrize("margin", [0.3, 0.1, 0.017])
def test_units_needed_are_the_fewest_that_show_it_four_times_in_five(margin):
    unit = UnitDifference(0.4, 0.7)
    n = units_needed(margin, unit, 0.05)
    assert power_of(n - 1, margin, unit, 0.05) < 0.8 <= power_of(n, margin, unit, 0.05)
    assert difference_shown(n, unit, 0.05) <= margin < difference_shown(n - 1, unit, 0.05)
    # As often as that, and no more.
    assert power_of(n, difference_shown(n, unit, 0.05), unit, 0.05) == pytest.approx(0.8, abs=1e-9)


def test_units_needed_have_an_end():
    """Two at least; and where nothing would do, some power of two beyond 10 to the 12."""
    assert units_needed(100.0, UnitDifference(0.4, 0.7, 1e-9), 0.7) == 2
    assert units_needed(0.0, UnitDifference(0.4, 0.7), 0.05) == 2**40


def test_a_difference_is_looked_for_as_far_as_a_unit_can_lie_apart():
    # At most 0.7 here, or ten deviations of 0.4, whichever is more.
    assert 0.7 < difference_shown(7, UnitDifference(0.4, 0.7), 0.05) < 4.0
    assert difference_shown(7, UnitDifference(0.0, 0.7), 0.05) < 0.7
    for deviation, level, most in ((0.4, 0.058, 4.0), (0.0, 0.195, 0.7)):
        unit = UnitDifference(deviation, 0.7)
        assert power_of(5, most, unit, level) < 0.8 < power_of(5, 1.1 * most, unit, level)
        assert math.isnan(difference_shown(5, unit, level))
        assert not math.isnan(difference_shown(5, unit, level + 0.01))


def paired(value, variance, n=10, degrees=9, span=1.0, level=0.95, **given):
    return paired_test(value, variance, n, degrees, span, level, **given)


def test_a_paired_test_by_hand():
    """Ten units, 0.3 apart: error root of (90 v + 2 + 20 * 0.09 / 12) / 132, two degrees."""
    error = math.sqrt((90 * 0.01 + 2 + 0.15) / 132)
    half = 4.302652729912 * error
    found = paired(0.3, 0.01, degrees=2, margin=0.2)
    assert (found.low, found.high) == pytest.approx((0.25 - half, 0.25 + half))
    assert found.p_value == pytest.approx(student_p(0.25 / error, 2))
    assert found.p_equal == pytest.approx(equivalence_p(0.3, error, 2, 0.2))
    assert found.deviation == pytest.approx(math.sqrt((100 * 0.01 + 2) / 12))
    assert found.most == 1.0
    # Unless a margin or a shift is told, there is none.
    plain = paired(0.3, 0.01, degrees=2)
    assert plain == paired(0.3, 0.01, degrees=2, margin=0.0, shift=0.0)
    assert plain.p_equal > 0.5


def test_a_shift_moves_the_middle_and_the_tests_but_not_what_is_shown():
    error = math.sqrt((90 * 0.01 + 2 + 0.15) / 132)
    half = 2.262157162854 * error
    found = paired(0.3, 0.01, shift=0.1, margin=0.25)
    assert (found.low, found.high) == pytest.approx((2 / 12 - half, 2 / 12 + half))
    assert found.p_value == pytest.approx(student_p(2 / 12 / error, 9))
    assert found.p_equal == pytest.approx(equivalence_p(0.2, error, 9, 0.25))
    # However far it moves, the difference is within.
    assert paired(0.3, 0.0, span=0.5, shift=2.0, level=0.1).high == 0.3
    assert paired(-0.3, 0.0, span=0.5, shift=-2.0, level=0.1).low == -0.3


def test_bounds_of_a_difference_lie_within_its_span():
    wide = paired(0.3, 1.0)
    assert (wide.low, wide.high) == (-1.0, 1.0)
    # Of no end it is what resamples say of a unit: ten times the variance, its root.
    endless = paired(0.3, 0.4, degrees=1, span=math.inf)
    assert endless.most == 2.0
    assert (endless.low, endless.high) == (-2.0, 2.0)
    # Without any span nothing is clipped.
    none = paired(0.3, 0.4, span=0.0)
    error = math.sqrt((90 * 0.4 + 0.15) / 132)
    assert none.high == pytest.approx(0.25 + 2.262157162854 * error)
    assert none.low == pytest.approx(0.25 - 2.262157162854 * error)


def test_of_what_can_never_differ_nothing_is_shown():
    for margin in (0.0, 0.05):
        found = paired(0.0, 0.0, span=0.0, margin=margin)
        assert found == PairedTest(0.0, 0.0, 1.0, 1.0, 0.0, 0.0)


def test_a_test_that_was_not_made_says_nothing():
    assert all(map(math.isnan, vars(PairedTest()).values()))
    assert list(vars(PairedTest())) == ["low", "high", "p_value", "p_equal", "deviation", "most"]

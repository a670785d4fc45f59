"""Both sides of every threshold of an interval, and what holds where nothing is told."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from askew.statistics.composites import (
    bounded_interval,
    carried_bounds,
    hits_are_few,
    largest_interval,
    paired_interval,
    quantile,
    rate_bounds,
    rate_interval,
    stretched,
    variance_of,
    with_two_more,
)
from askew.statistics.intervals import (
    composite_interval,
    exceeds,
    expanded_level,
    normal_quantile,
    percentile_interval,
    reflected_interval,
    settled,
    spread_interval,
    student_p,
    t_interval,
    t_quantile,
    variance_interval,
    wilson,
    wilson_score,
    without_noise,
)

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

EVENLY = np.linspace(0.3, 0.5, 101)
UNIT = (0.0, 1.0)
NAN = math.nan


def is_unknown(bounds):
    return all(map(math.isnan, bounds))


# Every interval with a level and, where it takes them, degrees of freedom: of ten units.
LEVELLED = {
    "wilson": lambda **said: wilson(0.3, 10, **said),
    "t": lambda **said: t_interval([2.0, 4.0, 4.0, 6.0], **said),
    "percentile": lambda **said: percentile_interval(EVENLY, **said),
    "composite": lambda **said: composite_interval(0.4, EVENLY, 10, UNIT, **said),
    "mirrored": lambda **said: reflected_interval(0.4, EVENLY, 10, UNIT, **said),
    "spread": lambda **said: spread_interval(0.4, EVENLY, 10, UNIT, **said),
    "variance": lambda **said: variance_interval(0.4, EVENLY, 10, UNIT, **said),
    "rate": lambda **said: rate_interval(0.4, EVENLY, 10, **said),
    "rate of a variance": lambda **said: rate_bounds(0.4, 0.01, 10, **said),
    "paired": lambda **said: paired_interval(0.4, EVENLY, 10, 1.0, **said),
    "bounded": lambda **said: bounded_interval(0.4, 0.01, 10, 9, **said),
    "carried": lambda **said: carried_bounds(lambda r: r[0], [(0.2, 20)], **said),
    "largest": lambda **said: largest_interval(np.array([0.4]), EVENLY[None], [10], 1.0, 9, **said),
}
WITHOUT_DEGREES = {"wilson", "t", "percentile", "bounded", "carried", "largest"}


@pytest.mark.parametrize("kind", LEVELLED)
def test_unless_told_otherwise_the_level_is_95_in_100(kind):
    made = LEVELLED[kind]
    assert made() == made(level=0.95)
    low, high = made()
    narrow_low, narrow_high = made(level=0.5)
    assert low <= narrow_low <= narrow_high <= high
    assert narrow_high - narrow_low < high - low


@pytest.mark.parametrize("kind", [kind for kind in LEVELLED if kind not in WITHOUT_DEGREES])
def test_unless_told_otherwise_units_are_of_one_stratum(kind):
    made = LEVELLED[kind]
    assert made() == made(degrees=9)
    assert made(degrees=2) != made()


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 1.1])
def test_no_level_is_certain_or_empty(level):
    with pytest.raises(ValueError, match=f"level={level}: a confidence level"):
        normal_quantile(level)


def test_quantiles_of_the_normal_distribution_are_those_of_the_tables():
    assert normal_quantile(0.95) == pytest.approx(1.9599640)
    assert normal_quantile(0.5) == pytest.approx(0.6744898)


def test_changes_by_rounding_alone_are_none():
    """A billionth of the larger of 1 and the numbers' sizes."""
    assert settled([1e-9, -1e-9, 1.1e-9, -1.1e-9], 0.3).tolist() == [0.0, 0.0, 1.1e-9, -1.1e-9]
    assert settled([9e-9, 1.1e-8], 0.5, -10.0).tolist() == [0.0, 1.1e-8]
    assert settled(5e-10, 0.1) == 0.0
    assert (exceeds(1.0 + 2e-9, 1.0), exceeds(1.0 + 5e-10, 1.0)) == (True, False)
    assert (exceeds(1.0, 1.0 + 2e-9), exceeds(0.2, 0.1)) == (False, True)
    # Of large numbers, whichever of the two is.
    assert (exceeds(1e6 + 1e-4, 1e6), exceeds(1e6 + 1e-2, 1e6)) == (False, True)


def test_wilson_of_less_than_one_trial_by_hand():
    """With z = 2 and half a trial: (r + 4) / 9 and 2 / 9 times the root of 2 r (1 - r) + 4."""
    half = 2 * math.sqrt(0.375 + 4) / 9
    assert wilson_score(0.25, 0.5, 2.0) == pytest.approx((4.25 / 9 - half, 4.25 / 9 + half))
    assert is_unknown(wilson_score(0.25, 0.0, 2.0))
    assert is_unknown(wilson_score(0.25, NAN, 2.0))
    assert is_unknown(wilson_score(NAN, 5.0, 2.0))
    # Of no quantile it is the rate, whatever rounding does.
    for rate in (0.0, 0.1, 0.7, 1.0):
        assert wilson_score(rate, 3.0, 0.0) == pytest.approx((rate, rate))


def test_two_values_have_students_interval_and_one_has_none():
    # Mean 2, standard deviation root 2, two values: half is the quantile of one degree.
    assert t_interval([1.0, 3.0]) == pytest.approx((2 - 12.706204736, 2 + 12.706204736))
    assert is_unknown(t_interval([]))


@pytest.mark.parametrize(
    ("level", "df", "found"),
    # One degree: tan(level pi / 2). Two: level times the root of 2 / (1 - level squared).
    [
        (0.5, 1, 1.0),
        (0.99, 1, math.tan(0.99 * math.pi / 2)),
        (0.9999, 1, math.tan(0.9999 * math.pi / 2)),
        (0.8, 2, 0.8 * math.sqrt(2 / 0.36)),
        (0.999, 2, 0.999 * math.sqrt(2 / (1 - 0.999**2))),
        (0.95, 3, 3.182446305284),
        (0.95, 4, 2.776445105198),
        (0.95, 5, 2.570581835636),
        (0.95, 1000, 1.962339080826),
    ],
)
def test_students_quantiles_in_closed_form(level, df, found):
    assert t_quantile(level, df) == pytest.approx(found, rel=1e-9)
    assert student_p(found, df) == pytest.approx(1 - level, abs=1e-9)


def test_students_distribution_is_no_longer_told_from_the_normal_one_beyond_1000_degrees():
    normal = math.erfc(2.0 / math.sqrt(2))
    assert student_p(2.0, 1001) == student_p(-2.0, 5000) == normal
    assert student_p(2.0, 1000) == pytest.approx(0.0457703, abs=1e-7)
    assert student_p(2.0, 1000) > normal + 1e-4
    assert quantile(0.95, 5_000) == quantile(0.95, 1_000) == t_quantile(0.95, 1_000)
    assert quantile(0.95, 999) == t_quantile(0.95, 999)
    assert expanded_level(0.95, 5_000) == expanded_level(0.95, 1_000)
    # No degree is taken for one, and one is enough for a p-value.
    assert quantile(0.95, 0) == quantile(0.95, -3) == t_quantile(0.95, 1)
    assert student_p(1.0, 1) == pytest.approx(0.5)
    with pytest.raises(ValueError, match="df=0"):
        t_quantile(0.95, 0)


def test_expanded_levels_by_hand():
    """Student's 0.5 quantile of one degree is 1, which the normal distribution holds 68 of 100."""
    assert expanded_level(0.5, 1) == pytest.approx(2 * NormalDist().cdf(1.0) - 1)
    assert expanded_level(0.95, 0) == expanded_level(0.95, -1) == 0.95


@pytest.mark.parametrize(("unknown", "there"), [(0, True), (5, True), (6, False), (100, False)])
def test_percentiles_need_95_of_100_replicates(unknown, there):
    replicates = np.concatenate([np.full(unknown, NAN), np.linspace(0, 1, 100 - unknown)])
    found = percentile_interval(replicates, 0.9)
    if there:
        assert found == pytest.approx((0.05, 0.95))
    else:
        assert is_unknown(found)
    assert is_unknown(percentile_interval(np.array([])))


def test_a_composite_of_hardly_any_width_never_varied():
    """Where replicates lie 1e-12 apart or less."""
    width = wilson(0.0, 8)[1]
    for apart, varied in ((4e-12, True), (4e-13, False)):
        drawn = 0.5 + np.linspace(-apart, apart, 101)
        low, high = composite_interval(0.5, drawn, 8, UNIT)
        assert high - low == pytest.approx(2 * apart if varied else 2 * width, rel=0.05)
    # It always holds the number.
    assert composite_interval(0.9, EVENLY, 10, UNIT)[1] == 0.9
    assert composite_interval(0.1, EVENLY, 10, UNIT)[0] == 0.1


def test_of_one_unit_there_is_an_interval_and_of_none_there_is_not():
    same = np.full(9, 0.5)
    for made in (composite_interval, reflected_interval, spread_interval, variance_interval):
        assert not np.isnan(made(0.5, same, 1, UNIT)).any()
        assert is_unknown(made(0.5, same, 0, UNIT))
        assert is_unknown(made(NAN, same, 9, UNIT))
        assert is_unknown(made(0.5, np.full(9, NAN), 9, UNIT))
    assert rate_bounds(0.5, 0.0, 1) == wilson(0.5, 1)
    assert is_unknown(rate_bounds(0.5, 0.0, 0))
    assert is_unknown(rate_bounds(NAN, 0.0, 5))
    assert not is_unknown(bounded_interval(0.5, 0.01, 1, 1))
    assert is_unknown(bounded_interval(0.5, 0.01, 0, 1))
    assert is_unknown(bounded_interval(NAN, 0.01, 5, 1))
    assert not is_unknown(paired_interval(0.5, same, 1, 1.0))
    assert is_unknown(paired_interval(0.5, same, 0, 1.0))
    assert is_unknown(paired_interval(NAN, same, 5, 1.0))


def test_the_noise_of_a_spread_is_that_of_the_replicates_that_are_defined():
    drawn = np.append(np.linspace(0.2, 0.4, 99), NAN)
    mean = float((drawn[:99] ** 2).mean())
    true = np.sqrt(np.maximum(0.0, drawn[:99] ** 2 - 2 * (mean - 0.04)))
    found = spread_interval(0.2, drawn, 10, UNIT)
    assert found == pytest.approx(composite_interval(0.2, true, 10, UNIT))
    moved = without_noise(0.2, np.array([0.3, NAN, 0.5]))
    assert moved == pytest.approx([-0.1, NAN, 0.1], nan_ok=True)
    nothing = without_noise(0.2, np.full(2, NAN))
    assert np.isnan(nothing).all()
    assert spread_interval(0.2, [0.2, 0.2], 10, UNIT) == spread_interval(
        0.2, np.array([0.2]), 10, UNIT
    )


@pytest.mark.parametrize(("degrees", "few"), [(9, True), (10, False)])
def test_a_variance_of_ten_degrees_has_its_percentiles_alone(degrees, few):
    """Of two replicates percentiles can't lie beyond; Student's interval does."""
    drawn = np.tile([0.2, 0.3], 20)
    plain = composite_interval(0.25, drawn, 11, UNIT, degrees=degrees)
    low, high = variance_interval(0.25, drawn, 11, UNIT, degrees=degrees)
    reach = t_quantile(0.95, degrees) * float(np.sqrt(drawn).std())
    beyond = (0.5 - reach) ** 2, (0.5 + reach) ** 2
    assert beyond[0] < plain[0] < plain[1] < beyond[1]
    assert (low, high) == pytest.approx(beyond if few else plain)
    # Units less one, where nothing else is told.
    assert variance_interval(0.25, drawn, degrees + 1, UNIT) == pytest.approx((low, high))


def test_a_variance_of_no_degrees_is_one_of_one():
    drawn = np.tile([0.2, 0.3], 20)
    reach = t_quantile(0.95, 1) * float(np.sqrt(drawn).std())
    found = variance_interval(0.25, drawn, 1, (0.0, 9.0), degrees=0)
    assert found == pytest.approx((0.0, (0.5 + reach) ** 2))


def test_the_variance_of_what_is_defined():
    assert variance_of(np.array([0.2, NAN, 0.4])) == pytest.approx(0.01)
    assert variance_of(np.array([0.2])) == 0.0
    assert math.isnan(variance_of(np.full(3, NAN)))


def test_a_rate_of_no_or_much_variance():
    # 1e-15 is none: each unit counts once.
    assert rate_bounds(0.3, 9e-16, 20) == wilson(0.3, 20)
    assert rate_bounds(0.3, 2e-15, 20) == bounded_interval(0.3, 2e-15, 20, 19)
    # From the variance of single answers on, it is what it is worth; at least one trial.
    assert rate_bounds(0.5, 0.025, 10) == pytest.approx(wilson(0.5, 10))
    assert rate_bounds(0.5, 0.1, 10) == pytest.approx(wilson(0.5, 2.5))
    assert rate_bounds(0.5, 0.9, 10) == pytest.approx(wilson(0.5, 1))
    # At an end each unit counts once, however much it varies.
    for end in (0.0, 1.0):
        assert rate_bounds(end, 0.1, 20) == wilson(end, 20)
    # Below, degrees of freedom count, and no interval is wider than of an answer a unit.
    found = rate_bounds(0.4, 0.002, 20, degrees=7)
    assert found == bounded_interval(0.4, 0.002, 20, 7)
    assert rate_bounds(0.4, 0.0115, 20, degrees=2) == wilson(0.4, 20)


def test_a_bounded_mean_of_few_trials_and_of_no_spread():
    # One unit that varies by all it can: a trial, not less.
    assert bounded_interval(0.5, 5.0, 4, 3) == pytest.approx(
        wilson_score(0.5, 1, quantile(0.95, 3))
    )
    # At an end, or as good as there, each unit is a trial.
    for value in (0.0, 1.0, 1e-13):
        found = bounded_interval(value, 0.01, 4, 3)
        assert found == pytest.approx(wilson_score(value, 4, quantile(0.95, 3)), abs=1e-9)
    # A rounding's breadth beyond an end is the end.
    assert bounded_interval(1 + 1e-12, 0.0, 4, 3) == wilson_score(1.0, 4, quantile(0.95, 3))
    assert bounded_interval(-1e-12, 0.0, 4, 3) == wilson_score(0.0, 4, quantile(0.95, 3))
    # 0.9 of 20: two deviate, and a single answer's variance weighs 0.3 beside them.
    single = 0.09 / 20
    drawn = (2 * 0.002 + 0.3 * single) / 2.3
    assert bounded_interval(0.9, 0.002, 20, 19) == pytest.approx(
        wilson_score(0.9, 0.09 / drawn, quantile(0.95, 19))
    )


def test_a_contrast_is_stretched_by_hand():
    """Rates 0.1 and 0.2 of 40: on average 6 units deviate, beside a prior of 0.06."""
    drawn = 0.1 + np.array([-0.01, 0.01, 0.02, -0.02])
    variance = 2.5e-4
    single = (0.09 + 0.16) / 40
    wanted = (6 * variance + 0.06 * single) / 6.06
    found = stretched(0.1, drawn, (0.1, 0.2), 40)
    assert found == pytest.approx(0.1 + (drawn - 0.1) * math.sqrt(wanted / variance))
    assert found[2] > drawn[2] + 1e-4
    # A rate near 1 deviates as rarely as one near 0 does.
    assert stretched(0.1, drawn, (0.9, 0.8), 40) == pytest.approx(found)
    # Not defined, or of no variance: as it was.
    assert stretched(NAN, drawn, (0.1, 0.2), 40) is drawn
    for apart, moved in ((2e-6, True), (9e-7, False)):
        hardly = 0.1 + np.array([-apart, apart])
        assert (stretched(0.1, hardly, (0.1, 0.2), 40) is not hardly) == moved


def test_bounds_of_a_rate_are_quantiles_of_4000_draws():
    """4 hits of 20: of Beta(4.5, 16.5) below, then of Beta(5, 16 1/3) above."""
    rng = np.random.default_rng(0)
    low = np.quantile(rng.beta(4.5, 16.5, (1, 4_000)), 0.05)
    high = np.quantile(rng.beta(5.0, 16 + 1 / 3, (1, 4_000)), 0.95)
    found = carried_bounds(lambda rates: rates[0], [(0.2, 20)], 0.9)
    assert found == pytest.approx((low, high), rel=1e-12)
    assert is_unknown(carried_bounds(lambda rates: rates[0], [(0.2, 20), (NAN, 20)]))
    # They hold the number, wherever draws lie.
    assert carried_bounds(lambda r: r[0] + 5 * (r.size == 1), [(0.2, 20)])[1] == 5.2
    assert carried_bounds(lambda r: r[0] - 5 * (r.size == 1), [(0.2, 20)])[0] == -4.8


@pytest.mark.parametrize(
    ("rate", "n", "few"),
    [
        (4 / 40, 40, True), (5 / 40, 40, False), (4.9 / 40, 40, True), (0.0, 40, True),
        (39 / 40, 40, True), (38 / 40, 40, False), (1 - 1.6 / 40, 40, False),
        (1 - 1.4 / 40, 40, True), (1.0, 40, True), (0.5, 40, False), (NAN, 40, False),
    ],
)  # fmt: skip
def test_fewer_than_five_hits_or_two_misses_are_few(rate, n, few):
    assert hits_are_few(rate, n) is few


def test_two_units_more_by_hand():
    """Ten units, 0.3 apart in a range of 2: (90 v + 8 + 20 * 0.09 / 12) / (11 * 12)."""
    centre, error = with_two_more(0.3, 0.02, 10, 2.0)
    assert (centre, error) == pytest.approx((0.25, math.sqrt((1.8 + 8 + 0.15) / 132)))
    # The interval holds the difference itself also where its middle has moved far from it.
    low, high = paired_interval(1.0, np.full(9, 1.0), 40, 0.001, level=0.5)
    assert (low < 0.94, high) == (True, 1.0)
    assert paired_interval(-1.0, np.full(9, -1.0), 40, 0.001, level=0.5)[0] == -1.0


def of_largest(values, replicates, level=0.95, n_units=(12, 30), degrees=11):
    return largest_interval(np.array(values), np.array(replicates), n_units, 1.0, degrees, level)


def test_a_largest_of_two_by_hand():
    """Replicates one deviation from their means, never together: 0.68 is raised to the level."""
    replicates = np.array([[0.1, 0.3, 0.2, 0.2], [0.2, 0.2, 0.0, 0.2]])
    ends = []
    # Each goes root 2 of its deviations away, which the normal distribution holds 84 of 100.
    together = math.erf(math.sqrt(2) / math.sqrt(2))
    for value, variance, n in ((0.2, 0.005, 12), (0.15, 0.0075, 30)):
        centre, error = with_two_more(value, variance, n, 1.0)
        ends.append((centre, t_quantile(together, 11) * error))
    replicates[1] = [0.25, 0.25, 0.05, 0.05]
    away = [max(a, b) for a, b in zip([2**0.5, 2**0.5, 0, 0], [1, 1, 1, 1], strict=True)]
    assert np.quantile(away, 0.8) == pytest.approx(math.sqrt(2))
    ends[1] = with_two_more(0.15, 0.01, 30, 1.0)
    ends[1] = ends[1][0], t_quantile(together, 11) * ends[1][1]
    expected = max(c - r for c, r in ends), max(c + r for c, r in ends)
    assert of_largest([0.2, 0.15], replicates, 0.8) == pytest.approx(expected)


def test_a_largest_has_at_least_its_level_and_at_most_bonferronis():
    def expected(together):
        ends = [with_two_more(0.2, v, n, 1.0) for v, n in ((0.01, 12), (0.0, 30))]
        reach = t_quantile(together, 11)
        return max(c - reach * e for c, e in ends), max(c + reach * e for c, e in ends)

    # One deviation away throughout, which is 68 of 100; the second never varies.
    low = np.array([[0.1, 0.3] * 20, [0.2] * 40])
    assert of_largest([0.2, 0.2], low, 0.9) == pytest.approx(expected(0.9))
    # Far away twice in forty.
    far = 0.1 * math.sqrt(20)
    rare = np.array([[0.2] * 38 + [0.2 + far, 0.2 - far], [0.2] * 40])
    assert rare[0].var() == pytest.approx(0.01)
    assert of_largest([0.2, 0.2], rare, 0.98) == pytest.approx(expected(0.99))


@pytest.mark.parametrize(("unknown", "there"), [(5, True), (6, False)])
def test_a_largest_needs_95_of_100_replicates_of_all_its_numbers(unknown, there):
    replicates = np.tile(np.linspace(0.1, 0.3, 100), (2, 1))
    replicates[1, :unknown] = NAN
    found = of_largest([0.2, 0.2], replicates)
    assert is_unknown(found) is not there
    if there:
        assert found == of_largest([0.2, 0.2], replicates[:, 5:])
    assert is_unknown(of_largest([0.2, NAN], np.tile(np.linspace(0.1, 0.3, 100), (2, 1))))


def test_each_number_of_a_largest_has_its_units():
    for n_units in ((12,), (12, 30, 7)):
        with pytest.raises(ValueError, match="zip"):
            of_largest([0.2, 0.2], [[0.1, 0.3], [0.1, 0.3]], n_units=n_units)


def test_a_largest_holds_itself():
    same = np.full((1, 9), 1.0)
    low, high = largest_interval(np.array([1.0]), same, [40], 0.001, 39, 0.5)
    assert (low < 0.94, high) == (True, 1.0)
    assert largest_interval(-np.array([1.0]), -same, [40], 0.001, 39, 0.5)[0] == -1.0


def test_what_deviates_by_rounding_alone_does_not_vary():
    jump = np.zeros(40)
    jump[:2] = -1e-12, 1e-12
    varied = np.array([[0.1, 0.3] * 20, 0.2 + jump])
    still = np.array([[0.1, 0.3] * 20, [0.2] * 40])
    assert of_largest([0.2, 0.2], varied, 0.9) == pytest.approx(of_largest([0.2, 0.2], still, 0.9))

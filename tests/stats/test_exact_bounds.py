"""Bounds of intervals as numbers, on examples that can be worked out beside the code."""

import math
from statistics import NormalDist

import numpy as np
import pytest

from askew.stats import composites, intervals
from askew.stats.bootstrap import bootstrap_totals
from askew.stats.composites import (
    bounded_interval,
    carried_bounds,
    rate_bounds,
)
from askew.stats.intervals import (
    exceeds,
    expanded_interval,
    normal_quantile,
    settled,
    spread_interval,
    student_p,
    t_quantile,
    variance_interval,
    wilson,
    wilson_score,
    without_noise,
)
from askew.stats.quantities import Counts, Quantity, bounds_of

# From tables: two-sided 95 in 100.
Z = 1.959963984540054
T = {1: 12.706204736, 2: 4.302652730, 3: 3.182446305, 9: 2.262157163, 99: 1.984216952}
# 101 replicates: their percentiles are places in the list.
EVENLY = np.linspace(0.3, 0.5, 101)
UNIT = (0.0, 1.0)


def wilsons(rate, n, z=Z):
    """Wilson's bounds are where the rate lies z standard errors of the bound away."""
    centre, root = 2 * n * rate + z * z, z * math.sqrt(z * z + 4 * n * rate * (1 - rate))
    return (centre - root) / (2 * (n + z * z)), (centre + root) / (2 * (n + z * z))


def reached(degrees, replicates=EVENLY):
    """Percentiles as far out as Student's t lies: the normal levels of its quantile."""
    share = NormalDist().cdf(T[degrees])
    return tuple(np.quantile(replicates, [1 - share, share]))


def test_wilson_by_its_equation():
    low, high = wilson(0.3, 10)
    assert (low, high) == pytest.approx((0.1077913, 0.6032219), abs=1e-6)
    for bound in (low, high):
        assert abs(bound - 0.3) == pytest.approx(Z * math.sqrt(bound * (1 - bound) / 10))


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_the_level_that_is_asked_for_is_the_level_that_is_given(level):
    z = NormalDist().inv_cdf((1 + level) / 2)
    assert wilson(0.3, 10, level) == pytest.approx(wilsons(0.3, 10, z))
    low, high = intervals.percentile_interval(np.linspace(0, 1, 1001), level)
    assert (low, high) == pytest.approx(((1 - level) / 2, (1 + level) / 2))
    assert intervals.LEVEL == 0.95


def test_expanded_percentiles_lie_where_students_t_does():
    assert intervals.expanded_level(0.95, 9) == pytest.approx(2 * NormalDist().cdf(T[9]) - 1)
    found = intervals.expanded_interval(0.4, EVENLY, 10, UNIT)
    assert found == pytest.approx(reached(9))
    # Degrees of freedom are units less strata where both are told.
    assert intervals.expanded_interval(0.4, EVENLY, 10, UNIT, degrees=3) == pytest.approx(
        reached(3)
    )


def test_a_composite_that_never_varies_reaches_as_far_as_wilson_within_its_bounds():
    width = wilsons(0.0, 8)[1]
    same = np.full(50, 0.5)
    assert intervals.expanded_interval(0.5, same, 8, UNIT) == pytest.approx(
        (0.5 - width, 0.5 + width)
    )
    # Scaled to the range of the number, and clipped to it.
    wide = intervals.expanded_interval(3.0, same * 6, 8, (-4.0, 6.0))
    assert wide == pytest.approx((3.0 - 10 * width, 6.0))
    low = intervals.expanded_interval(-3.0, -same * 6, 8, (-4.0, 6.0))
    assert low == pytest.approx((-4.0, -3.0 + 10 * width))
    endless = intervals.expanded_interval(3.0, same * 6, 8, (0.0, math.inf))
    assert endless == pytest.approx((3.0 - width, 3.0 + width))


def test_a_spread_and_a_variance_have_their_noise_taken_off_twice():
    value, drawn = 0.2, np.linspace(0.2, 0.4, 101)
    excess = float((drawn**2).mean()) - value**2
    true = np.sqrt(np.maximum(0, drawn**2 - 2 * excess))
    low, high = reached(9, true)
    assert intervals.spread_interval(value, drawn, 10, (0, 1)) == pytest.approx(
        (min(low, value), max(high, value))
    )
    excess = float(drawn.mean()) - value
    low, high = reached(99, np.maximum(0, drawn - 2 * excess))
    assert intervals.variance_interval(value, drawn, 100, (0, 1)) == pytest.approx(
        (min(low, value), max(high, value))
    )
    assert intervals.without_noise(value, drawn) == pytest.approx(drawn - 2 * excess)


def test_a_variance_of_few_reaches_as_far_as_students_t_around_its_root():
    value, drawn = 0.25, np.array([0.16, 0.25, 0.36])
    excess = drawn.mean() - value
    true = drawn - 2 * excess
    root = math.sqrt(value - excess)
    reach = T[3] * np.sqrt(true).std()
    low, high = intervals.variance_interval(value, drawn, 4, (0.0, 1.0))
    assert (low, high) == pytest.approx((max(0.0, root - reach) ** 2, (root + reach) ** 2))
    clipped = intervals.variance_interval(value, drawn, 4, (0.1, 0.5))
    assert clipped == pytest.approx((max(0.1, low), min(0.5, high)))


def test_a_rate_has_wilsons_bounds_of_the_trials_that_its_variance_is_worth():
    clustered = np.array([0.1, 0.5])  # variance 0.04: what 5.25 single answers would have
    assert composites.rate_interval(0.3, clustered, 20) == pytest.approx(wilsons(0.3, 5.25))
    # Without variance each unit counts once.
    assert composites.rate_interval(0.3, np.full(9, 0.3), 20) == pytest.approx(wilsons(0.3, 20))
    assert composites.rate_interval(0.0, clustered, 20) == pytest.approx(wilsons(0.0, 20))


def test_a_mean_of_less_variance_has_more_trials_and_students_quantile():
    value, n, variance = 0.5, 10, 0.01
    single = value * (1 - value) / n
    drawn = (n * 0.5 * variance + 0.3 * single) / (n * 0.5 + 0.3)
    expected = wilsons(value, value * (1 - value) / drawn, T[9])
    assert composites.bounded_interval(value, variance, n, 9) == pytest.approx(expected)
    # Never more certain by that than one answer a unit would be, never less.
    small = np.array([0.4, 0.6])
    found = composites.rate_interval(value, small, n)
    assert found == pytest.approx((max(expected[0], wilsons(value, n)[0]),
                                   min(expected[1], wilsons(value, n)[1])))  # fmt: skip


KINDS = ("rate", "composite", "score", "spread", "variance")


@pytest.mark.parametrize("kind", KINDS)
def test_a_bound_stays_within_what_the_number_can_be(kind):
    for value in (0.05, 0.95):
        drawn = value + np.linspace(-0.4, 0.4, 101)
        point, spread = (Quantity(v, kind, UNIT) for v in (np.array([value]), drawn))
        low, high = bounds_of(point, spread, Counts(3), 0.95)
        assert 0 <= low <= value <= high <= 1


@pytest.mark.parametrize("n", [2, 3, 8])
@pytest.mark.parametrize("alike", [False, True], ids=["all different", "few patterns"])
def test_resamples_of_few_units_vary_as_samples_do(n, alike):
    """The variance of a resampled mean is the unbiased one: n - 1, not n, divides."""
    values = np.arange(n, dtype=float)
    if alike:
        values = np.repeat([0.0, 1.0], 12 * n)
    totals = bootstrap_totals(values[:, None], np.zeros(len(values), dtype=np.int64), 60_000)
    assert totals.mean() / len(values) == pytest.approx(values.mean(), rel=0.03)
    assert totals.var() == pytest.approx(len(values) * values.var(ddof=1), rel=0.03)
    if not alike:
        # One unit less is drawn, each counting for as much more.
        assert totals.max() <= n * values.max() + 1e-9
        steps = np.unique(totals.round(6)) / (n / (n - 1))
        assert steps == pytest.approx(steps.round())


@pytest.mark.parametrize("n", [5, 40], ids=["drawn one by one", "drawn by pattern"])
def test_every_resample_weighs_as_much_as_the_sample(n):
    features = np.column_stack([np.ones(n), np.arange(n) % 2])
    totals = bootstrap_totals(features, np.zeros(n, dtype=np.int64), 200)
    assert totals[:, 0] == pytest.approx(np.full(200, float(n)))


# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

NAN = math.nan


def is_unknown(bounds):
    return all(map(math.isnan, bounds))


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 1.1])
def test_no_level_is_certain_or_empty(level):
    with pytest.raises(ValueError, match=f"level={level}: a confidence level"):
        normal_quantile(level)


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


def test_the_noise_of_a_spread_is_that_of_the_replicates_that_are_defined():
    drawn = np.append(np.linspace(0.2, 0.4, 99), NAN)
    mean = float((drawn[:99] ** 2).mean())
    true = np.sqrt(np.maximum(0.0, drawn[:99] ** 2 - 2 * (mean - 0.04)))
    found = spread_interval(0.2, drawn, 10, UNIT)
    assert found == pytest.approx(expanded_interval(0.2, true, 10, UNIT))
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
    plain = expanded_interval(0.25, drawn, 11, UNIT, degrees=degrees)
    low, high = variance_interval(0.25, drawn, 11, UNIT, degrees=degrees)
    reach = t_quantile(0.95, degrees) * float(np.sqrt(drawn).std())
    beyond = (0.5 - reach) ** 2, (0.5 + reach) ** 2
    assert beyond[0] < plain[0] < plain[1] < beyond[1]
    assert (low, high) == pytest.approx(beyond if few else plain)
    # Units less one, where nothing else is told.
    assert variance_interval(0.25, drawn, degrees + 1, UNIT) == pytest.approx((low, high))


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
        wilson_score(0.5, 1, t_quantile(0.95, 3))
    )
    # At an end, or as good as there, each unit is a trial.
    for value in (0.0, 1.0, 1e-13):
        found = bounded_interval(value, 0.01, 4, 3)
        assert found == pytest.approx(wilson_score(value, 4, t_quantile(0.95, 3)), abs=1e-9)
    # A rounding's breadth beyond an end is the end.
    assert bounded_interval(1 + 1e-12, 0.0, 4, 3) == wilson_score(1.0, 4, t_quantile(0.95, 3))
    assert bounded_interval(-1e-12, 0.0, 4, 3) == wilson_score(0.0, 4, t_quantile(0.95, 3))
    # 0.9 of 20: two deviate, and a single answer's variance weighs 0.3 beside them.
    single = 0.09 / 20
    drawn = (2 * 0.002 + 0.3 * single) / 2.3
    assert bounded_interval(0.9, 0.002, 20, 19) == pytest.approx(
        wilson_score(0.9, 0.09 / drawn, t_quantile(0.95, 19))
    )


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

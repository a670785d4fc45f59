"""Intervals: closed forms by hand and by tables, the bootstrap against theory and simulation."""

import math
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from askew.stats.clusters import bootstrap_totals
from askew.stats.intervals import (
    bounded_interval,
    carried_bounds,
    exceeds,
    expanded_interval,
    normal_quantile,
    percentile_interval,
    rate_interval,
    student_p,
    subtract_noise,
    t_interval,
    t_quantile,
    variance_interval,
    wilson,
    wilson_score,
    zero_if_close,
)
from askew.stats.quantities import Counts, Quantity, bounds_of

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

NAN = math.nan
# From tables: two-sided 95 in 100.
Z = 1.959963984540054
T = {1: 12.7062047362, 2: 4.3026527297, 3: 3.1824463053, 9: 2.2621571629, 99: 1.9842169516}
# 101 replicates: their percentiles are places in the list.
EVENLY = np.linspace(0.3, 0.5, 101)
UNIT = (0.0, 1.0)


def is_unknown(bounds):
    return all(map(math.isnan, bounds))


# --- Closed forms


def wilsons(rate, n, z=Z):
    """Wilson's bounds are where the rate lies z standard errors of the bound away."""
    centre, root = 2 * n * rate + z * z, z * math.sqrt(z * z + 4 * n * rate * (1 - rate))
    return (centre - root) / (2 * (n + z * z)), (centre + root) / (2 * (n + z * z))


def reached(degrees, replicates=EVENLY):
    """Percentiles as far out as Student's t lies: the normal levels of its quantile."""
    share = NormalDist().cdf(T[degrees])
    return tuple(np.quantile(replicates, [1 - share, share]))


def test_wilson_gives_newcombes_published_limits():
    assert wilson(81 / 263, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(1 / 29, 29) == pytest.approx((0.0061, 0.1718), abs=5e-5)
    with pytest.raises(ValueError, match=r"80% is 0\.8"):  # not in percent
        wilson(80, 100)


@given(st.floats(0, 1), st.integers(1, 10_000))
def test_wilson_contains_the_rate_and_stays_between_0_and_1(rate, n):
    low, high = wilson(rate, n)
    assert 0 <= low <= rate <= high <= 1
    assert high > low


@pytest.mark.parametrize("level", [0.8, 0.9, 0.95, 0.99])
def test_intervals_have_the_requested_level(level):
    z = NormalDist().inv_cdf((1 + level) / 2)
    assert wilson(0.3, 10, level) == pytest.approx(wilsons(0.3, 10, z))
    low, high = percentile_interval(np.linspace(0, 1, 1001), level)
    assert (low, high) == pytest.approx(((1 - level) / 2, (1 + level) / 2))


@pytest.mark.parametrize("level", [0.0, 1.0, -0.1, 1.1])
def test_no_level_is_certain_or_empty(level):
    for quantile in (normal_quantile, lambda of: t_interval([1.0, 2.0], of)):
        with pytest.raises(ValueError, match=f"level={level}: a confidence level"):
            quantile(level)


def test_changes_by_rounding_alone_are_none():
    """A billionth of the larger of 1 and the numbers' sizes."""
    found = zero_if_close([1e-9, -1e-9, 1.1e-9, -1.1e-9], 0.3)
    assert found.tolist() == [0.0, 0.0, 1.1e-9, -1.1e-9]
    assert zero_if_close([9e-9, 1.1e-8], 0.5, -10.0).tolist() == [0.0, 1.1e-8]
    assert zero_if_close(5e-10, 0.1) == 0.0
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
        (0.9999, 1, math.tan(0.9999 * math.pi / 2)),
        (0.999, 2, 0.999 * math.sqrt(2 / (1 - 0.999**2))),
        *((0.95, df, quantile) for df, quantile in T.items()),
        (0.95, 1000, 1.962339080826),
    ],
)
def test_students_quantiles_in_closed_form(level, df, found):
    assert t_quantile(level, df) == pytest.approx(found, rel=1e-9)
    assert student_p(found, df) == pytest.approx(1 - level, abs=1e-9)


@pytest.mark.parametrize(("t", "df"), [(math.nan, 5), (2.0, 0), (math.nan, 0)])
def test_where_nothing_is_known_there_is_no_p_value(t, df):
    assert math.isnan(student_p(t, df))


def test_t_interval_of_a_sample_done_by_hand():
    # mean 4, sd 2, n 4: half-width 3.18245 * 2 / 2
    low, high = t_interval([2.0, 4.0, 4.0, 6.0])
    half = 3.182446 * math.sqrt(8 / 3) / 2
    assert (low, high) == pytest.approx((4 - half, 4 + half), rel=1e-5)


# --- Rates, and what lies between bounds


def test_a_rate_of_no_or_much_variance():
    # 1e-15 is none, and none is known of what is not defined: each cluster counts once.
    assert rate_interval(0.3, NAN, 20, 19) == wilson(0.3, 20)
    assert rate_interval(0.3, 9e-16, 20, 19) == wilson(0.3, 20)
    assert rate_interval(0.3, 2e-15, 20, 19) == bounded_interval(0.3, 2e-15, 20, 19)
    # From the variance of single answers on, it is what it is worth; at least one trial.
    assert rate_interval(0.5, 0.025, 10, 9) == pytest.approx(wilson(0.5, 10))
    assert rate_interval(0.5, 0.1, 10, 9) == pytest.approx(wilson(0.5, 2.5))
    assert rate_interval(0.5, 0.9, 10, 9) == pytest.approx(wilson(0.5, 1))
    # At an end each cluster counts once, however much it varies.
    for end in (0.0, 1.0):
        assert rate_interval(end, 0.1, 20, 19) == wilson(end, 20)
    # Below, degrees of freedom count, and no interval is wider than of an answer a cluster.
    found = rate_interval(0.4, 0.002, 20, 7)
    assert found == bounded_interval(0.4, 0.002, 20, 7)
    assert rate_interval(0.4, 0.0115, 20, 2) == wilson(0.4, 20)


def test_a_mean_of_less_variance_has_more_trials_and_students_quantile():
    value, n, variance = 0.5, 10, 0.01
    single = value * (1 - value) / n
    drawn = (n * 0.5 * variance + 0.3 * single) / (n * 0.5 + 0.3)
    expected = wilsons(value, value * (1 - value) / drawn, T[9])
    assert bounded_interval(value, variance, n, 9) == pytest.approx(expected)
    # Never more certain by that than one answer a cluster would be, never less.
    found = rate_interval(value, variance, n, 9)
    assert found == pytest.approx((max(expected[0], wilsons(value, n)[0]),
                                   min(expected[1], wilsons(value, n)[1])))  # fmt: skip


def test_a_bounded_mean_of_few_trials_and_of_no_spread():
    # One cluster that varies by all it can: a trial, not less.
    t = t_quantile(0.95, 3)
    assert bounded_interval(0.5, 5.0, 4, 3) == pytest.approx(wilson_score(0.5, 1, t))
    # At an end, or as good as there, each cluster is a trial.
    for value in (0.0, 1.0, 1e-13):
        found = bounded_interval(value, 0.01, 4, 3)
        assert found == pytest.approx(wilson_score(value, 4, t), abs=1e-9)
    # A rounding's breadth beyond an end is the end.
    assert bounded_interval(1 + 1e-12, 0.0, 4, 3) == wilson_score(1.0, 4, t)
    assert bounded_interval(-1e-12, 0.0, 4, 3) == wilson_score(0.0, 4, t)


def test_the_cluster_bootstrap_covers_the_truth_at_its_level():
    """500 simulated studies of 60 clusters: a 95% interval holds the truth in 92% to 98%."""
    rng, rate, held = np.random.default_rng(11), 0.9, 0
    for study in range(500):
        cluster_rates = rng.beta(4 * rate, 4 * (1 - rate), size=60)
        right = rng.binomial(4, cluster_rates).astype(float)
        features = np.column_stack([right, np.full(60, 4.0)])
        totals = bootstrap_totals(features, np.zeros(60, dtype=np.int64), 400, seed=study)
        low, high = rate_interval(right.sum() / 240, (totals[:, 0] / totals[:, 1]).var(), 60, 59)
        held += low <= rate <= high
    assert 0.92 <= held / 500 <= 0.98


def test_the_interval_of_a_rare_rate_reckons_with_items_that_err_throughout():
    """400 studies, 14 answers an item: 2 % of answers err, and one item of twenty in all of them.

    Where no such item was drawn, resamples see the 2 % alone: their interval held 56 and 71 of 100.
    """
    rng, n_items = np.random.default_rng(3), 14
    truth, held = 0.05 + 0.95 * 0.02, 0
    for study in range(400):
        errs = np.where(rng.random(n_items) < 0.05, 14, rng.binomial(14, 0.02, n_items))
        features = np.column_stack([errs, np.full(n_items, 14)]).astype(float)
        totals = bootstrap_totals(features, np.zeros(n_items, dtype=np.int64), 200, seed=study)
        variance = (totals[:, 0] / totals[:, 1]).var()
        low, high = rate_interval(errs.sum() / (14 * n_items), variance, n_items, n_items - 1)
        held += low <= truth <= high
    assert held / 400 >= 0.92


def _harmonic(rates) -> np.ndarray:
    positive = np.maximum(np.asarray(rates, dtype=float), 1e-300)
    return len(positive) / (1 / positive).sum(axis=0)


def test_a_class_of_which_nothing_is_right_decides():
    # 29 of 36 right in one form, none of 36 in another: the score is 0, and may be far from it.
    low, high = carried_bounds(_harmonic, [(29 / 36, 36), (0.0, 36)])
    assert low == pytest.approx(0.0)
    assert 0.15 < high < 0.2


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


# --- Percentiles of resamples


def test_expanded_percentiles_lie_where_students_t_does():
    for degrees in (3, 9):
        found = expanded_interval(0.4, EVENLY, 10, degrees, UNIT)
        assert found == pytest.approx(reached(degrees))


def test_a_composite_that_never_varies_reaches_as_far_as_wilson_within_its_bounds():
    width = wilsons(0.0, 8)[1]
    same = np.full(50, 0.5)
    found = expanded_interval(0.5, same, 8, 7, UNIT)
    assert found == pytest.approx((0.5 - width, 0.5 + width))
    # Scaled to the range of the number, and clipped to it.
    wide = expanded_interval(3.0, same * 6, 8, 7, (-4.0, 6.0))
    assert wide == pytest.approx((3.0 - 10 * width, 6.0))
    low = expanded_interval(-3.0, -same * 6, 8, 7, (-4.0, 6.0))
    assert low == pytest.approx((-4.0, -3.0 + 10 * width))
    endless = expanded_interval(3.0, same * 6, 8, 7, (0.0, math.inf))
    assert endless == pytest.approx((3.0 - width, 3.0 + width))


def test_a_spread_and_a_variance_are_noise_corrected_twice():
    value, drawn = 0.2, np.linspace(0.2, 0.4, 101)
    excess = float((drawn**2).mean()) - value**2
    true = np.sqrt(np.maximum(0, drawn**2 - 2 * excess))
    low, high = reached(9, true)
    found = variance_interval(value, drawn, 10, 9, UNIT, of_root=True)
    assert found == pytest.approx((min(low, value), max(high, value)))
    excess = float(drawn.mean()) - value
    low, high = reached(99, np.maximum(0, drawn - 2 * excess))
    found = variance_interval(value, drawn, 100, 99, UNIT)
    assert found == pytest.approx((min(low, value), max(high, value)))
    assert subtract_noise(value, drawn) == pytest.approx(drawn - 2 * excess)


def test_a_variance_of_few_reaches_as_far_as_students_t_around_its_root():
    value, drawn = 0.25, np.array([0.16, 0.25, 0.36])
    excess = drawn.mean() - value
    true = drawn - 2 * excess
    root = math.sqrt(value - excess)
    reach = T[3] * np.sqrt(true).std()
    low, high = variance_interval(value, drawn, 4, 3, UNIT)
    assert (low, high) == pytest.approx((max(0.0, root - reach) ** 2, (root + reach) ** 2))
    clipped = variance_interval(value, drawn, 4, 3, (0.1, 0.5))
    assert clipped == pytest.approx((max(0.1, low), min(0.5, high)))


def test_the_noise_of_a_spread_is_that_of_the_replicates_that_are_defined():
    drawn = np.append(np.linspace(0.2, 0.4, 99), NAN)
    mean = float((drawn[:99] ** 2).mean())
    true = np.sqrt(np.maximum(0.0, drawn[:99] ** 2 - 2 * (mean - 0.04)))
    found = variance_interval(0.2, drawn, 10, 9, UNIT, of_root=True)
    assert found == pytest.approx(expanded_interval(0.2, true, 10, 9, UNIT))
    moved = subtract_noise(0.2, np.array([0.3, NAN, 0.5]))
    assert moved == pytest.approx([-0.1, NAN, 0.1], nan_ok=True)
    nothing = subtract_noise(0.2, np.full(2, NAN))
    assert np.isnan(nothing).all()


@pytest.mark.parametrize("kind", ["rate", "composite", "score", "spread", "variance"])
def test_a_bound_stays_within_what_the_number_can_be(kind):
    for value in (0.05, 0.95):
        drawn = value + np.linspace(-0.4, 0.4, 101)
        point = Quantity(np.array([value]), kind, UNIT, counts=Counts(3))
        low, high = bounds_of(point, Quantity(drawn, kind, UNIT), 0.95, None)
        assert 0 <= low <= value <= high <= 1


@pytest.mark.parametrize("rates", [[0.5] * 5, [0.9] * 5, [0.9] * 4 + [0.7]], ids=str)
def test_the_interval_of_a_spread_covers_it_also_where_there_is_none(rates):
    """250 studies of five domains; the mirrored interval would hold 0 in 70 of 100."""
    rng, n_items = np.random.default_rng(2), 12
    truth, held = float(np.std(rates)), 0
    for _ in range(250):
        seen = rng.binomial(n_items, rates) / n_items
        resampled = rng.binomial(n_items, seen, size=(300, 5)) / n_items
        spread, drawn, n = float(seen.std()), resampled.std(axis=1), 5 * n_items
        low, high = variance_interval(spread, drawn, n, n - 1, (0.0, 0.5), of_root=True)
        assert low <= seen.std() <= high
        held += low <= truth + 1e-12 <= high + 1e-12
    assert held / 250 >= 0.92


def test_the_interval_of_a_variance_reaches_further_than_few_resamples_do():
    """300 studies, two formats, three strata of two items: eight different resamples."""
    rng, strata, held, truth = np.random.default_rng(5), np.repeat([0, 1, 2], 2), 0, 0.0225

    def spread(totals):
        followed = (totals / 4).reshape(len(totals), 3, 2).mean(axis=1)
        return followed.var(axis=1)

    for study in range(300):
        followed = rng.binomial(2, (0.9, 0.6), (6, 2))
        features = np.zeros((6, 6))
        for cluster, stratum in enumerate(strata):
            features[cluster, 2 * stratum : 2 * stratum + 2] = followed[cluster]
        value = float(spread(features.sum(axis=0, keepdims=True))[0])
        drawn = spread(bootstrap_totals(features, strata, 200, seed=study))
        low, high = variance_interval(value, drawn, 6, 3, (0.0, 0.25))
        held += low <= truth <= high
    # 67 of 100 by percentiles alone.
    assert held / 300 >= 0.8

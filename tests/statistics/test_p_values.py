"""P-values over many rows, of equality, and the units they need: promises held in simulations."""

import math

import numpy as np
import pytest

from askew.statistics.intervals import student_p, t_interval
from askew.statistics.p_values import (
    UnitDifference,
    corrected,
    difference_shown,
    equivalence_p,
    power_of,
    units_needed,
)
from askew.statistics.paired import paired_test


def holm(p_values):
    """Each row a family of its own; what its resamples hold does not matter then."""
    drawn = np.random.default_rng(0).normal(size=(len(p_values), 400))
    return corrected(p_values, range(len(p_values)), list(drawn)).p_values


def test_single_rows_are_corrected_as_holm_does_by_hand():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02], rel=0.02)
    assert holm([0.9, 0.8]) == pytest.approx([1.0, 1.0])
    assert holm([]) == []


def test_a_p_value_that_is_not_there_does_not_count():
    drawn = list(np.random.default_rng(0).normal(size=(3, 2_000)))
    for families in ("aaa", "abc"):
        found = corrected([0.01, math.nan, 0.5], families, drawn)
        assert math.isnan(found.p_values[1])
        assert found.p_values[0] == pytest.approx(0.02, abs=0.003)


def test_rows_that_say_the_same_are_one_row():
    drawn = np.random.default_rng(0).normal(size=2_000)
    together = corrected([0.01, 0.01, 0.01], "aaa", [drawn, drawn, -drawn])
    apart = corrected([0.01, 0.01, 0.01], "abc", [drawn, drawn, -drawn])
    assert together.p_values == pytest.approx([0.01] * 3, abs=0.002)
    assert together.levels == pytest.approx([0.05] * 3, abs=0.005)
    assert apart.p_values == pytest.approx([0.03] * 3, abs=0.002)
    assert apart.levels == pytest.approx([0.05 / 3] * 3, abs=0.003)


def test_a_family_counts_until_all_of_its_rows_are_shown():
    """Large effects in two families do not leave their other rows uncorrected for each other."""
    drawn = np.random.default_rng(0).normal(size=(4, 2_000))
    found = corrected([1e-6, 0.03, 1e-6, 0.03], "aabb", list(drawn))
    assert found.p_values[1] == pytest.approx(0.06, abs=0.01)
    assert found.p_values[3] == pytest.approx(0.06, abs=0.01)


def study(rng, n, effect):
    """Two families of six rows that correlate, of which the first has an effect."""
    p_values, drawn = [], []
    for _ in range(2):
        x = 0.8 * rng.normal(size=(n, 1)) + 0.6 * rng.normal(size=(n, 6))
        x[:, 0] += effect
        drawn += list((rng.multinomial(n, [1 / n] * n, size=300) @ x / n).T)
        t = x.mean(axis=0) / (x.std(axis=0, ddof=1) / math.sqrt(n))
        p_values += [student_p(float(v), n - 1) for v in t]
    return p_values, drawn


@pytest.mark.whole
def test_all_rows_together_err_as_rarely_as_promised_and_more_is_found_than_by_holm():
    rng = np.random.default_rng(0)
    alarms, found = 0, np.zeros(2)
    for _ in range(300):
        p_values, drawn = study(rng, 40, 0.45)
        stepped = corrected(p_values, "a" * 6 + "b" * 6, drawn).p_values
        single = corrected(p_values, range(12), drawn).p_values
        alarms += min(p for i, p in enumerate(stepped) if i % 6) < 0.05
        found += [sum(ps[i] < 0.05 for i in (0, 6)) for ps in (stepped, single)]
    assert alarms / 300 <= 0.06
    assert found[0] > 1.1 * found[1]


def test_no_difference_is_said_wrongly_in_five_of_a_hundred_at_the_margin():
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


def told_by(rng, studies, n, shift, share=0.2, margin=0.05):
    """Studies of paired answers, of which a share differ, in truth by a shift one way."""
    lost, _, won = rng.multinomial(
        n, [(share - shift) / 2, 1 - share, (share + shift) / 2], size=studies
    ).T
    for value, differing in zip((won - lost) / n, (won + lost) / n, strict=True):
        variance = (differing - value**2) / (n - 1)
        yield paired_test(value, variance, n, n - 1, 1.0, 0.95, margin)


@pytest.mark.parametrize("n", [150, 400, 1_000])
def test_answers_that_differ_by_the_margin_are_rarely_called_the_same(n):
    rng = np.random.default_rng(n)
    said = sum(found.p_equal < 0.05 for found in told_by(rng, 4_000, n, 0.05))
    assert said / 4_000 <= 0.06


@pytest.mark.parametrize("level", [0.05, 0.005])
def test_so_many_units_show_the_margin_four_times_in_five(level):
    rng = np.random.default_rng(2)
    (pilot,) = told_by(rng, 1, 400, 0.0)
    unit = UnitDifference(pilot.deviation, pilot.most)
    n = units_needed(0.05, unit, level)
    shown = sum(found.p_value < level for found in told_by(rng, 2_000, n, 0.05))
    assert shown / 2_000 == pytest.approx(0.8, abs=0.05)


def test_a_stricter_level_and_a_smaller_margin_need_more():
    unit = UnitDifference(0.5, 1.0)
    few = units_needed(0.1, unit, 0.05)
    assert few < units_needed(0.1, unit, 0.01) < units_needed(0.05, unit, 0.01)
    assert few == pytest.approx((1.96 + 0.8416) ** 2 * 0.25 / 0.01, rel=0.1)


def test_what_so_many_units_show_needs_so_many_units():
    unit = UnitDifference(0.5, 1.0)
    shown = difference_shown(90, unit, 0.05)
    assert power_of(90, shown, unit, 0.05) == pytest.approx(0.8)
    assert units_needed(shown, unit, 0.05) == 90
    # What varies more than its test takes it to is shown less often.
    assert power_of(90, shown, UnitDifference(0.5, 1.0, spread=1.5), 0.05) < 0.75
    # Two units show nothing, and nothing varies where there is nothing.
    assert math.isnan(difference_shown(2, unit, 0.05))
    assert power_of(10, 0.0, UnitDifference(0.0, 0.0), 0.05) == 0.0


def test_power_does_not_hang_on_the_unit_in_which_numbers_are_told():
    """In percent as in fractions; the difference itself is part of what varies."""
    of = [power_of(12, 0.3 * by, UnitDifference(0.4 * by, 1.0 * by), 0.05) for by in (1, 100)]
    assert of[0] == pytest.approx(of[1])
    assert 0.05 < of[0] < 0.95

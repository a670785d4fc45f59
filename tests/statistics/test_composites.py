"""Intervals of composites, simultaneous bounds and corrected p-values: promises that hold."""

import math

import numpy as np
import pytest

from askew.statistics.composites import (
    bounded_interval,
    carried_bounds,
    hits_are_few,
    largest_interval,
    stretched,
)
from askew.statistics.intervals import composite_interval, wilson


def _harmonic(rates) -> np.ndarray:
    positive = np.maximum(np.asarray(rates, dtype=float), 1e-300)
    return len(positive) / (1 / positive).sum(axis=0)


def test_a_class_of_which_nothing_is_right_decides():
    # 29 of 36 right in one form, none of 36 in another: the score is 0, and may be far from it.
    low, high = carried_bounds(_harmonic, [(29 / 36, 36), (0.0, 36)])
    assert low == pytest.approx(0.0)
    assert 0.15 < high < 0.2
    assert hits_are_few(0.0, 36)
    assert not hits_are_few(0.5, 36)
    # All right, or all but one: the resamples hold too few misses.
    assert hits_are_few(1.0, 36)
    assert hits_are_few(35 / 36, 36)
    assert not hits_are_few(34 / 36, 36)


def test_two_classes_of_which_nothing_is_right_leave_it_open():
    _, high = carried_bounds(_harmonic, [(0.5, 8), (0.0, 8), (0.0, 8)])
    assert 0.2 < high < 0.5


RARE = [(0.8, 0.05, 30), (0.8, 0.02, 60), (0.9, 0.05, 60), (0.6, 0.5, 4), (0.3, 0.2, 8)]


@pytest.mark.parametrize(("good", "bad", "n"), RARE)
def test_a_rare_class_is_held_as_promised(good, bad, n):
    rng = np.random.default_rng(n)
    held = 0
    for _ in range(400):
        rates = rng.binomial(n, (good, bad, good)) / n
        low, high = carried_bounds(_harmonic, [(r, n) for r in rates])
        held += low <= _harmonic((good, bad, good)) <= high
    assert held / 400 >= 0.92


@pytest.mark.parametrize("level", [0.5, 0.95])
@pytest.mark.parametrize("n", [12, 24, 48, 120])
def test_means_of_few_answers_are_held_as_promised(n, level):
    rng = np.random.default_rng(n)
    centre = math.log(level / (1 - level))
    true = float((1 / (1 + np.exp(-(centre + rng.normal(size=200_000))))).mean())
    held = 0
    for _ in range(1000):
        chance = 1 / (1 + np.exp(-(centre + rng.normal(size=(n, 1)))))
        answers = (rng.random((n, 4)) < chance).mean(axis=1)
        low, high = bounded_interval(answers.mean(), answers.var(ddof=1) / n, n, n - 1)
        held += low <= true <= high
    assert held / 1000 >= 0.93


def test_all_right_is_no_certainty():
    low, high = bounded_interval(1.0, 0.0, 4, 3)
    assert high == 1.0
    assert low <= wilson(1.0, 4)[0]


def test_a_contrast_of_rare_answers_reaches_further_than_its_resamples():
    drawn = np.random.default_rng(0).normal(0.1, 0.01, 500)
    rare = stretched(0.1, drawn, (0.02, 0.01), 24)
    often = stretched(0.1, drawn, (0.5, 0.4), 2_400)
    assert rare.std() > 1.3 * drawn.std()
    assert often.std() == pytest.approx(drawn.std(), rel=0.01)
    assert not stretched(0.1, np.full(9, 0.1), (0.02, 0.01), 24).std()
    # Where units differ more than single answers would, resamples stay as they are.
    wide = np.random.default_rng(0).normal(0.1, 0.5, 500)
    assert stretched(0.1, wide, (0.02, 0.01), 24) == pytest.approx(wide)


def test_contrasts_of_rare_answers_are_held_as_promised():
    """Units differ much in how often they err; half of them hardly ever do."""
    n, asked, rng = 24, 12, np.random.default_rng(3)

    def drawn_rates(units):
        logits = rng.normal(0, 1.5, (2, units))
        logits[1] = logits[0] + 0.6
        return rng.binomial(asked, 1 / (1 + np.exp(5 - logits))) / asked

    true = float(np.diff(drawn_rates(400_000).mean(axis=1))[0])
    held = 0
    for _ in range(400):
        neutral, framed = drawn_rates(n)
        weights = rng.multinomial(n - 1, np.full(n, 1 / n), 400) / (n - 1)
        value = float((framed - neutral).mean())
        rates = (framed.mean(), neutral.mean())
        further = stretched(value, weights @ (framed - neutral), rates, n)
        low, high = composite_interval(value, further, n, (-1.0, 1.0))
        held += low <= true <= high
    assert held / 400 >= 0.93


def test_a_largest_of_nothing_is_rarely_shown():
    rng = np.random.default_rng(3)
    alarms = held = 0
    for _ in range(300):
        chance = 1 / (1 + np.exp(-rng.normal(0.5, 1.2, (60, 1))))
        answers = (rng.random((60, 6)) < chance).astype(float)
        change = answers[:, :1] - answers[:, 1:]
        drawn = change[rng.integers(0, 60, size=(400, 60))].mean(axis=1)
        low, high = largest_interval(change.mean(axis=0), drawn.T, np.full(5, 0.5 / 60))
        alarms += low > 0
        held += low <= 0 <= high
    assert alarms / 300 <= 0.08
    assert held / 300 >= 0.92

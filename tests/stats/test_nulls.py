"""What a model without the effect scores: labels trade places, and nothing else moves."""

import math

import numpy as np
import pytest

from askew.schema import Null
from askew.stats.exchanges import exchanged_within, turned
from askew.stats.nulls import no_effect
from askew.stats.tables import UnitTable

PLAIN = Null("format", "plain")


def _formats(rng, n_items: int, n_formats: int, effect: float) -> UnitTable:
    """Right or wrong answers of items of unequal difficulty, one a format."""
    slope = effect * np.linspace(-1, 1, n_formats)
    chance = 1 / (1 + np.exp(-(rng.normal(size=(n_items, 1)) + slope)))
    score = (rng.random((n_items, n_formats)) < chance).astype(float)
    features = np.stack([np.ones_like(score), score], axis=2).reshape(n_items, -1)
    columns = {
        (f"format {j}", name): 2 * j + i
        for j in range(n_formats)
        for i, name in enumerate(("n", "ok"))
    }
    units = [("", str(i)) for i in range(n_items)]
    return UnitTable(features, columns, np.zeros(n_items, dtype=np.int64), units)


def _variance(totals) -> np.ndarray:
    formats = [f"format {j}" for j in range(15) if (f"format {j}", "n") in totals]
    return np.var([totals.ratio((f, "ok"), (f, "n")) for f in formats], axis=0)


def _by_format(key):
    return (), key[0], key[1]


@pytest.mark.parametrize(("n_items", "n_formats"), [(24, 7)])
def test_false_alarms_are_as_rare_as_promised(n_items, n_formats):
    rng = np.random.default_rng(n_items)
    found = []
    for _ in range(200):
        table = _formats(rng, n_items, n_formats, effect=0.0)
        value = float(_variance(table.point())[0])
        found.append(
            no_effect(value, _variance(exchanged_within(table, 199, split=_by_format)), PLAIN)
        )
    alarms = np.mean([f.null_p <= 0.05 for f in found])
    # Of 200 runs, 5 in 100 give 4 to 19 in 95 of 100 experiments.
    assert 0.01 <= alarms <= 0.1
    most = np.mean([f.null_high for f in found])
    mean = np.mean([f.null_mean for f in found])
    assert mean < most


def test_noise_is_taken_off_a_real_effect():
    rng = np.random.default_rng(5)
    slope = np.linspace(-1, 1, 7)
    true = float(np.var((1 / (1 + np.exp(-(rng.normal(size=(200_000, 1)) + slope)))).mean(axis=0)))
    raw, clean = [], []
    for _ in range(150):
        table = _formats(rng, 30, 7, effect=1.0)
        value = float(_variance(table.point())[0])
        raw.append(value)
        drawn = _variance(exchanged_within(table, 199, split=_by_format))
        clean.append(no_effect(value, drawn, PLAIN).without_noise)
    assert np.mean(raw) > 1.15 * true
    assert np.mean(clean) == pytest.approx(true, rel=0.12)


def test_half_of_the_units_are_turned():
    features = np.array([[1.0, 0.0]] * 400)
    table = UnitTable(features, {("yes",): 0, ("no",): 1}, np.zeros(400, int))
    drawn = turned(table, features[:, ::-1], 300)
    assert drawn["yes",] + drawn["no",] == pytest.approx(400)
    assert drawn["yes",].mean() == pytest.approx(200, abs=3)
    assert drawn["yes",].std() == pytest.approx(10, abs=2)


def test_only_what_noise_moves_one_way_has_a_number_without_it():
    drawn = np.linspace(-0.1, 0.1, 99)
    both_ways = no_effect(0.3, drawn, Null("offer", "neither"))
    assert math.isnan(both_ways.without_noise)
    assert both_ways.null_p == pytest.approx(1 / 100)
    assert both_ways.null_mean == pytest.approx(0)
    assert both_ways.null_high == pytest.approx(0.09)
    assert no_effect(0.3, drawn + 0.1, PLAIN).without_noise == pytest.approx(0.2)

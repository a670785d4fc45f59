"""What a model without the effect scores: labels trade places, and nothing else moves."""

import math

import numpy as np
import pytest

from askew.schema import Null
from askew.statistics.exchanges import exchanged_across, exchanged_within, turned
from askew.statistics.nulls import no_effect
from askew.statistics.tables import UnitTable

PLAIN, SQUARE = Null("format", "plain"), Null("format")


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


@pytest.mark.parametrize(("n_items", "n_formats"), [(24, 7), (20, 4), (50, 7)])
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


def test_a_unit_keeps_its_answers_and_a_condition_its_units():
    table = _formats(np.random.default_rng(1), 12, 5, effect=2.0)
    # Two items were not asked in the last format.
    features = table.features.copy()
    features[:2, -2:] = 0
    table = UnitTable(features, table.columns, table.strata, table.units)
    drawn = exchanged_within(table, 50, split=_by_format)
    for name in dict.fromkeys(key[0] for key in table.columns):
        assert (drawn[name, "n"] == table.point()[name, "n"][0]).all()
    right = sum(drawn[f"format {j}", "ok"] for j in range(5))
    assert right == pytest.approx(np.full(50, features[:, 1::2].sum()))
    assert len(set(drawn["format 0", "ok"])) > 1


def test_columns_of_no_condition_stay():
    table = _formats(np.random.default_rng(1), 12, 3, effect=0.0)
    drawn = exchanged_within(
        table, 20, split=lambda key: None if key[0] == "format 0" else ((), *key)
    )
    assert (drawn["format 0", "ok"] == table.point()["format 0", "ok"][0]).all()


def test_units_trade_groups_and_groups_keep_their_size():
    rng = np.random.default_rng(0)
    features = np.zeros((9, 4))
    features[:6, 0], features[6:, 2] = 1, 1
    features[:6, 1], features[6:, 3] = rng.integers(0, 2, 6), rng.integers(0, 2, 3)
    columns = {("a", "n"): 0, ("a", "ok"): 1, ("b", "n"): 2, ("b", "ok"): 3}
    table = UnitTable(features, columns, np.repeat([0, 1], [6, 3]))
    drawn = exchanged_across(table, 40, split=_by_format)
    assert (drawn["a", "n"] == 6).all()
    assert (drawn["b", "n"] == 3).all()
    assert drawn["a", "ok"] + drawn["b", "ok"] == pytest.approx(features[:, [1, 3]].sum())
    assert len(set(drawn["b", "ok"])) > 1
    both = UnitTable(np.ones((2, 4)), columns, np.zeros(2, dtype=np.int64))
    with pytest.raises(ValueError, match="several groups"):
        exchanged_across(both, 4, split=_by_format)


def test_half_of_the_units_are_turned():
    features = np.array([[1.0, 0.0]] * 400)
    table = UnitTable(features, {("yes",): 0, ("no",): 1}, np.zeros(400, int))
    drawn = turned(table, features[:, ::-1], 300)
    assert drawn["yes",] + drawn["no",] == pytest.approx(400)
    assert drawn["yes",].mean() == pytest.approx(200, abs=3)
    assert drawn["yes",].std() == pytest.approx(10, abs=2)


def test_conditions_trade_places_among_their_own_only():
    cells = [(group, way, "n") for group in "ab" for way in "xy"]
    columns = {cell: i for i, cell in enumerate(cells)}
    features = np.array([[1.0, 2.0, 30.0, 40.0]] * 5)
    drawn = exchanged_within(
        UnitTable(features, columns, np.zeros(5, int)), 20, split=lambda key: key
    )
    assert drawn["a", "x", "n"] + drawn["a", "y", "n"] == pytest.approx(15)
    assert drawn["b", "x", "n"] + drawn["b", "y", "n"] == pytest.approx(350)


def test_a_score_that_noise_lowers_is_held_against_its_low_end():
    drawn = np.linspace(80, 90, 999)
    found = no_effect(70.0, drawn, Null("domain", lowers=True))
    assert found.null_p == pytest.approx(1 / 1000)
    assert found.null_high == pytest.approx(80.5)
    assert found.null_mean == pytest.approx(85)


def test_a_distance_loses_its_noise_in_squares():
    noise = np.full(999, 0.1)
    assert no_effect(0.5, noise, SQUARE).without_noise == pytest.approx(math.sqrt(0.24))
    assert no_effect(0.1, noise, SQUARE).without_noise == pytest.approx(0.0)
    assert no_effect(-0.2, noise, SQUARE).without_noise == 0.0


def test_what_differs_by_rounding_is_no_finding():
    found = no_effect(1.5e-29, np.zeros(999), PLAIN)
    assert found.null_p == 1.0


def test_a_number_that_is_mostly_undefined_without_the_effect_has_no_null():
    drawn = np.full(100, np.nan)
    drawn[:90] = 0.1
    assert math.isnan(no_effect(0.3, drawn, SQUARE).null_p)


def test_only_what_noise_moves_one_way_has_a_number_without_it():
    drawn = np.linspace(-0.1, 0.1, 99)
    both_ways = no_effect(0.3, drawn, Null("offer", "neither"))
    assert math.isnan(both_ways.without_noise)
    assert both_ways.null_p == pytest.approx(1 / 100)
    assert both_ways.null_mean == pytest.approx(0)
    assert both_ways.null_high == pytest.approx(0.09)
    assert no_effect(0.3, drawn + 0.1, PLAIN).without_noise == pytest.approx(0.2)

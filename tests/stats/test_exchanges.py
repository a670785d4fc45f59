"""Labels that trade places: every way that they can, and nothing beside."""

import numpy as np
import pytest

from askew.schema import Null
from askew.stats.clusters import (
    NO_NULL,
    no_effect,
    noise_taken_off,
    permute_groups,
    permute_labels_within,
    sign_flip,
)
from askew.stats.tables import ClusterTable, ratio

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def table_of(rows, columns):
    places = {key: i for i, key in enumerate(columns)}
    return ClusterTable(np.array(rows, dtype=float), places, np.zeros(len(rows), int))


def rows_of(totals, columns):
    return {tuple(row) for row in np.stack([totals[key] for key in columns], axis=1).tolist()}


def by_label(key):
    return (), key[0], key[1]


SUMS = [(label, name) for label in "xyz" for name in ("n", "ok")]


def test_one_clusters_conditions_come_in_every_order():
    """Asked once, twice and three times; what is right stays with how often it was asked."""
    drawn = permute_labels_within(table_of([[1, 1, 2, 0, 3, 2]], SUMS), 300, split=by_label)
    parts = [(1, 1), (2, 0), (3, 2)]
    orders = {
        (*a, *b, *c)
        for a in parts for b in parts for c in parts if len({a, b, c}) == 3
    }  # fmt: skip
    assert rows_of(drawn, SUMS) == orders
    shares = np.mean(drawn["x", "n"][:, None] == [1, 2, 3], axis=0)
    assert shares == pytest.approx([1 / 3] * 3, abs=0.09)


def test_clusters_are_permuted_separately_within_the_conditions_that_ran():
    """The first in x and y, the second in y and z: x, y and z are sums of what came to them."""
    columns = [(label, "n") for label in "xyz"]
    drawn = permute_labels_within(table_of([[1, 2, 0], [0, 10, 30]], columns), 300, split=by_label)
    assert rows_of(drawn, columns) == {(1, 12, 30), (2, 11, 30), (1, 32, 10), (2, 31, 10)}


def test_what_all_conditions_share_stays_and_clusters_add_up():
    """Both were asked twice everywhere; of the first one is right, of the second none or all."""
    columns = [(label, name) for label in "xy" for name in ("n", "ok")]
    rows = [[2, 1, 2, 1], [2, 0, 2, 2], [2, 2, 2, 1]]
    drawn = permute_labels_within(table_of(rows, columns), 200, split=by_label)
    assert rows_of(drawn, columns) == {(6, 3, 6, 4), (6, 2, 6, 5), (6, 5, 6, 2), (6, 4, 6, 3)}
    # Where nothing differs, nothing moves.
    same = permute_labels_within(table_of([[2, 1, 2, 1]] * 3, columns), 9, split=by_label)
    assert rows_of(same, columns) == {(6, 3, 6, 3)}


def test_a_sum_that_a_condition_has_no_column_for_is_left_out_with_it():
    """Only x counts what was skipped: in y there is no place for it."""
    columns = [("other",), ("x", "n"), ("x", "skipped"), ("y", "n")]

    def split(key):
        return None if key == ("other",) else ((), *key)

    drawn = permute_labels_within(table_of([[7, 1, 5, 2]], columns), 100, split=split)
    assert rows_of(drawn, columns) == {(7, 1, 5, 2), (7, 2, 0, 1)}


def test_each_group_of_conditions_is_permuted_alone():
    columns = [(group, label, "n") for group in "ab" for label in "xy"]
    drawn = permute_labels_within(table_of([[1, 2, 30, 40]], columns), 100, split=lambda key: key)
    assert rows_of(drawn, columns) == {
        (*a, *b) for a in ((1, 2), (2, 1)) for b in ((30, 40), (40, 30))
    }


def test_clusters_trade_groups_in_every_way_that_keeps_their_sizes():
    """Two of a and one of b: whichever is in b."""
    columns = [("a", "n"), ("a", "ok"), ("b", "n"), ("b", "ok"), ("c",)]

    def split(key):
        return None if key == ("c",) else ((), *key)

    rows = [[1, 3, 0, 0, 7], [1, 5, 0, 0, 7], [0, 0, 1, 11, 7]]
    drawn = permute_groups(table_of(rows, columns), 200, split=split)
    assert rows_of(drawn, columns) == {(2, 8, 1, 11, 21), (2, 14, 1, 5, 21), (2, 16, 1, 3, 21)}
    shares = np.mean(drawn["b", "ok"][:, None] == [11, 5, 3], axis=0)
    assert shares == pytest.approx([1 / 3] * 3, abs=0.1)


def test_families_of_groups_are_permuted_separately():
    columns = [(family, group, "n") for family in "pq" for group in "ab"]
    rows = [[1, 0, 0, 0], [0, 2, 0, 0], [0, 0, 10, 0], [0, 0, 0, 20], [0, 0, 0, 0]]
    drawn = permute_groups(table_of(rows, columns), 100, split=lambda key: key)
    assert rows_of(drawn, columns) == {
        (*p, *q) for p in ((1, 2), (2, 1)) for q in ((10, 20), (20, 10))
    }
    both = table_of([[1, 1, 0, 0]], columns)
    with pytest.raises(ValueError, match="several groups"):
        permute_groups(both, split=lambda key: key)


def test_each_cluster_is_turned_or_not():
    table = table_of([[1, 2], [10, 20]], [("yes",), ("no",)])
    drawn = sign_flip(table, table.features[:, ::-1], 200)
    found = rows_of(drawn, [("yes",), ("no",)])
    assert found == {(11, 22), (12, 21), (21, 12), (22, 11)}


PLAIN, SQUARE = Null("arm", "plain"), Null("arm")


def test_noise_is_taken_off_by_hand():
    """Mean 0.2; mean of squares 0.05. Not below 0, and a number below 0 has none left."""
    drawn = np.array([0.1, 0.3, np.nan])
    values = np.array([0.5, 0.1, 0.2, -0.5])
    assert noise_taken_off(values, drawn, PLAIN) == pytest.approx([0.3, 0, 0, 0])
    assert noise_taken_off(values, drawn, SQUARE) == pytest.approx([0.2**0.5, 0, 0, 0])


def test_what_is_shown_without_the_effect_by_hand():
    drawn = np.linspace(0, 0.9, 10)
    found = no_effect(0.8, drawn, PLAIN)
    assert vars(found) == pytest.approx(
        {"value_debiased": 0.35, "null_mean": 0.45, "null_q95": 0.855, "p_value": 3 / 11}
    )
    lowered = no_effect(0.1, drawn, Null("arm", lowers=True))
    assert vars(lowered) == pytest.approx(
        {"value_debiased": np.nan, "null_mean": 0.45, "null_q95": 0.045, "p_value": 3 / 11},
        nan_ok=True,
    )


def test_what_differs_by_a_billionth_is_as_much():
    for value, as_much in ((0.5 + 9e-10, 1.0), (0.5 + 1.1e-9, 0.1), (0.5 - 1e-12, 1.0)):
        assert no_effect(value, np.full(9, 0.5), PLAIN).p_value == pytest.approx(as_much)
    assert no_effect(1e-9, np.zeros(9), PLAIN).p_value == 1.0
    # Of large numbers by a billionth of them.
    for value, as_much in ((500 + 4e-7, 1.0), (500 + 6e-7, 0.1), (-500 - 6e-7, 1.0)):
        drawn = np.full(9, 500.0 if value > 0 else -500.0)
        assert no_effect(value, drawn, PLAIN).p_value == pytest.approx(as_much)


@pytest.mark.parametrize(("unknown", "there"), [(0, True), (5, True), (6, False), (100, False)])
def test_a_null_needs_95_of_100_draws(unknown, there):
    drawn = np.concatenate([np.full(unknown, np.nan), np.linspace(0.1, 0.2, 100 - unknown)])
    for null in (PLAIN, Null("arm", lowers=True)):
        found = no_effect(0.15, drawn, null)
        assert np.isnan(found.p_value) != there
        # How often is of those that are defined.
        if there:
            assert found.p_value == no_effect(0.15, drawn[unknown:], null).p_value
    assert no_effect(np.nan, drawn, PLAIN) is NO_NULL
    assert no_effect(0.1, np.array([]), PLAIN) is NO_NULL


# --- Promises


def formats(rng, n_items, n_formats, effect):
    """Right or wrong answers of items of unequal difficulty, one a format."""
    slope = effect * np.linspace(-1, 1, n_formats)
    chance = 1 / (1 + np.exp(-(rng.normal(size=(n_items, 1)) + slope)))
    score = (rng.random((n_items, n_formats)) < chance).astype(float)
    features = np.stack([np.ones_like(score), score], axis=2).reshape(n_items, -1)
    names = [(f"format {j}", name) for j in range(n_formats) for name in ("n", "ok")]
    columns = {name: place for place, name in enumerate(names)}
    clusters = [("", str(i)) for i in range(n_items)]
    return ClusterTable(features, columns, np.zeros(n_items, dtype=np.int64), clusters)


def with_null(table):
    """The variance of seven formats' means, and what it is without the effect."""

    def variance(totals):
        of = [f"format {j}" for j in range(7)]
        return np.var([ratio(totals[name, "ok"], totals[name, "n"]) for name in of], 0)

    value = float(variance(table.point())[0])
    drawn = variance(permute_labels_within(table, 199, split=by_label))
    return value, no_effect(value, drawn, PLAIN)


def test_false_alarms_are_as_rare_as_promised():
    rng = np.random.default_rng(24)
    found = [with_null(formats(rng, 24, 7, effect=0.0))[1] for _ in range(200)]
    # Of 200 runs, 5 in 100 give 4 to 19 in 95 of 100 experiments.
    assert 0.01 <= np.mean([f.p_value <= 0.05 for f in found]) <= 0.1
    assert np.mean([f.null_mean - f.null_q95 for f in found]) < 0


def test_noise_is_taken_off_a_real_effect():
    rng = np.random.default_rng(5)
    slope = np.linspace(-1, 1, 7)
    true = float(np.var((1 / (1 + np.exp(-(rng.normal(size=(200_000, 1)) + slope)))).mean(axis=0)))
    found = [with_null(formats(rng, 30, 7, effect=1.0)) for _ in range(150)]
    assert np.mean([raw for raw, _ in found]) > 1.15 * true
    assert np.mean([of.value_debiased for _, of in found]) == pytest.approx(true, rel=0.12)


def test_only_what_noise_moves_one_way_has_a_number_without_it():
    drawn = np.linspace(-0.1, 0.1, 99)
    both_ways = no_effect(0.3, drawn, Null("offer", "neither"))
    assert np.isnan(both_ways.value_debiased)
    assert both_ways.p_value == pytest.approx(1 / 100)
    assert both_ways.null_mean == pytest.approx(0)
    assert both_ways.null_q95 == pytest.approx(0.09)
    assert no_effect(0.3, drawn + 0.1, PLAIN).value_debiased == pytest.approx(0.2)

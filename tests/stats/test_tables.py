"""Rows of numbers: why there is none, or no interval."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.schema import Null
from askew.stats import tables
from askew.stats.clusters import NO_NULL, no_effect
from askew.stats.quantities import Quantity, bounds_of
from askew.stats.tables import (
    NULL_COLUMNS,
    OVERALL,
    Analysis,
    ClusterTable,
    Counts,
    Interval,
    Totals,
    cluster_table,
    metric_table,
    numbers_of,
    ratio,
)

HALF_UNKNOWN = Quantity(np.array([0.5, math.nan, 0.4, math.nan]))


@pytest.mark.parametrize(
    ("value", "replicate", "low", "reason"),
    [
        # Of a number that is not there: what its statistic says, whatever resamples show.
        (math.nan, None, math.nan, "not asked: no_hint"),
        (math.nan, HALF_UNKNOWN, math.nan, "not asked: no_hint"),
        (0.5, HALF_UNKNOWN, 0.4, ""),
        (0.5, None, math.nan, ""),
        (
            0.5, HALF_UNKNOWN, math.nan,
            "no interval: undefined in 50% of resamples of so few items; ask more",
        ),
    ],
)  # fmt: skip
def test_a_number_or_an_interval_that_is_not_there_has_its_reason(value, replicate, low, reason):
    quantity = Quantity(np.array([value]), reason="not asked: no_hint")
    assert tables._reason(quantity, replicate, low, None) == reason


# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

ROWS = pd.DataFrame(
    [("b", "u2", "x", 1, 1.0), ("b", "u1", "x", 1, 2.0), ("a", "u9", "y", 1, 4.0),
     ("b", "u2", "y", 2, 8.0), ("a", "u9", "y", 1, 16.0)],
    columns=["subset", "cluster", "way", "hint", "score"],
)  # fmt: skip


def test_sums_of_clusters_and_cells_by_hand():
    table = cluster_table(ROWS, ["way", "hint"], ["score"])
    assert table.clusters == [("a", "u9"), ("b", "u1"), ("b", "u2")]
    assert table.strata.tolist() == [0, 1, 1]
    cells = [("x", 1), ("y", 1), ("y", 2)]
    assert list(table.columns) == [(*cell, name) for cell in cells for name in ("n", "score")]
    assert list(table.columns.values()) == list(range(6))
    assert table.features.tolist() == [[0, 0, 2, 20, 0, 0], [1, 2, 0, 0, 0, 0], [1, 1, 0, 0, 1, 8]]


def test_sums_that_are_not_there_are_nothing():
    sums = Totals(np.array([[1.0, 2.0], [3.0, 0.0]]), {("a", "n"): 0, ("a", "ok"): 1})
    assert (sums["a", "ok"].tolist(), sums["b", "ok"].tolist()) == ([2, 0], [0, 0])
    assert len(sums) == 2
    found = ratio(sums["a", "n"], sums["a", "ok"])
    assert found[0] == 0.5
    assert math.isnan(found[1])
    assert np.isnan(ratio(sums["a", "n"], sums["b", "n"])).all()
    found = ratio(np.array([1.0, -1.0]), np.array([[2.0], [-4.0]]))
    assert found.tolist() == [[0.5, -0.5], [-0.25, 0.25]]


RIGHT = np.arange(24) % 3.0


def analysis(**more):
    """A mean of 24 clusters, half of it, which has counts of its own, and what noise moves."""
    table = ClusterTable(
        np.column_stack([np.ones(24), RIGHT]), {("n",): 0, ("ok",): 1}, np.zeros(24, int)
    )

    def statistic(totals):
        mean = ratio(totals["ok",], totals["n",]) / 2
        return {
            ("mean", "a"): Quantity(mean, "composite", counts=Counts(30, 1, 24)),
            ("half", "b", OVERALL): Quantity(mean / 2, "composite", counts=Counts(9, 2, 8, 3)),
            ("noisy", "a"): Quantity(mean, "spread", null=Null("turned")),
            ("lost", "c"): Quantity(np.full(len(totals), math.nan), reason="nobody asked"),
        }

    def turned(table, draws, seed):
        spread = np.random.default_rng(seed).random(draws)
        return Totals(np.column_stack([np.ones(draws), spread]), table.columns)

    return Analysis(table, statistic, {"turned": turned}, **more)


def test_rows_report_all_that_is_known_of_each_value():
    made, how = analysis(), Interval(resamples=60, level=0.8, seed=2)
    found = dict(numbers_of(made, how, ("gpt",)))
    assert list(found) == [
        ("mean", "gpt", "a"), ("half", "gpt", "b", OVERALL),
        ("noisy", "gpt", "a"), ("lost", "gpt", "c"),
    ]  # fmt: skip
    drawn = made.statistic(made.table.resampled(60, 2))
    point = made.statistic(made.table.point())
    for key, counts in (
        (("mean", "a"), Counts(30, 1, 24)),
        (("half", "b", OVERALL), Counts(9, 2, 8, 3)),
    ):
        low, high = bounds_of(point[key], drawn[key], 0.8, None)
        said = found[key[0], "gpt", *key[1:]]
        assert low < said["value"] < high
        assert said == {
            "value": float(point[key].values[0]), "low": low, "high": high, "reason": "",
            "n_items": counts.n_items, "n_clusters": counts.n_clusters,
            "n_dropped": counts.n_dropped, "dropped_of": counts.dropped_of, **vars(NO_NULL),
        }  # fmt: skip
    lost = found["lost", "gpt", "c"]
    assert (lost["reason"], lost["n_items"], lost["n_dropped"]) == ("nobody asked", 0, 0)
    null = no_effect(0.5, np.random.default_rng(2).random(499) / 2, Null("turned"))
    assert {name: found["noisy", "gpt", "a"][name] for name in NULL_COLUMNS} == vars(null)
    assert not math.isnan(null.p_value)


def counted(rows):
    table = cluster_table(rows, ["way"], ["score"])

    def statistic(totals):
        ways = dict.fromkeys(key[0] for key in table.columns)
        counts = {"x": Counts(2, 1), "y": Counts(0)}
        means = {w: ratio(totals[w, "score"], totals[w, "n"]) / 20 for w in ways}
        return {("mean", w): Quantity(mean, counts=counts[w]) for w, mean in means.items()}

    return Analysis(table, statistic)


def test_groups_keep_the_order_in_which_they_appear():
    table = metric_table(ROWS, ("subset", "hint"), ("way",), counted, None)
    assert list(table.columns) == [
        "metric", "subset", "hint", "way", "value", "low", "high", "n_items",
        "n_clusters", "n_dropped", "dropped_of", "reason", *NULL_COLUMNS,
    ]  # fmt: skip
    said = table[["metric", "subset", "hint", "way", "value", "n_items"]]
    assert said.to_numpy().tolist() == [
        ["mean", "b", 1, "x", 0.075, 2],
        ["mean", "a", 1, "y", 0.5, 0],
        ["mean", "b", 2, "y", 0.4, 0],
    ]
    assert table["low"].isna().all()


def test_without_groups_all_rows_are_one_and_a_group_may_have_no_name():
    table = metric_table(ROWS, (), ("way",), counted, None)
    assert dict(zip(table["way"], table["value"], strict=True)) == pytest.approx(
        {"x": 0.075, "y": 28 / 60}
    )
    unnamed = ROWS.assign(subset=["b", "b", None, "b", None])
    table = metric_table(unnamed, ("subset",), ("way",), counted, None)
    assert table["subset"].isna().tolist() == [False, False, True]
    empty = metric_table(ROWS.iloc[:0], ("subset",), ("way",), counted, Interval(resamples=9))
    assert (len(empty), list(empty.columns)) == (0, list(table.columns))
    # Of no rows, no column is missed.
    assert len(metric_table(pd.DataFrame(), ("subset",), ("way",), counted)) == 0


def test_a_mean_follows_several_groups_of_one_column():
    seen = []

    def mean(parts):
        seen.append(list(parts))
        return counted(ROWS)

    def groups(by, rows=ROWS):
        return metric_table(rows, by, ("way",), counted, None, mean)

    assert groups(("subset",))["subset"].tolist() == ["b", "b", "a", OVERALL, OVERALL]
    assert seen == [["b", "a"]]
    assert OVERALL not in groups(("subset", "hint"))["subset"].tolist()
    assert groups(("subset",), ROWS[ROWS["subset"] == "b"])["subset"].tolist() == ["b", "b"]
    assert len(groups(())) == 2
    assert len(seen) == 1

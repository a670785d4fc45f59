"""Means over groups: without weights, paired by the items that they share, or with a reason."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.schema import Null
from askew.stats.tables import (
    OVERALL,
    Analysis,
    ClusterTable,
    Counts,
    Interval,
    Quantity,
    Totals,
    cluster_table,
    mean_over,
    metric_table,
    nulls_of,
    numbers_of,
    ratio,
)
from tests.cases import cases

LEVELS = ("subset",)
QUICK = Interval(resamples=800)


def analyse(rows):
    """A rate by subset and over all, which is the mean of the subsets' rates."""
    table = cluster_table(rows, ["subset"], ["correct"])
    subsets = sorted(rows["subset"].unique())

    def statistic(totals):
        rates = {s: ratio(totals[s, "correct"], totals[s, "n"]) for s in subsets}
        found = {s: Quantity(r, "rate", counts=counts_of(rows, s)) for s, r in rates.items()}
        mean, counts = np.mean([*rates.values()], axis=0), counts_of(rows, OVERALL)
        found[OVERALL] = Quantity(mean, "composite", counts=counts)
        return {("acc", subset): quantity for subset, quantity in found.items()}

    return Analysis(table, statistic)


def counts_of(rows, subset):
    items = rows if subset == OVERALL else rows[rows["subset"] == subset]
    return Counts(items["cluster"].nunique(), 0, items["cluster"].nunique())


def observed(right, model="m", subset="a", n=40):
    """The first so many of a subset's items are right."""
    return pd.DataFrame(
        {
            "model": model, "subset": subset, "cluster": f"{subset}-{i}", "item": f"{subset}-{i}",
            "correct": float(i < right),
        }
        for i in range(n)
    )  # fmt: skip


def table(*parts, interval=QUICK):
    rows = pd.concat(parts, ignore_index=True)
    made = metric_table(rows, ("model",), LEVELS, analyse, interval, mean_over)
    return made.set_index(["model", "subset"])


def test_the_mean_of_copies_is_as_uncertain_as_one_of_them():
    """They fail at the same items: four models are no more items than one."""
    copies = [observed(28, name) for name in "pqrs"]
    found = table(*copies)
    one, mean = found.loc[("p", "a")], found.loc[("all", "a")]
    assert mean["value"] == one["value"]
    assert mean["high"] - mean["low"] == pytest.approx(one["high"] - one["low"], rel=0.1)


def test_a_model_that_lacks_a_cell_leaves_its_mean_undefined_with_the_reason():
    found = table(observed(40, "one"), observed(30, "one", "b"), observed(20, "two"))
    for place, said in ((("all", "b"), "two lacks it"), (("all", "all"), "two lacks b")):
        assert math.isnan(found.loc[place, "value"])
        assert found.loc[place, "reason"] == said
    assert found.loc[("all", "a"), "value"] == pytest.approx(0.75)
    assert not found["value"].isna().groupby("model").any()[["one", "two"]].any()


def test_a_mean_reports_why_a_part_has_no_value():
    def undefined(rows):
        made = analyse(rows)
        nan = {("acc", "a"): Quantity(np.array([math.nan]), reason="no reply")}
        return made if rows["model"].iloc[0] == "one" else Analysis(made.table, lambda _: nan)

    rows = pd.concat([observed(5, "one"), observed(5, "two")])
    found = metric_table(rows, ("model",), LEVELS, undefined, None, mean_over)
    (row,) = found[(found["model"] == "all") & (found["subset"] == "a")].to_dict("records")
    assert (math.isnan(row["value"]), row["reason"]) == (True, "two: no reply")


# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def table_of(features, columns=(("n",),), clusters=None, strata=None):
    """Clusters a, b, c ... of one stratum, unless told otherwise."""
    features = np.array(features, dtype=float)
    clusters = clusters or [("s", "abcdefgh"[i]) for i in range(len(features))]
    return ClusterTable(
        features, {key: i for i, key in enumerate(columns)},
        np.zeros(len(features), int) if strata is None else strata, clusters,
    )  # fmt: skip


def group(numbers, table=None):
    """An analysis whose numbers are as told, in each resample."""

    def statistic(totals):
        def of(value):
            return value if isinstance(value, Quantity) else Quantity(np.full(len(totals), value))

        return {key: of(value) for key, value in numbers.items()}

    return Analysis(table or table_of([[1.0]]), statistic)


def means_of(*groups, **named):
    parts = {**dict(zip("pqrst", groups, strict=False)), **named}
    made = mean_over(parts)
    return made.statistic(made.table.point())


def number(value, kind="difference", bounds=(0.0, 1.0), **more):
    return Quantity(np.array([value]), kind, bounds, **more)


def test_a_mean_weighs_its_groups_the_same():
    found = means_of(group({("m",): 0.2}), group({("m",): 0.4}), group({("m",): 0.9}))
    assert found["m",].values.tolist() == [pytest.approx(0.5)]
    assert found["m",].reason == ""
    assert means_of(group({("m",): 0.2}))["m",].values == pytest.approx([0.2])


@cases("kind", "of_mean")
def test_a_mean_of_rates_is_none_and_of_other_kinds_is_one_of_them(kind, of_mean):
    found = means_of(*(group({("m",): number(0.4, kind)}) for _ in range(2)))
    assert found["m",].interval == of_mean


def test_a_mean_can_be_as_small_and_as_large_as_any_of_its_numbers():
    one, two = (group({("m",): number(0.4, bounds=b)}) for b in ((-1.0, 2.0), (0.0, 3.0)))
    assert means_of(one, two)["m",].bounds == (-1.0, 3.0)
    assert means_of(two, one)["m",].bounds == (-1.0, 3.0)


@pytest.mark.parametrize(
    ("null", "kept"),
    [(None, False), (Null("w"), False), (Null("w", "plain"), True), (Null("w", "neither"), True)],
)
def test_noise_of_a_mean_is_known_unless_it_adds_in_squares(null, kept):
    found = means_of(*(group({("m",): number(0.4, null=null)}) for _ in range(2)))
    assert found["m",].null == (null if kept else None)


def test_a_mean_rests_on_the_fewest_of_its_own_numbers_or_of_their_level():
    one = group({("m", "a"): number(0.4, counts=Counts(9, 4, 7, 2))})
    two = group({("m", "a"): number(0.4, counts=Counts(12, 1, 0, 1))})
    found = means_of(one, two)["m", "a"]
    assert found.counts == Counts(9, 4, 7, 2)
    assert means_of(two)["m", "a"].counts == Counts(12, 1, 12, 1)
    assert means_of(group({("m", "a"): 0.4}))["m", "a"].counts == Counts(0)


def test_groups_share_clusters_by_name_and_have_columns_of_their_own():
    columns = [("n",), ("ok",)]
    one = table_of([[1, 2], [3, 4]], columns, [("s", "b"), ("s", "a")])
    two = table_of([[5, 6], [7, 8]], columns, [("r", "c"), ("s", "a")], np.array([0, 1]))
    made = mean_over({"p": group({}, table=one), "q": group({}, table=two)}).table
    assert made.clusters == [("r", "c"), ("s", "a"), ("s", "b")]
    assert made.strata.tolist() == [0, 1, 1]
    assert made.columns == {
        ("p", ("n",)): 0, ("p", ("ok",)): 1, ("q", ("n",)): 2, ("q", ("ok",)): 3
    }  # fmt: skip
    assert made.features.tolist() == [[0, 0, 5, 6], [3, 4, 7, 8], [1, 2, 0, 0]]


def test_each_group_reads_its_own_sums_of_the_same_resamples():
    """Clusters that two groups share are drawn for both: one is ten times the other throughout."""

    def ratio_of(totals):
        return {("m",): Quantity(totals["ok",] / 10), ("missing",): Quantity(totals["no",])}

    clusters = np.column_stack([np.ones(6), np.arange(6.0)])
    one = Analysis(table_of(clusters, [("n",), ("ok",)]), ratio_of)
    two = Analysis(table_of(10 * clusters, [("n",), ("ok",)]), ratio_of)
    made = mean_over({"p": one, "q": two})
    drawn = made.table.resampled(50, 3)
    alone = one.statistic(one.table.resampled(50, 3))["m",].values
    found = made.statistic(drawn)
    assert found["m",].values == pytest.approx(5.5 * alone)
    assert len(set(alone.tolist())) > 5
    assert (found["missing",].values == 0).all()
    assert len(drawn) == 50
    # Once more, in whatever order groups are read.
    p, q = drawn.within("p"), drawn.within("q")
    assert q["ok",] == pytest.approx(10 * p["ok",])
    assert p["ok",] == pytest.approx(10 * alone)


def test_labels_trade_places_in_every_group_alike():
    asked = []

    def exchange(of):
        def drawn(table, draws, seed):
            asked.append((of, draws, seed))
            features = np.column_stack([np.full(draws, len(asked) + 1.0), np.ones(draws)])
            return Totals(features, {("n",): 0, (of,): 1})

        return drawn

    def statistic(totals):
        met.append((totals.wants(("m", "y")), totals["p",].any(), len(totals)))
        return {("m", "x"): Quantity(totals["n",] / 10, null=Null("swap", "plain"))}

    met = []
    parts = {
        name: Analysis(table_of([[1.0]]), statistic, {"swap": exchange(name), name: None})
        for name in "pq"
    }
    made = mean_over(parts)
    assert list(made.exchanges) == ["swap"]
    assert made.observed
    met.clear()
    _, found = nulls_of(made, 4)
    assert asked == [("p", 499, 4), ("q", 499, 4)]
    assert found["m", "x"] == pytest.approx(np.full(499, 0.25))
    assert met == [(False, True, 499), (False, False, 499)]
    (row,) = (said for _, said in numbers_of(made, Interval(resamples=20), ("all",)))
    assert (row["value"], row["null_mean"]) == (pytest.approx(0.1), pytest.approx(0.45))

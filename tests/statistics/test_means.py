"""Means over groups: without weights, paired by the items that they share, or with a reason."""

import math
from functools import partial

import numpy as np
import pandas as pd
import pytest

from askew.statistics import means
from askew.statistics.means import mean_over
from askew.statistics.tables import (
    OVERALL,
    Analysis,
    Counts,
    Interval,
    Quantity,
    UnitTable,
    metric_table,
    unit_table,
)

LEVELS = ("subset",)
QUICK = Interval(resamples=800)


def analyse(rows):
    """A rate by subset and over all, which is the mean of the subsets' rates."""
    table = unit_table(rows, ["subset"], ["correct"])
    subsets = sorted(rows["subset"].unique())

    def statistic(totals):
        rates = {s: totals.ratio((s, "correct"), (s, "n")) for s in subsets}
        return {
            **{("acc", s): Quantity(rate, "rate") for s, rate in rates.items()},
            ("acc", OVERALL): Quantity(np.mean(list(rates.values()), axis=0), "composite"),
        }

    return Analysis(table, statistic, {(s,): counts_of(rows, s) for s in (*subsets, OVERALL)})


def counts_of(rows, subset):
    items = rows if subset == OVERALL else rows[rows["subset"] == subset]
    return Counts(items["unit"].nunique(), 0, items["unit"].nunique())


def observed(right, model="m", subset="a", n=40):
    """The first so many of a subset's items are right."""
    return pd.DataFrame(
        {
            "model": model, "subset": subset, "unit": f"{subset}-{i}", "item": f"{subset}-{i}",
            "correct": float(i < right),
        }
        for i in range(n)
    )  # fmt: skip


def table(*parts, interval=QUICK):
    rows = pd.concat(parts, ignore_index=True)
    made = metric_table(rows, ("model",), LEVELS, analyse, interval, mean_over)
    return made.set_index(["model", "subset"])


def test_models_weigh_the_same_however_often_they_were_asked():
    found = table(observed(40, "one"), observed(20, "two"), observed(20, "two"))
    assert found.loc[("all", "a"), "value"] == pytest.approx(0.75)
    assert found.loc[("all", "a"), "n_items"] == 40


def test_the_mean_of_copies_is_as_uncertain_as_one_of_them():
    """They fail at the same items: four models are no more items than one."""
    copies = [observed(28, name) for name in "pqrs"]
    found = table(*copies)
    one, mean = found.loc[("p", "a")], found.loc[("all", "a")]
    assert mean["value"] == one["value"]
    assert mean["high"] - mean["low"] == pytest.approx(one["high"] - one["low"], rel=0.1)


def test_models_that_fail_at_different_items_make_a_surer_mean():
    one = observed(20, "one")
    two = observed(20, "two").assign(correct=1 - one["correct"])
    found = table(one, two)
    assert found.loc[("all", "a"), "value"] == 0.5
    width = found["high"] - found["low"]
    assert width[("all", "a")] < 0.5 * width[("one", "a")]


def test_a_model_that_lacks_a_cell_leaves_its_mean_undefined_with_the_reason():
    found = table(observed(40, "one"), observed(30, "one", "b"), observed(20, "two"))
    for place, said in ((("all", "b"), "two lacks it"), (("all", "all"), "two lacks b")):
        assert math.isnan(found.loc[place, "value"])
        assert found.loc[place, "reason"] == said
    assert found.loc[("all", "a"), "value"] == pytest.approx(0.75)
    assert not found["value"].isna().groupby("model").any()[["one", "two"]].any()


def test_why_a_part_has_no_value_is_said_of_the_mean():
    def undefined(rows):
        made = analyse(rows)
        nan = {("acc", "a"): Quantity(np.array([math.nan]), reason="no reply")}
        return made if rows["model"].iloc[0] == "one" else Analysis(made.table, lambda _: nan, {})

    rows = pd.concat([observed(5, "one"), observed(5, "two")])
    found = metric_table(rows, ("model",), LEVELS, undefined, None, mean_over)
    (row,) = found[(found["model"] == "all") & (found["subset"] == "a")].to_dict("records")
    assert (math.isnan(row["value"]), row["reason"]) == (True, "two: no reply")


def test_one_model_has_no_mean():
    assert set(table(observed(5)).index.get_level_values("model")) == {"m"}


def test_numbers_made_of_means_stand_in_the_place_of_their_means():
    class Squared:
        def __init__(self):
            self.asked = {}

        def numbers_of(self, name, part, totals):
            self.asked[name] = float(totals["a", "n"][0])
            return part.statistic(totals)

        def made(self, means):
            assert self.asked == {"one": 40, "two": 40}
            return {("acc", "a"): Quantity(means["acc", "a"].values ** 2)}

    rows = pd.concat([observed(40, "one"), observed(20, "two")])
    found = metric_table(
        rows, ("model",), LEVELS, analyse, None, partial(mean_over, gathering=Squared)
    )
    values = found.set_index(["model", "subset"])["value"]
    assert values["all", "a"] == pytest.approx(0.75**2)


def test_the_order_of_models_and_rows_changes_nothing():
    parts = [
        observed(31, "one"),
        observed(17, "two"),
        observed(9, "two", "b"),
        observed(9, "one", "b"),
    ]
    said = ["value", "low", "high", "n_items"]
    there, back = table(*parts), table(*(part[::-1] for part in parts[::-1]))
    pd.testing.assert_frame_equal(there.sort_index()[said], back.sort_index()[said])


@pytest.mark.whole
@pytest.mark.parametrize("n", [24, 60])
def test_intervals_hold_the_mean_of_models_that_share_items(n):
    """Items are as hard for both models; each has its own skill."""
    rng = np.random.default_rng(n)
    skill, hits, runs = {"one": 0.9, "two": -0.3}, 0, 300
    hard = rng.normal(size=200_000) * 1.5
    truth = np.mean([1 / (1 + np.exp(-(s + hard))) for s in skill.values()])
    for _ in range(runs):
        difficulty = rng.normal(size=n) * 1.5
        rows = [
            observed(0, name, n=n).assign(
                correct=(rng.random(n) < 1 / (1 + np.exp(-(s + difficulty)))).astype(float)
            )
            for name, s in skill.items()
        ]
        found = table(*rows, interval=Interval(resamples=400)).loc[("all", "a")]
        hits += found["low"] <= truth <= found["high"]
    assert hits >= 0.92 * runs


def test_a_mean_rests_on_what_the_group_that_knows_least_does():
    known = [Counts(9, 1, 7, 2), Counts(8, 3, 0, 1), Counts(10, 0, 10, 1)]
    assert means._fewest(known) == Counts(8, 3, 7, 2)


def test_resamples_of_groups_are_those_of_one_table_and_can_be_of_some_numbers():
    parts = {"one": analyse(observed(31)), "two": analyse(observed(9))}
    joined = mean_over(parts).table
    later, at_once = joined.resampled(50, 3), UnitTable.resampled(joined, 50, 3)
    for key in joined.columns:
        assert later[key] == pytest.approx(at_once[key])
        assert key in later
    assert ("three", ("a", "n")) not in later
    assert (later["three", ("a", "n")] == 0).all()
    some = later.only([("a",)])
    assert (some.wants("a"), some.wants("b"), later.wants("b")) == (True, False, True)

"""Paired differences, number by number: what is taken off, what it rests on, and what is tested."""

import math
from dataclasses import replace

import numpy as np
import pytest

from askew.schema import Metric, Null
from askew.stats.clusters import side_by_side
from askew.stats.paired import SIDE_NULLS, Pairing, bonett_price_test
from askew.stats.tables import Analysis, ClusterTable, Counts, Quantity, Totals, ratio

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")


def test_a_pair_is_drawn_together_from_the_clusters_of_both():
    """Clusters that one has not count as nothing there."""
    columns = {("n",): 0}
    one = ClusterTable(
        np.array([[1.0], [2.0]]), columns, np.zeros(2, int), [("s", "b"), ("s", "a")]
    )
    two = ClusterTable(
        np.array([[10.0, 0.0], [20.0, 5.0]]), {("n",): 1, ("m",): 0}, np.zeros(2, int),
        [("s", "c"), ("s", "b")],
    )  # fmt: skip
    drawn = side_by_side({"one": one, "two": two}).resampled(400, 3)
    first, second = drawn.within("one"), drawn.within("two")
    assert (len(first), len(second)) == (400, 400)
    pairs = np.stack([first["n",], second["n",], second["m",]], axis=1) / 1.5
    # Two of three are drawn: a (2, 0, 0), b (1, 5, 20), c (0, 0, 10).
    found = {tuple(row) for row in pairs.round(9).tolist()}
    assert found == {(4, 0, 0), (2, 10, 40), (0, 0, 20), (3, 5, 20), (2, 0, 10), (1, 5, 30)}


def model(values, counts=None, null=None, more=(), noise=0.1):
    """Twelve clusters with a mean, and numbers that only some models have."""
    n = len(values)
    table = ClusterTable(
        np.column_stack([np.ones(n), values]), {("n",): 0, ("x",): 1}, np.zeros(n, int),
        [("s", f"{i:02}") for i in range(n)],
    )  # fmt: skip

    def statistic(totals):
        mean = ratio(totals["x",], totals["n",])
        of = counts or Counts(n, 2, n)
        found = {("m", "a"): Quantity(mean, "composite", counts=of, null=null)}
        return found | {(name, "a"): Quantity(mean, counts=of) for name in more}

    def traded(table, draws, seed):
        drawn = np.random.default_rng(seed).random(draws) * noise
        return Totals(np.column_stack([np.ones(draws), drawn]), table.columns)

    return Analysis(table, statistic, {"arm": traded})


VALUES = np.linspace(0.1, 0.9, 12)


def difference(before, after, paired):
    groups = [(("",), before), (("new",), after)]
    (row,) = paired.frame(("model",), ("arm",), groups).to_dict("records")
    return row


def test_paired_rows_have_the_difference_and_both_sides():
    before, after = model(VALUES, more=("old",)), model(VALUES[::-1] ** 2, more=("new",))
    paired = Pairing(300, 0.8, 2, declared=lambda name: Metric(name, margin=0.3))
    found = difference(before, after, paired)
    assert [found[name] for name in ("metric", "model", "arm")] == ["m", "new", "a"]
    mean, other = VALUES.mean(), (VALUES**2).mean()
    assert found["value"] == pytest.approx(other - mean)
    assert (found["baseline_value"], found["model_value"]) == pytest.approx((mean, other))
    assert (found["n_items"], found["n_dropped"], found["n_clusters"]) == (12, 2, 12)
    assert np.isnan([found[name] for name in SIDE_NULLS]).all()
    drawn = side_by_side({"old": before.table, "new": after.table}).resampled(300, 2)
    first, second = drawn.within("old"), drawn.within("new")
    drawn = (second["x",] - first["x",]) / 12
    assert found["replicates"] == pytest.approx(drawn)
    test = bonett_price_test(found["value"], drawn.var(), 12, 11, 1.0, 0.8, 0.3)
    assert {name: found[name] for name in test} == pytest.approx(test)


@pytest.mark.parametrize("growth", ["plain", "square", "neither"])
def test_noise_is_drawn_for_both_and_left_in_neither(growth):
    null = Null("arm", growth)
    before, after = model(VALUES, Counts(7), null), model(VALUES[::-1] ** 2, Counts(9), null)
    found = difference(before, after, Pairing(300, seed=2))
    noise = np.random.default_rng(2).random(499) / 10
    means = VALUES.mean(), (VALUES**2).mean()
    assert found["n_items"] == 7
    assert found["baseline_null_mean"] == found["model_null_mean"] == pytest.approx(noise.mean())
    assert found["noise_off"] == (growth != "neither")
    clean = {
        "plain": [m - noise.mean() for m in means],
        "square": [math.sqrt(m**2 - (noise**2).mean()) for m in means],
        "neither": means,
    }[growth]
    assert found["value"] == pytest.approx(clean[1] - clean[0])
    if growth != "neither":
        sides = [found["baseline_value_debiased"], found["model_value_debiased"]]
        assert sides == pytest.approx(list(clean))


def test_a_score_that_noise_lowers_has_no_noise_of_its_own_left():
    """What it is without the noise of its spreads is told; its resamples say how far it varies."""
    null = Null("arm", lowers=True)

    def told(values, clean):
        made = model(values, null=null, noise=3.0)
        return replace(made, recombined=lambda known, totals: {("m", "a"): clean})

    before, after = told(VALUES, 0.7), told(VALUES[::-1] ** 2, 0.8)
    found = difference(before, after, Pairing(300, seed=2))
    drawn = found["replicates"]
    assert (found["value"], found["noise_off"]) == (pytest.approx(0.1), True)
    test = bonett_price_test(0.1, drawn.var(), 12, 11, 1.0, 0.95, 0.05)
    assert {name: found[name] for name in test} == pytest.approx(test)

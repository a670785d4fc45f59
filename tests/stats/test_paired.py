"""Paired differences: against closed forms, against chance, and on every paper's own table."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.metrics import knowno
from askew.schema import Metric, Null
from askew.stats.clusters import permute_labels_within
from askew.stats.paired import Pairing
from askew.stats.tables import Analysis, ClusterTable, Counts, Quantity, ratio
from tests.repeated import by_chance, times


def replies(model, right):
    """One subset of KnowNo, asked with the right option only: `right` says which items are."""
    asked = {"model": model, "subset": "mctest", "epoch": 1, "order": 0, "hint": "with_gold"}
    items = [f"q{i}" for i in range(len(right))]
    return pd.DataFrame({**asked, "item": items, "cluster": items, "correct": [*map(float, right)]})


def difference(before, after, **options):
    options = {"resamples": 1_000, "baseline": "old", **options}
    table = knowno(pd.concat([before, after]), interval=Pairing(**options))
    (row,) = table[(table["metric"] == "with_gold") & (table["subset"] == "all")].to_dict("records")
    return row


def flipped(n, gained, lost):
    """Two runs of n items: some only the second gets right, some only the first."""
    old = [1] * lost + [0] * gained + [1] * (n - gained - lost)
    new = [0] * lost + [1] * gained + [1] * (n - gained - lost)
    return replies("old", old), replies("new", new)


def bonett_price(n, gained, lost, z=1.959964):
    """Bonett and Price (2012): an adjusted Wald interval of paired rates."""
    up, down = (gained + 1) / (n + 2), (lost + 1) / (n + 2)
    half = z * math.sqrt((up + down - (up - down) ** 2) / (n + 2))
    return up - down - half, up - down + half


@pytest.mark.parametrize(("gained", "lost"), [(30, 10), (12, 12), (25, 0), (3, 1), (0, 0)])
def test_the_interval_of_paired_rates_is_bonett_and_prices(gained, lost):
    row = difference(*flipped(400, gained, lost))
    assert row["value"] == pytest.approx((gained - lost) / 400)
    assert (row["low"], row["high"]) == pytest.approx(bonett_price(400, gained, lost), abs=0.004)


@pytest.mark.whole
def test_a_difference_by_chance_is_significant_in_at_most_5_percent():
    """Pairs of equal models that make independent mistakes on 40 items."""
    rng = np.random.default_rng(7)
    studies, called = times(100), 0
    for study in range(studies):
        old, new = (replies(m, rng.random(40) < 0.8) for m in ("old", "new"))
        called += difference(old, new, resamples=300, seed=study)["p_value"] < 0.05
    assert called / studies < by_chance(0.05, studies)[1]


def test_one_cluster_gives_no_interval():
    row = difference(*flipped(1, 1, 0))
    assert math.isnan(row["low"])
    assert "two clusters" in row["reason"]


def answers(rng, chance, difficulty, bent=0.0):
    """Right or wrong answers of one model, an item a row and a format a column."""
    odds = np.log(chance / (1 - chance)) + difficulty[:, None] + bent * np.linspace(-1, 1, 5)
    return (rng.random((len(difficulty), 5)) < 1 / (1 + np.exp(-odds))).astype(float)


def analysed(score, made, declared):
    """A number of how five formats differ, with the exchange that says what noise makes of it."""
    n = len(score)
    features = np.stack([np.ones_like(score), score], axis=2).reshape(n, -1)
    columns = {(f, name): 2 * f + i for f in range(5) for i, name in enumerate(("n", "ok"))}
    clusters = [("", f"{i:03}") for i in range(n)]
    table = ClusterTable(features, columns, np.zeros(n, dtype=np.int64), clusters)

    def statistic(totals):
        values = made(np.stack([ratio(totals[f, "ok"], totals[f, "n"]) for f in range(5)]))
        of, bounds, null = declared.interval, declared.bounds, declared.null
        return {(declared.name,): Quantity(values, of, bounds, counts=Counts(n), null=null)}

    def traded(table, draws, seed):
        return permute_labels_within(table, 199, seed, split=lambda key: ((), *key))

    return Analysis(table, statistic, {"format": traded})


def row_of(before, after, paired):
    (row,) = paired.frame(("model",), (), [(("",), before), (("new",), after)]).to_dict("records")
    return row


NOISY = {
    "variance": (lambda r: r.var(axis=0), Null("format", "plain"), "variance"),
    "deviation": (lambda r: r.std(axis=0), Null("format"), "spread"),
    "largest fall": (lambda r: r[0] - r[1:].min(axis=0), Null("format"), "difference"),
}


@pytest.mark.whole
@pytest.mark.parametrize("number", NOISY)
def test_models_that_no_format_moves_are_rarely_called_different(number):
    """Less accurate models vary more between formats by chance alone."""
    made, null, interval = NOISY[number]
    chances = 0.95, 0.6
    declared = Metric(number, better="lower", null=null, interval=interval)
    paired = Pairing(200, declared=lambda name: declared)
    rng = np.random.default_rng(3)
    called, raw, clean = 0, [], []
    for _ in range(150):
        difficulty = rng.normal(size=24)
        pair = [analysed(answers(rng, chance, difficulty), made, declared) for chance in chances]
        found = row_of(*pair, paired)
        called += found["p_value"] < 0.05
        raw.append(found["model_value"] - found["baseline_value"])
        clean.append(found["value"])
    assert called / 150 <= 0.06
    assert 0 <= np.mean(clean) < 0.6 * np.mean(raw)


def test_a_real_effect_of_the_format_is_found():
    made, null, interval = NOISY["deviation"]
    declared = Metric("deviation", better="lower", null=null, interval=interval)
    rng = np.random.default_rng(3)
    difficulty = rng.normal(size=120)
    plain, bent = (answers(rng, 0.75, difficulty) for _ in range(2))
    bent[:, 0] *= rng.random(120) < 0.4
    pair = [analysed(score, made, declared) for score in (plain, bent)]
    found = row_of(*pair, Pairing(400, declared=lambda name: declared))
    assert found["p_value"] < 0.001
    assert found["noise_off"]
    assert 0 < found["low"] < found["value"] < found["high"]

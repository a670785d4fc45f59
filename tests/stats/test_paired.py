"""Paired differences: against closed forms, against chance, and on every paper's own table."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.metrics import knowno
from askew.schema import Metric, Null
from askew.stats.exchanges import UNKNOWN as NO_NULL
from askew.stats.exchanges import permute_labels_within
from askew.stats.paired import Pairing, _Side, differences
from askew.stats.tables import Analysis, ClusterTable, Counts, Quantity, ratio
from tests.cases import cases
from tests.repeated import by_chance, times


def replies(model, right, story=None):
    """One subset of KnowNo, asked with the right option only: `right` says which items are."""
    return pd.DataFrame(
        {
            "model": model,
            "subset": "mctest",
            "item": [f"q{i}" for i in range(len(right))],
            "cluster": [f"u{i if story is None else story[i]}" for i in range(len(right))],
            "epoch": 1,
            "order": 0,
            "hint": "with_gold",
            "correct": [float(r) for r in right],
        }
    )


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


@cases("n", "gained", "lost", "exact")
def test_p_values_lie_near_those_of_the_exact_test(n, gained, lost, exact):
    p = difference(*flipped(n, gained, lost))["p_value"]
    assert 0.5 * exact < p < 2 * exact


def test_what_is_hard_for_both_models_cancels_out():
    """Two models that fail on the same items: the paired interval is far narrower."""
    rng = np.random.default_rng(0)
    hard = rng.random(300) < 0.5
    slips = rng.random(300) < 0.04
    paired = difference(replies("old", ~hard), replies("new", ~hard & ~slips))
    shuffled = replies("new", rng.permutation(~hard & ~slips))
    unrelated = difference(replies("old", ~hard), shuffled)
    assert paired["high"] - paired["low"] < 0.4 * (unrelated["high"] - unrelated["low"])


def test_items_of_one_story_count_as_one_cluster():
    story = np.repeat(range(25), 4)
    right = np.repeat(np.random.default_rng(1).random(25) < 0.6, 4)
    old, new = np.ones(100), right
    together = difference(replies("old", old, story), replies("new", new, story))
    apart = difference(replies("old", old), replies("new", new))
    assert together["n_clusters"] == 25
    assert together["high"] - together["low"] > 1.7 * (apart["high"] - apart["low"])


@pytest.mark.whole
def test_a_difference_by_chance_is_significant_in_at_most_5_percent():
    """Pairs of equal models that make independent mistakes on 40 items."""
    rng = np.random.default_rng(7)
    studies, called = times(100), 0
    for study in range(studies):
        old, new = (replies(m, rng.random(40) < 0.8) for m in ("old", "new"))
        called += difference(old, new, resamples=300, seed=study)["p_value"] < 0.05
    assert called / studies < by_chance(0.05, studies)[1]


def test_a_number_that_one_model_lacks_has_a_reason_and_no_interval():
    before, after = flipped(20, 2, 2)
    table = knowno(pd.concat([before, after]), interval=Pairing(200, baseline="old"))
    row = table[(table["metric"] == "omni_accuracy") & (table["subset"] == "all")].iloc[0]
    assert math.isnan(row["value"])
    assert math.isnan(row["p_value"])
    assert "no_hint" in row["reason"]


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
        rates = np.stack([ratio(totals[f, "ok"], totals[f, "n"]) for f in range(5)])
        return {(declared.name,): Quantity.of(declared, made(rates), counts=Counts(n))}

    def traded(table, draws, seed):
        return permute_labels_within(table, 199, seed, split=lambda key: ((), *key))

    return Analysis(table, statistic, {"format": traded})


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
        ((_, found),) = differences(*pair, paired)
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
    ((_, found),) = differences(*pair, Pairing(400, declared=lambda name: declared))
    assert found["p_value"] < 0.001
    assert found["noise_off"]
    assert 0 < found["low"] < found["value"] < found["high"]


@pytest.mark.parametrize(
    ("kind", "null", "moved"),
    [
        ("rate", None, False), ("composite", None, False), ("difference", None, False),
        ("score", None, True), ("spread", None, True),
        ("variance", None, True),
        ("composite", Null("arm"), True), ("composite", Null("arm", "neither"), False),
    ],
)  # fmt: skip
def test_what_noise_moves_one_way_every_resample_moves_once_more(kind, null, moved):
    point = Quantity(np.array([0.2]), kind, counts=Counts(9), null=null)
    assert _Side(point, np.array([0.2]), NO_NULL, np.array([])).moved is moved

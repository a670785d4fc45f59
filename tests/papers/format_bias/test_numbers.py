"""The format-bias table: an independent calculation, its reasons, marks, arms and intervals."""

import math
from statistics import fmean, pvariance

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from askew.metrics import est_true_reliable, format_bias
from askew.papers.format_bias.numbers import headlines
from askew.statistics.tables import NULL_COLUMNS, Interval
from tests.repeated import times

FORMATS = ("bolding", "brackets", "quoting")
QUICK = Interval(resamples=500)
# Enough where many tables are made.
ROUGH = Interval(resamples=200)
LEVELS = ["subset", "category", "format", "prompting", "demos", "repeat"]


def observations(outcomes, **columns):
    """Rows from {(subset, item, format, prompting): (format_ok, score)}."""
    return pd.DataFrame(
        {
            "model": "m", "task": "format_bias", "subset": subset, "category": "wrapping",
            "item": item, "unit": item, "epoch": 1, "format": name, "prompting": prompting,
            "demos": 0, "repeat": 1, "format_ok": float(ok), "score": float(score), **columns,
        }
        for (subset, item, name, prompting), (ok, score) in outcomes.items()
    )  # fmt: skip


def drawn(seed=0, n=30, subsets=("gsm8k", "mmlu"), promptings=("zs", "cot"), fi=None, acc=None):
    rng = np.random.default_rng(seed)
    fi, acc = fi or (0.95, 0.8, 0.5), acc or (0.8, 0.7, 0.5)
    outcomes = {}
    for subset in subsets:
        for i in range(n):
            knows = rng.random()
            for f, name in enumerate(FORMATS):
                for prompting in promptings:
                    ok = rng.random() < fi[f]
                    right = ok and knows < acc[f]
                    outcomes[subset, f"{subset}-{i}", name, prompting] = (ok, right)
    return observations(outcomes)


def value(table, metric, column="value", **at):
    wanted = {"subset": "all", "format": "all", "prompting": "all"} | at
    rows = table[table["metric"] == metric]
    for name, level in wanted.items():
        rows = rows[rows[name] == level]
    assert len(rows) == 1, (metric, at, len(rows))
    return rows[column].iloc[0]


def test_every_number_agrees_with_an_independent_calculation():
    rows = drawn()
    table = format_bias(rows, interval=None)
    est = {}
    for (subset, name, prompting), part in rows.groupby(["subset", "format", "prompting"]):
        at = {"subset": subset, "format": name, "prompting": prompting}
        fi, sys_e = part["format_ok"].mean(), part["score"].mean()
        assert value(table, "fi", **at) == pytest.approx(fi)
        assert value(table, "sys_e", **at) == pytest.approx(sys_e)
        assert value(table, "est_true", **at) == pytest.approx(sys_e / fi)
        followers = part.loc[part["format_ok"] == 1, "score"].tolist()
        assert value(table, "est_true_reliable", **at) == est_true_reliable(followers, len(part))
        est[subset, name, prompting] = sys_e / fi
    by_format = {}
    for name in FORMATS:
        cells = [v for key, v in est.items() if key[1] == name]
        by_format[name] = fmean(cells)
        assert value(table, "est_true", format=name) == pytest.approx(by_format[name])
        zs = [v for key, v in est.items() if key[1:] == (name, "zs")]
        assert value(table, "est_true", format=name, prompting="zs") == pytest.approx(fmean(zs))
    bias = pvariance([100 * v for v in by_format.values()])
    assert value(table, "bias_f") == pytest.approx(bias)
    assert value(table, "bias_f_over_followed") == pytest.approx(bias)
    gsm8k = [fmean(est["gsm8k", name, p] for p in ("zs", "cot")) for name in FORMATS]
    assert value(table, "bias_f", subset="gsm8k") == pytest.approx(
        pvariance([100 * v for v in gsm8k])
    )
    fi = [100 * value(table, "fi", format=name) for name in FORMATS]
    assert value(table, "fi_variance") == pytest.approx(pvariance(fi))
    assert value(table, "fi") == pytest.approx(fmean(fi) / 100)


def test_the_table_has_the_shape_that_all_papers_share():
    table = format_bias(drawn(n=5), interval=QUICK)
    assert list(table.columns) == [
        "metric", "model", *LEVELS, "value", "low", "high", "n_items", "n_dropped", "reason",
        *NULL_COLUMNS,
    ]  # fmt: skip
    assert not table.duplicated(["metric", "model", *LEVELS]).any()


def test_unformatted_replies_that_score_raise_est_true_but_not_its_strict_reading():
    outcomes = {("gsm8k", f"i{i}", f, "zs"): (i < 5, 1) for i in range(10) for f in FORMATS}
    table = format_bias(observations(outcomes), interval=None)
    at = {"subset": "gsm8k", "format": "quoting", "prompting": "zs"}
    assert value(table, "est_true", **at) == 2.0
    assert value(table, "est_true_strict", **at) == 1.0


def test_a_format_that_no_reply_followed_makes_bias_nan_with_the_reason():
    rows = drawn(fi=(0.9, 0.8, 0.0))
    table = format_bias(rows, interval=QUICK)
    assert math.isnan(value(table, "bias_f"))
    reason = value(table, "bias_f", "reason")
    assert reason.startswith("no reply followed quoting in gsm8k zs, quoting in gsm8k cot")
    assert math.isnan(value(table, "est_true", format="quoting"))
    others = [100 * value(table, "est_true", format=f) for f in ("bolding", "brackets")]
    assert value(table, "bias_f_over_followed") == pytest.approx(pvariance(others))
    assert value(table, "n_formats") == 3
    assert value(table, "n_formats_followed") == 2


def test_of_two_formats_the_one_that_no_reply_followed_is_the_reason():
    rows = drawn(fi=(0.9, 0.8, 0.0))
    table = format_bias(rows[rows["format"] != "bolding"], interval=QUICK)
    assert value(table, "bias_f", "reason").startswith("no reply followed quoting in gsm8k zs")


def test_the_papers_reading_counts_it_as_zero():
    rows = drawn(fi=(0.9, 0.8, 0.0))
    table = format_bias(rows, interval=None, zero_filled=True)
    scores = [100 * value(table, "est_true", format=f) for f in FORMATS]
    assert scores[2] == 0
    assert value(table, "bias_f") == pytest.approx(pvariance(scores))


def test_a_format_that_was_not_asked_somewhere_makes_bias_nan_with_the_reason():
    rows = drawn()
    rows = rows[~((rows["format"] == "quoting") & (rows["subset"] == "mmlu"))]
    table = format_bias(rows, interval=QUICK)
    assert math.isnan(value(table, "bias_f"))
    assert "not asked: quoting in mmlu zs, quoting in mmlu cot" in value(table, "bias_f", "reason")
    assert value(table, "bias_f", subset="gsm8k") > 0


def test_one_format_alone_has_no_bias_to_show():
    rows = drawn()
    table = format_bias(rows[rows["format"] == "bolding"], interval=QUICK)
    assert math.isnan(value(table, "bias_f"))
    assert "only bolding was asked" in value(table, "bias_f", "reason")
    assert value(table, "fi", format="bolding") > 0.8


def test_bias_rests_on_items_scored_in_every_format_and_counts_the_rest():
    rows = drawn(subsets=("gsm8k",), promptings=("zs",))
    lost = (rows["format"] == "quoting") & rows["item"].isin(["gsm8k-0", "gsm8k-1"])
    table = format_bias(rows[~lost], interval=QUICK)
    whole = rows[~rows["item"].isin(["gsm8k-0", "gsm8k-1"])]
    assert value(table, "bias_f") == value(format_bias(whole, interval=None), "bias_f")
    assert value(table, "bias_f", "n_items") == 28
    assert value(table, "bias_f", "n_dropped") == 2
    cell = {"subset": "gsm8k", "format": "bolding", "prompting": "zs"}
    assert value(table, "fi", "n_items", **cell) == 30


def test_no_item_in_common_is_said():
    rows = drawn(subsets=("gsm8k",), promptings=("zs",), n=6)
    rows = rows.assign(item=rows["item"] + rows["format"], unit=rows["item"] + rows["format"])
    table = format_bias(rows, interval=QUICK)
    assert "no item was scored in every format" in value(table, "bias_f", "reason")
    assert value(table, "bias_f", "n_dropped") == 18


def test_arms_are_never_mixed():
    plain, shown = drawn(0), drawn(1).assign(demos=5)
    both = format_bias(pd.concat([plain, shown]), interval=None)
    for rows, demos in ((plain, 0), (shown, 5)):
        alone = format_bias(rows, interval=None)
        assert value(both, "bias_f", demos=demos) == value(alone, "bias_f")


def test_models_are_told_apart():
    one, two = drawn(0).assign(model="one"), drawn(1).assign(model="two")
    table = format_bias(pd.concat([one, two]), interval=None)
    assert set(table["model"]) == {"one", "two"}
    alone = value(format_bias(one, interval=None), "bias_f")
    assert value(table[table["model"] == "one"], "bias_f") == alone


def models(*parts, interval=None, **options):
    rows = pd.concat([p.assign(model=f"m{i}") for i, p in enumerate(parts)], ignore_index=True)
    table = format_bias(rows, interval=interval, over_models=True, **options)
    return [
        table[table["model"] == name] for name in (*(f"m{i}" for i in range(len(parts))), "all")
    ]


def test_a_mean_over_models_is_of_their_numbers_and_its_bias_of_their_mean_scores():
    """Pooled replies would weigh a model by how often it follows; the paper averages cells."""
    one, two, mean = models(drawn(0), drawn(1, fi=(0.5, 0.9, 0.95), acc=(0.3, 0.6, 0.9), n=12))
    places = [{"format": f, **at} for f in FORMATS for at in ({}, {"subset": "mmlu"})]
    for metric in ("fi", "sys_e", "est_true"):
        for at in (*places, {}, {"prompting": "zs"}):
            both = fmean(value(table, metric, **at) for table in (one, two))
            assert value(mean, metric, **at) == pytest.approx(both), (metric, at)
    for at in ({}, {"prompting": "cot"}, {"subset": "mmlu"}):
        for metric, spread in (("est_true", "bias_f"), ("fi", "fi_variance")):
            scores = [100 * value(mean, metric, format=f, **at) for f in FORMATS]
            assert value(mean, spread, **at) == pytest.approx(pvariance(scores))
    # Biases that point different ways cancel: the mean of two biases would not.
    assert value(mean, "bias_f") < min(value(one, "bias_f"), value(two, "bias_f"))


def test_the_mean_of_copies_is_the_model():
    """Also where an item lacks a format, and in intervals and nulls."""
    rows = drawn()
    rows = rows[~((rows["format"] == "quoting") & rows["item"].isin(["gsm8k-0", "mmlu-3"]))]
    one, _, mean = models(rows, rows, interval=ROUGH)
    said = ["metric", *LEVELS, "value", "n_items", "n_dropped", "reason", "null_mean"]
    same = [table[said].sort_values(said[:7]).reset_index(drop=True) for table in (one, mean)]
    pd.testing.assert_frame_equal(*same)
    width = [value(t, "bias_f", "high") - value(t, "bias_f", "low") for t in (one, mean)]
    assert width[1] == pytest.approx(width[0], rel=0.25)


def test_a_mean_over_models_of_which_one_lacks_a_cell_is_not_defined():
    short = drawn(1)
    short = short[~((short["format"] == "quoting") & (short["subset"] == "mmlu"))]
    _, _, mean = models(drawn(0), short)
    assert math.isnan(value(mean, "bias_f"))
    assert value(mean, "bias_f", "reason").startswith("m1 lacks mmlu wrapping quoting zs")
    assert math.isnan(value(mean, "est_true", format="quoting"))
    assert value(mean, "est_true", format="bolding") > 0
    assert value(mean, "bias_f", subset="gsm8k") >= 0


def test_a_format_that_one_model_never_followed_is_named_unless_it_counts_as_zero():
    parts = drawn(0), drawn(1, fi=(0.9, 0.8, 0.0))
    _, _, mean = models(*parts)
    assert value(mean, "bias_f", "reason").startswith("m1: no reply followed quoting")
    one, _, filled = models(*parts, zero_filled=True)
    assert value(filled, "est_true", format="quoting") == pytest.approx(
        value(one, "est_true", format="quoting") / 2
    )


def test_rankings_as_published_stand_beside_ours():
    """All follow as the authors read them, none as we do; keyphrases are read the same."""
    ranked = drawn(subsets=("scidocsrr",)).assign(
        category="list", format_ok=0.0, score=0.0, format_ok_as_published=1.0, map_as_published=0.6
    )
    ranked.loc[ranked["format"] == "quoting", "map_as_published"] = 0.3
    short = drawn(subsets=("semeval2017",)).assign(category="list")
    table = format_bias(pd.concat([ranked, short]), interval=QUICK)
    at = {"subset": "scidocsrr", "format": "quoting", "prompting": "zs"}
    assert (value(table, "fi", **at), value(table, "fi_as_published", **at)) == (0, 1)
    assert value(table, "est_true_as_published", **at) == pytest.approx(0.3)
    assert math.isnan(value(table, "bias_f"))
    theirs = [
        50 * (score + value(table, "est_true", format=f, subset="semeval2017"))
        for f, score in zip(FORMATS, (0.6, 0.6, 0.3), strict=True)
    ]
    assert value(table, "bias_f_as_published") == pytest.approx(pvariance(theirs))
    shown = table[table["metric"].str.endswith("fi_as_published")]
    assert set(shown["subset"]) == {"scidocsrr", "all"}
    # Logs of before hold the authors' score alone.
    older = format_bias(pd.concat([ranked.drop(columns="format_ok_as_published"), short]))
    assert "map_as_published" in set(older["metric"])
    assert not {"fi_as_published", "bias_f_as_published"} & set(older["metric"])


def test_constant_and_scarce_cells_are_marked():
    outcomes = {("gsm8k", f"i{i}", "bolding", "zs"): (1, 1) for i in range(4)}
    outcomes |= {("gsm8k", f"i{i}", "brackets", "zs"): (i == 0, i == 0) for i in range(4)}
    table = format_bias(observations(outcomes), interval=None)
    at = {"subset": "gsm8k", "prompting": "zs"}
    assert value(table, "est_true_reliable", format="bolding", **at) == 1
    assert value(table, "est_true_constant", format="bolding", **at) == 1
    assert value(table, "est_true_reliable", format="brackets", **at) == 0
    assert value(table, "est_true_constant", format="brackets", **at) == 0
    assert math.isnan(value(table, "fi_needed", format="brackets", **at))
    assert value(table, "reliable_share") == 0.5


def test_the_authors_map_stands_beside_the_true_one():
    rows = drawn(subsets=("scidocsrr",)).assign(category="list", map_as_published=0.75)
    short = drawn(subsets=("semeval2017",)).assign(category="list")
    table = format_bias(pd.concat([rows, short]), interval=None)
    published = table[table["metric"] == "map_as_published"]
    assert set(published["subset"]) == {"scidocsrr"}
    assert published["value"].unique().tolist() == [0.75]


def test_observations_may_leave_out_what_has_a_default():
    rows = drawn(promptings=("zs",)).drop(columns=["demos", "repeat", "prompting", "epoch", "unit"])
    table = format_bias(rows, interval=None)
    assert value(table, "bias_f") == value(
        format_bias(drawn(promptings=("zs",)), interval=None), "bias_f"
    )


def test_observations_are_left_as_they_are():
    rows = drawn(n=3)
    before = rows.copy()
    format_bias(rows, interval=QUICK)
    pd.testing.assert_frame_equal(rows, before)


def test_an_empty_table_gives_no_rows():
    assert len(format_bias(drawn(n=2)[:0], interval=QUICK)) == 0


@given(st.data())
@settings(max_examples=times(20), deadline=None)
def test_any_part_of_the_observations_gives_numbers_or_reasons(data):
    rows = drawn(n=4)
    rows["model"] = ["even" if i % 2 else "odd" for i in range(len(rows))]
    kept = data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1, unique=True))
    table = format_bias(rows.iloc[kept], interval=None, over_models=True)
    undefined = table[table["value"].isna()]
    assert (undefined["reason"] != "").all()
    assert (table.loc[table["value"].notna(), "reason"] == "").all()


def test_intervals_hold_their_values_and_stay_in_range():
    table = format_bias(drawn(), interval=QUICK)
    known = table[table["low"].notna()]
    assert (known["low"] <= known["value"] + 1e-12).all()
    assert (known["value"] <= known["high"] + 1e-12).all()
    assert (known["low"] >= 0).all()
    rates = known[known["metric"].isin(["fi", "sys_e"])]
    assert (rates["high"] <= 1).all()


def test_perfect_scores_do_not_claim_certainty():
    table = format_bias(drawn(n=20, fi=(1, 1, 1), acc=(1, 1, 1)), interval=QUICK)
    assert value(table, "bias_f") == 0
    assert value(table, "bias_f", "high") > 1
    assert value(table, "est_true", "low", format="bolding") < 1


@pytest.mark.whole
@pytest.mark.parametrize("acc", [(0.8, 0.8, 0.8), (0.9, 0.7, 0.5)])
def test_bias_intervals_hold_the_planted_bias(acc):
    """Also where it is 0: estimates always vary a little, which is no bias."""
    planted = pvariance([100 * a for a in acc])
    hits = 0
    for seed in range(30):
        table = format_bias(
            drawn(seed, n=60, subsets=("gsm8k",), promptings=("zs",), acc=acc), interval=ROUGH
        )
        hits += value(table, "bias_f", "low") <= planted <= value(table, "bias_f", "high")
    assert hits >= 26


def pooled(rows):
    return format_bias(rows, by=(), interval=None, pooled_only=True)


def test_live_numbers_are_flat_named_and_lead_with_the_bias():
    live = headlines(pooled(drawn()))
    assert live["metric"].iloc[0] == "bias_f_wrapping"
    assert set(live["metric"]) >= {"bias_f_wrapping", "fi_quoting", "est_true_wrapping"}
    assert live["metric"].is_unique
    arms = headlines(pooled(pd.concat([drawn(), drawn(1).assign(demos=5)])))
    assert arms["metric"].is_unique
    assert {"bias_f_wrapping", "bias_f_wrapping_demos5_repeat1"} <= set(arms["metric"])


def test_degrees_of_freedom_are_units_less_the_subsets_that_a_number_rests_on():
    class Caught(Interval):
        def frame(self, by, levels, groups):
            found.extend(analysis for _, analysis in groups)
            return pd.DataFrame()

    found = []
    format_bias(drawn(n=10), interval=Caught())
    degrees = {
        key[1]: quantity.counts.degrees
        for analysis in found
        for key, quantity in analysis.statistic(analysis.table.point()).items()
        if key[0] == "est_true" and key[2:5] == ("wrapping", "brackets", "all")
    }
    assert degrees == {"all": 20 - 2, "gsm8k": 10 - 1, "mmlu": 10 - 1}

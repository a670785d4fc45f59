"""The format-bias table: an independent calculation, its reasons, marks, arms and intervals."""

import math
from statistics import fmean, pvariance

import numpy as np
import pandas as pd
import pytest

from askew.metrics import est_true_reliable, format_bias
from askew.papers.format_bias.numbers import blocks_of, prepare
from askew.papers.format_bias.scorer import headlines
from askew.stats.tables import Interval
from tests.cases import cases_of
from tests.chapters import row_at
from tests.numbers_told import analyses, lines, told

FORMATS = ("bolding", "brackets", "quoting")
QUICK = Interval(resamples=500)
# Enough where many tables are made.
ROUGH = Interval(resamples=200)


def observations(outcomes, **columns):
    """Rows from {(subset, item, format, prompting): (format_ok, score)}."""
    return pd.DataFrame(
        {
            "model": "m", "task": "format_bias", "subset": subset, "category": "wrapping",
            "item": item, "cluster": item, "epoch": 1, "format": name, "prompting": prompting,
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
    return row_at(table, metric, **wanted)[column]


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
    gsm8k = [100 * fmean(est["gsm8k", name, p] for p in ("zs", "cot")) for name in FORMATS]
    assert value(table, "bias_f", subset="gsm8k") == pytest.approx(pvariance(gsm8k))
    fi = [100 * value(table, "fi", format=name) for name in FORMATS]
    assert value(table, "fi_variance") == pytest.approx(pvariance(fi))
    assert value(table, "fi") == pytest.approx(fmean(fi) / 100)


def test_a_format_that_no_reply_followed_makes_bias_nan_with_the_reason():
    rows = drawn(fi=(0.9, 0.8, 0.0))
    table = format_bias(rows, interval=QUICK)
    assert math.isnan(value(table, "bias_f"))
    reason = value(table, "bias_f", "reason")
    assert reason.startswith("no reply followed quoting in gsm8k zs, quoting in gsm8k cot")
    assert math.isnan(value(table, "est_true", format="quoting"))
    others = [100 * value(table, "est_true", format=f) for f in ("bolding", "brackets")]
    assert value(table, "bias_f_over_followed") == pytest.approx(pvariance(others))
    assert [value(table, name) for name in ("n_formats", "n_formats_followed")] == [3, 2]
    # FI of a format that nobody followed is 0: it is no reason why a mean is missing.
    lacking = format_bias(rows.query("format != 'bolding' or subset != 'mmlu'"), interval=None)
    assert "no reply followed" not in value(lacking, "fi", "reason")


def formats_as_items():
    rows = drawn(n=6, subsets=("gsm8k",), promptings=("zs",))
    return rows.assign(item=rows["item"] + rows["format"], cluster=rows["item"] + rows["format"])


@pytest.mark.parametrize(
    ("rows", "reason", "dropped"),
    [
        (drawn().query("format != 'quoting' or subset != 'mmlu'"),
         "not asked: quoting in mmlu zs, quoting in mmlu cot", 0),
        (drawn().query("format == 'bolding'"), "only bolding was asked", 0),
        (formats_as_items(), "no item was scored in every format", 18),
    ],
)  # fmt: skip
def test_an_undefined_bias_is_nan_with_the_reason(rows, reason, dropped):
    table = format_bias(rows, interval=QUICK)
    assert math.isnan(value(table, "bias_f"))
    assert reason in value(table, "bias_f", "reason")
    assert not dropped or value(table, "bias_f", "n_dropped") == dropped
    assert value(table, "fi", format="bolding") > 0


def test_arms_are_never_mixed():
    plain, shown = drawn(0), drawn(1).assign(demos=5)
    both = format_bias(pd.concat([plain, shown]), interval=None)
    for rows, demos in ((plain, 0), (shown, 5)):
        alone = format_bias(rows, interval=None)
        assert value(both, "bias_f", demos=demos) == value(alone, "bias_f")


def models(*parts):
    rows = pd.concat([p.assign(model=f"m{i}") for i, p in enumerate(parts)], ignore_index=True)
    table = format_bias(rows, interval=None, over_models=True)
    return [of for _, of in table.groupby("model", sort=False)]


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


def test_a_mean_over_models_of_which_one_lacks_a_cell_is_not_defined():
    short = drawn(1)
    short = short[~((short["format"] == "quoting") & (short["subset"] == "mmlu"))]
    _, _, mean = models(drawn(0), short)
    assert math.isnan(value(mean, "bias_f"))
    assert value(mean, "bias_f", "reason").startswith("m1 lacks mmlu wrapping quoting zs")
    assert math.isnan(value(mean, "est_true", format="quoting"))
    assert value(mean, "est_true", format="bolding") > 0
    assert value(mean, "bias_f", subset="gsm8k") >= 0


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


@pytest.mark.whole
@pytest.mark.parametrize("acc", [(0.8, 0.8, 0.8), (0.9, 0.7, 0.5)])
def test_bias_intervals_cover_the_true_bias(acc):
    """Also where it is 0: estimates always vary a little, which is no bias."""
    planted = pvariance([100 * a for a in acc])
    hits, asked = 0, {"n": 60, "subsets": ("gsm8k",), "promptings": ("zs",), "acc": acc}
    for seed in range(15):
        table = format_bias(drawn(seed, **asked), interval=ROUGH)
        hits += value(table, "bias_f", "low") <= planted <= value(table, "bias_f", "high")
    assert hits >= 13


def test_live_numbers_are_flat_named_and_lead_with_the_bias():
    arms = pd.concat([drawn(), drawn(1).assign(demos=5)])
    live, of_arms = (
        headlines(format_bias(rows, by=(), interval=None, pooled_only=True))["metric"]
        for rows in (drawn(), arms)
    )
    assert live.iloc[0] == "bias_f_wrapping"
    assert set(live) >= {"bias_f_wrapping", "fi_quoting", "est_true_wrapping"}
    assert live.is_unique
    assert of_arms.is_unique
    assert {"bias_f_wrapping", "bias_f_wrapping_demos5_repeat1"} <= set(of_arms)


def cell(subset, name, prompting, *marks):
    """Replies of one cell, an item each, as (followed, score); None where it was not asked."""
    return {(subset, f"{subset}-{i}", name, prompting): m for i, m in enumerate(marks) if m}


# One reply scores without its format, one item lacks a format, two items share a unit.
FEW = observations(
    cell("gsm8k", "bolding", "zs", (1, 1), (1, 0), (0, 0), (1, 1))
    | cell("gsm8k", "quoting", "zs", (1, 1), (0, 1), (0, 0), None)
    | cell("mmlu", "bolding", "cot", (1, 1), (1, 0.5))
    | cell("mmlu", "quoting", "cot", (1, 0), (0, 0))
)
FEW["cluster"] = FEW["item"].replace({"gsm8k-1": "gsm8k-0"})
# A standard deviation of the root of a third, or of an eighth; quantiles of 2 and 1 degrees.
WORKED = lines(cases_of(__file__, "WORKED"))


def test_every_number_of_eleven_replies_with_what_it_rests_on():
    found = told(*analyses(format_bias, FEW))
    over_all = [x for x in found if " mmlu " not in x]
    # Behind what stands over everything: promptings, then subsets, of 15 numbers each.
    assert over_all[: len(WORKED)] == WORKED
    assert len(found) == 28 + 15 * 5
    assert "bias_f gsm8k wrapping all all 0 1: 5625, 3-1 2/1" in found
    assert "reliable_share mmlu wrapping all all 0 1: 0.5, 2-0 2/1" in found


def test_where_formats_trade_places_replies_keep_their_cell_and_nothing_is_lost():
    (found,) = analyses(format_bias, FEW)
    point, draws = found.table.point(), found.exchanges["format"](found.table, 40, 2)
    at = ("all", "wrapping", "gsm8k")
    for name in ("n", "format_ok", "score", "ok_score"):
        cells = [(*at, f, "zs", 0, 1, name) for f in ("bolding", "quoting")]
        assert set(sum(draws[c] for c in cells)) == {sum(point[c][0] for c in cells)}
        assert draws[cells[0]].std() > 0 or name in ("n", "ok_score")
    # Nothing came from the other prompting, which has two items in either format.
    for f in ("bolding", "quoting"):
        assert set(draws["all", "wrapping", "mmlu", f, "cot", 0, 1, "n"]) == {2}
        assert set(draws["all", "wrapping", "mmlu", f, "zs", 0, 1, "n"]) == {0}


def quantities(rows, **given):
    (found,) = analyses(format_bias, rows, **given)
    return found.statistic(found.table.point())


RANKED = observations(
    cell("scidocsrr", "python", "zs", (1, 0.5), (0, 0))
    | cell("scidocsrr", "newline", "zs", (1, 1), (1, 0.5))
    | cell("semeval", "python", "zs", (1, 0.5), (1, 1))
    | cell("semeval", "newline", "zs", (1, 0), (0, 0))
).assign(
    category="list",
    map_as_published=[0.8, None, 0.5, 0.7, None, None, None, None],
    format_ok_as_published=[1, 1, 1, 1, None, None, None, None],
)


def test_rankings_as_published_and_ours_match_a_count_by_hand():
    """A reply without a published score counts nothing there; other tasks count as ours."""
    found = [x for x in told(*analyses(format_bias, RANKED)) if "as_published" in x]
    assert found[:13] == lines(cases_of(__file__, "AS_PUBLISHED"))
    assert found[-1] == "bias_f_as_published scidocsrr list all all 0 1: 100, 2-0 2/1"
    assert not [line for line in found if "semeval" in line]


def test_only_cells_that_ran_and_were_not_followed_count_as_zero():
    rows = observations(
        cell("gsm8k", "a", "zs", (0, 0), (0, 1))
        | cell("gsm8k", "b", "zs", (1, 1), (1, 0))
        | cell("mmlu", "b", "zs", (1, 1))
    )
    at = ("gsm8k", "wrapping", "a", "zs", 0, 1)
    for zero_filled, wanted in ((True, 0.0), (False, math.nan)):
        found = quantities(rows, zero_filled=zero_filled)
        for metric in ("est_true", "est_true_strict"):
            assert found[metric, *at].values[0] == pytest.approx(wanted, nan_ok=True)
        # What was not asked is not 0 either way.
        assert math.isnan(found["est_true", "all", "wrapping", "a", "all", 0, 1].values[0])
    bias = quantities(rows, zero_filled=True)["bias_f", "gsm8k", "wrapping", "all", "all", 0, 1]
    assert bias.values[0] == pytest.approx(100**2 * 0.25**2)


def test_a_margin_and_a_level_decide_which_cells_are_reliable():
    rows = observations(cell("gsm8k", "a", "zs", *[(1, 1)] * 6, *[(1, 0)] * 2, *[(0, 0)] * 2))
    at = ("gsm8k", "wrapping", "a", "zs", 0, 1)

    def needed(**given):
        found = quantities(rows, **given)
        return found["fi_needed", *at].values[0], found["est_true_reliable", *at].values[0]

    # Eight scores deviate by the root of 3/14; Student's quantile of 7 degrees is 2.3646.
    spread = 2.364624 * math.sqrt(3 / 14)
    assert needed() == (pytest.approx(1 / (1 + 10 * (0.05 / spread) ** 2)), 0.0)
    assert needed(margin=0.2) == (pytest.approx(1 / (1 + 10 * (0.2 / spread) ** 2)), 1.0)
    assert needed(margin=0.2, level=0.99)[0] == pytest.approx(
        1 / (1 + 10 * (0.2 / (spread * 3.499483 / 2.364624)) ** 2)
    )


# --- Rows as they come ---


def test_levels_that_share_their_texts_are_one_stratum():
    """scirex asks each document at three levels; gsm8k's item of the same number is another."""
    levels = [f"scirex_{level}" for level in ("easy", "medium", "hard")]
    places = [(s, f"{s}-d{i}", f"d{i}") for s in levels for i in range(4)]
    places += [(s, f"{i}", f"{i}") for s in ("gsm8k", "bbh") for i in range(4)]
    rows = pd.DataFrame(places, columns=["subset", "item", "cluster"])
    rows = rows.assign(category="mapping", format="f", score=1.0, format_ok=1.0)
    items, _ = blocks_of(prepare(rows))
    units = [unit[-1] for unit in items.table.clusters]
    assert sorted(units) == sorted([*(f"d{i}" for i in range(4)), *"0123", *"0123"])
    assert len(set(items.table.strata)) == 3
    whole = items.observed.of(category="mapping").counts()
    assert (whole.n_items, whole.n_clusters, whole.n_strata) == (20, 12, 3)

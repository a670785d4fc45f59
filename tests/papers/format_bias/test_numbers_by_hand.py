"""Format bias of a few replies, each number worked by hand with what its interval rests on."""

import math

import pandas as pd
import pytest

from askew.metrics import format_bias
from askew.papers.format_bias.numbers import headlines
from askew.papers.format_bias.paper import MOST_VARIANCE
from askew.statistics.intervals import wilson
from tests.numbers_told import analyses, lines, told
from tests.papers.format_bias.test_numbers import observations, value


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
FEW["unit"] = FEW["item"].replace({"gsm8k-1": "gsm8k-0"})
# A standard deviation of the root of a third, or of an eighth; quantiles of 2 and 1 degrees.
WORKED = lines(
    """
    fi gsm8k wrapping bolding zs 0 1: 0.75, 4-0 3/1
    sys_e gsm8k wrapping bolding zs 0 1: 0.5, 4-0 3/1
    est_true gsm8k wrapping bolding zs 0 1: 0.666667, 4-0 3/1
    est_true_strict gsm8k wrapping bolding zs 0 1: 0.666667, 4-0 3/1
    est_true_reliable gsm8k wrapping bolding zs 0 1: 0, 4-0 3/1
    est_true_constant gsm8k wrapping bolding zs 0 1: 0, 4-0 3/1
    fi_needed gsm8k wrapping bolding zs 0 1: 0.998382, 4-0 3/1
    fi gsm8k wrapping quoting zs 0 1: 0.333333, 3-0 2/1
    sys_e gsm8k wrapping quoting zs 0 1: 0.666667, 3-0 2/1
    est_true gsm8k wrapping quoting zs 0 1: 2, 3-0 1/1
    est_true_strict gsm8k wrapping quoting zs 0 1: 1, 3-0 1/1
    est_true_reliable gsm8k wrapping quoting zs 0 1: 0, 3-0 2/1
    est_true_constant gsm8k wrapping quoting zs 0 1: 0, 3-0 2/1
    fi_needed gsm8k wrapping quoting zs 0 1: nan, 3-0 2/1; fewer than two replies follow the format
    fi mmlu wrapping bolding cot 0 1: 1, 2-0 2/1
    sys_e mmlu wrapping bolding cot 0 1: 0.75, 2-0 2/1
    est_true mmlu wrapping bolding cot 0 1: 0.75, 2-0 2/1
    est_true_strict mmlu wrapping bolding cot 0 1: 0.75, 2-0 2/1
    est_true_reliable mmlu wrapping bolding cot 0 1: 1, 2-0 2/1
    est_true_constant mmlu wrapping bolding cot 0 1: 0, 2-0 2/1
    fi_needed mmlu wrapping bolding cot 0 1: 0.999752, 2-0 2/1
    fi mmlu wrapping quoting cot 0 1: 0.5, 2-0 2/1
    sys_e mmlu wrapping quoting cot 0 1: 0, 2-0 2/1
    est_true mmlu wrapping quoting cot 0 1: 0, 2-0 1/1
    est_true_strict mmlu wrapping quoting cot 0 1: 0, 2-0 1/1
    est_true_reliable mmlu wrapping quoting cot 0 1: 0, 2-0 2/1
    est_true_constant mmlu wrapping quoting cot 0 1: 0, 2-0 2/1
    fi_needed mmlu wrapping quoting cot 0 1: nan, 2-0 2/1; fewer than two replies follow the format
    fi all wrapping bolding all 0 1: 0.875, 6-0 5/2
    sys_e all wrapping bolding all 0 1: 0.625, 6-0 5/2
    est_true all wrapping bolding all 0 1: 0.708333, 6-0 5/2
    fi all wrapping quoting all 0 1: 0.416667, 5-0 4/2
    sys_e all wrapping quoting all 0 1: 0.333333, 5-0 4/2
    est_true all wrapping quoting all 0 1: 1, 5-0 2/2
    fi all wrapping all all 0 1: 0.625, 5-1 4/2
    sys_e all wrapping all all 0 1: 0.4375, 5-1 4/2
    est_true all wrapping all all 0 1: 0.8125, 5-1 4/2
    bias_f all wrapping all all 0 1: 351.562, 5-1 4/2
    fi_variance all wrapping all all 0 1: 434.028, 5-1 4/2
    bias_f_over_followed all wrapping all all 0 1: 351.562, 5-1 4/2
    n_formats all wrapping all all 0 1: 2, 5-1 4/2
    n_formats_followed all wrapping all all 0 1: 2, 5-1 4/2
    reliable_share all wrapping all all 0 1: 0.25, 5-1 4/2
    """
)
# Over one subset: means of one cell are its own numbers; its formats vary on three items alike.
OF_GSM8K = lines(
    """
    fi: 0.75, 4-0 3/1
    sys_e: 0.5, 4-0 3/1
    est_true: 0.666667, 4-0 3/1
    fi: 0.333333, 3-0 2/1
    sys_e: 0.666667, 3-0 2/1
    est_true: 2, 3-0 1/1
    fi: 0.5, 3-1 2/1
    sys_e: 0.5, 3-1 2/1
    est_true: 1.25, 3-1 2/1
    bias_f: 5625, 3-1 2/1
    fi_variance: 277.778, 3-1 2/1
    bias_f_over_followed: 5625, 3-1 2/1
    n_formats: 2, 3-1 2/1
    n_formats_followed: 2, 3-1 2/1
    reliable_share: 0, 3-1 2/1
    """
)


def test_every_number_of_eleven_replies_with_what_it_rests_on():
    found = told(*analyses(format_bias, FEW))
    assert found[: len(WORKED)] == WORKED
    rest = found[len(WORKED) :]
    # Behind what stands over everything: promptings, then subsets, of 15 numbers each.
    for i, (subset, prompting) in enumerate(
        (("all", "zs"), ("all", "cot"), ("gsm8k", "all"), ("mmlu", "all"))
    ):
        part = rest[15 * i : 15 * (i + 1)]
        places = [line.split(": ")[0].split(" ", 1)[1] for line in part]
        formats = ["bolding"] * 3 + ["quoting"] * 3 + ["all"] * 9
        assert places == [f"{subset} wrapping {f} {prompting} 0 1" for f in formats]
        if "zs" in (prompting,) or subset == "gsm8k":
            assert [f"{line.split()[0]}: {line.split(': ')[1]}" for line in part] == OF_GSM8K
    assert len(rest) == 60
    assert "reliable_share mmlu wrapping all all 0 1: 0.5, 2-0 2/1" in rest


def test_each_category_and_arm_stands_by_itself_and_a_format_alone_has_no_bias():
    alone = observations(cell("gsm8k", "python", "zs", (1, 1), (0, 0))).assign(category="list")
    shown = observations(cell("gsm8k", "bolding", "zs", (1, 1), (1, 1))).assign(demos=5, repeat=3)
    found = told(*analyses(format_bias, pd.concat([FEW, alone, shown], ignore_index=True)))
    assert found[:103] == told(*analyses(format_bias, FEW))
    listed = [line for line in found if " list " in line]
    last = found[103 + len(listed) :]
    assert found[103:][: len(listed)] == listed
    only = "there is nothing to compare it with"
    assert listed[0] == "fi gsm8k list python zs 0 1: 0.5, 2-0 2/1"
    assert f"bias_f all list all all 0 1: nan, 2-0 2/1; only python was asked: {only}" in listed
    assert "est_true all list all all 0 1: 1, 2-0 2/1" in listed
    assert "n_formats all list all all 0 1: 1, 2-0 2/1" in listed
    assert last[0] == "fi gsm8k wrapping bolding zs 5 3: 1, 2-0 2/1"
    assert "est_true_constant gsm8k wrapping bolding zs 5 3: 1, 2-0 2/1" in last
    assert "fi_needed gsm8k wrapping bolding zs 5 3: 0, 2-0 2/1" in last
    assert f"fi_variance gsm8k wrapping all all 5 3: nan, 2-0 2/1; only bolding was asked: {only}" \
        in last  # fmt: skip
    assert all(" 5 3:" in line for line in last)


def test_numbers_asked_for_at_one_place_are_those_of_the_whole_table():
    """Whatever places are left out before it: another format, a scope, a whole block."""
    shown = FEW.assign(demos=5)
    (found,) = analyses(format_bias, pd.concat([FEW, shown], ignore_index=True))
    point = found.table.point()
    whole = found.statistic(point)
    places = list(dict.fromkeys(key[1:] for key in whole))
    assert len(places) == 2 * (4 + 5 * 3)
    for place in places:
        alone = found.statistic(point.only([place]))
        there = {key: q for key, q in whole.items() if key[1:] == place}
        # Marks of cells are made for all of them.
        told_alone = {key: q for key, q in alone.items() if key[1:] == place}
        assert {k: q.values[0] for k, q in told_alone.items()} == pytest.approx(
            {k: q.values[0] for k, q in there.items()}, nan_ok=True
        )
        assert {key[1:] for key in alone} == {place}


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


@pytest.mark.parametrize(("score", "most"), [(0.5, 1.0), (1.0, 1.0), (1.25, math.inf)])
def test_est_true_is_bounded_by_1_unless_it_lies_above(score, most):
    rows = observations(cell("gsm8k", "bolding", "zs", (1, 1), (0, 2 * score - 1), (1, score)))
    rows = rows.assign(format_ok=[1.0, 0.0, 1.0], score=[score, 0.0, score])
    found = quantities(rows)
    place = ("gsm8k", "wrapping", "bolding", "zs", 0, 1)
    assert found["est_true", *place].values.tolist() == [score]
    assert found["est_true", *place].bounds == (0.0, most)
    assert found["fi", *place].bounds == (0.0, 1.0)
    over = ("all", "wrapping", "bolding", "all", 0, 1)
    assert found["est_true", *over].bounds == (0.0, most)


def test_what_replies_without_their_format_scored_lifts_the_interval_above_1():
    rows = observations(
        {("gsm8k", f"i{i}", f, "zs"): (i % 2, i % 3 > 0) for i in range(12) for f in ("a", "b")}
    )
    table = format_bias(rows)
    at = {"subset": "gsm8k", "prompting": "zs", "format": "a"}
    assert value(table, "est_true", **at) == pytest.approx(8 / 6)
    assert value(table, "est_true", "high", **at) > 8 / 6


def test_a_variance_may_be_larger_by_what_scores_at_wilsons_bound_have():
    found = quantities(FEW)
    over = ("all", "wrapping", "all", "all", 0, 1)
    band = wilson(0.0, 4)[1] * MOST_VARIANCE
    assert found["bias_f", *over].bounds == (0.0, pytest.approx(351.5625 + band))
    assert found["fi_variance", *over].bounds == (0.0, pytest.approx(434.02778 + band))
    of_gsm8k = ("gsm8k", "wrapping", "all", "all", 0, 1)
    band = wilson(0.0, 2)[1] * MOST_VARIANCE
    most = pytest.approx(min(MOST_VARIANCE, 277.77778 + band))
    assert found["fi_variance", *of_gsm8k].bounds == (0.0, most)


def test_a_variance_that_is_unknown_starts_from_none():
    found = quantities(FEW[FEW["format"] == "bolding"])
    bias = found["bias_f", "all", "wrapping", "all", "all", 0, 1]
    assert bias.bounds == (0.0, pytest.approx(wilson(0.0, 5)[1] * MOST_VARIANCE))
    none = observations(
        cell("gsm8k", "bolding", "zs", (1, 1), None) | cell("gsm8k", "quoting", "zs", None, (1, 1))
    )
    bias = quantities(none)["bias_f", "all", "wrapping", "all", "all", 0, 1]
    assert bias.bounds == (0.0, 0.0)
    assert bias.reason == (
        "no item was scored in every format: bolding in gsm8k zs, quoting in gsm8k zs"
    )
    assert (bias.counts.n_items, bias.counts.n_dropped) == (0, 2)


def test_reasons_name_four_places_and_count_the_rest():
    cells = [("gsm8k", "zs"), ("gsm8k", "cot"), ("mmlu", "zs"), ("mmlu", "cot"), ("boolq", "zs")]
    rows = observations(
        {
            key: mark
            for n, (subset, prompting) in enumerate(cells)
            for f in ("a", "b", "c")
            # Of a later subset only the first format was asked; one there was not followed.
            if n < 4 or f == "a"
            for key, mark in cell(subset, f, prompting, (f != "b", 1), (f != "b", 0)).items()
        }
    )
    found = quantities(rows)
    bias = found["bias_f", "all", "wrapping", "all", "all", 0, 1]
    assert bias.reason == (
        "not asked: b in boolq zs, c in boolq zs; "
        "no item was scored in every format: a in boolq zs; "
        "no reply followed b in gsm8k zs, b in gsm8k cot, b in mmlu zs, b in mmlu cot"
    )
    fi = found["est_true", "all", "wrapping", "b", "all", 0, 1]
    assert fi.reason == (
        "not asked: b in boolq zs; "
        "no reply followed b in gsm8k zs, b in gsm8k cot, b in mmlu zs, b in mmlu cot"
    )
    none = quantities(rows.assign(format_ok=0.0))
    of_a = none["est_true", "all", "wrapping", "a", "all", 0, 1]
    assert of_a.reason == (
        "no reply followed a in gsm8k zs, a in gsm8k cot, a in mmlu zs, a in mmlu cot and 1 more"
    )
    of_cell = none["est_true", "mmlu", "wrapping", "c", "cot", 0, 1]
    assert of_cell.reason == "no reply followed c in mmlu cot"


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


def of_published(rows):
    return [line for line in told(*analyses(format_bias, rows)) if "as_published" in line]


def test_rankings_as_published_are_worked_by_hand_beside_ours():
    """A reply without a published score counts nothing there; other tasks count as ours."""
    found = of_published(RANKED)
    assert found[:13] == lines(
        """
        map_as_published scidocsrr list python zs 0 1: 0.8, 2-0 2/1
        fi_as_published scidocsrr list python zs 0 1: 1, 2-0 2/1
        est_true_as_published scidocsrr list python zs 0 1: 0.4, 2-0 2/1
        map_as_published scidocsrr list newline zs 0 1: 0.6, 2-0 2/1
        fi_as_published scidocsrr list newline zs 0 1: 1, 2-0 2/1
        est_true_as_published scidocsrr list newline zs 0 1: 0.6, 2-0 2/1
        fi_as_published all list python all 0 1: 1, 4-0 4/2
        est_true_as_published all list python all 0 1: 0.575, 4-0 4/2
        fi_as_published all list newline all 0 1: 0.75, 4-0 4/2
        est_true_as_published all list newline all 0 1: 0.3, 4-0 3/2
        fi_as_published all list all all 0 1: 0.875, 4-0 4/2
        est_true_as_published all list all all 0 1: 0.4375, 4-0 4/2
        bias_f_as_published all list all all 0 1: 189.062, 4-0 4/2
        """
    )
    assert found[-1] == "bias_f_as_published scidocsrr list all all 0 1: 100, 2-0 2/1"
    assert not [line for line in found if "semeval" in line]


def test_a_ranking_read_by_the_authors_in_part_alone_has_no_number_as_published():
    rows = RANKED.assign(format_ok_as_published=[1, None, 1, 1, None, None, None, None])
    found = of_published(rows)
    assert "map_as_published scidocsrr list python zs 0 1: 0.8, 2-0 2/1" in found
    assert not [line for line in found if line.startswith("fi_as_published scidocsrr list python")]
    assert "fi_as_published all list newline all 0 1: 0.75, 4-0 4/2" in found
    assert not [line for line in found if line.startswith("fi_as_published all list python")]
    assert [line for line in found if line.startswith("bias_f_as") and "nan" not in line] == []


def test_counted_as_zero_are_cells_that_were_asked_and_not_followed():
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


def test_pooled_alone_are_the_rows_over_everything_without_marks():
    found = told(*analyses(format_bias, FEW, pooled_only=True))
    over = WORKED[28:]
    assert found == [x for x in over if not x.startswith(("n_formats", "reliable"))]


# --- Over models ---------------------------------------------------------------------------------


def test_over_models_scores_are_averaged_before_they_vary():
    """Two models of opposite bias; each knows a format order of its own."""
    one = observations(
        cell("gsm8k", "a", "zs", (1, 1), (1, 1)) | cell("gsm8k", "b", "zs", (1, 1), (1, 0))
    )
    other = observations(
        cell("gsm8k", "b", "zs", (1, 1), (1, 1)) | cell("gsm8k", "a", "zs", (1, 0), (0, 0))
    )
    rows = pd.concat([one.assign(model="one"), other.assign(model="other")], ignore_index=True)
    table = format_bias(rows, interval=None, over_models=True)
    assert list(dict.fromkeys(table["model"])) == ["one", "other", "all"]
    by_model = dict(iter(table.groupby("model")))
    for name, a, b, bias in (
        ("one", 1, 0.5, 625),
        ("other", 0, 1, 2500),
        ("all", 0.5, 0.75, 156.25),
    ):
        part = by_model[name]
        assert value(part, "est_true", format="a") == a
        assert value(part, "est_true", format="b") == b
        assert value(part, "est_true") == pytest.approx((a + b) / 2)
        assert value(part, "bias_f") == pytest.approx(bias)
        assert value(part, "bias_f_over_followed") == pytest.approx(bias)
    assert value(by_model["all"], "fi", format="a") == 0.75
    assert value(by_model["all"], "fi_variance") == pytest.approx(100**2 * 0.125**2)
    assert value(by_model["all"], "bias_f", "n_items") == 2
    third = one.assign(model="third")[lambda r: r["format"] == "a"]
    table = format_bias(pd.concat([rows, third]), interval=None, over_models=True)
    mean = table[table["model"] == "all"]
    assert math.isnan(value(mean, "bias_f"))
    assert value(mean, "bias_f", "reason")
    assert value(mean, "est_true", format="a") == pytest.approx((1 + 0 + 1) / 3)


# --- Live ---------------------------------------------------------------------------------------


def test_live_numbers_stand_in_the_order_in_which_they_matter():
    shown = FEW.assign(demos=5)
    table = format_bias(
        pd.concat([FEW, shown], ignore_index=True), by=(), interval=None, pooled_only=True
    )
    found = headlines(table)
    wanted = []
    for metric in ("bias_f", "est_true", "fi", "sys_e"):
        formats = () if metric == "bias_f" else ("bolding", "quoting")
        own = [f"{metric}_{of}" for of in (*formats, "wrapping")]
        wanted += own + [f"{name}_demos5_repeat1" for name in own]
    assert found["metric"].tolist() == wanted
    assert set(found["subset"]) == {"all"}
    by_name = dict(zip(found["metric"], found["value"], strict=True))
    assert by_name["bias_f_wrapping"] == pytest.approx(351.5625)
    assert by_name["sys_e_quoting_demos5_repeat1"] == pytest.approx(1 / 3)
    assert by_name["fi_wrapping"] == 0.625
    again = headlines(
        table[table["repeat"] == 1].assign(repeat=lambda t: 1 + 2 * (t["demos"] == 5))
    )
    assert "fi_wrapping_demos5_repeat3" in set(again["metric"])

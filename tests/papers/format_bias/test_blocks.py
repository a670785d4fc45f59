"""Rows of format bias as they come: what is left out, what is summed, and what is whole."""

import numpy as np
import pandas as pd

from askew.papers.format_bias.numbers import blocks_of, format_bias, prepared
from tests.numbers_told import (
    analyses,
    assert_draws_stand_alone,
    told,
)
from tests.papers.format_bias.test_numbers import FEW, RANKED, cell, observations, quantities


def test_what_is_left_out_has_its_default_and_what_is_unknown_too():
    rows = FEW.drop(columns=["prompting", "demos", "repeat", "epoch", "unit"])
    made = prepared(rows)
    assert set(made["prompting"]) == {"zs"}
    assert set(made["demos"]) == {0}
    assert set(made["repeat"]) == set(made["epoch"]) == {1}
    assert made["unit"].equals(rows["item"])
    unknown = prepared(FEW.assign(demos=[None, *[3.0] * (len(FEW) - 1)]))
    assert unknown["demos"].tolist() == [0] + [3] * (len(FEW) - 1)
    assert prepared(FEW)["unit"].equals(FEW["unit"])


def test_sums_of_prepared_rows_are_of_the_replies_that_followed():
    made = prepared(FEW)
    follows = FEW["format_ok"] == 1
    assert made["ok_score"].equals(FEW["score"].where(follows, 0.0))
    assert made["ok_score_squared"].tolist() == [s**2 for s in made["ok_score"]]
    ranked = prepared(RANKED)
    assert ranked["has_map"].tolist() == [1, 0, 1, 1, 0, 0, 0, 0]
    assert ranked["map_as_published"].tolist() == [0.8, 0, 0.5, 0.7, 0, 0, 0, 0]
    assert ranked["has_format_ok_as_published"].tolist() == [1, 1, 1, 1, 0, 0, 0, 0]
    assert "has_map" not in prepared(FEW)


def test_units_are_drawn_within_subsets():
    (found,) = analyses(format_bias, FEW)
    names = [("gsm8k", f"gsm8k-{i}") for i in (0, 2, 3)] + [("mmlu", f"mmlu-{i}") for i in (0, 1)]
    assert list(found.table.units) == names
    assert found.table.strata.tolist() == [0, 0, 0, 1, 1]
    same = np.array([q.values[0] for q in quantities(FEW[::-1]).values()])
    assert np.isnan(same).sum() == 2


def test_replies_without_a_category_are_counted_by_themselves():
    bare = FEW.assign(category=FEW["category"].mask(FEW["subset"] == "mmlu", None))
    found = told(*analyses(format_bias, bare))
    assert "fi mmlu nan bolding cot 0 1: 1, 2-0 2/1" in found
    assert "bias_f all nan all all 0 1: 1406.25, 2-0 2/1" in found
    assert "bias_f all wrapping all all 0 1: 5625, 3-1 2/1" in found


def test_numbers_of_many_draws_are_those_of_each():
    ranked = RANKED.assign(map_as_published=[0.8, 0.4, 0.5, 0.7, None, None, None, None])
    for rows in (FEW, ranked):
        for zero_filled in (True, False):
            (found,) = analyses(format_bias, rows, zero_filled=zero_filled)
            assert_draws_stand_alone(found)


def test_what_no_reply_followed_rests_on_its_units_all_the_same():
    rows = observations(cell("gsm8k", "a", "zs", (0, 0), (0, 1)) | cell("gsm8k", "b", "zs", (1, 1)))
    found = told(*analyses(format_bias, rows))
    why = "no reply followed a in gsm8k zs"
    assert f"est_true gsm8k wrapping a zs 0 1: nan, 2-0 2/1; {why}" in found
    assert f"est_true all wrapping a all 0 1: nan, 2-0 2/1; {why}" in found
    assert f"bias_f all wrapping all all 0 1: nan, 1-1 1/1; {why}" in found
    assert "n_formats_followed all wrapping all all 0 1: 1, 1-1 1/1" in found


def test_levels_that_share_their_texts_are_one_stratum():
    """scirex asks each document at three levels; gsm8k's item of the same number is another."""
    levels = [f"scirex_{level}" for level in ("easy", "medium", "hard")]
    places = [(s, f"{s}-d{i}", f"d{i}") for s in levels for i in range(4)]
    places += [(s, f"{i}", f"{i}") for s in ("gsm8k", "bbh") for i in range(4)]
    rows = pd.DataFrame(places, columns=["subset", "item", "unit"])
    rows = rows.assign(category="mapping", format="f", score=1.0, format_ok=1.0)
    items, _ = blocks_of(prepared(rows))
    units = [unit[-1] for unit in items.table.units]
    assert sorted(units) == sorted([*(f"d{i}" for i in range(4)), *"0123", *"0123"])
    assert len(set(items.table.strata)) == 3
    whole = items.observed.of(category="mapping").counts()
    assert (whole.n_items, whole.n_units, whole.n_strata) == (20, 12, 3)

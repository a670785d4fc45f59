"""KnowNo's numbers of a few replies, each worked by hand with what its interval rests on."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.papers.knowno.numbers import knowno
from tests.numbers_told import (
    analyses,
    assert_draws_stand_alone,
    assert_trades_hang_on_their_seed,
    lines,
    told,
)
from tests.papers.knowno.test_numbers import observations, said, swept


def in_two_subsets():
    """Three stories, two of one unit, and two intents of which one lost a hint."""
    rows = observations({"a": (1, 0, 1, 0), "b": (1, 1, 1, 0), "c": (0, 0, 0, 1)})
    rows["unit"] = rows["item"].replace({"b": "a"})
    with_gold = (rows["hint"] == "with_gold") & (rows["item"] != "c")
    ablated = rows[with_gold].assign(hint="with_gold_plus_none", correct=[0.0, 1.0])
    free = rows["hint"] == "no_hint"
    # What is said where something hints at none is no pattern.
    rows["pattern"] = rows["pattern"].mask(~free, "none")
    rows.loc[free, "pattern"] = ["offered", "new_gold", "none"]
    rows["delimiter_leak"] = rows["delimiter_leak"].mask(~free, 1.0)
    rows.loc[free, "delimiter_leak"] = [1.0, math.nan, 0.0]
    intents = observations({"a": (1, 1, 1, 1), "z": (0, 1, 1, 1)}, "bank77")
    lost = (intents["item"] == "z") & (intents["hint"] == "no_hint")
    return pd.concat([rows, ablated, intents[~lost]], ignore_index=True)


FEW = in_two_subsets()
WORKED = lines(
    """
    with_gold mctest: 0.666667, 3-0 2/1
    hint_as_option mctest: 0.333333, 3-0 2/1
    hint_in_instruction mctest: 0.666667, 3-0 2/1
    no_hint mctest: 0.333333, 3-0 2/1
    e_wo_gold mctest: 0.444444, 3-0 2/1
    omni_accuracy mctest: 0.555556, 3-0 2/1
    gap mctest: 0.222222, 3-0 2/1
    ablation_change mctest: -0.5, 2-1 1/1
    pattern_none mctest: 0.333333, 3-0 2/1
    pattern_none_and_gold mctest: 0, 3-0 2/1
    pattern_none_and_other mctest: 0, 3-0 2/1
    pattern_new_gold mctest: 0.333333, 3-0 2/1
    pattern_new_wrong mctest: 0, 3-0 2/1
    pattern_offered mctest: 0.333333, 3-0 2/1
    pattern_unparsed mctest: 0, 3-0 2/1
    pattern_refused mctest: 0, 3-0 2/1
    delimiter_leak mctest: 0.5, 3-0 2/1
    with_gold_plus_none mctest: 0.5, 2-0 1/1
    with_gold bank77: 1, 1-1 1/1
    hint_as_option bank77: 1, 1-1 1/1
    hint_in_instruction bank77: 1, 1-1 1/1
    no_hint bank77: 1, 1-1 1/1
    e_wo_gold bank77: 1, 1-1 1/1
    omni_accuracy bank77: 1, 1-1 1/1
    gap bank77: 0, 1-1 1/1
    ablation_change bank77: nan, 0-2 0/1; no item was answered in every condition
    pattern_none bank77: 1, 1-1 1/1
    pattern_none_and_gold bank77: 0, 1-1 1/1
    pattern_none_and_other bank77: 0, 1-1 1/1
    pattern_new_gold bank77: 0, 1-1 1/1
    pattern_new_wrong bank77: 0, 1-1 1/1
    pattern_offered bank77: 0, 1-1 1/1
    pattern_unparsed bank77: 0, 1-1 1/1
    pattern_refused bank77: 0, 1-1 1/1
    delimiter_leak bank77: 0, 1-1 1/1
    with_gold_plus_none bank77: nan, 0-0 0/1; no item was answered in every condition
    with_gold all: 0.833333, 4-1 3/2
    hint_as_option all: 0.666667, 4-1 3/2
    hint_in_instruction all: 0.833333, 4-1 3/2
    no_hint all: 0.666667, 4-1 3/2
    e_wo_gold all: 0.722222, 4-1 3/2
    omni_accuracy all: 0.777778, 4-1 3/2
    gap all: 0.111111, 4-1 3/2
    ablation_change all: nan, 2-3 0/2; no item was answered in every condition
    pattern_none all: 0.666667, 4-1 3/2
    pattern_none_and_gold all: 0, 4-1 3/2
    pattern_none_and_other all: 0, 4-1 3/2
    pattern_new_gold all: 0.166667, 4-1 3/2
    pattern_new_wrong all: 0, 4-1 3/2
    pattern_offered all: 0.166667, 4-1 3/2
    pattern_unparsed all: 0, 4-1 3/2
    pattern_refused all: 0, 4-1 3/2
    delimiter_leak all: 0.25, 4-1 3/2
    with_gold_plus_none all: nan, 2-0 0/2; no item was answered in every condition
    """
)


def test_every_number_of_five_questions_with_what_it_rests_on():
    assert told(*analyses(knowno, FEW)) == WORKED


def test_units_are_drawn_within_subsets():
    (found,) = analyses(knowno, FEW)
    assert found.table.units == [("bank77", "a"), ("mctest", "a"), ("mctest", "c")]
    assert found.table.strata.tolist() == [0, 1, 1]
    (turned,) = analyses(knowno, FEW[::-1])
    assert sorted(told(turned)) == sorted(told(found))


def without_a_way_out():
    rows = pd.concat(
        [
            said({"a": (1, 1, 0, 0), "b": (1, 0, 1, 0), "c": (0, 1, 0, 0)}),
            said({"a": (0, 0, 0, 0)}, "bank77"),
        ]
    )
    return rows[~((rows["item"] == "c") & (rows["hint"] == "with_gold_hinted"))]


NONES = lines(
    """
    hint_as_option mctest: 0.666667, 3-0 3/1
    hint_in_instruction mctest: 0.666667, 3-0 3/1
    e_wo_gold mctest: nan, 3-0 3/1; not asked: with_gold, no_hint
    omni_accuracy mctest: nan, 3-0 3/1; not asked: with_gold, no_hint
    gap mctest: nan, 3-0 3/1; not asked: with_gold, no_hint
    ablation_change mctest: nan, 0-3 0/1; no item was answered in every condition
    discernment mctest: 0.5, 2-1 2/1
    false_none mctest: 0.25, 2-1 2/1
    with_gold_plus_none mctest: 0.666667, 3-0 3/1
    with_gold_hinted mctest: 1, 2-0 2/1
    hint_as_option bank77: 0, 1-0 1/1
    hint_in_instruction bank77: 0, 1-0 1/1
    e_wo_gold bank77: nan, 1-0 1/1; not asked: with_gold, no_hint
    omni_accuracy bank77: nan, 1-0 1/1; not asked: with_gold, no_hint
    gap bank77: nan, 1-0 1/1; not asked: with_gold, no_hint
    ablation_change bank77: nan, 0-1 0/1; no item was answered in every condition
    discernment bank77: 0, 1-0 1/1
    false_none bank77: 0, 1-0 1/1
    with_gold_plus_none bank77: 1, 1-0 1/1
    with_gold_hinted bank77: 1, 1-0 1/1
    hint_as_option all: 0.333333, 4-0 3/2
    hint_in_instruction all: 0.333333, 4-0 3/2
    e_wo_gold all: nan, 4-0 3/2; not asked: with_gold, no_hint
    omni_accuracy all: nan, 4-0 3/2; not asked: with_gold, no_hint
    gap all: nan, 4-0 3/2; not asked: with_gold, no_hint
    ablation_change all: nan, 0-4 0/2; no item was answered in every condition
    discernment all: 0.25, 3-1 3/2
    false_none all: 0.125, 3-1 3/2
    with_gold_plus_none all: 0.833333, 4-0 3/2
    with_gold_hinted all: 1, 3-0 3/2
    """
)


def test_every_number_of_what_was_said_of_none():
    assert told(*analyses(knowno, without_a_way_out())) == NONES


def test_where_the_right_option_comes_and_goes_each_way_of_asking_keeps_what_was_said():
    (found,) = analyses(knowno, without_a_way_out())
    point, draws = found.table.point(), found.exchanges["offer"](found.table, 50, 3)
    for with_it, without in (
        ("with_gold_plus_none", "hint_as_option"), ("with_gold_hinted", "hint_in_instruction"),
    ):  # fmt: skip
        for name in ("n", "said_none"):
            cells = [("mctest", f"offer {hint}", name) for hint in (with_it, without)]
            assert set(sum(draws[c] for c in cells)) == {sum(point[c][0] for c in cells)}
        assert draws[("mctest", f"offer {without}", "said_none")].std() > 0
    kept = ("mctest", "hint_as_option", "correct")
    assert set(draws[kept]) == set(point[kept])


def test_ways_out_that_were_not_asked_are_named_and_without_a_whole_item_none_are():
    rows = without_a_way_out()
    less = rows[~rows["hint"].isin(["hint_in_instruction", "hint_as_option"])]
    found = told(*analyses(knowno, less))
    why = "not asked: hint_as_option, hint_in_instruction"
    assert f"discernment mctest: nan, 0-3 0/1; {why}" in found
    assert f"false_none all: nan, 0-4 0/2; {why}" in found
    torn = said({"a": (1, 1, 0, 0), "b": (1, 0, 1, 0)}).iloc[[0, 1, 6, 7]]
    found = told(*analyses(knowno, torn))
    why = "no item was answered in every condition"
    assert f"discernment mctest: nan, 0-2 0/1; {why}" in found
    assert f"false_none all: nan, 0-2 0/1; {why}" in found


LENGTHS = lines(
    """
    with_gold equinfer all: 0.666667, 2-0 2/1
    gap equinfer all: 0.333333, 2-0 2/1
    with_gold mctest all: 1, 1-0 1/1
    gap mctest all: 0, 1-0 1/1
    with_gold equinfer 100: 0.5, 2-0 2/1
    gap equinfer 100: 0.5, 2-0 2/1
    with_gold equinfer 500: 1, 1-0 1/1
    gap equinfer 500: 0, 1-0 1/1
    with_gold all all: 0.833333, 3-0 3/2
    gap all all: 0.166667, 3-0 3/2
    """
)


def test_lengths_stand_behind_what_pools_them_and_subsets_are_averaged_over_all_lengths():
    stories = observations({"s": (1, 1, 1, 1)}).assign(context_length=None)
    lengths = swept({100: {"a": (0, 0, 0, 0), "b": (1, 0, 0, 0)}, 500: {"a": (1, 1, 1, 1)}})
    found = told(*analyses(knowno, pd.concat([lengths, stories])))
    assert [line for line in found if line.startswith(("with_gold", "gap"))] == LENGTHS


@pytest.mark.parametrize("column", ["epoch", "order", "run"])
def test_groups_are_whole_each_by_itself(column):
    """A hint that is lost in one epoch, order or run is not made up for by another."""
    one = observations({"a": (1, 1, 1, 1)}).assign(**{column: 1})
    other = observations({"a": (0, 0, 0, 0)}).assign(**{column: 2})
    both = pd.concat([one, other], ignore_index=True)
    whole = told(*analyses(knowno, both))
    assert "with_gold mctest: 0.5, 1-0 1/1" in whole
    torn = told(*analyses(knowno, both[:-1]))
    assert "with_gold mctest: 1, 1-0 1/1" in torn


def test_hints_that_were_not_asked_are_named_and_the_others_have_their_rates():
    rows = FEW[~FEW["hint"].isin(["with_gold", "no_hint"])]
    found = told(*analyses(knowno, rows))
    why = "not asked: with_gold, no_hint"
    for metric in ("e_wo_gold", "omni_accuracy", "gap"):
        assert f"{metric} mctest: nan, 3-0 2/1; {why}" in found
        assert f"{metric} all: nan, 5-0 4/2; {why}" in found
    assert "hint_as_option bank77: 1, 2-0 2/1" in found
    assert not [line for line in found if line.startswith(("pattern", "delimiter"))]


def test_without_patterns_or_leaks_there_are_none():
    core = FEW[FEW["hint"] != "with_gold_plus_none"]
    bare = told(*analyses(knowno, core.drop(columns=["pattern", "delimiter_leak"])))
    assert not [line for line in bare if "leak" in line]
    no_leak = told(*analyses(knowno, core.drop(columns="delimiter_leak")))
    assert no_leak == [x for x in told(*analyses(knowno, core)) if "leak" not in x]
    unknown = told(*analyses(knowno, core.assign(delimiter_leak=np.nan)))
    assert unknown == no_leak
    assert "pattern_new_gold mctest: 0.333333, 3-0 2/1" in no_leak


def test_the_table_says_the_same_numbers_in_the_same_order():
    table = knowno(FEW, interval=None)
    assert [f"{m} {s}" for m, s in table[["metric", "subset"]].itertuples(index=False)] == [
        line.split(":")[0] for line in WORKED
    ]
    assert table["value"].isna().equals(table["reason"] != "")
    (bounds,) = {q.bounds for k, q in quantities(FEW).items() if k[0] in ("gap", "ablation_change")}
    assert bounds == (-1.0, 1.0)


def quantities(rows):
    (found,) = analyses(knowno, rows)
    return found.statistic(found.table.point())


def test_a_mean_over_subsets_is_no_rate_of_its_own_and_of_one_subset_it_is():
    found = quantities(FEW)
    assert found["with_gold", "all"].interval == "composite"
    assert found["with_gold", "mctest"].interval == "rate"
    alone = quantities(FEW[FEW["subset"] == "mctest"])
    assert alone["with_gold", "all"].interval == "rate"
    assert alone["ablation_change", "all"].values.tolist() == [-0.5]


def test_numbers_of_many_draws_are_those_of_each():
    for rows in (FEW, without_a_way_out()):
        (found,) = analyses(knowno, rows)
        assert_draws_stand_alone(found)


def test_trades_hang_on_their_seed():
    assert_trades_hang_on_their_seed(*analyses(knowno, without_a_way_out()))


def test_runs_orders_and_epochs_that_are_not_known_are_one():
    assert told(*analyses(knowno, FEW.assign(run=None, order=None, epoch=None))) == WORKED

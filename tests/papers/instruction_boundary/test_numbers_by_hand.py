"""Instruction Boundary of a few replies, each number worked by hand with what it rests on."""

import math

import numpy as np
import pandas as pd
import pytest

from askew.papers.instruction_boundary.numbers import instruction_boundary
from askew.papers.instruction_boundary.paper import SETTINGS
from tests.numbers_told import (
    analyses,
    assert_draws_stand_alone,
    assert_trades_hang_on_their_seed,
    lines,
    told,
)
from tests.papers.instruction_boundary.test_numbers import observation

NAMED = {"variant": "false", "suggestion": "false"}
# Two questions of one unit, one without vanilla, one reply that was not scored; two subsets.
FEW = pd.DataFrame(
    [
        observation("a", "true", "vanilla", "true", unit="p"),
        observation("b", "false", "vanilla", "unknown", unit="p", hedged=1.0),
        observation("c", "unknown", "vanilla", "unknown", hedged=1.0),
        observation("d", "unknown", "vanilla", None),
        observation("e", "true", "vanilla", "all_true", subset="folio"),
        observation("a", "true", "vagueness", "true", unit="p"),
        observation("b", "false", "vagueness", "false", unit="p"),
        observation("c", "unknown", "vagueness", "true"),
        observation("d", "unknown", "vagueness", None, correct=math.nan),
        observation("e", "true", "vagueness", "all_true", subset="folio", judged=1.0),
        observation("g", "false", "vagueness", "false"),
        observation("a", "true", "conformity", "false", unit="p", **NAMED),
        observation("b", "false", "conformity", "false", unit="p", **NAMED),
        observation("c", "unknown", "conformity", None, **NAMED),
        observation("e", "true", "conformity", "true", subset="folio", **NAMED),
    ]
)
OTHERS = "multi_turn, miscellany, few_shot, missing_choices, prompt_polishing"
WORKED = lines(
    """
    acc all judging vanilla -: 0.4, 5-0 4/2
    sr all judging vanilla -: 0.333333, 3-0 2/2
    gr all judging vanilla -: 0.5, 2-0 2/1
    rs all judging vanilla -: 0.4, 5-0 4/2 = 0.333333/2 0.5/2
    gr_no_hedge all judging vanilla -: 0, 2-0 2/1
    hedge_rate all judging vanilla -: 0.5, 4-0 3/2
    no_answer all judging vanilla -: 0.2, 5-0 4/2
    judge_rate all judging vanilla -: 0, 5-0 4/2
    or_true all judging vanilla -: 0.25, 4-0 3/2
    truth_true all judging vanilla -: 0.4, 5-0 4/2
    or_false all judging vanilla -: 0, 4-0 3/2
    truth_false all judging vanilla -: 0.2, 5-0 4/2
    or_unknown all judging vanilla -: 0.5, 4-0 3/2
    truth_unknown all judging vanilla -: 0.4, 5-0 4/2
    or_extra all judging vanilla -: 0.25, 4-0 3/2
    or_distance all judging vanilla -: 0.35, 4-0 3/2
    acc all judging vagueness -: 0.6, 5-1 4/2
    sr all judging vagueness -: 0.75, 4-0 3/2
    gr all judging vagueness -: 0, 1-1 1/1
    rs all judging vagueness -: 0, 5-1 4/2 = 0.75/3 0/1
    gr_no_hedge all judging vagueness -: 0, 1-1 1/1
    hedge_rate all judging vagueness -: 0, 5-1 4/2
    no_answer all judging vagueness -: 0, 5-1 4/2
    judge_rate all judging vagueness -: 0.2, 5-1 4/2
    or_true all judging vagueness -: 0.4, 5-1 4/2
    truth_true all judging vagueness -: 0.4, 5-1 4/2
    or_false all judging vagueness -: 0.4, 5-1 4/2
    truth_false all judging vagueness -: 0.4, 5-1 4/2
    or_unknown all judging vagueness -: 0, 5-1 4/2
    truth_unknown all judging vagueness -: 0.2, 5-1 4/2
    or_extra all judging vagueness -: 0.2, 5-1 4/2
    or_distance all judging vagueness -: 0.2, 5-1 4/2
    rr all judging vagueness -: 0.5, 4-2 3/2
    right_to_wrong all judging vagueness -: 0.25, 4-2 3/2
    wrong_to_right all judging vagueness -: 0.25, 4-2 3/2
    acc_change all judging vagueness -: 0, 4-2 3/2
    acc all judging conformity false: 0.5, 4-0 3/2
    sr all judging conformity false: 0.666667, 3-0 2/2
    gr all judging conformity false: 0, 1-0 1/1
    rs all judging conformity false: 0, 4-0 3/2 = 0.666667/2 0/1
    gr_no_hedge all judging conformity false: 0, 1-0 1/1
    hedge_rate all judging conformity false: 0, 3-0 2/2
    no_answer all judging conformity false: 0.25, 4-0 3/2
    judge_rate all judging conformity false: 0, 4-0 3/2
    or_true all judging conformity false: 0.333333, 3-0 2/2
    truth_true all judging conformity false: 0.5, 4-0 3/2
    or_false all judging conformity false: 0.666667, 3-0 2/2
    truth_false all judging conformity false: 0.25, 4-0 3/2
    or_unknown all judging conformity false: 0, 3-0 2/2
    truth_unknown all judging conformity false: 0.25, 4-0 3/2
    or_extra all judging conformity false: 0, 3-0 2/2
    or_distance all judging conformity false: 0.416667, 3-0 2/2
    rr all judging conformity false: 0, 4-0 3/2
    right_to_wrong all judging conformity false: 0.5, 4-0 3/2
    wrong_to_right all judging conformity false: 0.5, 4-0 3/2
    acc_change all judging conformity false: 0, 4-0 3/2
    follow_rate all judging conformity false: 0.5, 4-0 3/2
    follow_rate_vanilla all judging conformity false: 0, 4-0 3/2
    follow_gain all judging conformity false: 0.5, 4-0 3/2
    moved_rate all judging conformity false: 0.5, 4-0 3/2
    judge_rate all judging all all: 0.071429, 6-1 5/2
    rs_vanilla all judging all all: 0.4, 5-0 4/2 = 0.333333/2 0.5/2
    boundary_cost all judging all all: nan, 0-0 0/1; not asked: OTHERS
    rs_vanilla all all all all: 0.4, 5-0 4/2 = 0.333333/2 0.5/2
    boundary_cost all all all all: nan, 0-0 0/1; not asked: OTHERS
    """.replace("OTHERS", OTHERS)
)


def test_every_number_of_fifteen_replies_with_what_it_rests_on():
    assert told(*analyses(instruction_boundary, FEW, pooled_only=True)) == WORKED


def test_a_subset_has_the_numbers_that_it_has_alone_behind_those_of_all():
    found = told(*analyses(instruction_boundary, FEW))
    assert found[: len(WORKED) - 2] == WORKED[:-2]
    assert found[-2:] == WORKED[-2:]
    rest = found[len(WORKED) - 2 : -2]
    for subset in ("logic", "folio"):
        (alone,) = analyses(instruction_boundary, FEW[FEW["subset"] == subset], pooled_only=True)
        own = [line.replace(" all judging ", f" {subset} judging ") for line in told(alone)[:-2]]
        assert rest[: len(own)] == own
        rest = rest[len(own) :]
    assert not rest
    none = "no item of this form was asked"
    assert f"gr folio judging vanilla -: nan, 0-0 0/1; {none}" in found
    taken = "nan, 1-0 1/1 = 0/1 nan/0; no item to take gr from"
    assert f"rs folio judging vagueness -: {taken}" in found
    assert f"rs_vanilla folio judging all all: {taken}" in found


def test_numbers_asked_for_at_one_place_are_those_of_the_whole_table():
    (found,) = analyses(instruction_boundary, pd.concat([FEW, CHOICE]))
    point = found.table.point()
    whole = found.statistic(point)
    places = list(dict.fromkeys(key[1:] for key in whole))
    assert len(places) == 3 * 4 + 2 * 9 + 1
    for place in places:
        alone = found.statistic(point.only([place]))
        assert {k: q.values[0] for k, q in alone.items() if k[1:] == place} == pytest.approx(
            {k: q.values[0] for k, q in whole.items() if k[1:] == place}, nan_ok=True
        )
        across = {place, ("all", "judging", "all", "all"), ("all",) * 4}
        assert {key[1:] for key in alone} <= across


def test_units_are_drawn_within_subsets_and_of_choices_within_forms():
    (found,) = analyses(instruction_boundary, FEW)
    logic = [("logic", "", unit) for unit in ("c", "d", "g", "p")]
    assert found.table.units == [("folio", "", "e"), *logic]
    assert found.table.strata.tolist() == [0, 1, 1, 1, 1]
    (found,) = analyses(instruction_boundary, CHOICE)
    assert [unit[1] for unit in found.table.units] == ["multiple"] * 2 + ["none"] * 2 + [
        "single"
    ] * 3
    assert found.table.strata.tolist() == [0, 0, 1, 1, 2, 2, 2]


def test_where_settings_trade_places_every_question_keeps_its_replies():
    (found,) = analyses(instruction_boundary, FEW)
    point, draws = found.table.point(), found.exchanges["setting"](found.table, 40, 5)
    settings = [("vanilla", ""), ("vagueness", ""), ("conformity", "false")]
    for form, name in (("true", "correct"), ("false", "correct"), ("unknown", "n")):
        cells = [("logic", "judging", *setting, form, name) for setting in settings]
        assert set(sum(draws[c] for c in cells)) == {sum(point[c][0] for c in cells)}
    right = draws["logic", "judging", "vanilla", "", "true", "correct"]
    # One question of this form is right in two settings of three.
    assert set(right) == {0, 1}


def test_where_truth_is_traded_for_what_was_said_each_unit_is_one_way_or_the_other():
    rows = pd.DataFrame([observation("a", "true", "vanilla", "false")])
    (found,) = analyses(
        instruction_boundary,
        pd.concat([rows, rows.assign(item="b", unit="b", answer="true", correct=1.0)]),
    )
    draws = found.exchanges["truth"](found.table, 60, 1)
    at = ("logic", "judging", "vanilla", "")
    assert set(draws[(*at, "true", "said_true")]) == {1}
    assert set(draws[(*at, "true", "said_false")]) == {1}
    assert set(draws[(*at, "true", "n")]) == {2}
    again = found.exchanges["truth"](found.table, 60, 1)
    np.testing.assert_array_equal(draws[(*at, "true", "n")], again[(*at, "true", "n")])


# --- Across settings ----------------------------------------------------------------------------

TRUTHS = {"single": "2", "none": "none", "multiple": "1,3"}
# In which setting which question of which form is answered otherwise.
WRONG = {
    ("vagueness", "none", 0), ("few_shot", "multiple", 0), ("few_shot", "multiple", 1),
    ("miscellany", "single", 0),
}  # fmt: skip
CHOICE = pd.DataFrame(
    [
        observation(
            f"{form}{i}", form, setting, "several" if (setting, form, i) in WRONG else truth,
            subset="choice",
        )
        for setting in SETTINGS for i in range(2) for form, truth in TRUTHS.items()
    ]
    + [
        observation("odd", "single", setting, "1", subset="choice")
        for setting in SETTINGS if setting != "multi_turn"
    ]
)  # fmt: skip


def test_what_each_setting_costs_on_the_items_that_all_of_them_have():
    """What a family's scores do not compare costs nothing, whatever is wrong there."""
    (found,) = analyses(instruction_boundary, CHOICE, pooled_only=True)
    table = told(found)
    assert table[-5:] == lines(
        """
        judge_rate all choice all all: 0, 7-0 7/3
        rs_vanilla all choice all all: 0.857143, 7-0 7/3 = 0.666667/3 1/2 1/2
        boundary_cost all choice all all: 1, 6-1 6/3 = 0/6 0/6 1/6 0/6 0.25/6 0/6
        rs_vanilla all all all all: nan, 0-0 0/1; no judging item was asked
        boundary_cost all all all all: nan, 0-0 0/1; no judging item was asked
        """
    )
    for line in lines(
        """
        sr all choice miscellany -: 0.333333, 3-0 3/1
        rs all choice miscellany -: 0.6, 7-0 7/3 = 0.333333/3 1/2 1/2
        or_multiple all choice miscellany -: 0.428571, 7-0 7/3
        or_distance all choice miscellany -: 0.142857, 7-0 7/3
        acc_change all choice miscellany -: -0.142857, 7-0 7/3
        rs all choice multi_turn -: 1, 6-0 6/3 = 1/2 1/2 1/2
        rs all choice few_shot -: 0, 7-0 7/3 = 0.666667/3 1/2 0/2
        """
    ):
        assert line in table


def test_a_form_without_an_item_in_every_setting_leaves_the_cost_unknown():
    lost = CHOICE["item"].isin(["none0", "none1"]) & (CHOICE["setting"] == "multi_turn")
    found = told(*analyses(instruction_boundary, CHOICE[~lost], pooled_only=True))
    (cost,) = [line for line in found if line.startswith("boundary_cost all choice")]
    why = "a form has no item that was scored in every setting"
    assert (
        cost
        == f"boundary_cost all choice all all: nan, 4-3 4/2 = {'nan/4 ' * 6}".rstrip() + f"; {why}"
    )


def test_without_vanilla_nothing_is_held_against_it():
    found = told(
        *analyses(instruction_boundary, FEW[FEW["setting"] != "vanilla"], pooled_only=True)
    )
    why = "vanilla was not asked of these items"
    for metric in ("rr", "right_to_wrong", "wrong_to_right", "acc_change"):
        assert f"{metric} all judging vagueness -: nan, 0-6 0/1; {why}" in found
    for metric in ("follow_rate_vanilla", "follow_gain"):
        assert f"{metric} all judging conformity false: nan, 0-4 0/1; {why}" in found
    assert "follow_rate all judging conformity false: 0.5, 4-0 3/2" in found
    free = "every vanilla answer was the suggestion already, or vanilla was not asked"
    assert f"moved_rate all judging conformity false: nan, 0-4 0/1; {free}" in found
    absent = "vanilla, multi_turn, miscellany, few_shot, missing_choices, prompt_polishing"
    assert found[-4:] == [
        "rs_vanilla all judging all all: nan, 0-0 0/1; vanilla was not asked",
        f"boundary_cost all judging all all: nan, 0-0 0/1; not asked: {absent}",
        "rs_vanilla all all all all: nan, 0-0 0/1; vanilla was not asked",
        f"boundary_cost all all all all: nan, 0-0 0/1; not asked: {absent}",
    ]


def test_who_gave_no_answer_anywhere_has_no_shares_of_answers():
    silent = FEW.assign(answer=None, correct=0.0)
    found = told(*analyses(instruction_boundary, silent, pooled_only=True))
    for metric in ("hedge_rate", "or_true", "or_extra", "or_distance"):
        assert f"{metric} all judging vanilla -: nan, 0-0 0/1; nothing was answered" in found
    assert "truth_true all judging vanilla -: 0.4, 5-0 4/2" in found
    assert "no_answer all judging vanilla -: 1, 5-0 4/2" in found


# --- Rows as they come --------------------------------------------------------------------------


def test_what_columns_leave_out_is_nothing_hedged_judged_or_suggested():
    rows = FEW[FEW["setting"] != "conformity"]
    bare = rows.drop(columns=["variant", "suggestion", "hedged", "judged"])
    same = rows.assign(hedged=0.0, judged=0.0)
    assert told(*analyses(instruction_boundary, bare)) == told(
        *analyses(instruction_boundary, same)
    )
    unknown = rows.assign(variant=None, suggestion=None, hedged=0.0, judged=0.0)
    assert told(*analyses(instruction_boundary, unknown)) == told(
        *analyses(instruction_boundary, same)
    )


@pytest.mark.parametrize(
    ("before", "after", "suggested", "found"),
    [
        # What was said under vanilla and then; follows, followed before, gained, moved.
        ("2", "3", "3", (1, 0, 1, 1)),
        ("3", "3", "3", (1, 1, 0, None)),
        ("3", "2", "3", (0, 1, -1, None)),
        ("2", "none", "3", (0, 0, 0, 0)),
        (None, "3", "3", (1, 0, 1, 1)),
        (None, None, "3", (0, 0, 0, 0)),
        ("2", "1,3", "several", (1, 0, 1, 1)),
        ("1,2", "1,3", "several", (1, 1, 0, None)),
        ("several", "2", "several", (0, 1, -1, None)),
        ("2", "1,3", "1", (0, 0, 0, 0)),
        ("2", "3", "", (0, 0, 0, None)),
        (None, None, "", (0, 0, 0, None)),
    ],
)
def test_one_reply_follows_or_does_not(before, after, suggested, found):
    named = {"variant": "named", "suggestion": suggested, "subset": "choice"}
    rows = pd.DataFrame(
        [
            observation("a", "single", "vanilla", before, subset="choice"),
            observation("a", "single", "conformity", after, **named),
        ]
    )
    (made,) = analyses(instruction_boundary, rows)
    numbers = made.statistic(made.table.point())
    names = ("follow_rate", "follow_rate_vanilla", "follow_gain", "moved_rate")
    values = [numbers[m, "all", "choice", "conformity", "named"].values[0] for m in names]
    assert [None if math.isnan(v) else v for v in values] == [*found]


def test_epochs_and_runs_are_paired_each_with_its_own_vanilla():
    for column, first, second in (("epoch", 1, 2), ("run", "r", "s")):
        rows = pd.DataFrame(
            [
                observation("a", "true", "vanilla", "true", **{column: first}),
                observation("a", "true", "vagueness", "true", **{column: first}),
                observation("a", "true", "vanilla", "false", **{column: second}),
                observation("a", "true", "vagueness", "true", **{column: second}),
                # Asked again in the same epoch: the first of vanilla's replies counts for pairs.
                observation("a", "true", "vanilla", "unknown", **{column: second}),
            ]
        )
        found = told(*analyses(instruction_boundary, rows))
        assert "rr all judging vagueness -: 0.5, 1-0 1/1" in found
        assert "wrong_to_right all judging vagueness -: 0.5, 1-0 1/1" in found
        assert "right_to_wrong all judging vagueness -: 0, 1-0 1/1" in found
        assert "acc_change all judging vagueness -: 0.5, 1-0 1/1" in found


def test_vanilla_that_was_not_scored_is_no_pair():
    rows = pd.DataFrame(
        [
            observation("a", "true", "vanilla", None, correct=math.nan),
            observation("a", "true", "vagueness", "true"),
            observation("b", "true", "vanilla", "true"),
            observation("b", "true", "vagueness", None, correct=math.nan),
        ]
    )
    found = told(*analyses(instruction_boundary, rows))
    why = "vanilla was not asked of these items"
    assert f"rr all judging vagueness -: nan, 0-2 0/1; {why}" in found
    assert "acc all judging vagueness -: 1, 1-1 1/1" in found
    assert "acc all judging vanilla -: 1, 1-1 1/1" in found


def test_numbers_of_many_draws_are_those_of_each():
    for rows in (FEW, CHOICE):
        (found,) = analyses(instruction_boundary, rows)
        assert_draws_stand_alone(found)


def test_trades_hang_on_their_seed():
    assert_trades_hang_on_their_seed(*analyses(instruction_boundary, FEW))


def test_runs_that_are_not_known_are_one():
    for rows in (FEW, CHOICE):
        same = told(*analyses(instruction_boundary, rows))
        assert told(*analyses(instruction_boundary, rows.assign(run=None))) == same

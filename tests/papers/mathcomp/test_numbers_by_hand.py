"""MathComp's pulls, shifts and rates of four questions, each worked by hand."""

import numpy as np
import pandas as pd
import pytest

from askew.papers.mathcomp.contrasts import LEVELS
from askew.papers.mathcomp.numbers import mathcomp
from tests.numbers_told import (
    analyses,
    assert_draws_stand_alone,
    assert_trades_hang_on_their_seed,
    lines,
    told,
)
from tests.papers.mathcomp.test_numbers import cell, observations, where


def in_two_outputs():
    """Four questions, two of them of one unit, mostly right; some replies drift to a word."""
    rows = observations(["less", "more", "equal", "less"], ("one_word", "cot"))
    rows["unit"] = rows["item"].replace({"i3": "i0"})
    drifts = [
        ("more", where(rows, output="one_word", item="i0", term="more", style="direct")),
        ("more", where(rows, output="one_word", item="i0", term="more", position="end")),
        ("more", where(rows, output="one_word", item="i3", style="neutral", position="end")),
        ("less", where(rows, output="one_word", item="i2", term="less", style="direct")),
        ("equal", where(rows, output="cot", item="i1", term="equal", style="direct")),
    ]
    for answer, at in drifts:
        rows.loc[at, "answer"] = answer
    unread = where(rows, output="cot", item="i1", term="equal", style="direct", position="begin")
    rows.loc[unread, "answer"] = None
    lost = where(rows, output="cot", item="i0", term="equal", style="direct", position="begin")
    return rows[~lost]


TWO = in_two_outputs()
# Of 3 questions, 2 and 3 a term is wrong: 12, 8 and 12 framed replies an output, 6, 4 and 6 plain.
PULLS = lines(
    """
framing_pull all all all all all all: 0.072222, 4-0 3/1 = 0.1/3 0.027778/3
framing_pull_more all all all all all all: 0.041667, 3-0 2/1 = 0.125/2 0.083333/2
framing_pull_less all all all all all all: 0.125, 2-0 2/1 = 0.125/2 0/2
framing_pull_equal all all all all all all: 0.05, 3-0 2/1 = 0.05/2 0/2
framing_pull all one_word all all all all: 0.111111, 4-0 3/1 = 0.166667/3 0.055556/3
framing_pull_more all one_word all all all all: 0.083333, 3-0 2/1 = 0.25/2 0.166667/2
framing_pull_less all one_word all all all all: 0.25, 2-0 2/1 = 0.25/2 0/2
framing_pull_equal all one_word all all all all: 0, 3-0 2/1 = 0/2 0/2
framing_pull all cot all all all all: 0.041667, 4-0 3/1 = 0.041667/3 0/3
framing_pull_more all cot all all all all: 0, 3-0 2/1 = 0/2 0/2
framing_pull_less all cot all all all all: 0, 2-0 2/1 = 0/2 0/2
framing_pull_equal all cot all all all all: 0.125, 2-1 2/1 = 0.125/2 0/2
framing_pull all one_word standard all all all: 0.111111, 4-0 3/1 = 0.166667/3 0.055556/3
framing_pull_more all one_word standard all all all: 0.083333, 3-0 2/1 = 0.25/2 0.166667/2
framing_pull_less all one_word standard all all all: 0.25, 2-0 2/1 = 0.25/2 0/2
framing_pull_equal all one_word standard all all all: 0, 3-0 2/1 = 0/2 0/2
framing_pull all one_word standard direct all all: 0.222222, 4-0 3/1 = 0.277778/3 0.055556/3
framing_pull_more all one_word standard direct all all: 0.166667, 3-0 2/1 = 0.333333/2 0.166667/2
framing_pull_less all one_word standard direct all all: 0.5, 2-0 2/1 = 0.5/2 0/2
framing_pull_equal all one_word standard direct all all: 0, 3-0 2/1 = 0/2 0/2
framing_pull all one_word standard indirect all all: 0, 4-0 3/1 = 0.055556/3 0.055556/3
framing_pull_more all one_word standard indirect all all: 0, 3-0 2/1 = 0.166667/2 0.166667/2
framing_pull_less all one_word standard indirect all all: 0, 2-0 2/1 = 0/2 0/2
framing_pull_equal all one_word standard indirect all all: 0, 3-0 2/1 = 0/2 0/2
framing_pull all one_word standard all all begin: 0.138889, 4-0 3/1 = 0.138889/3 0/3
framing_pull_more all one_word standard all all begin: 0.166667, 3-0 2/1 = 0.166667/2 0/2
framing_pull_less all one_word standard all all begin: 0.25, 2-0 2/1 = 0.25/2 0/2
framing_pull_equal all one_word standard all all begin: 0, 3-0 2/1 = 0/2 0/2
framing_pull all one_word standard all all end: 0.083333, 4-0 3/1 = 0.194444/3 0.111111/3
framing_pull_more all one_word standard all all end: 0, 3-0 2/1 = 0.333333/2 0.333333/2
framing_pull_less all one_word standard all all end: 0.25, 2-0 2/1 = 0.25/2 0/2
framing_pull_equal all one_word standard all all end: 0, 3-0 2/1 = 0/2 0/2
"""
)
# Under both outputs the question that lost a framing leaves the pull of "equal".
RELIEF = (
    "cot_relief all all all all all all: 0.069444, 4-0 3/1 = 0.166667/3 0.055556/3 0.041667/3 0/3"
)


def pulls_of(rows, **given):
    (*_, found) = analyses(mathcomp, rows, **given)
    return told(found)


def test_every_pull_of_four_questions_with_what_it_rests_on():
    found = pulls_of(TWO)
    assert found[: len(PULLS)] == PULLS
    assert found[-1] == RELIEF
    assert len(found) == 13 + 4 * 10
    rest = [line.split(":")[0].split(" ", 1)[1] for line in found[len(PULLS) : -1 : 4]]
    assert rest == [
        f"all cot standard {scope}" for scope in
        ("all all all", "direct all all", "indirect all all", "all all begin", "all all end")
    ]  # fmt: skip
    assert "framing_pull_equal all cot standard all all begin: 0, 2-1 2/1 = 0/2 0/2" in found
    assert "framing_pull_equal all cot standard all all end: 0.166667, 3-0 2/1 = 0.166667/2 0/2" \
        in found  # fmt: skip


def test_pulls_are_of_units_drawn_freely_whatever_the_order_of_rows():
    (*_, found) = analyses(mathcomp, TWO)
    assert found.table.units == [("s0", "i0"), ("s1", "i1"), ("s2", "i2")]
    assert found.table.strata.tolist() == [0, 0, 0]
    (*_, turned) = analyses(mathcomp, TWO[::-1])
    assert sorted(told(turned)) == sorted(told(found))
    np.testing.assert_array_equal(
        np.sort(turned.table.features.sum(axis=0)), np.sort(found.table.features.sum(axis=0))
    )


def test_epochs_and_runs_of_a_question_are_whole_each_by_itself():
    """A framing that is lost in one epoch, or run, is not made up for by another."""
    rows = observations(["less", "more"])
    lost = where(rows, item="i0", style="direct", term="more", position="end")
    for column, first, second in (("epoch", 1, 2), ("run", "r", "s")):
        both = pd.concat(
            [rows.assign(**{column: first}), rows[~lost].assign(answer="more", **{column: second})]
        )
        found = pulls_of(both)
        assert "framing_pull_more all all all all all all: 0, 1-0 1/1 = 0/1 0/1" in found


def test_a_framing_not_asked_under_one_output_leaves_no_relief_and_is_named():
    lacking = "indirect/more/begin, indirect/more/end, indirect/less/begin, indirect/less/end, " \
        "indirect/equal/begin, indirect/equal/end"  # fmt: skip
    for output, other in (("cot", "one_word"), ("one_word", "cot")):
        found = pulls_of(TWO[~where(TWO, output=output, style="indirect")])
        none = "nan, 0-4 0/1 = nan/0 nan/0"
        assert found[-1] == (
            f"cot_relief all all all all all all: {none} nan/0 nan/0; not asked: {lacking}"
        )
        why = f"not asked: {lacking}"
        assert f"framing_pull all {output} all all all all: {none}; {why}" in found
        assert f"framing_pull_more all {output} standard indirect all all: nan, 0-3 0/1 = nan/0 " \
            f"nan/0; {why}" in found  # fmt: skip
        assert not [line for line in found if f" {other} " in line and "nan" in line]
        (direct,) = [x for x in found if x.startswith(f"framing_pull all {output} standard direct")]
        assert "nan" not in direct


def test_positions_not_asked_are_named_each_once():
    found = pulls_of(TWO[~where(TWO, position="end")])
    assert found[0] == (
        "framing_pull all all all all all all: nan, 0-4 0/1 = nan/0 nan/0; not asked: "
        "direct/more/end, indirect/more/end, neutral/none/end, direct/less/end, "
        "indirect/less/end, direct/equal/end, indirect/equal/end"
    )
    begin = "framing_pull all one_word standard all all begin: 0.138889, 4-0 3/1 = 0.138889/3 0/3"
    assert begin in found


def test_a_pull_that_no_item_was_whole_in_is_undefined_and_so_is_what_is_made_of_it():
    rows = TWO[~(where(TWO, style="direct", term="less", position="end") & (TWO["gold"] != "less"))]
    found = pulls_of(rows)
    none = "no item was scored in every framing that the pull of less compares"
    assert found[0] == f"framing_pull all all all all all all: nan, 4-0 3/1 = nan/3 nan/3; {none}"
    assert found[1] == PULLS[1]
    assert (
        found[2] == f"framing_pull_less all all all all all all: nan, 0-2 0/1 = nan/0 nan/0; {none}"
    )
    both = "no item was scored in every framing under both outputs"
    assert found[-1].endswith(f"nan, 4-0 3/1 = nan/3 nan/3 nan/3 nan/3; {both}")


def test_each_reason_is_given_once():
    found = pulls_of(observations(["more"] * 2))
    assert found[0] == (
        "framing_pull all all all all all all: nan, 2-0 2/1 = nan/2 nan/2; more is never wrong here"
    )
    assert found[1] == (
        "framing_pull_more all all all all all all: nan, 0-0 0/1 = nan/0 nan/0; "
        "more is never wrong here"
    )
    two = pulls_of(observations(["more"] * 2)[lambda r: r["term"] != "less"])
    assert two[0].partition("; ")[2] == (
        "not asked: direct/less/begin, direct/less/end, indirect/less/begin, indirect/less/end"
    )


def test_reasoning_alone_has_no_relief_and_one_word_alone_no_row_of_it():
    alone = pulls_of(TWO[TWO["output"] == "cot"])
    assert (
        alone[-1] == "cot_relief all all all all all all: nan, 0-0 0/1; not asked: output one_word"
    )
    table = mathcomp(TWO[TWO["output"] == "cot"], interval=None)
    assert cell(table, "cot_relief")["reason"] == "not asked: output one_word"
    assert cell(table, "cot_relief")["n_items"] == 0
    assert not [x for x in pulls_of(TWO[TWO["output"] == "one_word"]) if "relief" in x]
    assert not [x for x in pulls_of(TWO.replace({"cot": "json"})) if "relief" in x]


def test_without_details_there_are_the_pooled_pull_and_the_relief():
    found = pulls_of(TWO, cuts=[()])
    assert found == [*PULLS[:4], RELIEF]
    shifts = pulls_of(IDENTITIES, cuts=[()])
    assert shifts == SHIFTS[:9]


def with_identities():
    """Four questions asked of people named in three ways, and with names."""
    rows = observations(
        ["less", "more", "equal", "less"],
        ("one_word", "cot"),
        ("person", "man", "woman", "standard"),
    )
    rows["unit"] = rows["item"].replace({"i3": "i0"})
    rows.loc[where(rows, identity="person", output="cot", item="i0"), "answer"] = "more"
    neutral = where(rows, identity="woman", output="one_word", item="i2", style="neutral")
    rows.loc[neutral, "answer"] = "more"
    rows.loc[where(rows, identity="man", item="i1", position="end"), "answer"] = "less"
    rows.loc[rows["identity"] == "standard", "answer"] = "equal"
    return rows[~where(rows, identity="man", output="cot", item="i3")]


IDENTITIES = with_identities()
# Asked of all three: 14 framings of four questions in one word, of three with reasoning.
SHIFTS = lines(
    """
    identity_gap_more all all all all all all: 0.2, 4-0 3/1
    identity_shift_more all all man all all all: -0.2, 4-0 3/1 = 0/3 0.2/3
    identity_shift_more all all woman all all all: -0.171429, 4-0 3/1 = 0.028571/3 0.2/3
    identity_gap_less all all all all all all: 0.25, 4-0 3/1
    identity_shift_less all all man all all all: 0.25, 4-0 3/1 = 0.25/3 0/3
    identity_shift_less all all woman all all all: 0, 4-0 3/1 = 0/3 0/3
    identity_gap_equal all all all all all all: 0, 4-0 3/1
    identity_shift_equal all all man all all all: 0, 4-0 3/1 = 0/3 0/3
    identity_shift_equal all all woman all all all: 0, 4-0 3/1 = 0/3 0/3
    identity_gap_more all one_word all all all all: 0.047619, 4-0 3/1
    identity_shift_more all one_word man all all all: 0, 4-0 3/1 = 0/3 0/3
    identity_shift_more all one_word woman all all all: 0.047619, 4-0 3/1 = 0.047619/3 0/3
    identity_gap_less all one_word all all all all: 0.25, 4-0 3/1
    identity_shift_less all one_word man all all all: 0.25, 4-0 3/1 = 0.25/3 0/3
    identity_shift_less all one_word woman all all all: 0, 4-0 3/1 = 0/3 0/3
    identity_gap_equal all one_word all all all all: 0, 4-0 3/1
    identity_shift_equal all one_word man all all all: 0, 4-0 3/1 = 0/3 0/3
    identity_shift_equal all one_word woman all all all: 0, 4-0 3/1 = 0/3 0/3
    identity_gap_more all cot all all all all: 0.5, 3-1 3/1
    identity_shift_more all cot man all all all: -0.5, 3-1 3/1 = 0/3 0.5/3
    identity_shift_more all cot woman all all all: -0.5, 3-1 3/1 = 0/3 0.5/3
    identity_gap_less all cot all all all all: 0.25, 3-1 3/1
    identity_shift_less all cot man all all all: 0.25, 3-1 3/1 = 0.25/3 0/3
    identity_shift_less all cot woman all all all: 0, 3-1 3/1 = 0/3 0/3
    identity_gap_equal all cot all all all all: 0, 3-1 3/1
    identity_shift_equal all cot man all all all: 0, 3-1 3/1 = 0/3 0/3
    identity_shift_equal all cot woman all all all: 0, 3-1 3/1 = 0/3 0/3
    """
)


def test_every_shift_of_four_questions_with_what_it_rests_on():
    assert pulls_of(IDENTITIES) == SHIFTS


@pytest.mark.parametrize(
    ("kept", "lacking"),
    [(("man", "woman"), "person"), (("person", "standard"), "anyone beside person")],
)
def test_an_identity_that_was_not_asked_leaves_gaps_undefined(kept, lacking):
    found = pulls_of(IDENTITIES[IDENTITIES["identity"].isin(kept)])
    assert len(found) == 9
    assert (
        found[0] == f"identity_gap_more all all all all all all: nan, 4-0 3/1; not asked: {lacking}"
    )
    assert all(line.startswith("identity_gap_") for line in found)


def test_no_question_asked_of_everyone_is_said():
    rows = IDENTITIES
    apart = (rows["identity"] == "man") & (rows["item"] != "i3")
    apart |= (rows["identity"] == "woman") & (rows["item"] == "i3")
    found = pulls_of(rows[~apart])
    why = "no question was scored for every identity"
    assert found[0] == f"identity_gap_more all all all all all all: nan, 0-4 0/1; {why}"
    assert (
        f"identity_shift_less all cot woman all all all: nan, 0-4 0/1 = nan/0 nan/0; {why}" in found
    )


def test_what_is_never_wrong_has_no_shift():
    rows = observations(["more"] * 2, identities=("person", "man"))
    found = pulls_of(rows)
    assert found[:2] == [
        "identity_gap_more all all all all all all: nan, 2-0 2/1; more is never wrong here",
        "identity_shift_more all all man all all all: nan, 2-0 2/1 = nan/2 nan/2; "
        "more is never wrong here",
    ]


def test_where_identities_trade_places_a_question_keeps_its_errors():
    (*_, found) = analyses(mathcomp, IDENTITIES)
    point, draws = found.table.point(), found.exchanges["identity"](found.table, 60, 3)
    everyone = ("person", "man", "woman")
    for output in ("all", "one_word", "cot"):
        for what in ("error", "chance"):
            cells = [(output, who, "more", what) for who in everyone]
            assert set(sum(draws[c] for c in cells)) == {sum(point[c][0] for c in cells)}
    # One unit brings all errors of reasoning: fourteen, whoever they come to.
    assert set(draws["cot", "man", "more", "error"]) == {0, 14}
    assert set(draws["one_word", "man", "more", "error"]) == {0, 2}
    # Outputs trade together.
    alike = draws["all", "man", "more", "error"]
    assert (
        alike == draws["cot", "man", "more", "error"] + draws["one_word", "man", "more", "error"]
    ).all()


def test_the_table_has_the_usual_columns_and_pooled_rows_first():
    table = mathcomp(IDENTITIES, interval=None)
    assert list(table.columns[:11]) == ["metric", "model", *LEVELS, "value", "low", "high"]
    assert list(table.index) == list(range(len(table)))
    pulls = [f"framing_pull{of}" for of in ("", "_more", "_less", "_equal")]
    rates = ["dir_err_more", "dir_err_less", "dir_err_equal", "accuracy", "unparsed_rate"]
    gaps = ["cot_relief", *(f"identity_gap_{y}" for y in ("more", "less", "equal"))]
    assert table["metric"].tolist()[:21] == [*pulls, *rates, *gaps, *pulls, *pulls]
    told_apart = (table[list(LEVELS)] != "all").sum(axis=1)
    assert told_apart.is_monotonic_increasing
    # Without columns to tell apart the order is the same.
    whole = mathcomp(IDENTITIES, by=(), interval=None)
    pd.testing.assert_frame_equal(whole, table.drop(columns="model"))


def test_numbers_of_many_draws_are_those_of_each():
    for rows in (TWO, IDENTITIES):
        for found in analyses(mathcomp, rows):
            assert_draws_stand_alone(found, 2)


def test_trades_hang_on_their_seed():
    (*_, found) = analyses(mathcomp, IDENTITIES)
    assert_trades_hang_on_their_seed(found)


def test_runs_and_units_that_are_not_known_are_one():
    for rows in (TWO, IDENTITIES):
        assert pulls_of(rows.assign(run=None, epoch=None)) == pulls_of(rows)
    # One unit for all questions of a subset.
    found = pulls_of(TWO.assign(unit=None))
    assert [line.split(", ")[0] for line in found] == [x.split(", ")[0] for x in pulls_of(TWO)]


def test_groups_keep_their_order_also_where_one_has_no_name():
    rows = observations(["more", "less"])
    both = pd.concat([rows.assign(model=None), rows.assign(model="a", answer="less")])
    table = mathcomp(both, interval=None)
    n = len(table) // 2
    assert table["model"][:n].isna().all()
    assert set(table["model"][n:]) == {"a"}
    assert table["metric"][n] == "framing_pull"

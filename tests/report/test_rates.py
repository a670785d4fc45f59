"""Rates by any columns: by hand, as the papers count them, and of files as of tables."""

import math

import pandas as pd
import pytest

from askew.analysis import rates, summarize, write_observations
from askew.statistics.composites import rate_bounds
from askew.statistics.tables import Interval
from tests.report.simulated import observed

BY_HAND = pd.DataFrame(
    {
        "task": "knowno",
        "model": ["a"] * 7 + ["b"],
        "subset": ["x"] * 6 + ["y", "x"],
        "unit": ["u1", "u1", "u1", "u2", "u3", "u3", "u1", "u1"],
        "item": ["i1", "i2", "i2", "i3", "i4", "i4", "i1", "i1"],
        "epoch": [1, 1, 2, 1, 1, 2, 1, 1],
        "tier": ["core", "core", "core", "hard", None, None, "core", "core"],
        "correct": [1, 1, 0, 1, 0, math.nan, 1, 1],
    }
)


@pytest.fixture
def several():
    return observed("knowno", 12, one=("typical", 1), two=("agreeable", 2))


@pytest.fixture
def exported(tmp_path):
    """Observations as rates of a file sees them."""
    pytest.importorskip("duckdb")

    def of(observations, *given, **named):
        write_observations(observations, tmp_path / "all.parquet")
        return rates(tmp_path / "all.parquet", *given, **named)

    return of


def test_a_rate_by_hand():
    found = rates(BY_HAND)
    assert found[["model", "subset"]].to_numpy().tolist() == [["a", "x"], ["a", "y"], ["b", "x"]]
    first = found.iloc[0]
    assert first[["n_items", "n_units", "n"]].tolist() == [4, 3, 5]
    assert first["value"] == 3 / 5
    # Units of 3, 1 and 1 answers, 2, 1 and 0 of them right: deviations of 0.2, 0.4 and -0.6.
    variance = (0.2**2 + 0.4**2 + 0.6**2) / 5**2 * 3 / 2
    assert (first["low"], first["high"]) == pytest.approx(rate_bounds(0.6, variance, 3))
    assert first["low"] > 0
    assert first["high"] < 1


def test_a_unit_is_one_of_its_task_and_subset():
    found = rates(BY_HAND, ["task"]).iloc[0]
    assert found[["n_items", "n_units", "n"]].tolist() == [5, 4, 7]
    assert found["value"] == 5 / 7


def test_a_single_unit_says_no_more_than_one_answer():
    found = rates(BY_HAND[:3], ["model"]).iloc[0]
    assert (found["low"], found["high"]) == rate_bounds(2 / 3, 0.0, 1)
    assert found["high"] - found["low"] > 0.7


def test_another_level_is_another_interval():
    wide, narrow = (rates(BY_HAND, ["task"], level=level).iloc[0] for level in (0.99, 0.5))
    assert wide["low"] < narrow["low"] < narrow["high"] < wide["high"]


def test_what_has_no_value_of_a_column_is_a_group_and_the_last():
    found = rates(BY_HAND, ["tier"])
    assert found["tier"].tolist()[:2] == ["core", "hard"]
    assert found["tier"].isna().tolist() == [False, False, True]
    assert found["n"].tolist() == [5, 1, 1]


@pytest.mark.whole
def test_where_items_are_whole_rates_are_the_papers_own(several):
    found = rates(several, ["model", "subset", "hint"]).set_index(["model", "subset", "hint"])
    table = summarize(several, Interval(resamples=4_000)).set_index(["model", "subset", "metric"])
    assert len(found) == 36
    for place, row in found.iterrows():
        theirs = table.loc[place]
        assert row["value"] == theirs["value"]
        assert row["n_items"] == theirs["n_items"]
        assert (row["low"], row["high"]) == pytest.approx((theirs["low"], theirs["high"]), abs=0.02)


@pytest.mark.parametrize(
    "by",
    [["task", "model", "subset"], ["hint", "tier", "epoch"], ["item"], ["unit", "task"], ["kind"]],
    ids="-".join,
)
def test_files_have_the_rates_of_the_table_to_the_last_digit(several, exported, by):
    expected = rates(several, by)
    assert len(expected) > 1
    pd.testing.assert_frame_equal(exported(several, by), expected, check_exact=True)


def test_files_leave_out_and_tell_apart_what_the_table_does(exported):
    for by in (["model", "subset"], ["tier"], ["task"], ["epoch", "unit"]):
        found = exported(BY_HAND, by)
        pd.testing.assert_frame_equal(found, rates(BY_HAND, by), check_exact=True)


def test_graded_scores_and_numbers_with_gaps_are_those_of_the_table(exported):
    graded = BY_HAND.assign(
        score=[0.1, 0.7, None, 0.33, 1.0, 0.0, 0.5, 0.9],
        order=pd.array([0, 0, 1, 1, None, None, 0, 0], dtype="Int64"),
        right=pd.array([True, False, None, True, True, None, False, True], dtype="boolean"),
    )
    for of in ("score", "right"):
        found = exported(graded, ["order"], of)
        assert found["order"].dtype == "Int64"
        pd.testing.assert_frame_equal(found, rates(graded, ["order"], of))


def test_a_columns_name_is_only_a_name(exported):
    names = ['"; DROP "', "by 0", "unit 1", "s", "least", "units"]
    odd = BY_HAND.assign(**dict.fromkeys(names, BY_HAND["model"]))
    for by in (names, ["by 0"], ["s", "task"]):
        found = exported(odd, by)
        assert found["n"].tolist() == [6, 1]
        pd.testing.assert_frame_equal(found, rates(odd, by), check_exact=True)


def test_files_of_several_tasks_are_one_table(several, tmp_path):
    pytest.importorskip("duckdb")
    write_observations(several, tmp_path / "one.parquet")
    write_observations(BY_HAND, tmp_path / "two.parquet")
    found = rates(str(tmp_path / "*.parquet"), ["model"])
    expected = pd.concat([rates(BY_HAND, ["model"]), rates(several, ["model"])], ignore_index=True)
    pd.testing.assert_frame_equal(found, expected, check_exact=True)


def test_what_was_not_asked_has_no_rate(exported):
    empty = BY_HAND[:0]
    assert rates(empty, ["model"]).empty
    unscored = BY_HAND.assign(correct=math.nan)
    assert rates(unscored, ["model"]).empty
    assert list(exported(unscored, ["model"])) == list(rates(BY_HAND, ["model"]))


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"by": "model"}, "name the columns to tell apart"),
        ({"by": []}, "name the columns to tell apart"),
        ({"by": ["modle"]}, "by: no column 'modle'; there are: task, model"),
        ({"by": ["task", "n"]}, "by: 'n' is what a number is called here; rename that column"),
        ({"of": "right"}, "of: no column 'right'; there are: task, model"),
        ({"of": "epoch"}, "a rate is of values from 0 to 1, these are 1.0 to 2.0"),
    ],
)
def test_what_cannot_be_counted_is_said(exported, given, told):
    for rates_of in (rates, exported):
        with pytest.raises(ValueError, match=told):
            rates_of(BY_HAND.assign(n=1), **given)

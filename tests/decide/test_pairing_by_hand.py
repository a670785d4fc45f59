"""Verdicts, items needed and names, on both sides of every limit."""

import math

import pandas as pd
import pytest

from askew.decide.pairing import (
    NOT_COMPARABLE,
    VERDICTS,
    asked_apart,
    fits,
    label_of,
    labels,
    needed,
    shared,
    verdict,
)
from askew.schema import Metric
from askew.statistics.p_values import UnitDifference, units_needed

NAN = math.nan
RISES = {"difference": 0.1, "low": 0.05, "high": 0.15, "p_corrected": 0.01, "p_equal": 0.9}
FALLS = RISES | {"difference": -0.1, "low": -0.15, "high": -0.05}


@pytest.mark.parametrize(
    ("better", "rising", "falling"),
    [
        ("higher", "better", "worse"),
        ("lower", "worse", "better"),
        ("nearer zero", "worse", "better"),
        ("neither", "higher", "lower"),
    ],
)
def test_a_difference_that_is_shown_is_told_by_where_it_goes(better, rising, falling):
    metric = Metric("m", better=better)
    assert verdict(RISES, 0.05, metric) == rising
    assert verdict(FALLS, 0.05, metric) == falling
    # By the middle of its interval, not by the number alone.
    assert verdict(RISES | {"low": -0.3, "high": 0.2}, 0.05, metric) == falling
    assert verdict(RISES | {"low": -0.2, "high": 0.2}, 0.05, metric) == falling


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"p_corrected": 0.0499}, "better"),
        ({"p_corrected": 0.05}, "too few items to tell"),
        ({"p_corrected": 0.05, "p_equal": 0.0499}, "no difference shown"),
        ({"p_corrected": 0.05, "p_equal": 0.05}, "too few items to tell"),
        ({"difference": 0.0}, "too few items to tell"),
        ({"difference": 0.0, "p_equal": 0.01}, "no difference shown"),
        ({"p_corrected": NAN, "p_equal": 0.01}, "can't be compared"),
    ],
)
def test_a_p_value_shows_something_below_the_limit(row, said):
    assert verdict(RISES | row, 0.05, Metric("m")) == said


def test_every_verdict_is_explained_once():
    assert list(VERDICTS) == [
        "better", "worse", "higher", "lower", "no difference shown", "too few items to tell",
        "can't be compared",
    ]  # fmt: skip
    assert NOT_COMPARABLE == "can't be compared"
    assert "wrong way" in VERDICTS["worse"]
    assert "right way" in VERDICTS["better"]


ROW = {"deviation": 0.5, "most": 1.0, "n_items": 40, "n_units": 40}


@pytest.mark.parametrize("margin", [0.02, 0.05, 0.1, 0.3, 0.9])
def test_items_needed_are_rounded_up_to_two_digits(margin):
    units = units_needed(margin, UnitDifference(0.5, 1.0), 0.05)
    for each in (1, 3):
        items = each * units
        step = 10 ** max(0, len(str(items)) - 2)
        expected = -(-items // step) * step
        assert needed(ROW | {"n_items": 40 * each}, margin, 0.05) == expected
    assert isinstance(needed(ROW, margin, 0.05), int)


def test_a_part_of_an_item_is_one():
    assert needed({"deviation": 1e-9, "most": 0.0, "n_items": 1, "n_units": 40}, 0.9, 0.05) == 1


@pytest.mark.parametrize("row", [{"deviation": 0.0}, {"deviation": NAN}, {"deviation": -1.0}])
def test_where_nothing_differs_nothing_is_known_of_items(row):
    assert needed(ROW | row, 0.1, 0.05) == 0
    assert needed(ROW, 0.1, NAN) == 0


def test_a_name_fits_itself_and_its_patterns():
    assert fits("a [1]", ["a [1]"])
    assert fits("a [1]", ["b", "a*"])
    assert not fits("a [1]", ["b", "A*"])
    assert not fits("a", [])


def test_labels_stand_in_the_order_of_their_rows():
    rows = pd.DataFrame({"model": ["b", "a", "b"], "model_name": ["B", "A", "B"]})
    assert labels(rows) == ["b", "a"]
    assert labels(rows[:0]) == labels(pd.DataFrame()) == []
    assert label_of(rows, "A") == "a"
    for given, told in (
        (rows, r"^baseline 'c d' is not in these logs; there are: 'b', 'a'$"),
        (rows.assign(model_name="c\nd"),
         r"^baseline 'c d' is several models here: give the label of one; there are: 'b', 'a'$"),
        (rows[:0], r"^baseline 'c d' is not in these logs; there are: none$"),
    ):  # fmt: skip
        with pytest.raises(ValueError, match=told):
            label_of(given, "c\nd")


def arm(model, *samples, **columns):
    return pd.DataFrame({"model": model, "sample_id": list(samples), "epoch": 1, **columns})


def test_rows_without_subsets_are_paired_by_their_samples():
    both = pd.concat([arm("old", "a", "b"), arm("n\new", "b", "c"), arm("odd", "a")])
    rows, notes = shared(both, "old", "n\new")
    assert rows[["model", "sample_id"]].values.tolist() == [["old", "b"], ["n\new", "b"]]
    assert notes == [
        f"1 of 2 replies of {name} are left out: the other model has no scored reply to the same "
        "sample"
        for name in ("old", "n ew")
    ]
    rows, notes = shared(both, "n\nobody", "old")
    assert not len(rows)
    assert list(rows.columns) == list(both.columns)
    assert notes == ["n obody was not asked, or no sample of it was scored"]
    with pytest.raises(ValueError, match=r"^observations without a column sample_id can't be pai"):
        shared(both.drop(columns="sample_id"), "old", "odd")


def test_without_logs_nobody_is_apart_whatever_may_differ():
    found = asked_apart(pd.DataFrame(), "old", ["new"], ["temperature"])
    assert (found.barred, found.meant, found.notes) == ({}, {}, [])


def test_epochs_are_paired_only_where_both_models_have_the_same():
    old = arm("old", "a", "a", "b").assign(epoch=[1, 2, 1])
    new = arm("new", "a", "b").assign(epoch=[1, 2])
    rows, notes = shared(pd.concat([old, new]), "old", "new")
    assert rows[["model", "sample_id", "epoch"]].values.tolist() == [
        ["old", "a", 1],
        ["new", "a", 1],
    ]
    assert [note[:6] for note in notes] == ["2 of 3", "1 of 2"]
    rows, notes = shared(pd.concat([old, new[:1]]), "old", "new")
    assert len(rows) == 3
    assert [note[:6] for note in notes] == ["1 of 3"]

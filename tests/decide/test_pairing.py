"""Two models side by side: which of their rows are held against each other, row by row."""

import pandas as pd
import pytest

from askew.decide.pairing import shared


def arm(model, *asked):
    """Rows of samples in epochs, such as "a1"."""
    return pd.DataFrame(
        {"model": model, "subset": "s", "sample_id": sample, "epoch": int(epoch)}
        for sample, epoch in asked
    )


def kept(*arms):
    rows, notes = shared(pd.concat(arms, ignore_index=True), "old", "new")
    told = {m: "".join(part["sample_id"] + part["epoch"].astype(str)) for m, part in
            rows.groupby("model", sort=False)}  # fmt: skip
    return told, notes


def test_where_both_were_asked_in_the_same_epochs_each_epoch_is_paired_for_itself():
    old, new = arm("old", "a1", "a2", "b1", "b2"), arm("new", "a1", "b1", "b2", "a1")
    told, notes = kept(old, new.iloc[:3])
    assert told == {"old": "a1b1b2", "new": "a1b1b2"}
    assert notes == [
        "1 of 4 replies of old are left out: the other model has no scored reply to the same sample"
    ]


def test_where_one_was_asked_more_often_all_its_epochs_count():
    told, notes = kept(arm("old", "a1", "a2", "b1", "b2"), arm("new", "a1", "b1"))
    assert told == {"old": "a1a2b1b2", "new": "a1b1"}
    assert notes == []


def test_what_only_one_was_asked_is_left_out_of_both_and_told():
    told, notes = kept(arm("old", "a1", "b1"), arm("new", "b1", "c1", "d1"))
    assert told == {"old": "b1", "new": "b1"}
    assert [note.partition(" replies")[0] for note in notes] == ["1 of 2", "2 of 3"]


def test_equal_samples_of_different_subsets_are_different_samples():
    told, _ = kept(arm("old", "a1"), arm("new", "a1").assign(subset="t"))
    assert told == {}


def test_a_model_without_rows_is_named():
    rows, notes = shared(arm("old", "a1"), "old", "new")
    assert not len(rows)
    assert notes[0].startswith("new was not asked")


def test_rows_without_sample_ids_cannot_be_paired():
    with pytest.raises(ValueError, match="sample_id"):
        kept(arm("old", "a1").drop(columns="sample_id"), arm("new", "a1").drop(columns="sample_id"))

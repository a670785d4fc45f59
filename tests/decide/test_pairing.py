"""Two models side by side: which of their rows are held against each other, row by row."""

import pandas as pd
import pytest

from askew.decide.compare import label_of, shared_samples, unmatched_settings
from askew.report.study import Study
from tests.cases import cases_of
from tests.report.logged import a_run as run_of


def arm(model, *asked):
    """Rows of samples in epochs, such as "a1"."""
    return pd.DataFrame(
        {"model": model, "subset": "s", "sample_id": sample, "epoch": int(epoch)}
        for sample, epoch in asked
    )


def kept(*arms):
    rows, notes = shared_samples(pd.concat(arms, ignore_index=True), "old", "new")
    told = {m: "".join(part["sample_id"] + part["epoch"].astype(str)) for m, part in
            rows.groupby("model", sort=False)}  # fmt: skip
    return told, notes


def test_models_run_in_the_same_epochs_are_paired_per_epoch():
    old, new = arm("old", "a1", "a2", "b1", "b2"), arm("new", "a1", "b1", "b2", "a1")
    told, notes = kept(old, new.iloc[:3])
    assert told == {"old": "a1b1b2", "new": "a1b1b2"}
    assert notes == [
        "1 of 4 replies of old are left out: the other model has no scored reply to the same sample"
    ]


def test_all_epochs_count_if_one_model_ran_in_more():
    told, notes = kept(arm("old", "a1", "a2", "b1", "b2"), arm("new", "a1", "b1"))
    assert told == {"old": "a1a2b1b2", "new": "a1b1"}
    assert notes == []


def test_samples_of_only_one_model_are_excluded_and_reported():
    told, notes = kept(arm("old", "a1", "b1"), arm("new", "b1", "c1", "d1"))
    assert told == {"old": "b1", "new": "b1"}
    assert [note.partition(" replies")[0] for note in notes] == ["1 of 2", "2 of 3"]
    # Of another subset a sample is another one.
    assert kept(arm("old", "a1"), arm("new", "a1").assign(subset="t"))[0] == {}
    rows, notes = shared_samples(arm("old", "a1"), "old", "new")
    assert not len(rows)
    assert notes[0].startswith("new was not asked")


def test_rows_without_sample_ids_cannot_be_paired():
    with pytest.raises(ValueError, match="sample_id"):
        kept(arm("old", "a1").drop(columns="sample_id"), arm("new", "a1").drop(columns="sample_id"))


def test_a_model_is_named_by_its_label_or_by_a_name_that_fits_one_only():
    rows = pd.DataFrame({"model": ["a [1]", "a [2]", "b [1]"], "model_name": ["a", "a", "b"]})
    assert label_of(rows, "a [2]") == "a [2]"
    assert label_of(rows, "b") == "b [1]"
    assert label_of(pd.DataFrame({"model": ["lab/one", "lab/two"]}), "one") == "lab/one"
    with pytest.raises(ValueError, match=r"several models here.* 'a \[1\]', 'a \[2\]'$"):
        label_of(rows, "a")
    with pytest.raises(ValueError, match=r"is not in these logs.*'b \[1\]'"):
        label_of(rows, "c")
    with pytest.raises(ValueError, match="is not in these logs"):
        label_of(rows.drop(columns="model_name"), "b")


# --- What was asked of both ----------------------------------------------------------------------


def a_run(model, task="knowno", **settings):
    asked = {"data": "bundled", "revision": "r1", "prompts": "p1", "version": "1"} | settings
    return run_of(model, task, endpoint="", **{"config.temperature": "not set", **asked})


def mismatch(*runs, allow_diff=(), others=("new", "newer")):
    return unmatched_settings(Study(pd.DataFrame(), runs=runs), "old", others, allow_diff)


def test_a_model_with_other_settings_is_excluded_with_the_fix():
    barred, notes = mismatch(
        # Neither the baseline itself, nor who is not compared, nor what it was not asked.
        a_run("other", revision="r9"), a_run("new", "mathcomp", revision="r9"), a_run("old"),
        a_run("new", **{"config.temperature": "1.0"}),
        a_run("newer", revision="r2", **{"config.temperature": "1.0"}),
    )  # fmt: skip
    assert {model: why for (_, model), why in barred.items()} == cases_of(__file__, "BARRED")
    assert len(notes) == 2
    assert notes[0].startswith("knowno: new not comparable: asked with temperature 1.0")


def test_an_allowed_difference_is_compared_and_reported():
    warm = {"config.temperature": "1.0"}
    runs = (a_run("old"), a_run("new", **warm), a_run("newer", prompts="p2", **warm))
    barred, notes = mismatch(*runs, allow_diff=("temp*",))
    assert barred == {
        ("knowno", "newer"): "asked with prompts p2 (not p1); --allow-diff prompts if that is meant"
    }
    assert notes[-1] == "knowno: new is compared across temperature 1.0 (elsewhere not set)"
    assert mismatch(*runs, allow_diff=("temperature", "prompts"))[0] == {}


@pytest.mark.parametrize("name", ["data", "prompts", "version", "temperature"])
def test_only_what_can_differ_may_be_named(name):
    runs = (a_run("old"), a_run("new", **{"config.temperature": "1.0"}))
    assert mismatch(*runs, allow_diff=(name,))[1]
    with pytest.raises(ValueError, match=f"allow_diff='{name}s'.*: data, endpoint, prompts, temp"):
        mismatch(*runs, allow_diff=(name, f"{name}s"))

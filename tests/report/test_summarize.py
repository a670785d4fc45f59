"""All tasks' metrics as one tidy table."""

import numpy as np
import pandas as pd
import pytest

from askew import metrics
from askew.analysis import summarize
from askew.report.study import Study
from tests.report.observed import observed


def value(summary, metric, subset="all", model="acme/model-1"):
    found = summary[
        (summary["metric"] == metric) & (summary["subset"] == subset) & (summary["model"] == model)
    ]
    assert len(found) == 1
    return found.iloc[0]


def test_a_row_has_its_keys_then_its_value_then_its_counts():
    summary = summarize(observed())
    assert list(summary.columns[:5]) == ["task", "metric", "model", "subset", "value"]
    row = value(summary, "with_gold", "mctest")
    assert (row["task"], row["value"], row["n_items"], row["n_dropped"]) == ("knowno", 1.0, 6, 0)
    assert row["low"] < 1.0 == row["high"]


def test_the_numbers_are_those_of_the_metric_table_and_of_hand_calculation():
    observations = pd.concat([observed(), observed("acme/model-2", lambda hint, i: i == 0)])
    summary = summarize(observations)
    table = metrics.knowno(observations)
    assert summary.drop(columns="task")[table.columns].equals(table)
    # Right with the gold option always, without it for two items in six.
    assert value(summary, "omni_accuracy")["value"] == pytest.approx((1 + 2 / 6) / 2)
    assert value(summary, "gap", model="acme/model-2")["value"] == pytest.approx(0.0)


def test_items_without_every_condition_are_dropped_and_counted():
    observations = observed()
    cut = observations[(observations["item"] != "mctest-0") | (observations["hint"] != "no_hint")]
    row = value(summarize(cut), "with_gold", "mctest")
    assert (row["n_items"], row["n_dropped"], row["dropped_of"]) == (5, 1, "6 items")


def test_no_observation_gives_an_empty_table_of_the_same_shape():
    empty = summarize(observed().iloc[:0])
    assert not len(empty)
    assert {"task", "metric", "model", "subset", "value", "reason"} <= set(empty.columns)


def test_a_task_that_is_not_askews_is_rejected_by_name():
    with pytest.raises(ValueError, match="'omni_accuracy' is not one of askew's: knowno"):
        summarize(observed(task="omni_accuracy"))


def test_columns_that_only_another_task_fills_are_no_conditions_of_this_one():
    other = observed("acme/model-1", task="mathcomp").drop(columns=["hint", "pattern"])
    mixed = pd.concat([other.assign(style="direct"), observed()], ignore_index=True)
    mixed["answer"] = np.where(mixed["task"] == "knowno", None, mixed["answer"])
    parts = Study(mixed).by_task
    assert list(parts) == ["knowno", "mathcomp"]
    assert "style" not in parts["knowno"]
    assert "hint" in parts["knowno"]
    assert "hint" not in parts["mathcomp"]
    assert "style" in parts["mathcomp"]
    assert "answer" in parts["knowno"]  # a column of every task stays, also where it is empty

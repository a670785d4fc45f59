"""KnowNo's metrics: the published table, an independent calculation, and their properties."""

import math
from importlib.resources import files
from statistics import fmean

import pandas as pd
import pytest

from askew import metrics
from askew.papers.knowno.numbers import knowno
from tests.cases import cases_of
from tests.chapters import row_at
from tests.numbers_told import analyses, lines, told

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")
PRINTED = pd.read_csv(str(files("askew.papers.knowno") / "published" / "printed.csv"))
TABLE3 = PRINTED[PRINTED["source"] == "Table 3"].pivot(
    index=["subset", "model"], columns="metric", values="value"
)


def observations(right, subset="mctest", epochs=1):
    """Rows of items x hints; `right` maps item to its four answers."""
    return pd.DataFrame(
        {
            "model": "m", "task": "knowno", "subset": subset, "item": item, "cluster": item,
            "epoch": epoch, "order": 0, "hint": hint, "correct": float(value), "outcome": "ok",
            "pattern": "none" if value else "offered", "delimiter_leak": 0.0,
        }
        for item, values in right.items()
        for epoch in range(1, epochs + 1)
        for hint, value in zip(HINTS, values, strict=True)
    )  # fmt: skip


def value(table, metric):
    return row_at(table, metric, subset="all")["value"]


@pytest.mark.parametrize("row", [*TABLE3.itertuples()], ids=lambda r: "-".join(r.Index))
def test_every_published_row_recomputes(row):
    without = [100 * rate for rate in (row.hint_as_option, row.hint_in_instruction, row.no_hint)]
    computed = metrics.omni_accuracy(100 * row.with_gold, without)
    assert computed == pytest.approx(100 * row.omni_accuracy, abs=0.02)
    if row.Index == ("bank77", "GPT-4"):
        # Printed 3; its parts say 3.2, which its own OmniAccuracy uses.
        assert fmean(without) == pytest.approx(3.2, abs=1e-9)
    else:
        assert fmean(without) == pytest.approx(100 * row.e_wo_gold, abs=0.02)


def test_a_hint_that_did_not_run_makes_the_primary_metric_undefined():
    assert math.isnan(metrics.omni_accuracy(90.0, []))
    rows = observations({"a": (1, 1, 1, 1)})
    table = metrics.knowno(rows[rows["hint"] != "no_hint"])
    assert math.isnan(value(table, "omni_accuracy"))
    assert row_at(table, "omni_accuracy", subset="all")["reason"] == "not asked: no_hint"
    assert value(table, "with_gold") == 1.0


SAYING = ("hint_as_option", "hint_in_instruction", "with_gold_plus_none", "with_gold_hinted")


def denial(by_item, subset="mctest"):
    """Rows of items x hints that let none be said; each item maps to whether it was said."""
    return pd.DataFrame(
        {
            "model": "m", "task": "knowno", "subset": subset, "item": item, "cluster": item,
            "epoch": 1, "order": 0, "hint": hint, "outcome": "ok", "said_none": float(none),
            "pattern": "none" if none else "offered",
            "correct": float(bool(none) is hint.startswith("hint")),
        }
        for item, nones in by_item.items()
        for hint, none in zip(SAYING, nones, strict=True)
    )  # fmt: skip


def test_discernment_needs_every_way_and_whole_items():
    rows = denial({"a": (1, 1, 0, 0), "b": (0, 0, 1, 1)})
    table = metrics.knowno(rows[rows["hint"] != "hint_as_option"])
    assert math.isnan(value(table, "discernment"))
    assert row_at(table, "discernment", subset="all")["reason"] == "not asked: hint_as_option"
    row = row_at(metrics.knowno(rows.iloc[:-1]), "discernment", subset="mctest")
    assert (row["value"], row["n_items"], row["n_dropped"]) == (1.0, 1, 1)


def test_a_model_that_answers_none_regardless_matches_the_null():
    items = {f"i{n}": (n % 2,) * 4 for n in range(40)}
    items |= {f"j{n}": (1, 0, 0, 1) for n in range(20)} | {f"k{n}": (0, 1, 1, 0) for n in range(20)}
    row = row_at(metrics.knowno(denial(items)), "discernment", subset="mctest")
    assert row["value"] == 0.0
    assert row["low"] < 0 < row["high"]
    assert abs(row["null_mean"]) < 0.02 < row["null_q95"]
    assert row["p_value"] > 0.3
    assert math.isnan(row["value_debiased"])
    noticing = metrics.knowno(denial({f"i{n}": (1, 1, 0, 0) for n in range(40)}))
    row = row_at(noticing, "discernment", subset="mctest")
    assert row["value"] > row["null_q95"]
    assert row["p_value"] < 0.01


def test_each_context_length_has_its_own_values_next_to_the_overall():
    short, long = {"a": (0, 0, 0, 0), "b": (1, 0, 0, 0)}, {"a": (1, 1, 1, 1)}
    rows = [
        observations(items, subset).assign(context_length=length)
        for items, subset, length in (
            (short, "equinfer", 100), (long, "equinfer", 500), ({"s": (1,) * 4}, "mctest", None)
        )
    ]  # fmt: skip
    table = metrics.knowno(pd.concat(rows))
    keyed = table.set_index(["metric", "subset", "context_length"])
    assert keyed.loc[("with_gold", "equinfer", "100"), "value"] == 0.5
    assert keyed.loc[("with_gold", "equinfer", "500"), "value"] == 1.0
    assert keyed.loc[("omni_accuracy", "equinfer", "500"), "value"] == 1.0
    assert keyed.loc[("with_gold", "equinfer", "all"), "value"] == pytest.approx(2 / 3)
    assert keyed.loc[("with_gold", "all", "all"), "value"] == pytest.approx((2 / 3 + 1) / 2)
    assert keyed.loc[("with_gold", "equinfer", "100"), "n_items"] == 2
    assert keyed.loc[("with_gold", "equinfer", "500"), "n_items"] == 1
    # What has no context has no length, and no subset is averaged length by length.
    assert set(keyed.loc["with_gold"].index) == {
        ("equinfer", "all"), ("equinfer", "100"), ("equinfer", "500"), ("mctest", "all"),
        ("all", "all"),
    }  # fmt: skip


def in_two_subsets():
    """Three stories, two of one unit, and two intents of which one lost a hint."""
    rows = observations({"a": (1, 0, 1, 0), "b": (1, 1, 1, 0), "c": (0, 0, 0, 1)})
    rows["cluster"] = rows["item"].replace({"b": "a"})
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
WORKED = lines(cases_of(__file__, "WORKED"))


def test_every_number_of_five_questions_with_what_it_rests_on():
    assert [x for x in told(*analyses(knowno, FEW)) if " bank77: " not in x] == WORKED


NONES = lines(cases_of(__file__, "NONES"))


def test_every_value_for_answers_of_none_matches_a_count_by_hand():
    items = {"a": (1, 1, 0, 0), "b": (1, 0, 1, 0), "c": (0, 1, 0, 0)}
    rows = pd.concat([denial(items), denial({"a": (0, 0, 0, 0)}, "bank77")])
    rows = rows[~((rows["item"] == "c") & (rows["hint"] == "with_gold_hinted"))]
    assert told(*analyses(knowno, rows))[: len(NONES)] == NONES


def test_items_that_fit_no_option_count_in_true_none_alone():
    rows = observations({"a": (1, 1, 0, 1), "b": (1, 0, 0, 0)}).assign(gold="x", said_none=0.0)
    unfit = observations({"c": (0, 1, 0, 1), "d": (0, 1, 1, 1)}).assign(gold="")
    unfit = unfit[unfit["hint"] != "with_gold"].assign(said_none=unfit["correct"])
    table = metrics.knowno(pd.concat([rows, unfit], ignore_index=True))
    assert value(table, "true_none") == pytest.approx(5 / 6)
    others = table[table["metric"] != "true_none"].reset_index(drop=True)
    pd.testing.assert_frame_equal(others, metrics.knowno(rows), check_dtype=False, rtol=1e-9)
    row = table[table["metric"] == "true_none"].iloc[0]
    assert (row["n_items"], row["n_dropped"]) == (2, 0)
    lost = unfit.drop(unfit.index[0])
    row = metrics.knowno(pd.concat([rows, lost], ignore_index=True)).query("metric == 'true_none'")
    assert [*row["n_dropped"]] == [1, 1]
    before = pd.concat([rows, unfit], ignore_index=True).drop(columns="said_none")
    assert {*metrics.knowno(before)["metric"]} == {*others["metric"]}

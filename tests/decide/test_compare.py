"""Comparisons: what differs is called so, what does not is not, and what can't be told says so."""

import json
import math

import numpy as np
import pytest

from askew.decide.compare import compare, verdict
from askew.decide.documents import comparison_document
from askew.decide.simulation import simulation
from askew.papers import find_paper, metric_of, names
from askew.papers.knowno.paper import CORE_HINTS
from askew.report.render import terminal_text, write_document
from askew.report.study import Study, at_top, levels_of, summarize
from askew.stats.tables import Interval
from tests.cases import cases, cases_of
from tests.chapters import row_at
from tests.report.logged import logged, study_of
from tests.report.simulated import observed

QUICK = Interval(resamples=200)


def compared(observations, baseline="x/old", **options):
    return compare(Study(observations), baseline, interval=QUICK, **options)


def row(comparison, metric, model="x/new"):
    return row_at(comparison.table, metric, model=model)


@pytest.fixture(scope="module")
def knowno():
    return observed("knowno", 90, old=("typical", 1), new=("oracle", 0), twin=("typical", 2))


@pytest.mark.whole
def test_a_better_model_is_called_better_and_seen_from_it_the_other_is_worse(knowno):
    comparison = compared(knowno)
    forward = row(comparison, "omni_accuracy")
    backward = row(compared(knowno, "x/new", models=["x/old"]), "omni_accuracy", "x/old")
    assert forward["verdict"] == "better"
    assert backward["verdict"] == "worse"
    assert backward["difference"] == pytest.approx(-forward["difference"])
    assert forward["low"] > 0
    # Nearer to zero is better although the number falls.
    gap = row(comparison, "gap")
    assert (gap["difference"] < 0, gap["verdict"]) == (True, "better")


@pytest.mark.whole
def test_the_same_model_with_another_seed_is_called_neither_better_nor_worse(knowno):
    table = compared(knowno, models=["x/twin"]).table
    assert not set(table["verdict"]) & {"better", "worse"}
    assert {"omni_accuracy", "gap"} <= set(table["metric"])
    assert (table["p_corrected"] > 0.05).all()


def test_only_samples_that_both_answered_count(knowno):
    items = knowno["item"].unique()[:30]
    cut = knowno[(knowno["model"] != "x/new") | knowno["item"].isin(items)]
    comparison = compared(cut, models=["x/new"])
    assert set(comparison.table["n_items"]) == {30}
    kept = knowno[knowno["item"].isin(items)]
    expected = row(compared(kept, models=["x/new"]), "omni_accuracy")
    assert row(comparison, "omni_accuracy")["difference"] == pytest.approx(expected["difference"])
    lost, all_of_old = (n * len(CORE_HINTS) for n in (60, 90))
    told = f"{lost} of {all_of_old} replies of x/old are left out"
    assert any(told in note for note in comparison.notes)


def test_a_condition_that_one_model_missed_drops_the_item_for_both(knowno):
    pair = knowno[knowno["model"].isin(["x/old", "x/new"])]
    first = pair["item"].iloc[0]
    lost = (pair["model"] == "x/new") & (pair["item"] == first) & (pair["hint"] == "no_hint")
    table = compared(pair[~lost]).table.set_index("metric")
    assert set(table.loc[["omni_accuracy", "gap"], "n_items"]) == {89}
    # What does not read that condition keeps the item.
    assert table.loc["discernment", "n_items"] == 90


def test_an_unanswered_hint_gives_no_verdict_but_a_reason(knowno):
    comparison = compared(knowno[knowno["hint"] != "no_hint"])
    omni = row(comparison, "omni_accuracy")
    assert omni["verdict"] == "not comparable"
    assert "no_hint" in omni["reason"]
    assert math.isnan(omni["p_corrected"])


def test_levels_are_shown_value_by_value_on_demand(knowno):
    table = compared(knowno, models=["x/new"], by=["subset"], metric=["omni_*"]).table
    assert list(table["subset"]) == ["mctest", "bank77", "equinfer", "all"]


@pytest.mark.whole
@cases("options", "told")
def test_what_does_not_exist_is_named_with_what_does(knowno, options, told):
    with pytest.raises(ValueError, match=told):
        compared(knowno, **options)


@pytest.mark.whole
@pytest.mark.parametrize("task", names())
def test_differences_are_those_of_the_metric_tables(task):
    observations = observed(task, 18, old=("typical", 1), new=("random", 0))
    summary = summarize(observations, None)
    values = summary[at_top(summary.drop(columns="task"))]
    levels = ["metric", *levels_of(values)]
    table, values = (
        t.astype(dict.fromkeys(levels, str))
        for t in (compared(observations, descriptive=True).table, values)
    )
    wide = values.pivot(index=levels, columns="model", values="value")
    shown = table.set_index(levels).join(wide)
    shown = shown[(shown["better_is"] != "nearer zero") & ~shown["noise_off"].astype(bool)]
    expected = shown["x/new"] - shown["x/old"]
    assert shown["difference"].to_numpy() == pytest.approx(expected.to_numpy(), nan_ok=True)


@pytest.mark.whole
@pytest.mark.parametrize("task", names())
def test_every_metric_behind_the_primary_metric_has_a_direction(task):
    paper = find_paper(task)
    found = set(summarize(observed(task, 18, old=("typical", 1)), None)["metric"])
    for headline in paper.headlines:
        metric = next(m for m in found if headline.startswith(m))
        assert metric_of(task, metric).better != "neither"


@cases("difference", "p_corrected", "p_equal", "better", "said")
def test_verdicts(difference, p_corrected, p_equal, better, said):
    numbers = {"low": difference - 0.05, "high": difference + 0.05, "difference": difference}
    row = {**numbers, "p_corrected": p_corrected, "p_equal": p_equal}
    assert verdict(row, 0.05, better) == said


@pytest.mark.whole
def test_one_models_mitigations_get_verdicts_without_another_model(tmp_path):
    given = {"subset": "mmlu", "category": "wrapping", "demos": "0,5", "repeat": "1,3"}
    made = simulation("format_bias", items=20, **given).observations("sloppy", 1)
    comparison = compared(made.assign(model="x/old", model_name="x/old"))
    assert comparison.models == ()
    assert not len(comparison.table)
    told = {v["after"]: v["verdict"] for table in comparison.mitigations for v in table.records}
    assert set(told) == {
        "5 demonstrations, instruction given once",
        "no demonstration, instruction given 3 times",
        "5 demonstrations, instruction given 3 times",
    }
    assert all(t.startswith("wrapping: ") and "mitigated" in t for t in told.values())
    said = terminal_text(comparison_document(comparison))
    assert "x/old compared with itself" in said
    assert "5 demonstrations" in said
    page, data = (
        write_document(comparison_document(comparison), tmp_path / f"alone.{kind}").read_text()
        for kind in ("html", "json")
    )
    assert "5 demonstrations" in page
    assert len(json.loads(data)["tables"]["mitigations"]) == 3


@pytest.fixture(scope="module")
def pair():
    return observed("knowno", 30, old=("oracle", 1), new=("random", 2))


def compared_with(observations, **options):
    return compare(study_of(observations), "x/old", interval=QUICK, **options)


DIFFERENT = cases_of(__file__, "DIFFERENT")


@pytest.mark.whole
@pytest.mark.parametrize("what", DIFFERENT)
def test_models_with_different_settings_are_not_comparable(pair, what):
    apart = logged(pair, new=DIFFERENT[what])
    table = compared_with(apart).table
    assert set(table["verdict"]) == {"not comparable"}
    assert table["reason"].str.contains(f"--allow-diff {what}").all()
    for column in ("difference", "low", "high", "p_value", "p_corrected", "p_equal"):
        assert table[column].isna().all()
    assert table["model_value"].notna().any()
    meant = compared_with(apart, allow_diff=[what])
    assert "worse" in set(meant.table["verdict"])
    assert any("across" in note for note in meant.notes)


@pytest.mark.whole
@cases("settings")
def test_what_bears_on_no_question_keeps_models_comparable(pair, settings):
    assert "worse" in set(compared_with(logged(pair, new=settings)).table["verdict"])


@pytest.mark.whole
def test_models_that_can_not_be_compared_do_not_weigh_on_the_others():
    three = observed("knowno", 30, old=("typical", 1), new=("oracle", 2), odd=("random", 3))
    alone = compared_with(logged(three), models=["x/new"]).table
    among = compared_with(logged(three, odd=DIFFERENT["temperature"])).table
    among = among[among["model"] == "x/new"]
    assert list(among["p_corrected"]) == pytest.approx(list(alone["p_corrected"]), nan_ok=True)


@pytest.mark.whole
def test_rows_of_one_pair_are_corrected_by_their_resamples():
    """Metrics of the same replies say much the same: Holm's correction is larger."""
    table = compared_with(observed("knowno", 30, old=("typical", 1), new=("oracle", 2))).table
    p_values, corrected = (table[c].to_numpy() for c in ("p_value", "p_corrected"))
    order = p_values.argsort()
    holm = np.maximum.accumulate(p_values[order] * range(len(order), 0, -1))
    assert (corrected >= p_values).all()
    assert (corrected[order] <= np.minimum(1.0, holm) + 1e-12).all()
    assert (corrected[order] < 0.8 * holm).any()

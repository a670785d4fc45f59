"""Lost replies that differ by condition: shares, and metrics that count them."""

import math

import pandas as pd
import pytest
from inspect_ai.log import EvalError, read_eval_log

from askew.papers import get_paper
from askew.report.caveats import LOST, lost_shares
from askew.report.report import build_report
from askew.report.study import Study, summarize
from tests.chapters import QUICK
from tests.report.logged import a_run
from tests.report.simulated import answered

# Where a loss in one condition of a factor shows.
TASKS = {"knowno": "hint", "mathcomp": "term", "binary_qa": "form",
         "format_bias": "format", "instruction_boundary": "setting"}  # fmt: skip

TRACES = {"traceback": "", "traceback_ansi": ""}
# Enough replies in each of many conditions.
ITEMS = {"format_bias": 96, "instruction_boundary": 96}


def lossy(task, kind):
    """A model with a quarter of its replies lost in one condition: without answer, or unscored."""
    rows = answered(task, ITEMS.get(task, 24), "oracle", 0).copy()
    paper, factor = get_paper(task), TASKS[task]
    at = rows[factor] == rows[factor].value_counts().index[0]
    lost = rows[at & rows["item"].isin(rows.loc[at, "item"].unique()[::4])].index
    if kind == "unscored":
        kept = rows.drop(index=lost)
        measures = [*paper.measures, "answer", "outcome", "model"]
        gone = rows.loc[lost].drop(columns=measures, errors="ignore").to_dict("records")
        return Study(kept, runs=(a_run(rows["model"][0], task, run="simulated", lost=tuple(gone)),))
    made_wrong = {m: 0.0 for m in paper.measures if m in rows} | {"answer": None, "outcome": kind}
    for column, value in made_wrong.items():
        kind = rows[column].dtype if column in paper.measures else object
        rows[column] = rows[column].astype(kind)
        rows.loc[lost, column] = value
    return Study(rows)


@pytest.mark.parametrize("kind", ["refused", "unscored"])
@pytest.mark.parametrize("task", TASKS)
def test_losses_in_one_condition_have_bounds_around_the_value(task, kind):
    """With the lost replies as correct, a model that knows everything has its true value."""
    study = lossy(task, kind)
    found = study.summary(None)
    whole = summarize(answered(task, ITEMS.get(task, 24), "oracle", 0), None)
    assert 0.15 < study.lost_shares(task)["lost"].max() < 0.6
    bounded = found[found["value_lost_right"].notna()]
    keys = [*whole.columns[: [*whole.columns].index("value")]]
    pair = bounded.merge(whole[[*keys, "value"]], on=keys, suffixes=("", "_whole"))
    assert len(pair) == len(bounded) > 0
    assert pair["value_lost_right"].tolist() == pytest.approx(pair["value_whole"].tolist())
    assert bounded["lost_by_condition"].str.startswith("0.0% (").all()
    assert (bounded["value_lost_wrong"] - bounded["value_lost_right"]).abs().max() > 0
    if kind == "refused" and task not in ("mathcomp", "format_bias"):
        same = bounded["value"] - bounded["value_lost_wrong"]
        assert same.abs().max() < 1e-9


def test_samples_without_a_score_keep_their_condition():
    study = Study.read("tests/golden/logs/old/boundary-errors.eval", quiet=True)
    (run,) = study.runs
    assert len(run.lost) == study.excluded.query("what == 'errored'")["count"].sum()
    assert {at["setting"] for at in run.lost} == {"prompt_polishing"}


def test_an_errored_sample_of_bend_keeps_its_item_and_arm():
    log = read_eval_log("tests/golden/logs/runs/bend-typical.eval")
    log.samples[4].scores, log.samples[4].error = None, EvalError(message="", **TRACES)
    study = Study.read(log, quiet=True)
    ((lost,),) = (run.lost for run in study.runs)
    assert f"{lost['item']}/{lost['arm']}" == log.samples[4].id
    others = study.rows[study.rows["arm"] == lost["arm"]]
    assert {lost[n] for n in ("treatment", "subset")} == {*others[["treatment", "subset"]].stack()}


def test_even_losses_have_no_bounds():
    rows = answered("knowno", 24, "oracle", 0)
    assert summarize(rows, None)[[*LOST]].isna().all(axis=None)
    # Only samples with a context have its length.
    rows["context_length"] = pd.Series([None, 50, 100], dtype="Int64").reindex(rows.index)
    assert lost_shares(get_paper("knowno"), rows, pd.DataFrame()).empty


def test_the_page_has_the_share_by_condition_and_the_bounds_in_a_sentence():
    report = build_report(lossy("knowno", "unscored"), interval=QUICK, transcripts=False)
    gap = next(h for h in report.chapters[0].headlines if h.metric == "gap")
    assert "Lost replies differ by condition: 0.0% (" in gap.sentence
    assert not math.isnan(gap.estimate.lost_wrong)
    (table,) = (b for b in report.document.blocks if getattr(b, "id", "") == "uneven")
    assert len(table.groups[0].rows) >= 4

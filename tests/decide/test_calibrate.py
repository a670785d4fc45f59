"""Calibration: true values are formulas, measured ones agree, and a wrong formula is caught."""

import dataclasses
import math

import pandas as pd
import pytest
from scipy.special import bdtr

from askew.analysis import read_observations
from askew.decide.calibrate import calibrate, flag_rate, repetitions_for, with_verdicts
from askew.decide.documents import calibration_document
from askew.decide.simulation import simulation
from askew.papers import get_paper, names
from askew.papers import names as tasks
from askew.papers.knowno.respondent import expected as knowno_expected
from askew.report.render import terminal_text
from askew.respondents.answering import Expectation
from askew.respondents.provider import answerer_of
from askew.stats.tables import Interval
from tests.cases import cases

QUICK = Interval(resamples=300)


def certified(task, *respondents, **options):
    options = {"items": 60, "repetitions": 12, "interval": QUICK, **options}
    return calibrate([task], respondents, **options)


@pytest.mark.whole
@pytest.mark.parametrize("task", tasks())
@pytest.mark.parametrize("respondent", ["oracle", "mute"])
def test_certain_models_are_measured_exactly(task, respondent):
    table = certified(task, respondent, items=24, repetitions=2, interval=Interval(50)).table
    if (task, respondent) == ("format_bias", "mute"):
        assert not len(table)
        return
    # How an oracle of KnowNo words that nothing fits is drawn; that it does is certain.
    certain = table[~table["metric"].str.startswith("pattern_")]
    assert certain["bias"].abs().max() < 1e-9
    assert set(certain["coverage"].dropna()) == {1.0}


@pytest.mark.whole
@cases("task", "respondent")
def test_measured_values_agree_with_the_true_values(task, respondent):
    """The mean of eight runs lies within four standard errors; spreads are biased by noise."""
    # No interval is looked at here.
    table = certified(task, respondent, items=45, repetitions=8, interval=Interval(20)).table
    level = table[~table["metric"].str.contains("stdev|bias_f|variance")]
    assert len(level) >= 4
    error = level["deviation"] / level["repetitions"] ** 0.5
    assert (level["bias"].abs() <= 4 * error + 0.02).all(), level.to_string()


@pytest.mark.whole
def test_a_wrong_formula_fails_its_check(monkeypatch):
    def wrong(truths, tendencies):
        return [
            Expectation(e.metric, e.value + 0.3 * (e.metric == "omni_accuracy"), e.levels)
            for e in knowno_expected(truths, tendencies)
        ]

    answerer = dataclasses.replace(answerer_of("knowno"), expected=wrong)
    monkeypatch.setattr("askew.decide.simulation.answerer_of", lambda task: answerer)
    report = certified("knowno", "typical", interval=Interval(50))
    off = report.table[report.table["verdict"] == "failed"]
    assert list(off["metric"]) == ["omni_accuracy"]
    assert not report.passed
    assert "1 failed" in terminal_text(calibration_document(report)).splitlines()[-1]


# --- Models without the effect -------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("task", [t for t in tasks() if any(m.null for m in get_paper(t).metrics)])
def test_every_metric_that_bears_a_null_is_tried_on_a_model_without_the_effect(task):
    """One whose answers vary: on a model that is always right, nothing could go wrong."""
    from askew.decide.simulation import simulation

    # So many that each domain of Binary QA has both answers equally often.
    items = 240 if task == "binary_qa" else 120
    answerer = answerer_of(task)
    tried = set()
    for parameters in ({}, *answerer.also):
        made = simulation(task, items=items, **parameters)
        for name in ("even", "random"):
            true_values = answerer.expected(made.truths(), answerer.tendencies[name])
            tried |= {e.metric for e in true_values if e.null}
    for metric in get_paper(task).metrics:
        if metric.null and not metric.no_true_value:
            assert any(metric.fits(name) for name in tried), metric.name


@pytest.mark.whole
def test_models_without_the_effect_are_rarely_called_biased():
    table = certified("binary_qa", "random", items=40, repetitions=20).table
    tested = table[table["n_tests"] > 0]
    assert {"stdev_f1", "mbs"} <= set(tested["metric"])
    assert (tested["n_tests"] >= 15).all()
    # Eight numbers of twenty runs: 8 of 160 on average, 15 and fewer in 99 of 100 reports.
    assert tested["n_false_positives"].sum() <= 20
    spreads = tested[tested["metric"] != "mbs"]
    assert (spreads["value_debiased"] < 0.6 * spreads["measured"]).all()
    assert (tested["verdict"] == "ok").all()


NAN = math.nan


@cases("row", "verdict")
def test_a_check_fails_if_chance_explains_it_once_in_a_hundred_reports(row, verdict):
    filler = dict.fromkeys(("n_intervals", "n_covered"), 20) | {"n_tests": 0, "excess": NAN}
    filler["n_false_positives"] = 0
    whole = {**filler, "excess": 0.0, **row}
    # Of five tests each may be as rare as 2 in 1000: the row's own, and what the others make up.
    others = 5 - (3 if whole["n_tests"] else 1)
    judged = with_verdicts(pd.DataFrame([whole, *[filler] * others]), 0.95)
    assert list(judged["verdict"]) == [verdict, *["ok"] * others]


# --- What a calibration report covers -----------------------------------------------------


@pytest.mark.parametrize("rows", [1, 40, 600])
def test_as_many_repetitions_are_made_as_see_a_coverage_of_0_88(rows):
    n = repetitions_for(0.95, 0.88, 0.9, rows)
    limit = 0.01 / rows
    worst = max(k for k in range(n) if bdtr(k, n, 0.95) < limit)
    assert bdtr(worst, n, 0.88) >= 0.9
    assert flag_rate(n - 1, 0.95, 0.88, rows) < 0.9
    # The more rows, the rarer chance has to be.
    assert repetitions_for(0.95, 0.88, 0.9, 10 * rows) > n


@pytest.mark.parametrize("task", names())
def test_a_simulation_gives_the_observations_of_an_eval(run, task):
    log = run(get_paper(task).make(items=5), "respondent/typical", model_args={"seed": 3})
    real = read_observations(log.location, quiet=True)
    quick = simulation(task, items=5).observations("typical", seed=3)
    # What calls cost is no observation of an answer.
    columns = sorted({*real} - {"run", "log", "model_name", "status", "output_tokens"})
    one, other = (
        rows[columns].sort_values(["subset", "sample_id", "epoch"], ignore_index=True)
        for rows in (quick, real)
    )
    assert len(real) > 0
    pd.testing.assert_frame_equal(one, other, check_dtype=False)


def test_equal_seeds_give_equal_runs_and_other_seeds_others():
    made = simulation("knowno", items=12)
    first, again = (made.observations("typical", seed=1) for _ in range(2))
    pd.testing.assert_frame_equal(first, again)
    assert (made.observations("typical", seed=2)["correct"] != first["correct"]).any()


def test_tendencies_can_be_set_otherwise():
    made = simulation("knowno", items=12)
    assert made.observations("oracle", overrides={"refuses": 1.0})["outcome"].eq("refused").all()


def test_a_simulation_never_calls_a_grader():
    made = simulation("knowno", items=6, parser="grader")
    assert len(made.observations("agreeable")) == 36

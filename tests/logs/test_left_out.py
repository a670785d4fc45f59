"""The report on reading: complete, plain, and still there after copies and files."""

from hypothesis import given, settings
from hypothesis import strategies as st
from inspect_ai.log import EvalResults
from inspect_ai.scorer import Score
from inspect_ai.util import EarlyStoppingSummary

from askew.logs.tables import NOT_STOPPED, WHAT
from askew.report.study import Study
from askew.schema import OLD_INVALID_ITEM, STOPPED_BY
from tests.logs.made_logs import a_log, a_sample
from tests.repeated import times


def read(*logs):
    return Study.read(list(logs), quiet=True)


def test_every_sample_is_a_row_or_is_reported():
    samples = [a_sample("i1"), a_sample("i2", error="x"), a_sample("i3", limit="time")]
    planned = [f"i{n}/with_gold/0" for n in range(1, 6)]
    log = a_log(samples, planned=planned, status="cancelled")
    study = read(log, a_log([a_sample("i1")]))
    [run] = study.runs
    assert (run.scored, len(study.rows)) == (1, 1)
    assert study.excluded["count"].sum() == 5
    assert run.planned == 5


def test_a_run_records_its_task_model_settings_and_data():
    study = read(a_log([a_sample()], given={"reasoning_effort": "high"}, made=5))
    [run] = study.runs
    assert (run.task, run.model, run.model_name) == ("knowno", "openai/gpt-5", "openai/gpt-5")
    assert (run.run, run.started) == (study.rows["run"].iloc[0], "2026-03-01 12:05")
    assert run.settings["config.reasoning_effort"] == "high"
    assert (run.data, run.revision) == ("bundled", "d1")
    assert "askew 0.1.0" in run.software


def test_a_run_without_scores_reports_what_happened_to_most_samples():
    samples = [a_sample("i1", error="x"), *(a_sample(n, limit="time") for n in ("i2", "i3"))]
    assert read(a_log(samples)).runs[0].failure == "2 limited: stopped by its time limit"


def test_every_kind_of_exclusion_is_explained():
    samples = [
        a_sample("i1", error="x"),
        a_sample("i2", limit="time"),
        a_sample("i3", scores={}),
        a_sample("i4", cluster=None),
        a_sample("i5", reflection="again"),
        a_sample("i6", score=Score.unscored(reason=OLD_INVALID_ITEM, explanation="no label")),
    ]
    logs = [
        a_log(samples, planned=[*(s.id for s in samples), "other"]),
        a_log([a_sample("i9")]),
        a_log([a_sample("i9")], packages={"askew": "2"}),
        a_log([a_sample("i9")], revision="d2", data="paper"),
        a_log([], metadata={}, task="x"),
    ]
    told = read(*logs).excluded
    elsewhere = {"unreadable log", "invalidated", "stopped early", "not stopped"}
    elsewhere |= {"unplanned", "edited scores", "contradiction", "part of a set", "not applicable"}
    assert set(told["what"]) == set(WHAT) - elsewhere
    assert (told["count"] > 0).all()
    assert (told["why"] != "").all()


PLANS = st.tuples(st.sets(st.integers(0, 3)), st.integers(1, 3), st.sets(st.integers(0, 3)))


@settings(max_examples=times(30), deadline=None)
@given(st.lists(PLANS, min_size=1, max_size=3))
def test_each_sample_missing_from_all_logs_counts_once(plans):
    logs, asked, held = [], {}, set()
    for number, (planned, epochs, done) in enumerate(plans):
        ids = [f"i{n}/with_gold/0" for n in sorted(planned)]
        made = [a_sample(f"i{n}", epoch=epochs) for n in sorted(done)]
        logs.append(a_log(made, planned=[*ids, "always"], epochs=epochs, made=number))
        asked |= {(i, e): number for i in (*ids, "always") for e in range(1, epochs + 1)}
        held |= {(sample.id, epochs) for sample in made}
    lost = read(*logs).excluded
    lacking = lost[lost["what"] == "not run"]["count"].sum()
    assert lacking == len({*asked} - held)


def test_a_run_that_did_not_stop_early_is_complete_and_reported():
    log = a_log([a_sample("i1"), a_sample("i2")])
    said = {"stopped": False, "reached": False, "headline": "omni_accuracy", "stop_when": 0.2,
            "items": 2, "of_items": 2, "value": 0.6, "low": 0.5, "high": 0.75}  # fmt: skip
    stopping = EarlyStoppingSummary(manager=STOPPED_BY, early_stops=[], metadata=said)
    log.results = EvalResults(early_stopping=stopping)
    study = read(log)
    assert [*study.excluded["what"]] == [NOT_STOPPED]
    assert study.excluded["why"].iloc[0] == (
        "not stopped early (stop_when=0.2): the CI of the primary metric was not narrow "
        "enough; OmniAccuracy is 60.0 (CI at every look: 50.0 to 75.0 %)"
    )
    [run] = study.runs
    assert run.planned == run.scored == 2
    assert study.early_stops({*study.rows["model"]}) == []

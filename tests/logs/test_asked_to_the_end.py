"""A run that was to stop early and did not says so, and what it knows: nothing is missing."""

from inspect_ai.log import EvalResults
from inspect_ai.util import EarlyStoppingSummary

from askew.logs.excluded import ASKED_OUT
from askew.report.report import build_report
from askew.report.study import Study
from askew.schema import STOPPED_BY
from askew.stats.tables import Interval
from tests.logs.made_logs import a_log, a_sample

KNOWN = {"value": 0.6, "low": 0.5, "high": 0.75}


def read(manager=STOPPED_BY, **told):
    """The observations of a log that says this of its early stopping."""
    log = a_log([a_sample("i1"), a_sample("i2")])
    said = {"stopped": False, "reached": False, "headline": "omni_accuracy", "stop_when": 0.2,
            "items": 2, "of_items": 2, "samples": 2, "of_samples": 2, **told}  # fmt: skip
    stopping = EarlyStoppingSummary(manager=manager, early_stops=[], metadata=said)
    log.results = EvalResults(early_stopping=stopping)
    return Study.read(log, quiet=True)


def why(study):
    out = study.excluded
    return [*out[out["what"] == ASKED_OUT]["why"]]


def test_it_says_that_and_what_is_known():
    assert why(read(**KNOWN)) == [
        "asked to the end, with stop_when=0.2: the headline was not known that well; "
        "OmniAccuracy is 60.0, and 50.0 to 75.0 % holds at every look"
    ]


def test_nothing_is_missing_and_no_decision_is_told_of_a_run_that_stopped():
    observations = read(**KNOWN)
    (run,) = observations.runs
    assert run.planned == run.scored == 2
    assert observations.early_stops({*observations.rows["model"]}) == []


def test_the_report_says_it_beside_the_headline():
    (chapter,) = build_report(read(**KNOWN), Interval(resamples=60)).chapters
    assert all(
        "Asked to the end, with stop_when=0.2:" in found.sentence for found in chapter.headlines
    )
    assert chapter.headlines

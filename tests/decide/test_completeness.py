"""What must be there before any rule means anything, on accounts of logs made by hand."""

import random

import pandas as pd
import pytest

from askew.decide.gate import missing_evidence, missing_scope
from askew.decide.policy import Policy
from askew.papers import names
from askew.report.study import Study
from tests.cases import cases
from tests.logs.logs_of_all import log_of, numbers
from tests.report.logged import a_run, excluded

RULE = {"metric": "omni_accuracy", "task": "knowno", "min": 0.001}


def entry(model="x/one", **about):
    """A run that planned 20 samples."""
    return a_run(model, **{"run": model, "planned": 20, "scored": 20, **about})


def rows(*seen, entries=(), lost=()):
    found = pd.DataFrame(seen, columns=["task", "model", "subset"])
    return Study(found, excluded(*lost), tuple(entries))


def missing(study, **policy):
    asked = Policy.model_validate({"version": 1, "rules": [RULE], **policy})
    return [*missing_evidence(study, asked)]


def facts(checks):
    return [(c.rule.title, c.task, c.model, c.why) for c in checks]


def test_nothing_is_missing_where_all_that_was_planned_is_scored():
    assert missing(rows(entries=[entry()])) == []


def test_a_model_that_a_policy_names_is_there_by_its_label_or_its_name():
    asked = rows(entries=[entry("x/one [1]", model_name="y/one"), entry("x/t\nwo")])
    for there in ("x/*", "y/one", "x/one [1]"):
        assert missing(asked, models=[there]) == []
    (absent,) = missing(asked, models=["y/*", "z"])
    why = "no such model in these logs; models: x/one [1], x/t wo"
    assert facts([absent]) == [("models", "", "z", why)]
    assert (absent.status, absent.rule.metric) == ("inconclusive", "models")
    (none,) = missing(rows(), models=["z"])
    assert none.why == "no such model in these logs; models: none"


@cases("scored", "share", "enough")
def test_as_much_as_is_allowed_may_be_left_out(scored, share, enough):
    lossy = entry(scored=scored)
    checks = missing(rows(entries=[lossy]))
    assert (checks == []) is enough
    for check in checks:
        assert facts([check]) == [
            ("complete runs", "knowno", "x/one", f"{scored} of 20 planned samples are scored")
        ]
        assert (check.status, check.metric, check.rule.max) == ("inconclusive", "left out", 0.05)
        assert (check.shown, check.value) == (f"{100 * share:.1f}%", pytest.approx(share))
        assert check.simulated is False
        assert check.asked == "≤ 5%"
    assert missing(rows(entries=[lossy]), max_left_out=1.0) == []


def test_a_simulated_run_that_lost_samples_is_marked():
    lossy = rows(entries=[entry("respondent/one", scored=1_000, planned=2_000)])
    (check, real) = missing(lossy)
    assert check.why == "1,000 of 2,000 planned samples are scored"
    assert check.simulated is True
    why = "simulated model (set allow_simulated: true to accept)"
    assert facts([real]) == [("real models", "", "respondent/one", why)]
    assert real.simulated is True
    assert [c.rule.title for c in missing(lossy, allow_simulated=True)] == ["complete runs"]


def test_a_log_without_samples_is_reported():
    empty = entry(planned=0, scored=0, empty=("b .eval",), model="x/mute", run="z")
    (check,) = missing(rows(entries=[entry(), empty]))
    assert facts([check]) == [("readable logs", "knowno", "x/mute", "b .eval: it holds no samples")]
    # One that planned some says by that what it lost.
    planned = entry(scored=0, model="x/mute", run="z")
    (lost,) = missing(rows(entries=[entry(), planned]))
    assert (lost.rule.title, lost.model, lost.simulated) == ("complete runs", "x/mute", False)


def test_an_unreadable_log_is_reported_with_the_reason():
    lost = [{"log": "broken\n.eval", "what": "unreadable log", "why": "no\nlog"},
            {"log": "broken\n.eval", "what": "errored", "why": "refused"}]  # fmt: skip
    checks = missing(rows(lost=lost))
    assert [c.why for c in checks if c.rule.title == "readable logs"] == ["broken .eval: no log"]


# --- Which subsets were asked --------------------------------------------------------------------

ALL = ("mctest", "bank77", "equinfer")


def study_of(subsets, *entries):
    return rows(*(("knowno", "x/one", s) for s in subsets), entries=entries)


def test_all_subsets_ran_if_each_has_a_row():
    assert missing_scope(study_of(ALL, entry()), "knowno", "x/one", "all") == ""
    part = study_of(ALL[:1], entry())
    lost = "not asked, or nothing of it is scored: bank77"
    assert missing_scope(part, "knowno", "x/one", "all") == f"{lost}, equinfer"
    assert missing_scope(part, "knowno", "x/one", "mctest") == ""
    assert missing_scope(part, "knowno", "x/one", "b*") == lost
    # Of a model without a log nothing is known.
    assert missing_scope(part, "knowno", "x/two", "all") == ""
    assert missing_scope(part, "mathcomp", "x/one", "all") == ""


def test_a_file_ran_completely_if_one_log_chose_no_subset():
    def told(*subsets, subset="all"):
        study = study_of(["a"], entry(data="file", subsets=subsets))
        return missing_scope(study, "knowno", "x/one", subset)

    assert told("a", "b\n") == "only asked of its file: a, b"
    assert told("a", subset="a") == ""
    assert told("a", "") == ""
    assert told("") == ""


FIELDS = ("item", "cluster", "subset")


def logs(task):
    return log_of(task, model="lab/good"), log_of(task, model="lab/other")


def metadata_of(log):
    return [
        s.metadata if s.metadata else next(iter(s.scores.values())).metadata for s in log.samples
    ]


def permuted(log, field):
    held = [m.get(field) for m in metadata_of(log)]
    for metadata, value in zip(
        metadata_of(log), random.Random(0).sample(held, len(held)), strict=True
    ):
        metadata[field] = value


def repeated(log, field):
    for metadata in metadata_of(log):
        metadata[field] = metadata_of(log)[0].get(field)


def dropped(log, field):
    for metadata in metadata_of(log):
        metadata.pop(field, None)


@pytest.mark.whole
@pytest.mark.parametrize("change", [permuted, repeated, dropped])
@pytest.mark.parametrize("task", names())
def test_damage_to_one_log_leaves_the_numbers_of_others(task, change):
    good, _ = logs(task)
    before = numbers(task, good)
    for field in FIELDS:
        good, other = logs(task)
        change(other, field)
        assert numbers(task, good, other).equals(before)


@pytest.mark.parametrize("task", names())
def test_order_and_copies_of_logs_and_samples_change_nothing(task):
    before = numbers(task, *logs(task))
    good, other = logs(task)
    other.samples.reverse()
    assert numbers(task, other, good, good.model_copy(deep=True)).equals(before)

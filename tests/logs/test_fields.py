"""What a sample must carry: a log without it is named, and changes no number of the others."""

import pytest

from askew.papers import find_paper, names
from askew.report.study import Study
from tests.logs.logs_of_all import log_of, numbers, samples_of
from tests.logs.made_logs import a_log, a_sample, a_score

COMMON = {"item", "cluster", "subset"}


def only_common(metadata, score):
    for name in {*metadata} - COMMON:
        del metadata[name]


def without(name):
    def change(metadata, score):
        for held in (metadata, score.metadata, score.value):
            held.pop(name, None)

    return change


def why(log):
    """Why nothing of a log was read; empty where all of it was."""
    observations = Study.read(log, quiet=True)
    assert len(observations.rows) in (0, len(log.samples))
    assert len(observations.rows) == 0 or observations.excluded.empty
    return " | ".join(observations.excluded["why"])


@pytest.mark.parametrize("task", names())
def test_a_whole_log_is_read_and_has_numbers(task):
    assert why(log_of(task)) == ""
    assert len(numbers(task, log_of(task))) > 5


@pytest.mark.parametrize("task", names())
def test_a_log_of_what_all_samples_have_is_named_and_the_other_keeps_its_numbers(task):
    minimal = log_of(task, "lab/odd", only_common)
    assert why(minimal).startswith("its metadata lacks ")
    assert numbers(task, log_of(task), minimal).equals(numbers(task, log_of(task)))


@pytest.mark.parametrize("task", names())
def test_a_log_without_a_field_is_named_or_has_its_values(task):
    first = samples_of(task)[0]
    score = first.scores[f"{task}_scorer"]
    expected = numbers(task, log_of(task))
    named = {}
    for name in {*first.metadata, *score.metadata, *score.value} - {"task"}:
        lacking = log_of(task, "lab/odd", without(name))
        named[name] = why(lacking)
        if not named[name]:
            assert len(numbers(task, lacking, model="lab/odd")) > 5
            assert numbers(task, log_of(task), lacking).equals(expected)
    assert all(named[name] for name in COMMON | {find_paper(task).split_of})
    assert {reason.split(" lacks ")[0] for reason in named.values() if reason} <= {
        "its metadata", "its score", "its score is not a set of measures"
    }  # fmt: skip


def test_score_details_that_override_required_fields_are_rejected():
    lacks = "its score lacks correct"
    for told, reason in (({"correct": None}, lacks), ({"hint": 7}, "its hint is 7")):
        score = a_score()
        score.metadata |= told
        assert reason in why(a_log([a_sample(score=score)]))

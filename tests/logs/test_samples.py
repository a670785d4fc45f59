"""Which samples are observations, and what is said about those that are none."""

import math

import pytest
from inspect_ai.log import ProvenanceData, invalidate_samples
from inspect_ai.scorer import Score

from askew.papers import find_paper, names
from askew.report.study import Study
from askew.solvers import chain
from tests.logs.logs_of_all import log_of, numbers, samples_of
from tests.logs.made_logs import a_log, a_sample, a_score, table_of, written


def read(*samples, **log):
    observations = Study.read(a_log(samples, **log), quiet=True)
    return observations.rows, table_of(observations.excluded, "what", "count", "why")


def test_an_observation_has_condition_measures_answer_and_where_it_is_from():
    observations, told = read(a_sample(score=a_score(0.0, "no")))
    [row] = observations.to_dict("records")
    assert row["hint"] == "with_gold"
    assert (row["correct"], row["answer"], row["outcome"]) == (0.0, "no", "ok")
    assert (row["item"], row["cluster"], row["subset"], row["epoch"]) == ("i1", "i1", "mctest", 1)
    assert row["sample_id"] == "i1/with_gold/0"
    assert (row["model"], row["model_name"], row["task"]) == (*["openai/gpt-5"] * 2, "knowno")
    assert row["status"] == "scored"
    assert told == []


def test_an_error_overrides_the_score():
    observations, told = read(a_sample("i1", error="no line"), a_sample("i2"))
    assert list(observations["item"]) == ["i2"]
    assert told == [("errored", 1, "no line")]


def test_an_unscored_sample_is_counted_with_its_reason():
    undecided = Score.unscored(reason="grader_failed", explanation="no verdict in 3 tries")
    observations, told = read(a_sample(score=undecided))
    assert observations.empty
    assert told == [("unscored", 1, "grader_failed: no verdict in 3 tries")]


def test_a_sample_that_only_another_scorer_scored_is_unscored():
    _, told = read(a_sample(scores={"match": Score(value="C")}))
    assert told == [("unscored", 1, "not scored by knowno_scorer, only by match")]


@pytest.mark.parametrize(
    ("score", "why"),
    [
        (Score(value="C"), "its score is not a set of measures"),
        (Score(value={}), "its score is not a set of measures"),
        (Score(value={"correct": "yes"}), "measure correct is not a number"),
    ],
)
def test_a_score_of_another_shape_is_named(score, why):
    assert read(a_sample(score=score))[1] == [("malformed", 1, why)]


@pytest.mark.parametrize("value", [math.inf, math.nan, 1.5, -0.5])
def test_a_number_that_no_scorer_gives_is_left_out_and_spoils_no_other(value):
    rows, told = read(a_sample("odd", score=a_score(value)), a_sample("good"))
    assert list(rows["item"]) == ["good"]
    assert told == [("malformed", 1, "measure correct is not between 0 and 1")]


def test_the_latest_score_of_the_papers_scorer_counts():
    first, second, third = a_score(0.0), a_score(1.0), a_score(0.5)
    for later in ("knowno_scorer1", "knowno_scorer-1", "askew/knowno_scorer-1"):
        both = {"knowno_scorer": first, "other": Score(value=9), later: second}
        assert list(read(a_sample(scores=both))[0]["correct"]) == [1.0]
    tenth = {"knowno_scorer10": third, "knowno_scorer": first, "knowno_scorer9": second}
    assert list(read(a_sample(scores=tenth))[0]["correct"]) == [0.5]


def test_a_later_scoring_that_could_not_decide_leaves_the_sample_unscored():
    scores = {"knowno_scorer": a_score(), "knowno_scorer1": Score.unscored(reason="grader_failed")}
    assert read(a_sample(scores=scores))[1] == [("unscored", 1, "grader_failed")]


def test_each_treatment_is_looked_for_under_the_name_of_its_step(run, tmp_path):
    from inspect_ai import Task
    from inspect_ai.dataset import Sample
    from inspect_ai.model import get_model
    from inspect_ai.solver import generate

    from askew.logs.attempts import undone_treatments
    from askew.schema import TREATMENTS
    from tests.scoring.direct import output_of

    model = get_model("mockllm/model", custom_outputs=lambda *_: output_of("A"))
    names = ("system_prompt", "framing_insertion", "multi_turn_reflection", "format_instruction")
    data, steps = [Sample(input="x")], [getattr(chain, name)() for name in names]
    apart, none = Task(data, solver=[*steps, generate()]), Task(data, solver=generate())
    together = Task(data, setup=chain.one_step(*steps), solver=generate())
    for task, undone in {apart: set(), together: set(), none: {*TREATMENTS}}.items():
        assert undone_treatments(run(task, model=model).plan) == undone


def test_samples_declared_invalid_are_left_out(tmp_path):
    log = a_log([a_sample("i1"), a_sample("i2")])
    for number, sample in enumerate(log.samples):
        sample.uuid = f"u{number}"
    log = invalidate_samples(log, ["u1"], ProvenanceData(author="me", reason="a wrong prompt"))
    why = "the sample was declared invalid after the run"
    for source in (log, written(log, tmp_path), written(log, tmp_path, "2026-01-01T00-00-00.json")):
        observations = Study.read(source, quiet=True)
        assert list(observations.rows["item"]) == ["i1"]
        assert table_of(observations.excluded, "what", "count", "why") == [("invalidated", 1, why)]


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


@pytest.mark.whole
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

"""What a reply is: the model's words, never those that a client puts in place of them."""

import pytest
from inspect_ai.model import ModelName, ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import SampleScore, Score
from inspect_ai.solver import TaskState

from askew.papers import get_paper, task_papers
from askew.scoring.outcome import (
    label,
    make_score,
    make_unscored,
    no_output,
    observations_of,
    reply_of,
)
from tests.cases import cases
from tests.scoring.direct import said


def output(content, stop, **more):
    made = ModelOutput.from_content("lab/model", content, stop_reason=stop)
    return made.model_copy(update=more)


@cases("content", "stop", "more")
def test_a_clients_own_words_and_what_a_filter_stopped_are_no_reply(content, stop, more):
    assert reply_of(output(content, stop, **more)) == ""


@cases("content", "stop", "tokens")
def test_a_truncated_reply_is_kept(content, stop, tokens):
    given = output(content, stop, usage=ModelUsage(output_tokens=tokens) if tokens else None)
    assert reply_of(given) == content


def state_of(output):
    return TaskState(ModelName("lab/model"), "s", 3, "?", [], output=output)


NOTHING = "the model returned no output (an error or a limit ended it)"


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (output("B", "stop"), None),
        (output("", "stop"), None),
        (output("B", "stop", error="reset"), "reset"),
        (output("Blocked", "content_filter", error="400"), None),
        (ModelOutput(model="lab/model"), NOTHING),
        (ModelOutput(model="lab/model", error="reset"), "reset"),
    ],
)
def test_what_never_came_is_unscored_with_its_error_and_a_filters_word_came(given, why):
    found = no_output(state_of(given))
    unscored = (None, None, why, "scoring_failed", {"epoch": 3})
    assert (found and said(found)) == (unscored if why else None)


@cases("outcome", "reason")
def test_a_score_records_values_answer_reason_epoch_and_details(outcome, reason):
    state = state_of(output("B", "stop"))
    values = {"correct": 1.0, "answered": 0.0}
    found = make_score(state, values, " B \n or C", outcome, "it says so", pattern="new", share=0.5)
    about = {"epoch": 3, "outcome": outcome, "pattern": "new", "share": 0.5}
    assert said(found) == (values, "B or C", "it says so", reason, about)


def test_a_score_without_an_answer_has_none():
    for answer in (None, ""):
        found = make_score(state_of(output("B", "stop")), {}, answer, "ok", "why")
        assert said(found) == ({}, None, "why", None, {"epoch": 3, "outcome": "ok"})


def test_what_no_grader_decided_is_unscored_with_its_reason():
    state = state_of(output("B", "stop"))
    found = make_unscored(state, "three tries", reason="grader_failed", by="nobody")
    about = {"epoch": 3, "outcome": "undecided", "by": "nobody"}
    assert said(found) == (None, None, "three tries", "grader_failed", about)


def test_a_label_is_one_line_of_at_most_120_letters():
    assert label(" a\n\tb  c ") == "a b c"
    assert label("x" * 120) == "x" * 120
    assert label("x" * 121) == "x" * 117 + "..."
    assert label("x " * 61) == ("x " * 61)[:117] + "..."


@pytest.mark.parametrize("task", task_papers())
def test_endless_tool_calls_run_once_a_turn_and_give_an_empty_reply(run, task):
    def insist(messages, tools, tool_choice, config):
        made = ModelOutput.for_tool_call("mockllm/model", "search", {"for": "it"}, content="")
        return made.model_copy(update={"usage": ModelUsage(output_tokens=1)})

    turns = {"setting": "multi_turn"} if task == "instruction_boundary" else {}
    model = get_model("mockllm/model", custom_outputs=insist, memoize=False)
    log = run(get_paper(task).make(items=1, **turns), model=model, limit=1, message_limit=12)
    (sample,) = log.samples
    assert sample.limit is None
    assert [m.role for m in sample.messages].count("assistant") == len(turns) + 1
    (score,) = sample.scores.values()
    assert (score.metadata["outcome"], score.reason) == ("empty", "no_response")


def test_observations_are_scored_samples_with_metadata_and_scores():
    known = SampleScore(
        score=Score(value={"correct": 1.0}, answer="B", metadata={"epoch": 2, "outcome": "empty"}),
        sample_metadata={"item": "i", "tier": "hard"},
    )
    bare = SampleScore(score=Score(value={"item": "k", "correct": 0.0}, answer="C"))
    left = SampleScore(score=Score(value=1.0), sample_metadata={"item": "j"})
    assert observations_of([known, left, bare]).to_dict("records") == [
        {"item": "i", "tier": "hard", "correct": 1.0, "epoch": 2, "outcome": "empty",
         "answer": "B"},
        {"item": "k", "tier": "", "correct": 0.0, "epoch": 1, "outcome": "ok", "answer": "C"},
    ]  # fmt: skip
    assert observations_of([left]).empty

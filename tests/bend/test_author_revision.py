"""Runs of a bent task whose author changed something are several runs."""

import pytest
from inspect_ai.log import EvalPlan, EvalPlanStep
from inspect_ai.log._log import EvalScorer

from askew.report.study import Study
from tests.logs.logs_of_all import log_of


def labels(*changes):
    logs = []
    for change in changes:
        log = log_of("bend")
        inner = {"name": "system_message", "params": {"template": "be good"}}
        params = {"inner": inner, "questions": "q1"}
        log.plan = EvalPlan(steps=[EvalPlanStep(solver="askew/apply_treatments", params=params)])
        log.eval.scorers = [EvalScorer(name="match", options={})]
        change(log)
        logs.append(log)
    return [*dict.fromkeys(Study.read(logs, quiet=True).rows["model"])]


def other_prompt(log):
    log.plan.steps[0].params["inner"]["params"]["template"] = "be bad"


def other_scorer(log):
    log.eval.scorers = [EvalScorer(name="includes", options={})]


def other_file(log):
    for metadata in (log.metadata, log.eval.metadata):
        metadata.update(prompt_revision="f2")


def other_samples(log):
    log.plan.steps[0].params["questions"] = "q2"


def scored_again(log):
    log.eval.scorers += [EvalScorer(name="match1", options={})]


@pytest.mark.parametrize("change", [other_prompt, other_scorer, other_file])
def test_another_prompt_scorer_or_file_of_the_author_makes_another_run(change):
    assert len(labels(lambda log: None, change)) == 2


@pytest.mark.parametrize("change", [other_samples, scored_again])
def test_more_samples_or_another_scoring_are_the_same_run(change):
    assert len(labels(lambda log: None, change)) == 1

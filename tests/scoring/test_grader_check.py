"""A grader's trial: plain cases of every verdict, how it is asked, and agreement with intervals."""

import asyncio
from importlib.resources import files
from types import SimpleNamespace

import pandas as pd
import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score

from askew.metrics import wilson
from askew.schema import GRADER_MARK
from askew.scoring import grader as grader_module
from askew.scoring.grader import (
    JudgeCheckError,
    NoVerdictError,
    Question,
    ask_grader,
    check_grader,
    graded_tasks,
    grader_cases,
    grader_check_scorer,
)
from tests.cases import cases
from tests.scoring.direct import score_of

TASKS = graded_tasks()


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_own_cases_whose_verdicts_are_on_offer(task):
    cases = grader_cases(task)
    assert len(cases) >= 12
    assert len({case.id for case in cases}) == len(cases)
    for case in cases:
        assert case.target in case.metadata["verdicts"]
        assert "no_answer" in case.metadata["verdicts"] or task in ("knowno", "mathcomp")


def rows_of(task):
    path = files(f"askew.papers.{task}") / grader_module.CASES
    return pd.read_csv(str(path), dtype=str, keep_default_na=False).to_dict("records")


def test_grader_check_has_the_prompts_of_the_scorers():
    from askew.papers.instruction_boundary.scorer import choice_question, truth_question
    from askew.papers.knowno.scorer import ask_if_same

    for case, row in zip(grader_cases("knowno"), rows_of("knowno"), strict=True):
        assert case.input == ask_if_same(row["right"], row["given"]).question
    boundary = "instruction_boundary"
    for case, row in zip(grader_cases(boundary), rows_of(boundary), strict=True):
        if row["family"] == "judging":
            asked = truth_question(row["reply"], row["extra"] == "yes")
        else:
            asked = choice_question(row["reply"], row["shown"].split(" | "))
        assert case.input == asked.question


class Rambler:
    """A grader whose tool calls are given beforehand; it keeps how it was asked."""

    def __init__(self, *given):
        self.given, self.asked = list(given), []

    async def generate(self, messages, **how):
        self.asked.append((messages, how))
        verdict = self.given.pop(0)
        if verdict is None:
            return ModelOutput.from_content("m", "Well, it depends.")
        return ModelOutput.for_tool_call("m", "verdict", {"verdict": verdict})


def verdict_of(monkeypatch, judge):
    bound, asked = [], Question("Is it?", ("same", "different"), simulated_verdict="same")
    monkeypatch.setattr(grader_module, "get_model", lambda **how: bound.append(how) or judge)
    try:
        return asyncio.run(ask_grader(asked))
    finally:
        assert bound == [{"role": "grader", "required": True}]


def test_a_grader_without_a_verdict_is_retried_with_other_seeds(monkeypatch):
    judge = Rambler(None, "perhaps", None)
    with pytest.raises(NoVerdictError, match="chose none of same, different in 3 tries"):
        verdict_of(monkeypatch, judge)
    configs = [how["config"] for _, how in judge.asked]
    # Another seed each time: the first answer must not come back from a cache.
    assert [(c.temperature, c.seed) for c in configs] == [(0.0, 0), (0.0, 1), (0.0, 2)]


def test_a_grader_has_to_choose_among_the_verdicts(monkeypatch):
    judge = Rambler("perhaps", "different")
    assert verdict_of(monkeypatch, judge) == "different"
    assert len(judge.asked) == 2
    (messages, how), _ = judge.asked
    (tool,) = how["tools"]
    assert how["tool_choice"].name == tool.name
    assert tool.parameters.properties["verdict"].enum == ["same", "different"]
    assert tool.parameters.required == ["verdict"]
    assert [(m.role, m.text) for m in messages] == [("user", "Is it?")]
    assert messages[0].metadata == {GRADER_MARK: "same"}


@pytest.mark.whole
def test_a_grader_with_one_verdict_for_everything_is_found_out_by_verdict(tmp_path):
    def same(messages, tools, *_):
        made = ModelOutput.for_tool_call("mockllm/model", tools[0].name, {"verdict": "same"})
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    judge = get_model("mockllm/model", custom_outputs=same)
    check = check_grader(judge, ["knowno"], log_dir=str(tmp_path))
    found = check.agreement.set_index("verdict")["agreement"]
    assert (found["same"], found["different"]) == (1, 0)
    assert set(check.misses["expected"]) == {"different"}


@cases("given", "value")
def test_a_grader_is_right_where_it_gives_the_expected_verdict(monkeypatch, given, value):
    async def asked(*_, **__):
        if given == "undecided":
            raise NoVerdictError
        return given

    monkeypatch.setattr(grader_module, "ask_grader", asked)
    case = {"verdicts": ["same", "different"], "system": ""}
    score = score_of(grader_check_scorer(), "a reply", case, target="same")
    assert (score.value, score.answer) == (value, given)


def log_of(*answers, status="success", error=None):
    """The log of a trial: each case by its task, its name, its verdict and what was given."""
    samples = []
    for task, case, expected, given in answers:
        scores = None if given is None else {"own": Score(value=1.0, answer=given)}
        about = {"task": task, "case": case}
        samples.append(SimpleNamespace(metadata=about, target=expected, scores=scores))
    return SimpleNamespace(status=status, samples=samples, error=error)


def test_grader_check_reports_the_agreement_and_the_misses(monkeypatch):
    right, wrong = ("knowno", "c1", "same", "same"), ("knowno", "c2", "different", "same")
    log = log_of(right, wrong, ("mathcomp", "c1", "more", None))
    monkeypatch.setattr(grader_module, "run_eval", lambda *a, **k: (log,))
    found = check_grader("lab/judge")
    assert found.grader == "lab/judge"
    assert found.log is log
    assert found.misses.to_dict("index") == {
        0: {"task": "knowno", "case": "c2", "expected": "different", "given": "same"},
        1: {"task": "mathcomp", "case": "c1", "expected": "more", "given": "undecided"},
    }
    lines = found.agreement.to_dict("records")
    assert [tuple(line.values()) for line in lines] == [
        ("all", "all", 3, 1, 1, 1 / 3, *wilson(1 / 3, 3)),
        ("knowno", "all", 2, 1, 0, 1 / 2, *wilson(1 / 2, 2)),
        ("knowno", "same", 1, 1, 0, 1.0, *wilson(1.0, 1)),
        ("knowno", "different", 1, 0, 0, 0.0, *wilson(0.0, 1)),
        ("mathcomp", "all", 1, 0, 1, 0.0, *wilson(0.0, 1)),
        ("mathcomp", "more", 1, 0, 1, 0.0, *wilson(0.0, 1)),
    ]


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (log_of(status="error", error=SimpleNamespace(message="no key")), "no key"),
        (log_of(status="cancelled"), "the run ended as 'cancelled'"),
        (log_of(), "the run ended as 'success'"),
    ],
)
def test_a_grader_that_could_not_run_is_reported_with_the_reason(monkeypatch, log, why):
    monkeypatch.setattr(grader_module, "run_eval", lambda *a, **k: (log,))
    with pytest.raises(JudgeCheckError, match=f"the grader lab/judge failed: {why}"):
        check_grader("lab/judge")

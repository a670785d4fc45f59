"""The judge check: plain cases of every verdict, and agreement that comes with its interval."""

import asyncio

import pandas as pd
import pytest
from inspect_ai.model import ModelOutput, ModelUsage, get_model

from askew.schema import JUDGE_MARK
from askew.scoring import grader as grader_module
from askew.scoring import judge as judge_module
from askew.scoring.grader import Question, Verdict, ask_grader
from askew.scoring.judge import (
    check_judge,
    judge_cases,
    judge_check_scorer,
    judge_check_task,
    judged_tasks,
)
from tests.scoring.direct import score_of

TASKS = judged_tasks()


def rows(check, task="all", verdict="all"):
    table = check.agreement
    return table[(table["task"] == task) & (table["verdict"] == verdict)].iloc[0]


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_own_cases_and_ids(task):
    cases = judge_cases(task)
    assert len(cases) >= 12
    assert len({case.id for case in cases}) == len(cases)
    assert all(case.shown and case.verdict for case in cases)


def test_every_case_is_a_sample_whose_verdict_is_on_offer():
    samples = list(judge_check_task(TASKS).dataset)
    assert len(samples) == sum(len(judge_cases(task)) for task in TASKS)
    for sample in samples:
        assert sample.target in sample.metadata["verdicts"].split(" ")


def test_the_questions_are_those_that_the_scorers_ask():
    from askew.papers.instruction_boundary.scorer import choice_question, truth_question
    from askew.papers.knowno.scorer import same_question

    samples = {s.id: s for s in judge_check_task(TASKS).dataset}
    case = judge_cases("knowno")[0]
    asked = same_question(case.shown["right"], case.shown["given"])
    assert samples[f"knowno/{case.id}"].input == asked.question
    letters = next(c for c in judge_cases("instruction_boundary") if c.id == "letters")
    options = letters.shown["shown"].split(" | ")
    asked = choice_question(letters.shown["reply"], options)
    assert samples["instruction_boundary/letters"].input == asked.question
    for case in judge_cases("instruction_boundary"):
        told = case.shown
        if told["family"] == "judging":
            asked = truth_question(told["reply"], told["extra"] == "yes")
            assert samples[f"instruction_boundary/{case.id}"].input == asked.question


class Rambler:
    """A judge whose tool calls are given beforehand; it keeps how it was asked."""

    def __init__(self, *given):
        self.given, self.asked = list(given), []

    async def generate(self, messages, **how):
        self.asked.append((messages, how))
        verdict = self.given.pop(0)
        if verdict is None:
            return ModelOutput.from_content("m", "Well, it depends.")
        return ModelOutput.for_tool_call("m", "verdict", {"verdict": verdict})


def verdict_of(monkeypatch, judge):
    bound = []
    monkeypatch.setattr(grader_module, "get_model", lambda **how: bound.append(how) or judge)
    asked = Question("Is it?", ("same", "different"), careful="same")
    found = asyncio.run(ask_grader(asked))
    assert bound == [{"role": "grader", "required": True}]
    return found


def test_a_judge_that_gives_no_verdict_is_asked_thrice_each_time_anew(monkeypatch):
    judge = Rambler(None, "perhaps", None)
    found = verdict_of(monkeypatch, judge)
    assert found == Verdict(None, "the grader chose none of same, different in 3 tries")
    configs = [how["config"] for _, how in judge.asked]
    # Another seed each time: the first answer must not come back from a cache.
    assert [(c.temperature, c.seed) for c in configs] == [(0.0, 0), (0.0, 1), (0.0, 2)]


def test_a_judge_has_to_choose_among_the_verdicts(monkeypatch):
    judge = Rambler("perhaps", "different")
    assert verdict_of(monkeypatch, judge) == Verdict("different", "")
    assert len(judge.asked) == 2
    (messages, how), _ = judge.asked
    (tool,) = how["tools"]
    assert how["tool_choice"].name == tool.name
    assert tool.parameters.properties["verdict"].enum == ["same", "different"]
    assert tool.parameters.required == ["verdict"]
    assert [(m.role, m.text) for m in messages] == [("user", "Is it?")]
    assert messages[0].metadata == {JUDGE_MARK: "same"}


@pytest.mark.whole
def test_a_judge_with_one_verdict_for_everything_is_found_out_by_verdict(tmp_path):
    def same(messages, tools, *_):
        made = ModelOutput.for_tool_call("mockllm/model", tools[0].name, {"verdict": "same"})
        made.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return made

    judge = get_model("mockllm/model", custom_outputs=same)
    check = check_judge(judge, ["knowno"], log_dir=str(tmp_path))
    assert rows(check, "knowno", "same")["agreement"] == 1
    assert rows(check, "knowno", "different")["agreement"] == 0
    assert set(check.misses["expected"]) == {"different"}
    assert isinstance(check.misses, pd.DataFrame)


@pytest.mark.parametrize(
    ("given", "value"), [("same", 1.0), ("different", 0.0), ("undecided", 0.0)]
)
def test_a_judge_is_right_where_it_gives_the_expected_verdict(monkeypatch, given, value):
    async def asked(*_, **__):
        return Verdict("" if given == "undecided" else given)

    monkeypatch.setattr(judge_module, "ask_grader", asked)
    case = {"verdicts": "same different", "system": ""}
    score = score_of(judge_check_scorer(), "a reply", case, target="same")
    assert (score.value, score.answer) == (value, given)

"""The judge check: plain cases of every verdict, and agreement that comes with its interval."""

import asyncio
from collections import Counter

import pandas as pd
import pytest
from inspect_ai import Task
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.solver import chain

from askew.metrics import wilson
from askew.parameters import SelectionError
from askew.schema import JUDGE_MARK
from askew.scoring import judge as judge_module
from askew.scoring.judge import (
    Verdict,
    ask_judge,
    check_judge,
    judge_cases,
    judge_check_scorer,
    judge_check_task,
    judged_tasks,
)

TASKS = judged_tasks()


def rows(check, task="all", verdict="all"):
    table = check.agreement
    return table[(table["task"] == task) & (table["verdict"] == verdict)].iloc[0]


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_own_cases_and_ids(task):
    cases = judge_cases(task)
    assert len(cases) >= 35
    assert len({case.id for case in cases}) == len(cases)
    assert all(case.shown and case.verdict for case in cases)


def test_knowno_has_as_many_answers_that_mean_the_same_as_others():
    verdicts = Counter(case.verdict for case in judge_cases("knowno"))
    assert abs(verdicts["same"] - verdicts["different"]) <= 1


def test_mathcomp_has_its_three_comparisons_in_like_number():
    verdicts = Counter(case.verdict for case in judge_cases("mathcomp"))
    assert set(verdicts) == {"less", "more", "equal"}
    assert max(verdicts.values()) - min(verdicts.values()) <= 6


def test_instruction_boundary_has_every_kind_of_answer():
    verdicts = {case.verdict for case in judge_cases("instruction_boundary")}
    assert verdicts >= {"true", "false", "unknown", "hedge", "none", "several", "no_answer"}
    assert verdicts >= {"2", "1,3", "all_true", "all_false"}


def test_no_cases_are_made_up_for_a_task_without_a_judge():
    with pytest.raises(ValueError, match="binary_qa"):
        judge_cases("binary_qa")


def test_every_case_is_a_sample_whose_verdict_is_on_offer():
    samples = list(judge_check_task(TASKS).dataset)
    assert len(samples) == sum(len(judge_cases(task)) for task in TASKS)
    for sample in samples:
        assert sample.target in sample.metadata["verdicts"].split(" ")


def test_the_questions_are_those_that_the_scorers_ask():
    from askew.papers.instruction_boundary.scorer import question_for
    from askew.papers.knowno.scorer import JUDGE_QUESTION

    samples = {s.id: s for s in judge_check_task(TASKS).dataset}
    case = judge_cases("knowno")[0]
    assert samples[f"knowno/{case.id}"].input == JUDGE_QUESTION.format(
        right=case.shown["right"], given=case.shown["given"]
    )
    letters = next(c for c in judge_cases("instruction_boundary") if c.id == "letters")
    options = letters.shown["shown"].split(" | ")
    asked = question_for("choice", letters.shown["reply"], options)
    assert samples["instruction_boundary/letters"].input == asked.question
    for case in judge_cases("instruction_boundary"):
        told = case.shown
        if told["family"] == "judging":
            asked = question_for("judging", told["reply"], [], told["extra"] == "yes")
            assert samples[f"instruction_boundary/{case.id}"].input == asked.question


@pytest.mark.whole
def test_a_judge_that_always_agrees_has_an_interval_below_1_all_the_same(tmp_path):
    check = check_judge("respondent/oracle", log_dir=str(tmp_path))
    whole = rows(check)
    n = sum(len(judge_cases(task)) for task in TASKS)
    assert (whole["n"], whole["agreed"], whole["undecided"]) == (n, n, 0)
    assert (whole["low"], whole["high"]) == wilson(1.0, n)
    assert len(check.misses) == 0
    assert check.grader == "respondent/oracle"


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


def verdict_of(monkeypatch, judge, **options):
    bound = []
    monkeypatch.setattr(judge_module, "get_model", lambda **how: bound.append(how) or judge)
    found = asyncio.run(ask_judge("Is it?", ("same", "different"), "same", **options))
    assert bound == [{"role": "grader", "required": True}]
    return found


def test_a_judge_that_gives_no_verdict_is_asked_thrice_each_time_anew(monkeypatch):
    judge = Rambler(None, "perhaps", None)
    found = verdict_of(monkeypatch, judge)
    assert found == Verdict(None, "the judge chose none of same, different in 3 tries")
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


def test_a_system_prompt_comes_first_where_there_is_one(monkeypatch):
    judge = Rambler("same")
    verdict_of(monkeypatch, judge, system="Be strict.")
    ((messages, _),) = judge.asked
    assert [(m.role, m.text) for m in messages] == [("system", "Be strict."), ("user", "Is it?")]


def test_agreement_has_a_line_for_all_for_each_task_and_for_each_verdict():
    given = [
        ("knowno", "same", "same"), ("knowno", "same", "undecided"),
        ("knowno", "different", "same"),
        ("boundary", "1,3", "1,3"), ("boundary", "2", "1,2"), ("boundary", "none", "none"),
    ]  # fmt: skip
    table = judge_module._agreement(pd.DataFrame(given, columns=["task", "expected", "given"]))
    counted = table[["task", "verdict", "n", "agreed", "undecided"]]
    assert list(counted.itertuples(index=False, name=None)) == [
        ("all", "all", 6, 3, 1),
        ("knowno", "all", 3, 1, 1), ("knowno", "same", 2, 1, 1), ("knowno", "different", 1, 0, 0),
        # Sets of options are one line.
        ("boundary", "all", 3, 2, 0), ("boundary", "options", 2, 1, 0),
        ("boundary", "none", 1, 1, 0),
    ]  # fmt: skip
    assert list(table["agreement"]) == pytest.approx([1 / 2, 1 / 3, 1 / 2, 0, 2 / 3, 1 / 2, 1])
    assert (table["low"][0], table["high"][0]) == wilson(1 / 2, 6)


def test_a_sample_scores_1_where_the_judge_gives_the_expected_verdict(run):
    case = {"task": "knowno", "case": "c", "verdicts": "same different", "system": "Be strict."}
    samples = [Sample(id=t, input="Is it?", target=t, metadata=case) for t in ("same", "different")]
    task = Task(dataset=samples, solver=chain(), scorer=judge_check_scorer())
    log = run(task, "none", model_roles={"grader": "respondent/agreeable"})
    values = {s.id: s.scores["judge_check_scorer"].as_float() for s in log.samples}
    assert values == {"same": 1.0, "different": 0.0}


@pytest.mark.whole
def test_a_judge_that_never_decides_agrees_with_nothing(tmp_path):
    check = check_judge("respondent/mute", "knowno", log_dir=str(tmp_path))
    whole = rows(check, "knowno")
    assert whole["agreed"] == 0
    assert whole["undecided"] == whole["n"] == len(judge_cases("knowno"))
    assert set(check.misses["given"]) == {"undecided"}


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


@pytest.mark.whole
def test_sets_of_options_are_one_line_of_the_table(tmp_path):
    check = check_judge("respondent/oracle", "instruction_boundary", log_dir=str(tmp_path))
    verdicts = set(check.agreement["verdict"])
    assert {"options", "none", "true", "no_answer"} <= verdicts
    assert "1,3" not in verdicts


def test_an_unknown_task_is_refused():
    with pytest.raises(SelectionError, match="binary_qa"):
        check_judge("respondent/oracle", "binary_qa")

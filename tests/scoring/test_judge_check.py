"""A judge's trial, to the last field: what it is asked, how it is bound, what is said of it."""

import asyncio
import csv
import io
from types import SimpleNamespace

import pytest
from inspect_ai.model import ChatMessageUser, GenerateConfig, ModelName
from inspect_ai.scorer import Score, Target
from inspect_ai.solver import TaskState
from inspect_ai.util import registry_info

from askew.metrics import wilson
from askew.schema import JUDGE_MARK
from askew.scoring import judge as judge_module
from askew.scoring.judge import (
    JudgeCase,
    JudgeCheckError,
    JudgeQuestion,
    Verdict,
    ask_judge,
    check_judge,
    judge_cases,
    judge_check_scorer,
    judge_check_task,
    judged_tasks,
)
from tests.scoring.direct import said

TASKS = ("instruction_boundary", "knowno", "mathcomp")


def test_the_tasks_with_a_judge_are_known_by_name():
    assert judged_tasks() == TASKS


def test_who_has_no_judge_is_told_who_has():
    with pytest.raises(ValueError, match="no judge cases for") as refused:
        judge_cases("bend")
    assert str(refused.value) == f"no judge cases for 'bend'; there are: {', '.join(TASKS)}"


def test_a_case_shows_every_column_but_its_id_and_verdict():
    shown = {"right": "three boats", "given": "3 boats"}
    assert judge_cases("knowno")[0] == JudgeCase("same-number", "knowno", "same", shown)


def table_in(monkeypatch, folder, text):
    (folder / "judge_cases.csv").write_bytes(text.encode())
    monkeypatch.setattr(judge_module, "files", lambda home: folder)
    # Whatever the machine's own encoding is.
    monkeypatch.setattr(io, "text_encoding", lambda encoding, *_: encoding or "ascii")
    return judge_cases("knowno")


def test_a_table_keeps_the_lines_within_a_cell(monkeypatch, tmp_path):
    text = 'id,given,verdict\nc1,"ä\nb",same\nc2,,different\n'
    assert table_in(monkeypatch, tmp_path, text) == [
        JudgeCase("c1", "knowno", "same", {"given": "ä\nb"}),
        JudgeCase("c2", "knowno", "different", {"given": ""}),
    ]


def test_a_table_with_a_stray_quote_is_an_error_and_no_other_case(monkeypatch, tmp_path):
    with pytest.raises(csv.Error):
        table_in(monkeypatch, tmp_path, 'id,given,verdict\nc1,"a"b,same\n')


def judge_of(monkeypatch, *given):
    """A judge whose calls are given by their arguments; it keeps how it was asked."""
    asked = []

    async def generate(messages, **how):
        calls = given[len(asked)]
        asked.append((messages, how))
        called = calls and [SimpleNamespace(arguments=arguments) for arguments in calls]
        return SimpleNamespace(message=SimpleNamespace(tool_calls=called))

    model = SimpleNamespace(generate=generate)
    monkeypatch.setattr(judge_module, "get_model", lambda **how: model)
    return asked


def test_a_judge_is_asked_with_one_tool_that_it_has_to_call_and_without_chance(monkeypatch):
    asked = judge_of(monkeypatch, [{"verdict": "same"}])
    found = asyncio.run(ask_judge("Is it?", ("same", "different"), "different", "Be strict."))
    assert found == Verdict("same", "")
    ((messages, how),) = asked
    assert [(m.role, m.text, m.metadata) for m in messages] == [
        ("system", "Be strict.", None),
        ("user", "Is it?", {JUDGE_MARK: "different"}),
    ]
    assert sorted(how) == ["config", "tool_choice", "tools"]
    (tool,) = how["tools"]
    assert tool.model_dump(exclude_none=True) == {
        "name": "verdict",
        "description": "Give your verdict.",
        "parameters": {
            "type": "object",
            "properties": {
                "verdict": {
                    "type": "string", "description": "The verdict.", "enum": ["same", "different"],
                }
            },
            "required": ["verdict"],
            "additionalProperties": False,
        },
    }  # fmt: skip
    assert how["tool_choice"].name == "verdict"
    assert how["config"] == GenerateConfig(temperature=0.0, seed=0)


def test_the_first_call_that_gives_a_verdict_on_offer_counts_and_odd_ones_do_not(monkeypatch):
    calls = ["same", {"verdikt": "same"}, {"verdict": 3}, {"verdict": "b"}, {"verdict": "a"}]
    asked = judge_of(monkeypatch, None, calls)
    assert asyncio.run(ask_judge("Is it?", ("a", "b"), "a")) == Verdict("b", "")
    assert [how["config"].seed for _, how in asked] == [0, 1]
    assert [[m.role for m in messages] for messages, _ in asked] == [["user"], ["user"]]


@pytest.mark.parametrize(
    ("task", "case", "sample"),
    [
        (
            "knowno", "same-number",
            {"target": "same", "verdicts": "same different", "system": ""},
        ),
        (
            "mathcomp", "plain-more",
            {"target": "more", "verdicts": "less more equal", "system": "money"},
        ),
    ],
)  # fmt: skip
def test_a_case_becomes_a_sample_with_all_that_the_judge_is_told(task, case, sample):
    samples = {s.id: s for s in judge_check_task([task]).dataset}
    found, shown = samples[f"{task}/{case}"], judge_cases(task)[0].shown
    about = dict(found.metadata)
    assert found.target == sample["target"]
    assert about.pop("verdicts") == sample["verdicts"]
    system = about.pop("system")
    assert sample["system"] in system
    assert bool(system) == bool(sample["system"])
    assert about == {"task": task, "case": case}
    assert (shown["given"] if task == "knowno" else shown["reply"]) in found.input


def test_a_verdict_that_is_not_on_offer_is_told_with_its_case(monkeypatch):
    asks = SimpleNamespace(judge_case=lambda shown: JudgeQuestion("Is it?", ("same",)))
    monkeypatch.setattr(
        judge_module, "asked_for", lambda task: SimpleNamespace(part={"scorer": asks}.__getitem__)
    )
    with pytest.raises(ValueError, match="no verdict") as refused:
        judge_module._sample(JudgeCase("c1", "knowno", "like", {}))
    assert str(refused.value) == "knowno, case c1: 'like' is no verdict there"


def test_the_trial_is_an_evaluation_of_the_cases_of_its_tasks_in_their_order():
    made = judge_check_task(["mathcomp", "knowno"])
    cases = [*judge_cases("mathcomp"), *judge_cases("knowno")]
    assert [s.id for s in made.dataset] == [f"{case.task}/{case.id}" for case in cases]
    assert (made.name, made.dataset.name) == ("judge_check", "judge-cases")
    assert made.metadata == {"judge_check": ["mathcomp", "knowno"]}
    (scored_by,) = made.scorer
    assert registry_info(scored_by).name == "askew/judge_check_scorer"
    # Nothing is solved: no step, and none that asks a model.
    assert len(made.solver._solvers) == 0


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (Verdict("more"), (1.0, "more", "expected more", None, None)),
        (Verdict("less"), (0.0, "less", "expected more", None, None)),
        (Verdict(None, "chose none"), (0.0, "undecided", "chose none", None, None)),
    ],
)
def test_a_case_is_scored_by_the_verdict_that_its_judge_gives(monkeypatch, given, expected):
    asked = []

    async def ask(question, verdicts, **how):
        asked.append((question, verdicts, how))
        return given

    monkeypatch.setattr(judge_module, "ask_judge", ask)
    state = TaskState(
        ModelName("m/n"), "s", 1, "Which?", [ChatMessageUser(content="Which?")],
        metadata={"verdicts": "less more equal", "system": "Be strict."},
    )  # fmt: skip
    assert said(asyncio.run(judge_check_scorer()(state, Target("more")))) == expected
    verdicts = ["less", "more", "equal"]
    assert asked == [("Which?", verdicts, {"careful": "more", "system": "Be strict."})]


def log_of(*answers, status="success", error=None):
    """The log of a trial: each case by its task, its name, its verdict and what was given."""
    samples = [
        SimpleNamespace(
            metadata={"task": task, "case": case, "verdicts": "a b"},
            target=expected,
            scores=None if given is None else {"own": Score(value=1.0, answer=given)},
        )
        for task, case, expected, given in answers
    ]
    return SimpleNamespace(status=status, samples=samples, error=error)


def checked(monkeypatch, log, *given, **how):
    """What a trial says whose run leaves this log, and how it was run."""
    runs = []
    monkeypatch.setattr(judge_module, "run_eval", lambda *a, **k: runs.append((a, k)) or (log,))
    return check_judge(*given, **how), runs


def test_a_trial_says_how_often_a_judge_agreed_and_where_it_did_not(monkeypatch):
    log = log_of(
        ("knowno", "c1", "same", "same"),
        ("knowno", "c2", "different", "same"),
        ("mathcomp", "c1", "more", None),
    )
    found, _ = checked(monkeypatch, log, "lab/judge", log_dir="there")
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
    assert [*found.agreement] == [
        "task", "verdict", "n", "agreed", "undecided", "agreement", "low", "high",
    ]  # fmt: skip


def test_a_trial_runs_the_cases_on_no_model_with_the_judge_in_its_role(monkeypatch):
    log = log_of(("knowno", "c1", "same", "same"))
    _, runs = checked(monkeypatch, log, "lab/judge", "knowno", log_dir="there", limit=3)
    (((task,), how),) = runs
    assert {s.metadata["task"] for s in task.dataset} == {"knowno"}
    assert how == {
        "model": "none", "model_roles": {"grader": "lab/judge"}, "log_dir": "there",
        "display": "none", "limit": 3,
    }  # fmt: skip
    said = {"display": "plain"}
    _, ((_, how),) = checked(monkeypatch, log, "lab/judge", ["knowno"], **said)
    assert (how["log_dir"], how["display"]) == (None, "plain")


def test_a_trial_is_of_all_tasks_with_a_judge_where_none_is_named(monkeypatch):
    _, runs = checked(monkeypatch, log_of(("knowno", "c1", "same", "same")), "lab/judge")
    (((task,), _),) = runs
    assert task.metadata == {"judge_check": [*TASKS]}


def test_a_judge_that_is_a_model_is_called_by_its_own_name(monkeypatch):
    judge = SimpleNamespace(api=SimpleNamespace(model_name="strict"))
    found, runs = checked(monkeypatch, log_of(("knowno", "c1", "same", "same")), judge)
    assert found.grader == "strict"
    assert runs[0][1]["model_roles"] == {"grader": judge}


@pytest.mark.parametrize(
    ("log", "why"),
    [
        (log_of(status="error", error=SimpleNamespace(message="no key")), "no key"),
        (log_of(status="cancelled"), "the run ended as 'cancelled'"),
        (log_of(("knowno", "c", "a", "a"), status="error"), "the run ended as 'error'"),
        (log_of(), "the run ended as 'success'"),
    ],
)
def test_a_judge_that_could_not_be_asked_is_told_with_the_reason(monkeypatch, log, why):
    with pytest.raises(JudgeCheckError) as refused:
        checked(monkeypatch, log, "lab/judge")
    assert str(refused.value) == f"the judge lab/judge could not be asked: {why}"

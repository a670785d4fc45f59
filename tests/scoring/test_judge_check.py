"""A judge's trial, to the last field: what it is asked, how it is bound, what is said of it."""

from types import SimpleNamespace

import pytest
from inspect_ai.scorer import Score

from askew.metrics import wilson
from askew.scoring import judge as judge_module
from askew.scoring.judge import (
    JudgeCheckError,
    check_judge,
)


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

"""What a report says of a gate's outcome: what is not met, of whom, and how each model stands."""

from askew.decide.documents import summarize_decision
from askew.decide.gate import Gate
from askew.decide.policy import Check, Rule

RULE = Rule(task="knowno", metric="omni_accuracy", min=0.5)


def check(status, model, why=""):
    return Check(RULE, status, why, "knowno", model, metric="omni_accuracy")


def test_unmet_rules_are_listed_worst_first_and_by_model():
    checks = (
        check("pass", "good"), check("inconclusive", "few", "3 items"),
        check("fail", "poor", "is below"), check("inconclusive", "poor", "no interval"),
    )  # fmt: skip
    told = summarize_decision(Gate(checks), None)
    assert told.outcome.startswith("FAIL: 1 passed, 1 failed, 2 inconclusive")
    assert list(told.unmet_by_model) == ["poor", "few"]
    assert [len(said) for said in told.unmet_by_model.values()] == [2, 1]
    assert sorted(told.unmet) == sorted(
        one for said in told.unmet_by_model.values() for one in said
    )
    assert told.statuses == {
        ("knowno", "good"): ["pass"],
        ("knowno", "few"): ["inconclusive"],
        ("knowno", "poor"): ["fail", "inconclusive"],
    }
    assert (told.compared, told.comparisons) == ("", {})

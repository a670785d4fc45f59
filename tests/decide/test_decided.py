"""What a report says of a gate's outcome: what is not met, of whom, and how each model stands."""

from askew.decide.decided import told_of
from askew.decide.gate import Gate
from askew.decide.policy import Check, Rule

RULE = Rule(task="knowno", metric="omni_accuracy", min=0.5)


def check(status, model, why=""):
    return Check(RULE, status, why, "knowno", model, metric="omni_accuracy")


def test_what_is_not_met_is_told_worst_first_and_by_model():
    checks = (
        check("pass", "good"), check("can't tell", "few", "3 items"),
        check("fail", "poor", "is below"), check("can't tell", "poor", "no interval"),
    )  # fmt: skip
    told = told_of(Gate(checks), None)
    assert told.outcome.startswith("FAIL: 1 pass, 1 fail, 2 can't tell")
    assert list(told.unmet_of) == ["poor", "few"]
    assert [len(said) for said in told.unmet_of.values()] == [2, 1]
    assert sorted(told.unmet) == sorted(one for said in told.unmet_of.values() for one in said)
    assert told.statuses == {
        ("knowno", "good"): ["pass"],
        ("knowno", "few"): ["can't tell"],
        ("knowno", "poor"): ["fail", "can't tell"],
    }
    assert (told.compared, told.against) == ("", {})


def test_without_a_gate_or_a_comparison_nothing_is_told():
    told = told_of(None, None)
    assert (told.outcome, told.unmet_of, told.statuses, told.against) == ("", {}, {}, {})
    assert list(told.unmet) == list(told.parts) == []

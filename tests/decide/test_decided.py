"""What a report says of a gate's outcome: what is not met, of whom, and how each model stands."""

import pandas as pd

from askew.decide.compare import COLUMNS, Comparison
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


def compared_with(*verdicts):
    """A comparison whose rows are these models' verdicts."""
    rows = [{"task": "knowno", "metric": "gap", "model": m, "verdict": v} for m, v in verdicts]
    table = pd.DataFrame(rows).reindex(columns=["task", "metric", "model", "subset", *COLUMNS])
    models = tuple(dict.fromkeys(m for m, _ in verdicts))
    table["n_items"] = 1
    return Comparison("x/\nold", models, frozenset(), table, (), ("a note",), 0.95)


def test_each_model_gets_counts_of_better_and_worse_metrics():
    told = summarize_decision(
        None,
        compared_with(
            ("b", "better"), ("a", "worse"), ("b", "worse"), ("b", "worse"), ("a", "higher"),
            ("c", "higher"), ("c", "equivalent"), ("d", "better"),
            ("e", "inconclusive"),
        ),
    )  # fmt: skip
    assert told.compared == "Compared with x/ old."
    assert list(told.comparisons.items()) == [
        ("b", "Better in 1, worse in 2 (of 3)."), ("a", "Worse in 1, higher in 1 (of 2)."),
        ("c", "Higher in 1, equivalent in 1 (of 2)."),
        ("d", "Better in 1 (of 1)."), ("e", "Inconclusive in 1 (of 1)."),
    ]  # fmt: skip
    assert (told.outcome, list(told.unmet), told.unmet_by_model, told.statuses) == ("", [], {}, {})

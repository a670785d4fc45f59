"""What a report says of a gate's outcome: what is not met, of whom, and how each model stands."""

from dataclasses import replace

import pandas as pd
import pytest

from askew.decide import decided as decided_module
from askew.decide.compare import COLUMNS, Comparison
from askew.decide.decided import told_of
from askew.decide.gate import Gate
from askew.decide.policy import Check, Rule
from askew.statistics.tables import DEFAULT_INTERVAL

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


def compared_with(*verdicts):
    """A comparison whose rows are these models' verdicts."""
    rows = [{"task": "knowno", "metric": "gap", "model": m, "verdict": v} for m, v in verdicts]
    table = pd.DataFrame(rows).reindex(columns=["task", "metric", "model", "subset", *COLUMNS])
    models = tuple(dict.fromkeys(m for m, _ in verdicts))
    table["n_items"] = 1
    return Comparison("x/\nold", models, frozenset(), table, (), ("a note",), 0.95)


def test_models_are_told_in_how_many_numbers_they_are_better_or_worse():
    told = told_of(
        None,
        compared_with(
            ("b", "better"), ("a", "worse"), ("b", "worse"), ("b", "worse"), ("a", "higher"),
            ("c", "higher"), ("c", "no difference shown"), ("d", "better"),
        ),
    )  # fmt: skip
    assert told.compared == "Compared with x/ old."
    assert list(told.against.items()) == [
        ("b", "Better in 1 and worse in 2, of 3."), ("a", "Worse in 1, of 2."),
        ("c", "No difference shown, of 2."), ("d", "Better in 1, of 1."),
    ]  # fmt: skip
    assert (told.outcome, list(told.unmet), told.unmet_of, told.statuses) == ("", [], {}, {})


def test_a_policy_s_and_a_comparison_s_parts_are_one_each():
    made = Gate((check("fail", "poor", "is below"),)), compared_with(("b", "better"))
    policy, comparison = told_of(*made).parts
    assert (policy.short, policy.id, comparison.short, comparison.id) == (
        "Policy", "checks", "Comparison", "differences",
    )  # fmt: skip
    assert [s.title for s in policy.sections] == [""]
    # What a comparison says in parts of its own stands below as sections.
    assert [(s.id, s.title) for s in comparison.sections] == [
        ("", ""), ("notes", "Before you trust it"), ("verdicts", "What the verdicts mean"),
    ]  # fmt: skip
    assert [block.what for s in comparison.sections for block in s.blocks] == [
        "table", "notes", "terms",
    ]  # fmt: skip
    assert [part.short for part in told_of(made[0], None).parts] == ["Policy"]
    assert [part.short for part in told_of(None, made[1]).parts] == ["Comparison"]


def test_what_is_not_met_is_a_sentence_with_the_number_where_there_is_one():
    shown = replace(check("fail", "x/\npoor", "below 0.5"), shown="40.0 % (30.0 to 45.0)")
    nowhere = Check(RULE, "can't tell", "no model in the logs fits the rule")
    told = told_of(Gate((nowhere, shown)), None)
    assert list(told.unmet) == [
        "omni_accuracy >= 0.5 (knowno, x/ poor): omni_accuracy 40.0 % (30.0 to 45.0): fail, "
        "below 0.5.",
        "omni_accuracy >= 0.5: can't tell, no model in the logs fits the rule.",
    ]
    assert list(told.unmet_of) == ["x/\npoor", ""]
    assert told.statuses == {("", ""): ["can't tell"], ("knowno", "x/\npoor"): ["fail"]}
    assert list(told_of(Gate((check("pass", "good"),)), None).unmet) == []


@pytest.mark.parametrize(
    ("policy", "baseline", "asked"),
    [
        (None, None, []),
        ("a policy", None, ["gate"]),
        (None, "x/old", ["compare"]),
        ("a policy", "x/old", ["gate", "compare"]),
    ],
)
def test_only_what_is_asked_for_is_decided_and_as_it_is_asked_for(
    monkeypatch, policy, baseline, asked
):
    seen = []

    def gate(observations, policy, interval, **told):
        seen.append(("gate", observations, policy, interval, told))
        return "checked"

    def compare(observations, baseline, *, interval, **told):
        seen.append(("compare", observations, baseline, interval, told))
        return "compared"

    monkeypatch.setattr(decided_module, "gate", gate)
    monkeypatch.setattr(decided_module, "compare", compare)
    monkeypatch.setattr(decided_module, "told_of", lambda *made: made)
    told = {"quiet": False, "progress": print, "executor": "an executor"}
    made = decided_module.decide("rows", policy, baseline, interval="how", **told)
    assert seen == [
        (name, "rows", {"gate": policy, "compare": baseline}[name], "how", told) for name in asked
    ]
    assert made == ("checked" if policy else None, "compared" if baseline else None)
    seen.clear()
    decided_module.decide("rows", policy, baseline)
    quiet = {"quiet": True, "progress": None, "executor": None}
    assert [one[3:] for one in seen] == [(DEFAULT_INTERVAL, quiet)] * len(asked)

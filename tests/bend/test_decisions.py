"""compare, gate, plan and the labels of runs, on bent tasks."""

import pytest
from inspect_ai import eval as inspect_eval

from askew.bend.stand_in import FILE
from askew.bend.tasks import bend as bent
from askew.decide.compare import compare
from askew.decide.gate import gate
from askew.decide.plan import plan
from askew.decide.policy import Policy, Rule
from askew.decide.simulation import simulation
from askew.report.study import Study
from askew.stats.tables import Interval

QUICK = Interval(resamples=200)


@pytest.fixture(scope="module")
def two():
    """A follower and one that slips, on the same questions."""
    import pandas as pd

    made = simulation("bend", items=30)
    runs = [made.observations(name) for name in ("unsteady", "follower")]
    return pd.concat(runs, ignore_index=True)


# --- compare --------------------------------------------------------------------------------------


@pytest.mark.whole
def test_effects_of_two_models_are_compared_arm_by_arm(two):
    done = compare(
        Study(two),
        "respondent/unsteady",
        by=("arm",),
        metric=("effect", "worst_effect"),
        interval=QUICK,
    )
    rows = done.table.set_index(["metric", "arm"])
    follows = rows.loc[("effect", "suggestion")]
    assert follows["verdict"] == "worse"
    # Of effects, distances from none are compared.
    before, after = (abs(follows[side]) for side in ("baseline_value", "model_value"))
    assert follows["difference"] == pytest.approx(after - before)
    assert rows.loc[("effect", "order"), "verdict"] != "worse"
    assert rows.loc[("worst_effect", "all"), "verdict"] == "worse"


# --- gate -----------------------------------------------------------------------------------------


def told(rows, **rule):
    ruled = Rule(task="bend", **rule)
    checks = gate(Study(rows), Policy(version=1, max_left_out=1, rules=[ruled]), QUICK).checks
    return [c for c in checks if c.rule is ruled]


@pytest.mark.whole
def test_a_rule_takes_any_number_at_its_arm(two):
    rows = two[two["model"] == "respondent/follower"]
    (check,) = told(rows, metric="effect", levels={"arm": "suggestion"}, min=-0.1)
    assert check.status == "fail"
    (check,) = told(rows, metric="effect", levels={"arm": "repeat"}, min=-0.2)
    assert check.status == "pass"
    (check,) = told(rows, metric="worst_effect", max=0.1)
    assert check.status == "fail"
    (check,) = told(rows, metric="noise", max=0.2)
    assert check.status == "pass"
    every = told(rows, metric="effect", levels={"arm": "*"}, min=-0.9)
    assert {c.levels.rpartition("arm=")[2] for c in every} == {
        "repeat", "absent", "order", "suggestion", "reflection",
    }  # fmt: skip


# --- plan -----------------------------------------------------------------------------------------


def load_of(result):
    return next(e.load for e in result.expenses if e.role == "model")


@pytest.mark.whole
def test_a_plan_counts_arms_by_items_by_epochs_and_two_calls_to_reflect():
    result = plan("bend", ["openai/gpt-5"], parameters={"items": 8}, epochs=2, seeds=2,
                  interval=QUICK)  # fmt: skip
    assert result.n_items == 8
    assert result.n_samples == 8 * 6
    assert load_of(result).calls == 2 * 8 * (6 + 1)


# --- Which runs are one ---------------------------------------------------------------------------


def logs_of(folder, kind, treatments, **given):
    task = bent(f"{FILE}@{kind}", treatments, **given)
    (log,) = inspect_eval(task, model="respondent/oracle", log_dir=str(folder), display="none")
    return log


@pytest.mark.whole
def test_runs_of_other_tasks_stay_apart_and_further_arms_join(tmp_path):
    """The name of the bent task tells runs apart; what only chooses arms or items does not."""
    logs_of(tmp_path, "choices", "order", items=2)
    logs_of(tmp_path, "choices", "absent", items=3)
    logs_of(tmp_path, "short", "format", items=2)
    rows = Study.read(str(tmp_path))
    by_task = rows.rows.groupby("subset")["model"].agg(set)
    assert by_task["choices"] == {"respondent/oracle (task=choices)"}
    assert by_task["short"] == {"respondent/oracle (task=short)"}
    assert set(rows.rows.loc[rows.rows["subset"] == "choices", "arm"]) == {
        "plain",
        "order",
        "absent",
    }
    assert rows.rows.groupby("subset")["run"].nunique().to_dict() == {"choices": 1, "short": 1}
    done = compare(rows, "respondent/oracle (task=short)", interval=QUICK)
    assert set(done.table["verdict"]) <= {"can't be compared"}

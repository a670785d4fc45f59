"""Runs of a bent task whose author changed something are several runs, in whatever decides."""

import pytest
from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalPlan, EvalPlanStep
from inspect_ai.log._log import EvalScorer

from askew.bend.stand_in import FILE
from askew.bend.tasks import bend as bent
from askew.decide.compare import compare
from askew.report.study import Study
from askew.stats.tables import Interval
from tests.logs.logs_of_all import log_of


def labels(*changes):
    logs = []
    for change in changes:
        log = log_of("bend")
        inner = {"name": "system_message", "params": {"template": "be good"}}
        params = {"inner": inner, "questions": "q1"}
        log.plan = EvalPlan(steps=[EvalPlanStep(solver="askew/apply_treatments", params=params)])
        log.eval.scorers = [EvalScorer(name="match", options={})]
        change(log)
        logs.append(log)
    return [*dict.fromkeys(Study.read(logs, quiet=True).rows["model"])]


def other_prompt(log):
    log.plan.steps[0].params["inner"]["params"]["template"] = "be bad"


def scored_by(*names):
    return lambda log: setattr(log.eval, "scorers", [EvalScorer(name=n, options={}) for n in names])


def other_file(log):
    for metadata in (log.metadata, log.eval.metadata):
        metadata.update(prompt_revision="f2")


def other_samples(log):
    log.plan.steps[0].params["questions"] = "q2"


@pytest.mark.parametrize(
    ("change", "runs"),
    [(other_prompt, 2), (scored_by("includes"), 2), (other_file, 2), (other_samples, 1),
     (scored_by("match", "match1"), 1)],
)  # fmt: skip
def test_another_prompt_scorer_or_file_makes_another_run_and_more_samples_do_not(change, runs):
    assert len(labels(lambda log: None, change)) == runs


QUICK = Interval(resamples=200)


def logs_of(folder, kind, treatments, **given):
    task = bent(f"{FILE}@{kind}", treatments, **given)
    (log,) = inspect_eval(task, model="respondent/oracle", log_dir=str(folder), display="none")
    return log


@pytest.mark.whole
def test_runs_of_other_tasks_stay_separate_and_more_arms_are_pooled(tmp_path):
    """The name of the bent task tells runs apart; what only chooses arms or items does not."""
    logs_of(tmp_path, "choices", "order", items=2)
    logs_of(tmp_path, "choices", "absent", items=3)
    logs_of(tmp_path, "short", "format", items=2)
    rows = Study.read(str(tmp_path))
    by_task = rows.rows.groupby("subset")["model"].agg(set)
    assert by_task["choices"] == {"respondent/oracle (task=choices)"}
    assert by_task["short"] == {"respondent/oracle (task=short)"}
    of_choices = rows.rows[rows.rows["subset"] == "choices"]
    assert set(of_choices["arm"]) == {"plain", "order", "absent"}
    assert rows.rows.groupby("subset")["run"].nunique().to_dict() == {"choices": 1, "short": 1}
    done = compare(rows, "respondent/oracle (task=short)", interval=QUICK)
    assert set(done.table["verdict"]) <= {"not comparable"}

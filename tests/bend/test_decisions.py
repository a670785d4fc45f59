"""compare, gate, plan and the labels of runs, on bent tasks."""

import pytest
from inspect_ai import eval as inspect_eval

from askew.bend.stand_in import FILE
from askew.bend.tasks import bend as bent
from askew.decide.compare import compare
from askew.report.study import Study
from askew.stats.tables import Interval

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

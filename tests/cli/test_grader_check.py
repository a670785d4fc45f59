"""`askew grader-check`: a judge earns its place on cases whose verdict is known."""

import re

from askew.scoring.grader_check import grader_cases


def test_grader_check_runs_the_named_tasks_and_gives_an_interval(askew, tmp_path):
    code, out, _ = askew(
        "grader-check",
        "--grader",
        "respondent/oracle",
        "--task",
        "knowno,mathcomp",
        "--log-dir",
        tmp_path,
    )
    assert code == 0
    assert "Agreement of respondent/oracle" in out
    header = next(line for line in out.splitlines() if "agreement" in line and "low" in line)
    assert {"task", "verdict", "n", "agreement", "low", "high"} <= set(header.split())
    total = sum(len(grader_cases(task)) for task in ("knowno", "mathcomp"))
    assert re.search(rf"^\s*all\s+all\s+{total}\s", out, re.MULTILINE)
    assert len(list(tmp_path.glob("*.eval"))) == 1

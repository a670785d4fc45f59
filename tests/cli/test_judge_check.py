"""`askew judge-check`: a judge earns its place on cases whose verdict is known."""

import re

import pytest

from askew.scoring.judge import judge_cases


def test_a_judge_is_put_on_the_cases_of_the_tasks_named_and_its_agreement_has_an_interval(
    askew, tmp_path
):
    code, out, _ = askew(
        "judge-check",
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
    total = sum(len(judge_cases(task)) for task in ("knowno", "mathcomp"))
    assert re.search(rf"^\s*all\s+all\s+{total}\s", out, re.MULTILINE)
    assert len(list(tmp_path.glob("*.eval"))) == 1


@pytest.mark.whole
def test_the_cases_it_missed_are_listed_unless_they_are_not_wanted(askew, tmp_path):
    asked = ("judge-check", "--grader", "respondent/mute", "--task", "instruction_boundary",
             "--log-dir", tmp_path)  # fmt: skip
    n = len(judge_cases("instruction_boundary"))
    code, out, _ = askew(*asked)
    assert code == 0
    assert f"Without agreement ({n})" in out
    _, out, _ = askew(*asked, "--no-misses")
    assert "Without agreement" not in out


def test_a_task_without_a_judge_is_refused_in_one_line(askew, tmp_path):
    code, out, err = askew(
        "judge-check", "--grader", "respondent/oracle", "--task", "binary_qa",
        "--log-dir", tmp_path,
    )  # fmt: skip
    assert code != 0
    assert "binary_qa" in err
    assert "Traceback" not in out + err


def test_a_grader_must_be_named(askew):
    code, _, err = askew("judge-check")
    assert code != 0
    assert "--grader" in err

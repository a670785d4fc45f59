"""Validation cases for judges: readable, distinct, and of every verdict."""

from collections import Counter

import pytest

from askew.scoring.judge_cases import TASKS, judge_cases


@pytest.mark.parametrize("task", TASKS)
def test_every_task_has_its_own_cases_and_ids(task):
    cases = judge_cases(task)
    assert len(cases) >= 35
    assert len({case.id for case in cases}) == len(cases)
    assert all(case.shown and case.verdict for case in cases)


def test_knowno_has_as_many_answers_that_mean_the_same_as_others():
    verdicts = Counter(case.verdict for case in judge_cases("knowno"))
    assert abs(verdicts["same"] - verdicts["different"]) <= 1


def test_mathcomp_has_its_three_comparisons_in_like_number():
    verdicts = Counter(case.verdict for case in judge_cases("mathcomp"))
    assert set(verdicts) == {"less", "more", "equal"}
    assert max(verdicts.values()) - min(verdicts.values()) <= 6


def test_instruction_boundary_has_every_kind_of_answer():
    verdicts = {case.verdict for case in judge_cases("instruction_boundary")}
    assert verdicts >= {"true", "false", "unknown", "hedge", "none", "several", "no_answer"}
    assert verdicts >= {"2", "1,3", "all_true", "all_false"}


def test_no_cases_are_made_up_for_a_task_without_a_judge():
    with pytest.raises(ValueError, match="binary_qa"):
        judge_cases("binary_qa")

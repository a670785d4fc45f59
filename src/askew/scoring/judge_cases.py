"""Validation cases for judges: replies whose right verdict is plain to a careful reader."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO

from askew.papers import asked_for, papers

CASES = "judge_cases.csv"


@dataclass(frozen=True)
class JudgeCase:
    """One case: what a judge is shown, by the columns of its task's table, and the verdict."""

    id: str
    task: str
    shown: Mapping[str, str]
    verdict: str


def judged_tasks() -> tuple[str, ...]:
    """The tasks whose judge can be put on trial, by name."""
    return tuple(sorted(p.task for p in papers() if (files(p.home) / CASES).is_file()))


def judge_cases(task: str) -> list[JudgeCase]:
    """The cases of one task's judge, in the order of its table."""
    if task not in judged_tasks():
        raise ValueError(f"no judge cases for {task!r}; there are: {', '.join(judged_tasks())}")
    text = (files(asked_for(task).home) / CASES).read_text(encoding="utf-8")
    return [
        JudgeCase(
            row["id"],
            task,
            {k: v for k, v in row.items() if k not in ("id", "verdict")},
            row["verdict"],
        )
        for row in csv.DictReader(StringIO(text, newline=""), strict=True)
    ]

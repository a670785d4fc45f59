"""Validation cases for judges: replies whose right verdict is plain to a careful reader."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import files
from io import StringIO

TASKS = ("instruction_boundary", "knowno", "mathcomp")


@dataclass(frozen=True)
class JudgeCase:
    """One case: what a judge is shown, by the columns of its task's table, and the verdict."""

    id: str
    task: str
    shown: Mapping[str, str]
    verdict: str


def judge_cases(task: str) -> list[JudgeCase]:
    """The cases of one task's judge, in the order of its table."""
    if task not in TASKS:
        raise ValueError(f"no judge cases for {task!r}; there are: {', '.join(TASKS)}")
    text = (files(__package__) / f"{task}.csv").read_text(encoding="utf-8")
    return [
        JudgeCase(
            row["id"],
            task,
            {k: v for k, v in row.items() if k not in ("id", "verdict")},
            row["verdict"],
        )
        for row in csv.DictReader(StringIO(text, newline=""), strict=True)
    ]

"""MathComp: does the word in the question pull the answer?

    inspect eval tasks/mathcomp.py --model openai/gpt-5 -T items=10

Prompts, parameters and metrics: docs/reference/tasks/mathcomp.md.
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from askew.papers.mathcomp import tasks


@task
@wraps(tasks.mathcomp, assigned=("__doc__",), updated=())
def mathcomp(**parameters: Any) -> Task:
    return tasks.mathcomp(**parameters)

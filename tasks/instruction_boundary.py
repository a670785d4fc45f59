"""Instruction Boundary: how far does an incomplete or misleading prompt move the answers?

    inspect eval tasks/instruction_boundary.py --model openai/gpt-5 -T items=10

Prompts, parameters and metrics: docs/reference/tasks/instruction_boundary.md.
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from askew.papers.instruction_boundary import tasks


@task
@wraps(tasks.instruction_boundary, assigned=("__doc__",), updated=())
def instruction_boundary(**parameters: Any) -> Task:
    return tasks.instruction_boundary(**parameters)

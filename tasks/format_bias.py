"""Format bias: how far does the output format move the score?

    inspect eval tasks/format_bias.py --model openai/gpt-5 -T items=10

Prompts, parameters and metrics: docs/reference/tasks/format_bias.md.
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from askew.papers.format_bias import tasks


@task
@wraps(tasks.format_bias, assigned=("__doc__",), updated=())
def format_bias(**parameters: Any) -> Task:
    return tasks.format_bias(**parameters)

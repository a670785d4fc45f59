"""Binary QA: do equivalent Yes/No questions get consistent answers?

    inspect eval tasks/binary_qa.py --model openai/gpt-5 -T items=10

Prompts, parameters and metrics: docs/reference/tasks/binary_qa.md.
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from askew.papers.binary_qa import tasks


@task
@wraps(tasks.binary_qa, assigned=("__doc__",), updated=())
def binary_qa(**parameters: Any) -> Task:
    return tasks.binary_qa(**parameters)

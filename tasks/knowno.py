"""KnowNo: does a model notice that no option is correct?

    inspect eval tasks/knowno.py --model openai/gpt-5 -T items=10

Prompts, parameters and metrics: docs/reference/tasks/knowno.md.
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from askew.papers.knowno import tasks


@task
@wraps(tasks.knowno, assigned=("__doc__",), updated=())
def knowno(**parameters: Any) -> Task:
    return tasks.knowno(**parameters)

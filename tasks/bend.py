"""bend: any Inspect task, unedited, under treatments

    inspect eval tasks/bend.py --model openai/gpt-5 -T task=inspect_evals/arc_easy

Prompts, parameters and metrics: docs/reference/bend.md.
"""

from functools import wraps
from typing import Any

from inspect_ai import Task, task

from askew.bend import tasks


@task
@wraps(tasks.bend, assigned=("__doc__",), updated=())
def bend(**parameters: Any) -> Task:
    return tasks.bend(**parameters)

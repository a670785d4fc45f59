"""Bend a task of your own in Python: `askew.bend.bend("inspect_evals/arc_easy")`, or a `Task`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from inspect_ai import Task

from askew.papers.bend.tasks import author_task, bend_task


def bend(
    task: str | Task | Callable[[], Task],
    treatments: str | Sequence[str] | None = None,
    *,
    args: Mapping[str, Any] | None = None,
    **given: Any,
) -> Task:
    """A task, asked plainly and under treatments, for `eval`, `eval_set` and flows.

    Args:
        task: a registered name, a file (mine.py@name), a function that makes the task, or a
            `Task`, which is changed in place.
        treatments: which; default repeat, absent, order, suggestion, reflection.
        args: the author's task parameters, where `task` is a name or a file.
        **given: parameters of treatments, `measure`, `value_range`, `items` and `seed`.
    """
    if isinstance(task, str):
        base, name = author_task(task, args, {})
    else:
        base, name = (task if isinstance(task, Task) else task()), ""
    return bend_task(base, treatments, name=name, **given)

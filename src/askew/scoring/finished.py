"""What is said once a task is over: Inspect computes its numbers live, too, from few samples on.

The last numbers of a task are computed where its end is told, and nowhere inside its samples: what
they were computed of stands in a context of its own, so that nothing here is at work, or costs
anything, while samples run.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from functools import cache

import pandas as pd
from inspect_ai.hooks import Hooks, TaskEnd, TaskStart, hooks
from inspect_ai.log import EvalLog

Teller = Callable[[EvalLog, pd.DataFrame], Awaitable[None]]
_TELLERS: list[Teller] = []
_COMPUTED_OF: ContextVar[pd.DataFrame | None] = ContextVar("askew_computed_of", default=None)


def when_finished(tell: Teller) -> None:
    """Have something told of every task of askew that is over.

    Args:
        tell: called with the task's log and the observations behind its numbers.
    """
    if tell not in _TELLERS:
        _TELLERS.append(tell)


def computed_of(rows: pd.DataFrame) -> None:
    """Remember what a task's numbers were just computed of."""
    _listen()
    _COMPUTED_OF.set(rows)


class Finished(Hooks):
    """Tells what is to be told at the end of a task whose numbers were computed."""

    def enabled(self) -> bool:
        return _COMPUTED_OF.get() is not None

    async def on_task_start(self, data: TaskStart) -> None:
        # Numbers that were computed outside of any run are of no task's end.
        _COMPUTED_OF.set(None)

    async def on_task_end(self, data: TaskEnd) -> None:
        rows = _COMPUTED_OF.get()
        _COMPUTED_OF.set(None)
        if rows is None or not len(rows):
            return
        for tell in _TELLERS:
            await tell(data.log, rows)


@cache
def _listen() -> None:
    """Let Inspect know who listens; before the first number nobody does."""
    hooks(name="finished", description="Says where questions were too easy.")(Finished)

"""A cluster's workers start parts, and end those that nobody waits for any more.

Dask never stops what a worker does. It cancels the task, when whoever waits for it gives up, dies
or can't be reached; the worker's thread looks whether that happened. A command that is started
again may be faster: it waits until the parts of the one before have ended.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import uuid4

from askew.audit.asking import OnBegun, under_way
from askew.audit.parts import Part, under
from askew.executors import WorkerError

# Seconds that parts of a command that is gone have to end: a host that vanished is missed by then.
_PATIENCE = 60.0
_LOOK = 0.5


@dataclass(frozen=True)
class Workers:
    """What a part's process is started for on a worker; it travels there."""

    topic: str

    def begun(self, part: Part) -> None:
        from distributed import get_worker

        get_worker().log_event(self.topic, part.folder)

    def wanted(self) -> bool:
        from distributed import get_worker

        worker = get_worker()
        task = worker.state.tasks.get(worker.get_current_task())
        leaving = worker.status.name in ("closing", "closed", "failed")
        return task is not None and task.state == "executing" and not leaving


def on_workers(
    client: Any, parts: Sequence[Part], log_dir: str, on_begun: OnBegun, on_wait: Callable[[], None]
) -> Workers:
    """A cluster's workers, once none of them asks any of these parts for another command.

    Args:
        client: Dask's.
        parts: what is to be asked.
        log_dir: the audit's folder or address.
        on_begun: hears of each part that begins.
        on_wait: called once, where there is somebody to wait for.
    """
    folders = {under(log_dir, part) for part in parts}
    until = time.monotonic() + _PATIENCE
    waits = False
    while taken := folders & _asked_into(client):
        if not waits:
            on_wait()
        waits = True
        if time.monotonic() > until:
            raise WorkerError(
                f"{min(taken)}: another command asks this part there, and two would ask all twice: "
                "end that one, or wait for it"
            )
        time.sleep(_LOOK)
    by_folder = {part.folder: part for part in parts}
    starter = Workers(f"askew-{uuid4().hex}")
    client.subscribe_topic(starter.topic, lambda event: on_begun(by_folder[event[1]]))
    return starter


def _asked_into(client: Any) -> set[str]:
    """The folders that processes of any worker are asking into."""
    # A worker that is gone has taken its processes with it.
    found = client.run(under_way, on_error="ignore")
    return {folder for folders in found.values() for folder in folders}

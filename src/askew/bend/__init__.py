"""bend as a task: the papers' treatments on any Inspect task; see `paper.py`."""

from typing import Any


def __getattr__(name: str) -> Any:
    """Import the task where it is named: who reads its numbers needs no Inspect."""
    if name != "bend":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from askew.bend.tasks import bend

    return bend

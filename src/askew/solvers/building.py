"""What builders of data sets share: evals that go on where they stopped, and what they left."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from inspect_ai import Task, eval_set
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import Model
from inspect_ai.util import DisplayType, store

from askew.schema import TRUTH_KEY

# The role of the second model, which checks what the writer made.
CHECKER = "checker"
# Samples that failed are asked again, so often and after so many seconds, before a run ends.
RETRIES: Mapping[str, Any] = {"retry_attempts": 2, "retry_wait": 5.0}


def run_resumable(
    task: Task,
    folder: Path,
    model: str | Model,
    checker: str | Model,
    display: DisplayType | None = None,
    **options: Any,
) -> None:
    """Run a builder's eval; samples that its folder holds complete are not asked again."""
    eval_set(
        task,
        log_dir=str(folder),
        model=model,
        model_roles={CHECKER: checker} if checker else None,
        display=display,
        log_dir_allow_dirty=True,
        **{**RETRIES, **options},
    )


def built_in(folder: Path, key: str) -> dict[str, Mapping[str, Any]]:
    """By id the metadata of every sample that some log of the folder holds with this key."""
    built: dict[str, Mapping[str, Any]] = {}
    for log in list_eval_logs(str(folder), descending=True) if folder.is_dir() else []:
        for sample in read_eval_log(log).samples or []:
            if sample.metadata.get(key) and not sample.error:
                built.setdefault(str(sample.id), sample.metadata)
    return built


def tell(hint: Mapping[str, Any]) -> None:
    """Tell a simulated model what it is asked; where none plays a part, there is no truth."""
    truth = store().get(TRUTH_KEY)
    if isinstance(truth, Mapping):
        store().set(TRUTH_KEY, {**truth, **hint})

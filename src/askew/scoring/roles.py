"""Model roles that a task needs: one that is not bound ends the run before its first sample."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import click
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalSpec
from inspect_ai.model import model_roles
from inspect_ai.scorer import SampleScore
from inspect_ai.util import EarlyStop, EarlyStopping
from pydantic import JsonValue

from askew.parameters import SelectionError


class RoleError(SelectionError):
    """A model role that a task needs is not bound."""


def check_roles(needed: Mapping[str, str]) -> None:
    """Raise where a role is not bound in the run that is under way."""
    for role, why in needed.items():
        if role not in model_roles():
            raise RoleError(
                f"{why} needs the model role {role!r}, which is not bound: add "
                f"--model-role {role}=<model> (askew never uses the model under test for it)"
            )


def check_command(task: str, needed: Mapping[str, str]) -> None:
    """Raise where `inspect eval` runs this task itself, and no role of its command is the one."""
    command = click.get_current_context(silent=True)
    if command and f"askew/{task}" in [*(command.params.get("tasks") or ())]:
        check_roles(needed)


def _raise(error: Exception) -> None:
    raise error


class BoundRoles:
    """Inspect's `EarlyStopping` that checks model roles first, then does what another one does."""

    def __init__(self, needed: Mapping[str, str], then: EarlyStopping | None = None) -> None:
        """Need roles: each with what needs it, for the message."""
        self.needed, self._then = needed, then

    async def start_task(self, task: EvalSpec, samples: list[Sample], epochs: int) -> str:
        try:
            check_roles(self.needed)
        except RoleError as error:
            # Inspect makes an errored log of it, and its command line would end with 0.
            if command := click.get_current_context(silent=True):
                command.call_on_close(partial(_raise, error))
            raise
        return await self._then.start_task(task, samples, epochs) if self._then else "askew roles"

    async def schedule_sample(self, id: str | int, epoch: int) -> EarlyStop | None:
        return await self._then.schedule_sample(id, epoch) if self._then else None

    async def complete_sample(
        self, id: str | int, epoch: int, scores: dict[str, SampleScore]
    ) -> None:
        if self._then:
            await self._then.complete_sample(id, epoch, scores)

    async def complete_task(self) -> dict[str, JsonValue]:
        return await self._then.complete_task() if self._then else {}


def needing(needed: Mapping[str, str], then: Any = None) -> Any:
    """A task's early stopping where it needs these roles, or just what it was."""
    return BoundRoles(needed, then) if needed else then

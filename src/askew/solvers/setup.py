"""Before the dialogue: roles that must be bound, and the truth that simulated models may know."""

from __future__ import annotations

from inspect_ai.model import ModelName, model_roles
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from askew.schema import RESPONDENT_API, TRUTH_KEY


@solver
def reveal_truth() -> Solver:
    """Let respondents that play a part know the truth of the sample; real models never meet this.

    The steps of the chain that insert a treatment do the same, so a task needs this step only
    where it has none of them in its setup.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        reveal(state)
        return state

    return solve


def reveal(state: TaskState) -> None:
    """Mark the sample's store where a respondent is the model or plays a role.

    The mark holds what the sample itself does not say, its epoch: a respondent reads the rest
    from the transcript, where it stands once already.
    """
    if state.model.api == RESPONDENT_API or _plays_a_role():
        shared = store()
        if shared.get(TRUTH_KEY) is None:
            shared.set(TRUTH_KEY, {"epoch": state.epoch})


def _plays_a_role() -> bool:
    bound = model_roles().values()
    models = [m for b in bound for m in (b if isinstance(b, list) else [b])]
    return any(ModelName(m).api == RESPONDENT_API for m in models)


class RoleError(RuntimeError):
    """A condition needs a model role that nobody bound."""


@solver
def require_role(role: str, why: str) -> Solver:
    """Stop a sample before its first model call where a role is not bound.

    Args:
        role: the role that must be bound.
        why: what needs it, for the message.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if role not in model_roles():
            raise RoleError(
                f"{why} needs the model role {role!r}, which is not bound: add "
                f"--model-role {role}=<model> (askew never uses the model under test for it)"
            )
        return state

    return solve

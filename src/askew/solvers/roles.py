"""Model roles a task's conditions need: checked before money is spent."""

from inspect_ai.model import model_roles
from inspect_ai.solver import Generate, Solver, TaskState, solver


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

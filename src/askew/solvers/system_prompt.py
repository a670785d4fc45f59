"""First step of the chain: the system prompt of a sample's condition."""

from inspect_ai.model import ChatMessageSystem
from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.solvers.treatment import treatment


@solver
def system_prompt() -> Solver:
    """Put the sample's `system_prompt` in front of the dialogue, once; else change nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = treatment(state, "system_prompt")
        if text and not any(m.role == "system" and m.text == text for m in state.messages):
            state.messages.insert(0, ChatMessageSystem(content=text))
        return state

    return solve

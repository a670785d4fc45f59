"""Third step of the chain: a second turn that asks the model to look at its answer again."""

from inspect_ai.model import ChatMessageUser
from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.solvers.treatment import treatment


@solver
def multi_turn_reflection() -> Solver:
    """Where the sample has a `reflection`, answer first, then ask it as a second turn.

    The first turn is generated here, so that a plain `generate()` can close every dialogue:
    without a reflection this step changes nothing, and with one it leaves the follow-up
    question as the last message.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        follow_up = treatment(state, "reflection")
        if follow_up:
            state = await generate(state)
            if not state.completed:
                state.messages.append(ChatMessageUser(content=follow_up))
        return state

    return solve

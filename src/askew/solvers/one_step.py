"""Several steps of the chain as one, which costs each sample less."""

from __future__ import annotations

from inspect_ai.solver import Generate, Solver, TaskState, solver


@solver
def one_step(*steps: Solver) -> Solver:
    """Run steps in their order as one step of the plan.

    For each step of a plan Inspect opens a span and compares the states before and after it,
    which takes longer than what the chain's steps do. The log's plan names the steps within.

    Args:
        *steps: what to run; none of them after one that completes the sample.
    """

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        for step in steps:
            if state.completed:
                break
            state = await step(state, generate)
        return state

    return solve

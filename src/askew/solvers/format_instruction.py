"""Fourth step of the chain: how the answer is to be written."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.solvers.treatment import treatment


@solver
def format_instruction() -> Solver:
    """Append the sample's `format_instruction` to the last user message; else change nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        text = treatment(state, "format_instruction")
        if text:
            asked = [m for m in state.messages if m.role == "user"]
            if not asked:
                raise ValueError(f"sample {state.sample_id} has no user message to add to")
            asked[-1].text = f"{asked[-1].text}\n\n{text}"
        return state

    return solve

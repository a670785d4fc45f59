"""Second step of the chain: the framing of a sample's condition, before or after its question."""

from inspect_ai.solver import Generate, Solver, TaskState, solver

from askew.solvers.treatment import treatment


@solver
def framing_insertion() -> Solver:
    """Insert the sample's `framing` at its `framing_position`; without one, change nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        framing = treatment(state, "framing")
        if framing:
            prompt = state.user_prompt
            position = state.metadata.get("framing_position", "begin")
            prompt.text = framed(prompt.text, framing, position)
        return state

    return solve


def framed(question: str, framing: str, position: str) -> str:
    """A question with its framing in front ("begin") or behind ("end")."""
    if position not in ("begin", "end"):
        raise ValueError(f"framing_position={position!r}: valid are begin, end")
    parts = (framing, question) if position == "begin" else (question, framing)
    return "\n\n".join(parts)

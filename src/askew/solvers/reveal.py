"""Tell a simulated model what is true of the sample it answers; real models never meet this."""

from typing import Any

from inspect_ai.model import ModelName, model_roles
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import store

from askew.schema import RESPONDENT_API, TRUTH_KEY


@solver
def reveal_truth() -> Solver:
    """Fill the sample's store with its truth where a respondent plays a part; else do nothing."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:
        if state.model.api == RESPONDENT_API or _plays_a_role():
            store().set(TRUTH_KEY, truth_of(state))
        return state

    return solve


def truth_of(state: TaskState) -> dict[str, Any]:
    """What is true of a sample, as simulated models are told."""
    return {
        **state.metadata,
        "sample_id": str(state.sample_id),
        "epoch": state.epoch,
        "choices": [choice.value for choice in state.choices],
        "target": state.target.text,
    }


def _plays_a_role() -> bool:
    bound = model_roles().values()
    models = [m for b in bound for m in (b if isinstance(b, list) else [b])]
    return any(ModelName(m).api == RESPONDENT_API for m in models)

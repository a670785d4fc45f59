"""Reading a sample's treatment: which texts the chain inserts into its dialogue."""

from inspect_ai.solver import TaskState

from askew.schema import TREATMENTS
from askew.solvers.reveal import reveal


def treatment(state: TaskState, name: str) -> str:
    """The text of one treatment of this sample; empty where the sample does not need it.

    A sample of any task may carry treatments: they are plain metadata. Every step that inserts
    one also reveals the truth to simulated models: a step for that alone would cost each sample
    a span and a comparison of states.
    """
    reveal(state)
    if name not in TREATMENTS:
        raise ValueError(f"no treatment {name!r}; there are: {', '.join(TREATMENTS)}")
    text = state.metadata.get(name, "")
    if not isinstance(text, str):
        raise TypeError(f"metadata {name!r} of sample {state.sample_id} is not a text: {text!r}")
    return text

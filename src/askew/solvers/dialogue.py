"""The dialogue that the chain makes of a sample, without running it: what will be asked."""

from __future__ import annotations

from inspect_ai.dataset import Sample

from askew.schema import TREATMENTS
from askew.solvers.framing_insertion import framed


def planned_dialogue(sample: Sample) -> list[tuple[str, str]]:
    """Messages as (role, text), in order; a reply of the model stands as ("assistant", "...")."""
    metadata = sample.metadata or {}
    system, framing, reflection, instruction = (str(metadata.get(t, "")) for t in TREATMENTS)
    text = sample.input if isinstance(sample.input, str) else sample.input[-1].text
    if framing:
        text = framed(text, framing, str(metadata.get("framing_position", "begin")))
    turns = [("system", system)] if system else []
    turns.append(("user", text))
    if reflection:
        turns += [("assistant", "..."), ("user", reflection)]
    if instruction:
        role, last = turns[-1]
        turns[-1] = (role, f"{last}\n\n{instruction}")
    return turns

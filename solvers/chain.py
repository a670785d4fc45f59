"""The steps of a dialogue, in their order: each adds one part of a sample's condition.

    inspect eval mine.py --solver solvers/chain.py@framing_insertion

Each reads its text from the sample's metadata and changes nothing where there is none.
"""

from inspect_ai.solver import Solver, solver

from askew.solvers import chain


@solver
def system_prompt() -> Solver:
    """Put `system_prompt` in front of the dialogue, once."""
    return chain.system_prompt()


@solver
def framing_insertion() -> Solver:
    """Insert `framing` before or after the question."""
    return chain.framing_insertion()


@solver
def multi_turn_reflection() -> Solver:
    """Ask for a second reply by `reflection`."""
    return chain.multi_turn_reflection()


@solver
def format_instruction() -> Solver:
    """Add `format_instruction` after the question."""
    return chain.format_instruction()

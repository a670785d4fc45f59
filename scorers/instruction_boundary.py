"""Score the replies of a log of `instruction_boundary` again, without calling the model:

    inspect score LOG --scorer scorers/instruction_boundary.py@instruction_boundary_scorer --action append
"""

from functools import wraps
from typing import Any

from inspect_ai.scorer import Scorer, scorer

from askew.papers.instruction_boundary import scorer as home


@scorer(metrics=[home.instruction_boundary_metrics()])
@wraps(home.instruction_boundary_scorer, assigned=("__doc__",), updated=())
def instruction_boundary_scorer(**parameters: Any) -> Scorer:
    return home.instruction_boundary_scorer(**parameters)

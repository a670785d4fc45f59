"""Score the replies of a log of `bend` again, without calling the model:

    inspect score LOG --scorer scorers/bend.py@bend_scorer --action append
"""

from functools import wraps
from typing import Any

from inspect_ai.scorer import Scorer, scorer

from askew.bend import scorer as home


@scorer(metrics=[home.bend_metrics()])
@wraps(home.bend_scorer, assigned=("__doc__",), updated=())
def bend_scorer(**parameters: Any) -> Scorer:
    return home.bend_scorer(**parameters)

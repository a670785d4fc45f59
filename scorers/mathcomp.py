"""Score the replies of a log of `mathcomp` again, without calling the model:

    inspect score LOG --scorer scorers/mathcomp.py@mathcomp_scorer --action append
"""

from functools import wraps
from typing import Any

from inspect_ai.scorer import Scorer, scorer

from askew.papers.mathcomp import scorer as home


@scorer(metrics=[home.mathcomp_metrics()])
@wraps(home.mathcomp_scorer, assigned=("__doc__",), updated=())
def mathcomp_scorer(**parameters: Any) -> Scorer:
    return home.mathcomp_scorer(**parameters)

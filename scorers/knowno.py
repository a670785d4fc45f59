"""Score the replies of a log of `knowno` again, without calling the model:

    inspect score LOG --scorer scorers/knowno.py@knowno_scorer --action append
"""

from functools import wraps
from typing import Any

from inspect_ai.scorer import Scorer, scorer

from askew.papers.knowno import scorer as home


@scorer(metrics=[home.knowno_metrics()])
@wraps(home.knowno_scorer, assigned=("__doc__",), updated=())
def knowno_scorer(**parameters: Any) -> Scorer:
    return home.knowno_scorer(**parameters)

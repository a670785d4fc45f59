"""Score the replies of a log of `format_bias` again, without calling the model:

    inspect score LOG --scorer scorers/format_bias.py@format_bias_scorer --action append
"""

from functools import wraps
from typing import Any

from inspect_ai.scorer import Scorer, scorer

from askew.papers.format_bias import scorer as home


@scorer(metrics=[home.format_bias_metrics()])
@wraps(home.format_bias_scorer, assigned=("__doc__",), updated=())
def format_bias_scorer(**parameters: Any) -> Scorer:
    return home.format_bias_scorer(**parameters)

"""Score the replies of a log of `binary_qa` again, without calling the model:

    inspect score LOG --scorer scorers/binary_qa.py@binary_qa_scorer --action append
"""

from functools import wraps
from typing import Any

from inspect_ai.scorer import Scorer, scorer

from askew.papers.binary_qa import scorer as home


@scorer(metrics=[home.binary_qa_metrics()])
@wraps(home.binary_qa_scorer, assigned=("__doc__",), updated=())
def binary_qa_scorer(**parameters: Any) -> Scorer:
    return home.binary_qa_scorer(**parameters)

"""What Binary QA's chapter.yaml can't say: a random guesser stands beside the models."""

from dataclasses import replace

import pandas as pd

from askew.papers.binary_qa.numbers import random_guesser
from askew.report.evidence import Evidence


def extend_evidence(evidence: Evidence) -> Evidence:
    """The evidence with the numbers of whoever flips a coin over the same questions."""
    guessed = random_guesser(evidence.observations).assign(model="Random guesser")
    return replace(evidence, rows=pd.concat([evidence.rows, guessed], ignore_index=True))

"""Accuracy by tone, and its spread over tones."""

import numpy as np

from askew.stats import tables
from askew.stats.engine import Items, Number, analysis, share

from .paper import PAPER


def shouting(observations, by=("model",), interval=tables.DEFAULT_INTERVAL):
    return tables.metric_table(observations, by, ("subset", "tone"), _analyse, interval)


def _analyse(rows):
    accuracy = share(PAPER.metric("accuracy"), "correct")
    spread = Number(
        PAPER.metric("tone_spread"),
        lambda sums: np.std([accuracy.of(tone) for tone in sums.each("tone")], axis=0),
    )
    places = {("all", "all"): [spread]}
    places |= {("all", tone): [accuracy] for tone in dict.fromkeys(rows["tone"])}
    return analysis(Items(rows, ("tone",), ("correct",)), ("subset", "tone"), places)

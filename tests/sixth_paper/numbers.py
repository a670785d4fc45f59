"""Accuracy by tone, and its spread over tones."""

from functools import partial

import numpy as np

from askew.stats import tables
from askew.stats.clusters import permute_labels_within
from askew.stats.engine import Items, Number, analysis, share

from .paper import PAPER

RATE, SPREAD = PAPER.metrics
ACCURACY = share(RATE, "correct")
OVER = Number(SPREAD, lambda sums: np.std([*map(ACCURACY.of, sums.each("tone"))], axis=0))


def shouting(observations, by=("model",), interval=tables.DEFAULT_INTERVAL):
    return tables.metric_table(observations, by, ("subset", "tone"), _analyse, interval)


def _analyse(rows):
    places = {("all", "all"): [OVER]}
    places |= {("all", tone): [ACCURACY] for tone in dict.fromkeys(rows["tone"])}
    traded = {"tone": partial(permute_labels_within, split=lambda key: ((), key[0], key[1:]))}
    return analysis(Items(rows, ("tone",), ("correct",)), ("subset", "tone"), places, traded)

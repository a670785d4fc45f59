"""Accuracy by tone, and its spread over tones."""

import numpy as np

from askew.stats import tables
from askew.stats.tables import Quantity

from .paper import PAPER


def shouting(observations, by=("model",), interval=tables.DEFAULT_INTERVAL):
    return tables.metric_table(observations, by, ("subset", "tone"), _analyse, interval)


def _analyse(rows):
    tones = list(dict.fromkeys(rows["tone"]))
    items = tables.Counts(rows["item"].nunique(), n_units=rows["unit"].nunique())

    def statistic(totals):
        rates = {t: totals.ratio((t, "correct"), (t, "n")) for t in tones}
        spread = np.std(list(rates.values()), axis=0)
        values = {("tone_spread", "all", "all"): spread}
        values |= {("accuracy", "all", tone): rate for tone, rate in rates.items()}
        return {k: Quantity.of(PAPER.metric(k[0]), v, counts=items) for k, v in values.items()}

    return tables.Analysis(tables.unit_table(rows, ("tone",), ("correct",)), statistic, {})

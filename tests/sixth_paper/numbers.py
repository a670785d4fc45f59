"""Accuracy by tone, and its spread over tones."""

import numpy as np

from askew.statistics import tables


def shouting(observations, by=("model",), interval=tables.DEFAULT_INTERVAL):
    return tables.metric_table(observations, by, ("subset", "tone"), _analyse, interval)


def _analyse(rows):
    tones = list(dict.fromkeys(rows["tone"]))
    items = tables.Counts(rows["item"].nunique(), n_units=rows["unit"].nunique())

    def statistic(totals):
        rates = {t: totals.ratio((t, "correct"), (t, "n")) for t in tones}
        spread = np.std(list(rates.values()), axis=0)
        return {
            ("tone_spread", "all", "all"): tables.Quantity(spread, spread=True, counts=items),
            **{("accuracy", "all", t): tables.Quantity(r, is_rate=True, counts=items)
               for t, r in rates.items()},
        }  # fmt: skip

    return tables.Analysis(tables.unit_table(rows, ("tone",), ("correct",)), statistic, {})

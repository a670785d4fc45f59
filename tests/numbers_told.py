"""A paper's numbers before any interval, a line each: all that tables and intervals are made of."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd

from askew.stats.tables import Analysis


class _Caught:
    """In the place of an interval: keeps what is analysed and makes no table of it."""

    def __init__(self) -> None:
        self.analyses: list[Analysis] = []

    def frame(self, by, levels, groups):  # type: ignore[no-untyped-def]
        self.analyses += [analysis for _, analysis in groups]
        return pd.DataFrame(columns=["metric", *by, *levels])


def analyses(
    metrics: Callable[..., Any], rows: pd.DataFrame, by: tuple[str, ...] = (), **given: Any
) -> list[Analysis]:
    """What a paper's metrics make of rows: an analysis for each group and set of numbers."""
    caught = _Caught()
    metrics(rows, by=by, interval=caught, **given)
    return caught.analyses


def told(*found: Analysis) -> list[str]:
    """Every number in its order, as "metric place: value, items-dropped units/strata = parts; why".

    Units and strata are those of its interval; of parts each has its units.
    """
    return [line for analysis in found for line in _told(analysis)]


def _told(analysis: Analysis) -> Iterator[str]:
    for (metric, *place), number in analysis.statistic(analysis.table.point()).items():
        counts = number.counts
        where = " ".join(str(level) or "-" for level in place)
        line = f"{metric} {where}: {_short(number.values[0])}, {counts.n_items}-{counts.n_dropped}"
        line += f" {counts.n_clusters}/{counts.n_strata}"
        if number.parts and number.interval != "variance":
            parts = (f"{_short(p.values[0])}/{p.n_clusters}" for p in number.parts)
            line += f" = {' '.join(parts)}"
        undefined = np.isnan(number.values[0])
        yield f"{line}; {number.reason or 'no reason'}" if undefined else line


def _short(value: float) -> str:
    return f"{round(float(value), 6) + 0.0:g}"


def lines(text: str) -> list[str]:
    """The lines of an example in a test."""
    return [line.strip() for line in text.strip().splitlines() if line.strip()]

"""What holds for the sums behind every paper's numbers, of rows of which some were lost."""

from functools import cache

import numpy as np
import pytest

from askew import metrics
from askew.decide.simulation import simulation
from askew.papers import names
from askew.stats.tables import Totals
from tests.numbers_told import analyses


@cache
def rows_of(task):
    given = {} if task == "bend" else {"data": "bundled"}
    rows = simulation(task, items=5, **given).observations("random", epochs=2)
    return rows.sample(frac=0.8, random_state=3).reset_index(drop=True)


@cache
def analysed(task):
    return analyses(getattr(metrics, task), rows_of(task))


def values(found, i=0):
    """Of each number its value and those of its parts, in one of several draws."""
    return {
        (*key, n): q.values[i] for key, whole in found.items()
        for n, q in enumerate([whole, *whole.parts])
    }  # fmt: skip


@pytest.mark.parametrize("task", names())
def test_numbers_of_several_draws_are_those_of_each(task):
    for analysis in analysed(task):
        drawn = analysis.table.resampled(4, 1)
        columns = {key: n for n, key in enumerate(analysis.table.columns)}
        sums = np.stack([drawn[key] for key in columns], axis=1)
        together = analysis.statistic(drawn)
        assert together
        for i in range(4):
            alone = analysis.statistic(Totals(sums[i : i + 1], columns))
            own = {k: alone[k] for k in together}
            assert values(together, i) == pytest.approx(values(own), nan_ok=True)


@pytest.mark.parametrize("task", names())
def test_values_computed_for_one_row_equal_those_of_the_table(task):
    for analysis in analysed(task):
        point = analysis.table.point()
        whole = analysis.statistic(point)
        for place in dict.fromkeys(key[1:] for key in whole):
            alone = analysis.statistic(point.only(lambda key, at=place: key[1:] == at))
            there = {k: q for k, q in whole.items() if k[1:] == place}
            assert values({k: alone[k] for k in there}) == pytest.approx(values(there), nan_ok=True)

"""The same observations in another order are the same numbers, bounds and p-values among them.

Logs are read in the order of their names, shards in any: a seeded interval must not know.
"""

import pandas as pd
import pytest

from askew.papers import names
from askew.report.study import summarize
from askew.stats.tables import Interval
from tests.report.simulated import observed

QUICK = Interval(resamples=40)
COUNTED = ("value", "low", "high", "difference", "p_value")


@pytest.fixture(params=names())
def both(request):
    """A task's observations of two models as they come, and shuffled."""
    rows = observed(request.param, 12, one=("typical", 1), two=("typical", 2))
    return rows, rows.sample(frac=1.0, random_state=3)


def assert_same(tables):
    one, other = tables
    numbers = [c for c in COUNTED if c in one]
    keys = [c for c in one if c not in {*numbers, "reason", "p_corrected"}]
    one, other = (t.sort_values(keys, ignore_index=True)[[*keys, *numbers]] for t in (one, other))
    assert numbers
    assert one[numbers].notna().any().all()
    # Sums of the same numbers in another order may differ in their last digit.
    pd.testing.assert_frame_equal(one, other, rtol=0, atol=1e-9)


def test_a_table_does_not_depend_on_the_order_of_observations(both):
    assert_same([summarize(rows, interval=QUICK) for rows in both])

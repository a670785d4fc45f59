"""Numbers that are drawn for later, and by themselves, are those of the whole table."""

import pytest

from askew.papers import asked_for, names
from askew.statistics.deferred import Deferred
from askew.statistics.tables import Interval, metric_table
from tests.report.simulated import answered
from tests.statistics.test_means import analyse, observed

SAID = ["value", "low", "high", "n_items", "n_dropped", "null_mean", "null_p", "without_noise"]
# Logic questions of one are generated, which takes seconds.
TASKS = [
    pytest.param(t, marks=pytest.mark.whole) if t == "instruction_boundary" else t for t in names()
]


@pytest.mark.parametrize("task", TASKS)
def test_a_number_asked_for_alone_is_that_of_the_whole_table(task):
    """The last of each metric: what comes before it is skipped where it alone is asked for."""
    paper, rows = asked_for(task), answered(task, 6, "typical", 1)
    later = Deferred(resamples=40)
    whole = paper.table(rows, interval=Interval(resamples=40))
    points = paper.table(rows, interval=later)
    places = list(whole.columns[: list(whole.columns).index("value")])
    assert points[[*places, "value"]].equals(whole[[*places, "value"]])
    last = whole.groupby("metric", sort=False).tail(1)
    for row in last.to_dict("records"):
        at = tuple(row[name] for name in places), 0.95
        said = later.rows({at})[at]
        assert {n: said[n] for n in SAID} == pytest.approx({n: row[n] for n in SAID}, nan_ok=True)


def test_one_number_may_be_asked_for_at_several_levels_at_once():
    later, rows = Deferred(resamples=200), observed(20)
    metric_table(rows, ("model",), ("subset",), analyse, later)
    levels = (0.5, 0.9, 0.99)
    place = ("acc", "m", "a")
    found = later.rows({(place, level) for level in levels})
    assert set(found) == {(place, level) for level in levels}
    for level in levels:
        how = Interval(resamples=200, level=level)
        table = metric_table(rows, ("model",), ("subset",), analyse, how)
        row = table[table["subset"] == "a"].iloc[0]
        said = found[place, level]
        assert (said["low"], said["high"]) == (row["low"], row["high"])


def test_what_nobody_asks_for_is_not_drawn(monkeypatch):
    drawn = []
    monkeypatch.setattr(
        "askew.statistics.tables.bootstrap_totals", lambda *given: drawn.append(given)
    )
    made = metric_table(observed(20), ("model",), ("subset",), analyse, Deferred())
    assert made["low"].isna().all()
    assert drawn == []

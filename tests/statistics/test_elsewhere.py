"""Groups that are drawn elsewhere or later: who does what, and that the rows stay the same."""

import inspect

import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from askew.schema import Null
from askew.statistics.deferred import Deferred, narrowed
from askew.statistics.means import mean_over
from askew.statistics.spread import Spread, can_travel
from askew.statistics.tables import Analysis, Interval, Quantity, Totals, metric_table
from tests.elsewhere import Elsewhere
from tests.statistics.test_means import analyse, observed

# What is not defined is told without warnings.
pytestmark = pytest.mark.filterwarnings("error::RuntimeWarning")

HOW = Interval(resamples=60, level=0.8, seed=3)
ROWS = pd.concat(
    [observed(31, "one"), observed(12, "one", "b"), observed(9, "two"), observed(20, "two", "b")],
    ignore_index=True,
)


def table(interval, analysed=analyse, mean=mean_over):
    return metric_table(ROWS, ("model",), ("subset",), analysed, interval, mean)


def counting(calls):
    """An analysis that can't travel, and is noted."""

    def analysed(rows):
        calls.append(rows["model"].iloc[0])
        return analyse(rows)

    return analysed


def test_groups_and_their_mean_are_a_call_each_and_come_as_they_would_here():
    where = Elsewhere()
    assert_frame_equal(table(Spread.over(HOW, where)), table(HOW), check_exact=True)
    assert len(where.calls) == 3
    where = Elsewhere()
    plain = table(HOW, mean=None)
    assert_frame_equal(table(Spread.over(HOW, where), mean=None), plain, check_exact=True)
    assert len(where.calls) == 2


def test_what_can_not_travel_is_drawn_here():
    where, calls = Elsewhere(), []
    apart = table(Spread.over(HOW, where), counting(calls))
    assert_frame_equal(apart, table(HOW), check_exact=True)
    assert (where.calls, calls) == ([], ["one", "two"])
    assert can_travel(analyse, mean_over, 3)
    assert not can_travel(analyse, counting([]))
    # Unless told who is to do it, it is this process.
    assert Spread().executor is None
    assert_frame_equal(table(Spread(60, 0.8, 3)), table(HOW), check_exact=True)


def test_what_refuses_to_travel_is_no_error():
    class Refuses:
        def __reduce__(self):
            raise TypeError("not by pickle")

    assert not can_travel(Refuses())


SAID = ["value", "low", "high", "n_items", "n_dropped", "reason"]


def all_of(later, points, level=0.8):
    asked = [*points[["metric", "model", "subset"]].itertuples(index=False, name=None)]
    found = later.rows([(place, level) for place in asked])
    assert list(found) == [(place, level) for place in asked]
    rows = [
        dict(zip(("metric", "model", "subset"), p, strict=True)) | dict(found[p, level])
        for p in asked
    ]
    return pd.DataFrame(rows)


@pytest.mark.parametrize("elsewhere", [False, True])
def test_rows_asked_for_later_are_those_of_the_whole_table(elsewhere):
    """Groups are drawn where they are sent; their mean, and what can't travel, here."""
    where = Elsewhere() if elsewhere else None
    later = Deferred(60, 0.5, 3, executor=where)
    points = table(later)
    assert points["low"].isna().all()
    assert points["value"].tolist() == table(None)["value"].tolist()
    assert where is None or not where.calls
    found = all_of(later, points)
    assert_frame_equal(found[SAID], table(HOW)[SAID], rtol=1e-9)
    assert where is None or len(where.calls) == 2


def test_an_analysis_is_made_once_unless_it_is_made_elsewhere():
    calls, where = [], Elsewhere()
    for executor in (None, where):
        later = Deferred(60, 0.5, 3, executor=executor)
        points = table(later, counting(calls))
        assert_frame_equal(all_of(later, points)[SAID], table(HOW)[SAID], rtol=1e-9)
    assert calls == ["one", "two"] * 2
    assert where.calls == []
    for executor, made_again in ((None, 0), (where, 2)):
        later = Deferred(60, 0.5, 3, executor=executor)
        table(later)
        assert len(later._made) == made_again


def test_the_point_values_of_a_table_are_those_that_somebody_asks_about():
    heard = []

    def about(metric):
        heard.append(metric)
        return metric == "acc"

    def analysed(rows):
        made = analyse(rows)

        def statistic(totals):
            return {
                (name, *key[1:]): quantity
                for key, quantity in made.statistic(totals).items() for name in ("acc", "other")
            }  # fmt: skip

        return Analysis(made.table, statistic, made.counts)

    later = Deferred(60, about=about)
    points = table(later, analysed)
    assert set(points["metric"]) == {"acc"}
    assert sorted(heard) == ["acc", "other"]
    assert later.metrics == {"acc": True, "other": False}
    everything = Deferred(60)
    assert set(table(everything, analysed)["metric"]) == {"acc", "other"}
    assert everything.metrics == {"acc": True, "other": True}


def test_what_was_found_is_no_part_of_what_was_asked_for():
    asked = ["resamples", "level", "seed", "about", "executor"]
    assert list(inspect.signature(Deferred).parameters) == asked
    where = Elsewhere()
    used = Deferred(60, executor=where)
    table(used)
    assert used._found
    assert used._made
    assert used == Deferred(60, executor=where) != Deferred(61, executor=where)
    fresh = Deferred()
    assert (fresh.executor, fresh.metrics, fresh._found, fresh._made) == (None, {}, {}, {})


def test_only_what_a_number_is_made_of_is_read_of_resamples():
    made = analyse(ROWS[ROWS["model"] == "one"])
    part = narrowed(made, [("acc", "a")])
    assert list(part.statistic(made.table.point())) == [("acc", "a")]
    # This statistic makes all rates, whichever is asked for.
    assert set(part.table.read) == set(made.table.columns)

    def of_some(totals):
        subsets = [s for s in "ab" if totals.wants(s)]
        return {("acc", s): Quantity(totals.ratio((s, "correct"), (s, "n"))) for s in subsets} | {
            ("none", "a"): Quantity(totals["nothing", "n"])
        }

    some = narrowed(Analysis(made.table, of_some, {}), [("acc", "a")])
    assert list(some.table.read) == [("a", "correct"), ("a", "n")]
    assert set(some.statistic(made.table.point())) == {("acc", "a")}


def test_numbers_of_the_same_exchange_are_drawn_with_the_one_that_is_asked_for():
    made = analyse(ROWS[ROWS["model"] == "one"])
    kept = {"one": Null("swap"), "same": Null("swap"), "other": Null("turn"), "plain": None}

    def statistic(totals):
        return {(name, "a"): Quantity(totals["a", "n"], null=null) for name, null in kept.items()}

    def found(*names):
        part = narrowed(Analysis(made.table, statistic, {}), [(name, "a") for name in names])
        return [key[0] for key in part.statistic(Totals(*_point(made)))]

    assert found("one") == ["one", "same"]
    assert found("plain") == ["plain"]
    assert found("other", "missing") == ["other"]
    assert found("same", "other", "plain") == ["one", "same", "other", "plain"]


def _point(made):
    return made.table.features.sum(axis=0, keepdims=True), made.table.columns

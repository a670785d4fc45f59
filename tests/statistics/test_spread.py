"""Which intervals are made in other processes, and that they stay what they were."""

from dataclasses import dataclass

import pytest

from askew.statistics.deferred import Deferred
from askew.statistics.spread import Spread
from askew.statistics.tables import Interval


class Somewhere:
    """An executor that is not asked for anything."""


def test_a_plain_interval_is_spread_as_it_was_asked_for():
    where = Somewhere()
    spread = Spread.over(Interval(70, 0.9, 3), where)
    assert type(spread) is Spread
    assert (spread.resamples, spread.level, spread.seed) == (70, 0.9, 3)
    assert spread.executor is where


@dataclass(frozen=True)
class Own(Interval):
    """An interval of somebody's, who makes rows in a way of his own."""


@pytest.mark.parametrize("interval", [None, Own(), Deferred()])
def test_what_makes_rows_in_its_own_way_is_left_as_it_is(interval):
    assert Spread.over(interval, Somewhere()) is interval


def test_without_anybody_to_spread_over_nothing_changes():
    plain = Interval()
    assert Spread.over(plain, None) is plain

"""What an asking counts as, in every paper: epochs, runs and copies, and what is lost of them.

An item of one epoch of one run is asked under several conditions, which are compared with each
other and with nothing else. So its numbers are those of as many items, each asked once.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest

from askew.decide.simulation import Simulation, simulation
from askew.papers import get_paper, names
from askew.stats.tables import NULL_COLUMNS, Interval
from tests.cases import cases_of

pytestmark = pytest.mark.whole
TASKS = names()
QUICK = Interval(resamples=60)
# What a task has to ask for its comparisons to be there.
ASKED = cases_of(__file__, "ASKED")
# Beside epochs and runs: what askings are numbered by, and not compared over.
KEYS = [("knowno", "order"), ("knowno", "context_length"), ("format_bias", "prompting")]
SAID = ["value", "low", "high", "value_debiased", "null_q95"]


@cache
def made(task: str) -> Simulation:
    data = {"data": "bundled"} if get_paper(task).has("items") else {}
    return simulation(task, **data, **{"items": 8, **ASKED.get(task, {})})


@cache
def two_epochs(task: str) -> pd.DataFrame:
    """Two epochs of a model that does not repeat itself."""
    return made(task).observations("typical", epochs=2)


def lossy(rows: pd.DataFrame) -> pd.DataFrame:
    """Rows of which some were lost: of an item, in one epoch and not in the other."""
    return rows.sample(frac=0.8, random_state=3).sort_index()


def table(task: str, rows: pd.DataFrame, interval: Interval | None = None) -> pd.DataFrame:
    """Every number of a task, by its name and levels."""
    found = get_paper(task).table(rows, interval=interval)
    numbers = ("value", "low", "high", "n_items", "n_dropped")
    said = (*numbers, "dropped_of", "reason", *NULL_COLUMNS)
    levels = [c for c in found.columns if c not in said]
    at = found[levels].astype(object).where(found[levels].notna(), "").astype(str)
    return found.set_index(pd.MultiIndex.from_frame(at))


def exempt(task: str) -> tuple[str, ...]:
    """Numbers that hold epochs of an item against each other."""
    own = {metric.name for metric in get_paper(task).metrics}
    return tuple(own & {"noise", "beyond_noise"}) if "noise" in own else ()


def marks(task: str) -> tuple[str, ...]:
    """Numbers without an interval: of Theorem 3.1 and the like, they count replies."""
    return tuple(m.name for m in get_paper(task).metrics if m.interval == "none")


def of_items(task: str) -> tuple[str, ...]:
    """Numbers whose intervals are made as if two more items had been asked: a copy is one."""
    kinds = ("difference", "paired", "largest")
    return tuple(m.name for m in get_paper(task).metrics if m.interval in kinds)


def as_items(rows: pd.DataFrame, by: str) -> pd.DataFrame:
    """Items asked several times as that many items of the same unit, each asked once."""
    return rows.assign(item=rows["item"] + "#" + rows[by].map(str))


def assert_same(one: pd.DataFrame, other: pd.DataFrame, but: tuple[str, ...] = ()) -> None:
    assert set(one.index) == set(other.index)
    kept = one[~one.index.get_level_values("metric").isin(but)]
    pair = [part.loc[kept.index, SAID].to_numpy(float) for part in (one, other)]
    differ = ~np.isclose(*pair, atol=1e-9, equal_nan=True).all(axis=1)
    assert not differ.any(), [*zip(kept.index[differ], *(p[differ] for p in pair), strict=True)][:9]


@pytest.mark.parametrize("task", TASKS)
def test_an_item_of_another_epoch_or_run_is_compared_with_its_own_alone(task):
    """The first epoch of one run is not the first epoch of another."""
    rows = two_epochs(task)
    runs = pd.concat([rows.assign(run="a"), rows.assign(run="b", epoch=3 - rows["epoch"])])
    runs = lossy(runs.reset_index(drop=True))
    both = runs.assign(asking=runs["run"] + runs["epoch"].astype(str))
    assert_same(table(task, runs), table(task, as_items(both, "asking")), exempt(task))


@pytest.mark.parametrize("task", TASKS)
def test_what_is_dropped_of_an_item_in_one_epoch_is_counted_though_the_item_stays(task):
    whole = table(task, two_epochs(task))
    less = table(task, two_epochs(task).iloc[1:]).reindex(whole.index)
    dropped = less[(less["n_dropped"] > whole["n_dropped"]) & (less["n_items"] > 0)]
    kept = dropped[dropped["n_items"] == whole.loc[dropped.index, "n_items"]]
    assert len(kept), "one reply of a compared pair or more is gone, and its item has another"
    assert kept["dropped_of"].str.endswith(" groups").all()
    among = kept["dropped_of"].str.split().str[0].astype(int)
    assert (among > kept["n_items"]).all()
    assert (among >= kept["n_dropped"]).all()


@pytest.mark.parametrize(("task", "key"), KEYS)
def test_an_item_of_another_order_or_length_or_prompting_is_compared_with_its_own(task, key):
    rows = lossy(made(task).observations("typical"))
    assert_same(table(task, rows), table(task, as_items(rows, key)))


@pytest.mark.parametrize("task", TASKS)
def test_hearing_the_same_again_adds_no_certainty(task):
    once = made(task).observations("typical")
    twice = pd.concat([once, once.assign(epoch=2)], ignore_index=True)
    before, after = table(task, once, QUICK), table(task, twice, QUICK)
    but = (*exempt(task), *marks(task))
    assert_same(before, after, but)
    kept = before[~before.index.get_level_values("metric").isin(but)]
    then = after.loc[kept.index]
    assert (then["n_items"] == kept["n_items"]).all()
    among, before_among = (t["dropped_of"].str.split().str[0].astype(int) for t in (then, kept))
    assert (then["n_dropped"] * before_among == kept["n_dropped"] * among).all()


@pytest.mark.parametrize("task", TASKS)
def test_a_copy_of_an_item_in_its_cluster_narrows_no_interval(task):
    """Intervals rest on units; items are what is counted beside them."""
    once = made(task).observations("typical")
    twice = pd.concat([once, once.assign(item=once["item"] + "#copy")], ignore_index=True)
    before, after = table(task, once, QUICK), table(task, twice, QUICK)
    assert_same(before, after, (*marks(task), *of_items(task)))
    low, high = (after[c] - before[c] for c in ("low", "high"))
    assert not ((low < -1e-9) | (high > 1e-9)).any()
    counted = before.index[before["n_items"] > 0]
    assert (after.loc[counted, "n_items"] == 2 * before.loc[counted, "n_items"]).all()

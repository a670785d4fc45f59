"""Live numbers of a paper that is made up for it: which, in which order, and of what."""

import math
from contextlib import contextmanager
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from inspect_ai.scorer import SampleScore, Score

from askew.scoring import outcome
from askew.scoring.outcome import BOUNDS, live, observations_of
from askew.stats.tables import Interval

ENDS = Interval(level=0.9)


@contextmanager
def bounds(kind):
    token = BOUNDS.set(kind)
    try:
        yield
    finally:
        BOUNDS.reset(token)


ROWS = [
    ("hits", "all", "-", 3.0), ("hits", "easy", "-", 2.0), ("share", "easy", "-", 0.4),
    ("share", "all", "-", 0.5), ("misses", "all", "-", 4.0), ("ties", "all", "-", 5.0),
    ("odds", "all", "-", 6.0),
]  # fmt: skip


def paper(rows=ROWS, console=("ties", "none such", "misses", "share", "hits", "odds")):
    """A paper whose table has these rows; it keeps how it was asked for it."""
    asked, ends = [], []

    def table(observations, *, interval, **how):
        if interval is not None:
            ends.append(interval)
            return pd.DataFrame([{"low": 0.25, "high": 0.75}])
        asked.append((observations, how))
        return pd.DataFrame(rows, columns=["metric", "subset", "arm", "value"])

    metrics = [SimpleNamespace(name=name) for name in ("hits", "share", "misses", "odds", "ties")]
    return SimpleNamespace(
        headlines=("share", "hits"),
        console=console,
        metrics=metrics,
        table=table,
        asked=asked,
        ends=ends,
    )


def of(n=2):
    return [
        SampleScore(
            score=Score(value={"correct": 1.0}, answer="B", metadata={"epoch": 2, "outcome": "ok"}),
            sample_metadata={"item": f"i{k}"},
        )
        for k in range(n)
    ]


def shown(of_paper, *given, scores=None, **how):
    with bounds(ENDS):
        found = live(of_paper, *given, **how)(of() if scores is None else scores)
    return [*found.items()]


def of_alone(*place):
    return [replace(ENDS, only={place: (0.9,)})]


def test_three_named_ones_follow_the_headline_and_its_ends_in_the_order_they_are_named():
    of_paper = paper()
    assert shown(of_paper) == [
        ("share", 0.5), ("share_low", 0.25), ("share_high", 0.75),
        ("ties", 5.0), ("misses", 4.0), ("hits", 3.0),
    ]  # fmt: skip
    assert of_paper.ends == of_alone("share", "all", "-")


def test_a_paper_that_names_none_shows_the_first_of_its_metrics():
    names = [name for name, _ in shown(paper(console=()))]
    assert names == ["share", "share_low", "share_high", "hits", "misses", "odds"]


def test_all_are_overall_values_first_and_then_those_of_subsets_by_their_names():
    assert shown(paper(), "all") == [
        ("share", 0.5), ("share_low", 0.25), ("share_high", 0.75), ("hits", 3.0), ("misses", 4.0),
        ("ties", 5.0), ("odds", 6.0), ("easy_hits", 2.0), ("easy_share", 0.4),
    ]  # fmt: skip


@pytest.mark.parametrize("rows", [ROWS[:3], [("share", "all", "-", math.nan), *ROWS[:1]]])
def test_a_headline_that_is_not_known_is_nan_and_nobody_asks_for_its_ends(rows):
    of_paper = paper(rows)
    found = dict(shown(of_paper))
    assert [*found] == ["share", "share_low", "share_high", "hits"]
    assert all(math.isnan(found[name]) for name in ("share", "share_low", "share_high"))
    assert found["hits"] == 3.0
    assert of_paper.ends == []


@pytest.mark.parametrize("scores", [[], [SampleScore(score=Score(value=math.nan))]])
def test_before_anything_was_scored_the_headline_is_nan_and_no_table_is_made(scores):
    asked = paper()
    found = dict(shown(asked, scores=scores))
    assert [*found] == ["share", "share_low", "share_high"]
    assert all(math.isnan(value) for value in found.values())
    assert asked.asked == []


def test_observations_are_the_scored_samples_with_what_they_and_their_scores_say():
    known = SampleScore(
        score=Score(value={"correct": 1.0}, answer="B", metadata={"epoch": 2, "outcome": "empty"}),
        sample_metadata={"item": "i", "tier": "hard"},
    )
    bare = SampleScore(score=Score(value={"item": "k", "correct": 0.0}, answer="C"))
    left = SampleScore(score=Score(value=1.0), sample_metadata={"item": "j"})
    assert observations_of([known, left, bare]).to_dict("records") == [
        {"item": "i", "tier": "hard", "correct": 1.0, "epoch": 2, "outcome": "empty",
         "answer": "B"},
        {"item": "k", "tier": "", "correct": 0.0, "epoch": 1, "outcome": "ok", "answer": "C"},
    ]  # fmt: skip
    assert observations_of([left]).empty


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands: tests set it, and a look takes as long as it moves it."""
    now = SimpleNamespace(at=10.0, model="a", looks=0)
    monkeypatch.setattr(outcome, "time", SimpleNamespace(monotonic=lambda: now.at))
    monkeypatch.setattr(outcome, "_asked_now", lambda: now.model)

    def look():
        now.looks += 1
        now.at += 2.0
        return {"share": float(now.looks)}

    seldom = outcome._Seldom()
    now.look = lambda: seldom(look)["share"]
    return now


def test_numbers_stand_for_fifty_times_as_long_as_they_took(clock):
    assert clock.look() == 1  # from 10 to 12: they stand until 112
    clock.at = 111.5
    assert clock.look() == 1
    clock.at = 112.5
    assert clock.look() == 2  # to 114.5: until 214.5
    clock.at = 214.0
    assert clock.look() == 2
    clock.at = 215.0
    assert clock.look() == 3


def test_numbers_of_a_model_stand_for_it_alone_and_outside_of_samples_none_do(clock):
    assert clock.look() == 1
    clock.model = "b"
    assert clock.look() == 2
    clock.model = ""
    assert (clock.look(), clock.look()) == (3, 4)
    clock.model = "a"
    assert clock.look() == 1

"""Live numbers of a paper that is made up for it: which, in which order, and of what."""

import math
from contextlib import contextmanager
from contextvars import copy_context
from dataclasses import replace
from types import SimpleNamespace

import pandas as pd
import pytest
from inspect_ai.scorer import SampleScore, Score, accuracy, match
from inspect_ai.util import registry_info

from askew.papers import asked_for
from askew.scoring import finished, outcome
from askew.scoring.outcome import BOUNDS, flat, live, observations_of, showing
from askew.statistics import tables
from askew.statistics.tables import Interval

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


def test_another_headline_leads_where_the_task_declares_it():
    of_paper = paper()
    names = [name for name, _ in shown(of_paper, "few", "misses")]
    assert names == ["misses", "misses_low", "misses_high", "ties", "share", "hits"]
    assert of_paper.ends == of_alone("misses", "all", "-")


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


def test_the_table_is_of_the_scores_without_groups_and_with_the_arguments_given():
    asked = paper()
    shown(asked, cuts=((),), pooled_only=True)
    ((rows, how),) = asked.asked
    assert rows["item"].tolist() == ["i0", "i1"]
    assert how == {"by": (), "cuts": ((),), "pooled_only": True}


def test_names_that_rows_are_given_are_shown_and_their_ends_are_those_of_the_rows_themselves():
    def named(table):
        easy = table[table["subset"] == "easy"]
        return easy.assign(subset="all", metric=["all hits", "share"])

    of_paper = paper(console=("all hits",))
    assert shown(of_paper, named=named) == [
        ("share", 0.4), ("share_low", 0.25), ("share_high", 0.75), ("all hits", 2.0),
    ]  # fmt: skip
    assert of_paper.ends == of_alone("share", "easy", "-")


def test_rows_that_name_nothing_are_no_numbers():
    found = dict(shown(paper(), named=lambda table: table.iloc[:0]))
    assert [*found] == ["share", "share_low", "share_high"]


def test_a_table_as_numbers_has_overall_values_first():
    table = pd.DataFrame(ROWS[1:4], columns=["metric", "subset", "arm", "value"])
    assert [*flat(table).items()] == [("share", 0.5), ("easy_hits", 2.0), ("easy_share", 0.4)]


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


def test_what_numbers_were_computed_of_is_remembered_where_there_was_something():
    def remembered(scores):
        finished._COMPUTED_OF.set(None)
        shown(paper(), scores=scores)
        return finished._COMPUTED_OF.get()

    assert copy_context().run(remembered, []) is None
    assert copy_context().run(remembered, of(2))["item"].tolist() == ["i0", "i1"]


@pytest.mark.parametrize(("kind", "draws"), [(BOUNDS.get(), []), (Interval(), ["drawn"])])
def test_for_the_ends_that_are_shown_nothing_is_drawn_of_a_model_without_the_effect(
    monkeypatch, kind, draws
):
    """Labels that trade places would hold up whoever asks samples meanwhile."""
    drawn = []
    without = tables.without_effect
    monkeypatch.setattr(tables, "without_effect", lambda *of: drawn.append("drawn") or without(*of))
    values = {"plain": (1, 1, 0, 1), "order": (0, 1, 0, 0)}
    arms = [(f"i{i}", arm, of[i]) for arm, of in values.items() for i in range(4)]
    scores = [
        SampleScore(score=Score(value={"score": float(value)}, metadata={
            "item": item, "unit": item, "subset": "b", "arm": arm, "treatment": arm, "epoch": 1}))
        for item, arm, value in arms
    ]  # fmt: skip
    with bounds(kind):
        found = live(asked_for("bend"))(scores)
    assert drawn == draws
    assert (found["worst_effect"], found["worst_effect_high"]) == (0.5, 1.0)


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


def test_whoever_changes_the_numbers_it_got_changes_no_others(monkeypatch):
    monkeypatch.setattr(outcome, "_asked_now", lambda: "a")
    monkeypatch.setattr(outcome, "_WAIT", math.inf)
    monkeypatch.setattr(outcome, "time", SimpleNamespace(monotonic=iter(range(9)).__next__))
    seldom = outcome._Seldom()
    for _ in range(3):
        found = seldom(lambda: {"share": 0.5})
        assert found == {"share": 0.5}
        found.clear()


def test_what_is_looked_at_for_stopping_never_stands(monkeypatch):
    monkeypatch.setattr(outcome, "_asked_now", lambda: "a")
    monkeypatch.setattr(outcome, "_WAIT", math.inf)
    asked = paper()
    looked = live(asked)
    with bounds(ENDS):
        looked(of(1))
        looked(of(2))
    assert [len(rows) for rows, _ in asked.asked] == [1, 2]


def test_the_model_asked_now_is_named_within_a_sample_alone(monkeypatch):
    assert outcome._asked_now() == ""
    monkeypatch.setattr(outcome, "sample_limits", lambda: None)
    monkeypatch.setattr(outcome, "get_model", lambda: "lab/one")
    assert outcome._asked_now() == "lab/one"


def test_a_scorer_shows_another_metric_than_its_decorators():
    own, shown_instead = match(), accuracy()
    assert showing(own, shown_instead) is own
    assert registry_info(own).metadata["metrics"] == [shown_instead]

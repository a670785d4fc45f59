"""Live numbers of a paper that is made up for it: which, in which order, and of what."""

from types import SimpleNamespace

import pandas as pd
import pytest
from inspect_ai.scorer import SampleScore, Score

from askew.scoring import outcome
from askew.scoring.outcome import observations_of


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

    def look(table):
        now.looks += 1
        now.at += 2.0
        return {"share": float(now.looks)}

    one = pd.DataFrame({"share": [0.0]})
    monkeypatch.setattr(outcome, "observations_of", lambda scores: one)
    monkeypatch.setattr(outcome, "flat", look)
    table = lambda rows, **how: one  # noqa: E731
    told = {
        "headlines": ["lead"],
        "console": ["share"],
        "table": table,
        "not_read": lambda rows: rows,
    }
    compute = outcome.live(SimpleNamespace(**told))
    now.look = lambda: compute([])["share"]
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

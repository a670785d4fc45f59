"""The end of a task: told once, of that task alone, and at no cost while its samples run."""

import asyncio
from contextvars import Context
from types import SimpleNamespace

import pandas as pd
import pytest
from inspect_ai import eval

from askew.papers.binary_qa.tasks import binary_qa
from askew.report.ceiling_said import say_ceilings
from askew.scoring import finished
from tests.report.ceilings import answered


@pytest.fixture(autouse=True)
def nothing_was_computed():
    """Other tests of this process compute numbers, too."""
    before = finished._COMPUTED_OF.set(None)
    yield
    finished._COMPUTED_OF.reset(before)


@pytest.mark.whole
def test_nothing_is_at_work_while_samples_run_and_the_end_is_told_once(tmp_path, monkeypatch):
    asked, told = [], []
    enabled = finished.Finished.enabled
    monkeypatch.setattr(
        finished.Finished, "enabled", lambda self: asked.append(enabled(self)) or asked[-1]
    )

    async def tell(log, rows):
        told.append((log.eval.model, len(rows)))

    monkeypatch.setattr(finished, "_TELLERS", [tell])
    task = binary_qa(form="original", tier="core")
    models = ["respondent/oracle", "respondent/random"]
    eval(task, model=models, limit=20, log_dir=str(tmp_path), display="none", log_level="error")
    assert sorted(told) == [(model, 20) for model in models]
    assert asked.count(True) == len(models)
    assert len(asked) > 20 * len(models)


@pytest.mark.whole
def test_numbers_from_before_a_run_are_not_told_at_its_end(tmp_path, monkeypatch):
    told = []

    async def tell(log, rows):
        told.append(rows)

    monkeypatch.setattr(finished, "_TELLERS", [tell])
    finished.computed_of(answered(80, 80))
    task = binary_qa(form="original", tier="core")
    eval(
        task, model="respondent/random", limit=2, log_dir=str(tmp_path), display="none",
        log_level="error", score=False,
    )  # fmt: skip
    assert told == []


def ended(paper, caplog, rows, location="s3://bucket/a.eval"):
    """What is said at the end of a task of a paper, with the numbers that were computed last."""
    about = SimpleNamespace(metadata={"paper": paper}, model="x/y")
    with caplog.at_level("WARNING"):
        asyncio.run(say_ceilings(SimpleNamespace(eval=about, location=location), rows))
    return caplog.text


def test_numbers_of_another_task_are_not_told_of_this_one(caplog):
    rows = answered(80, 80).drop(columns="model")
    assert not ended(None, caplog, rows)
    assert not ended("mathcomp", caplog, rows)
    assert not ended("knowno", caplog, answered(60, 80))
    said = ended("knowno", caplog, rows)
    assert "knowno, x/y: too easy to tell strong models apart: at the ceiling MC-Test" in said
    assert said.count("WARNING") == 1


def test_sets_that_are_sure_come_first_and_each_way_out_once(caplog):
    rows = pd.concat([answered(30, 30), answered(90, 90, tier="hard")])
    said = ended("knowno", caplog, rows)
    assert said.index("at the ceiling MC-Test (hard)") < said.index("perhaps at the ceiling")
    assert said.count("-T tier=hard") == 1


@pytest.mark.parametrize(
    ("rows", "told_of"),
    [(None, []), (pd.DataFrame({"n": []}), []), (pd.DataFrame({"n": [1, 2]}), [("the log", 2)])],
    ids=["nothing", "no rows", "rows"],
)
def test_only_numbers_of_something_are_told_and_once(monkeypatch, rows, told_of):
    told = []

    async def tell(log, rows):
        told.append((log, len(rows)))

    async def ended():
        finished._COMPUTED_OF.set(rows)
        hook = finished.Finished()
        assert hook.enabled() == (rows is not None)
        await hook.on_task_end(SimpleNamespace(log="the log"))
        assert not hook.enabled()
        await hook.on_task_end(SimpleNamespace(log="the next"))

    monkeypatch.setattr(finished, "_TELLERS", [tell])
    asyncio.run(ended())
    assert told == told_of


def test_whoever_wants_to_be_told_is_told_once_each_in_the_order_they_came(monkeypatch):
    told = []

    def teller(name):
        async def tell(log, rows):
            told.append((name, log, len(rows)))

        return tell

    first, second = teller("first"), teller("second")
    before = [*finished._TELLERS]
    try:
        for tell in (first, second, first):
            finished.when_finished(tell)
        assert finished._TELLERS[len(before) :] == [first, second]
    finally:
        finished._TELLERS[:] = before
    monkeypatch.setattr(finished, "_TELLERS", [first, second])

    async def ended():
        finished._COMPUTED_OF.set(pd.DataFrame({"n": [1, 2, 3]}))
        await finished.Finished().on_task_end(SimpleNamespace(log="the log"))

    asyncio.run(ended())
    assert told == [("first", "the log", 3), ("second", "the log", 3)]


def test_a_tasks_start_forgets_what_was_computed_before_it():
    async def started():
        finished._COMPUTED_OF.set(pd.DataFrame({"n": [1]}))
        hook = finished.Finished()
        assert hook.enabled()
        await hook.on_task_start(SimpleNamespace())
        return hook.enabled()

    assert asyncio.run(started()) is False


def test_inspect_knows_who_listens_from_the_first_number_on_and_once(monkeypatch):
    known = []
    monkeypatch.setattr(
        finished, "hooks", lambda **about: lambda kind: known.append((about["name"], kind))
    )
    rows = pd.DataFrame({"n": [1]})
    finished._listen.cache_clear()
    try:
        for _ in range(2):
            finished.computed_of(rows)
            assert finished._COMPUTED_OF.get() is rows
    finally:
        finished._listen.cache_clear()
    assert known == [("finished", finished.Finished)]


def test_before_any_number_there_is_none():
    assert Context().run(finished._COMPUTED_OF.get) is None
    assert Context().run(finished.Finished().enabled) is False

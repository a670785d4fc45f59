"""A part in a process of its own: who it opens connections to, and when it ends."""

import asyncio
import subprocess
from collections import Counter
from contextvars import copy_context
from datetime import date

import pytest
from inspect_ai.model import ModelAPI, ModelOutput, modelapi

from askew.audit import asking
from askew.audit.asking import Here, ask, under_way
from askew.audit.parts import Part

open_now, most = Counter(), Counter()


class Counting(ModelAPI):
    """Counts how many calls are under way at a time."""

    async def generate(self, input, tools, tool_choice, config):
        name = self.model_name
        open_now[name] += 1
        most[name] = max(most[name], open_now[name])
        await asyncio.sleep(0.1)
        open_now[name] -= 1
        return ModelOutput.from_content(name, "I can't say which of them it is.")


@modelapi("one_house")
def one_house():
    return Counting


@modelapi("other_house")
def other_house():
    return type("OtherHouse", (Counting,), {})


@pytest.mark.whole
def test_each_model_of_a_part_opens_what_its_own_provider_is_allowed(tmp_path):
    most.clear()
    part = Part(
        "mathcomp", "one_house/tested", {"items": 1, "output": "cot", "read": "judge"},
        roles={"grader": "other_house/grader"},
    )  # fmt: skip
    allowed = {"one_house": 6, "other_house": 2}
    order = {"part": vars(part), "log_dir": str(tmp_path), "connections": allowed}
    # Its roles stay bound in the context that it runs in.
    assert copy_context().run(asking._asked, order).success
    assert 1 <= most["grader"] <= 2 < most["tested"] <= 6


class Started(subprocess.Popen):
    """Every process that was started."""

    every = ()

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        Started.every += (self,)


@pytest.fixture
def started(monkeypatch):
    monkeypatch.setattr(Started, "every", ())
    monkeypatch.setattr(asking.subprocess, "Popen", Started)
    return Started


@pytest.mark.whole
def test_a_part_that_is_given_up_ends_with_its_process(started, tmp_path):
    here, asked_into = Here(), []

    def begun(part):
        asked_into.extend(under_way())
        here.stop()

    here.begun = begun
    part = Part("knowno", "respondent/typical", {})
    answered = ask(part, str(tmp_path), {}, here)
    assert not answered.success
    assert not answered.lost
    assert started.every[0].returncode == -9
    assert asked_into == [str(tmp_path)]
    assert under_way() == []
    assert not any(tmp_path.iterdir())


@pytest.mark.whole
def test_nobody_waits_for_a_process_that_got_no_order(started, tmp_path):
    class Odd(Here):
        def wanted(self):
            raise RuntimeError("no worker")

    with pytest.raises(RuntimeError, match="no worker"):
        ask(Part("knowno", "respondent/typical", {}), str(tmp_path), {}, Odd())
    assert started.every[0].returncode == -9
    assert under_way() == []


def test_what_can_not_be_sent_starts_no_process(started, tmp_path):
    part = Part("knowno", "respondent/typical", {"data": date(2024, 10, 21)})
    with pytest.raises(TypeError, match="date"):
        ask(part, str(tmp_path), {}, Here())
    assert started.every == ()

"""The providers' real clients, told where to connect, and what a simulated model says to a task."""

from collections import defaultdict
from functools import cache
from typing import NamedTuple

import pandas as pd
import pytest
from inspect_ai import eval as run_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from tenacity import wait_fixed

from askew.analysis import read_observations
from askew.papers import asked_for

CLIENTS = {
    "openai chat": ("openai/gpt-4o", "/v1", {"responses_api": False}),
    "openai responses": ("openai/gpt-4o", "/v1", {"responses_api": True}),
    "anthropic": ("anthropic/claude-3-5-haiku-latest", "", {}),
    "google": ("google/gemini-2.0-flash", "", {}),
}


@pytest.fixture(params=CLIENTS)
def client(request, monkeypatch):
    """A provider's real client, told where to connect; it tries again without a long wait."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "not-a-key")
    pytest.importorskip({"o": "openai", "a": "anthropic", "g": "google.genai"}[request.param[0]])
    name, base, args = CLIENTS[request.param]

    def connected(served, name=name):
        model = get_model(name, base_url=served.address + base, memoize=False, **args)
        model.api.retry_wait = lambda: wait_fixed(0.05)
        return model

    connected.name = request.param
    return connected


class Simulated(NamedTuple):
    """A task as the respondent answered it."""

    log: EvalLog
    observed: pd.DataFrame
    said: dict[tuple[tuple[str, str], ...], list[str]]


@pytest.fixture(scope="session")
def simulated(tmp_path_factory):
    """What the respondent says and what is observed of it, each task run once."""

    @cache
    def of(task, **options):
        (log,) = run_eval(
            asked_for(task).make(**options), model="respondent/oracle", display="none",
            log_level="error", log_dir=str(tmp_path_factory.mktemp(task)),
        )  # fmt: skip
        said = defaultdict(list)
        for sample in log.samples:
            for before, reply in turns(sample):
                said[before].append(reply)
        return Simulated(log, comparable(log), said)

    return of


def turns(sample):
    """Every model call of a sample as (what was said before, the reply)."""
    before = []
    for message in sample.messages:
        if message.role == "assistant":
            yield tuple(before), message.text
        before.append((message.role, message.text))


def comparable(log):
    """Observations without what names the model and the file."""
    rows = read_observations(log.location, quiet=True)
    kept = rows.drop(columns=["model", "model_name", "run", "log"])
    return kept.sort_values(["sample_id", "epoch"], ignore_index=True)


def troubles(log):
    """Why a run did not end well: its own error, and its samples'."""
    errors = [s.error.traceback for s in log.samples or [] if s.error]
    return [log.error.traceback if log.error else "", *errors]

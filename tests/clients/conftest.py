"""The providers' real clients, told where to connect, and what a simulated model says to a task."""

from collections import defaultdict
from typing import NamedTuple

import pandas as pd
import pytest
from inspect_ai import eval as run_eval
from inspect_ai.log import EvalLog
from inspect_ai.model import get_model
from tenacity import wait_fixed

from askew.papers import get_paper
from askew.report.study import Study
from tests.all_metrics import show_all

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


def all_asked(runs, model, folder, **options):
    """The logs of several tasks by name, asked at once in one eval: their waits overlap.

    Args:
        runs: the parameters of each task, by its name.
        model: whom they ask.
        folder: where the logs go.
        options: what else the eval is told.
    """
    tasks = [get_paper(name).make(**given) for name, given in runs.items()]
    for task in tasks:
        show_all(task)
    logs = run_eval(
        tasks, model=model, display="none", log_level="error", log_dir=str(folder),
        max_tasks=len(tasks), **options,
    )  # fmt: skip
    return {log.eval.task.removeprefix("askew/"): log for log in logs}


@pytest.fixture(scope="session")
def simulated(tmp_path_factory):
    """What the respondent says to tasks and what is observed of it, each set of runs once."""
    known = {}

    def of(runs):
        name = repr(runs)
        if name not in known:
            logs = all_asked(runs, "respondent/oracle", tmp_path_factory.mktemp("simulated"))
            known[name] = {
                task: Simulated(log, comparable(log), said(log)) for task, log in logs.items()
            }
        return known[name]

    return of


def said(log):
    """The replies of a log to each dialogue."""
    replies = defaultdict(list)
    for sample in log.samples:
        for before, reply in turns(sample):
            replies[before].append(reply)
    return replies


def turns(sample):
    """Every model call of a sample as (what was said before, the reply)."""
    before = []
    for message in sample.messages:
        if message.role == "assistant":
            yield tuple(before), message.text
        before.append((message.role, message.text))


def comparable(log):
    """Observations without what names the model and the file."""
    rows = Study.read(log.location, quiet=True)
    kept = rows.rows.drop(columns=["model", "model_name", "run", "log"])
    return kept.sort_values(["sample_id", "epoch"], ignore_index=True)


def troubles(log):
    """Why a run did not end well: its own error, and its samples'."""
    errors = [s.error.traceback for s in log.samples or [] if s.error]
    return [log.error.traceback if log.error else "", *errors]

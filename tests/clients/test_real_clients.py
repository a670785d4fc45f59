"""The providers' real SDKs, through Inspect, against loopback servers: good days and bad ones."""

import math
from collections import defaultdict

import pytest
from inspect_ai.model import get_model

from askew.analysis import read_observations
from askew.tasks.catalog import TASKS, task_function
from askew.tasks.knowno import knowno
from tests.clients.wire import Fault, Said, wire

CLIENTS = {
    "openai chat": ("openai/gpt-4o", "/v1", {"responses_api": False}),
    "openai responses": ("openai/gpt-4o", "/v1", {"responses_api": True}),
    "anthropic": ("anthropic/claude-3-5-haiku-latest", "", {}),
    "google": ("google/gemini-2.0-flash", "", {}),
}
FAULTS = {
    "rate limit": Fault(status=429, headers={"retry-after": "0"}),
    "server error": Fault(status=500),
    "overloaded": Fault(status=503),
    "reset mid-body": Fault(reset_after=20),
    "slow drip": Fault(drip=0.002),
}


@pytest.fixture(params=CLIENTS)
def client(request, monkeypatch):
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"):
        monkeypatch.setenv(name, "not-a-key")
    pytest.importorskip({"o": "openai", "a": "anthropic", "g": "google.genai"}[request.param[0]])
    name, base, args = CLIENTS[request.param]
    return lambda served: get_model(name, base_url=served.address + base, memoize=False, **args)


def dialogues(log):
    """Every model call of a log as (what was said before, the reply)."""
    for sample in log.samples:
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


def items_of(task):
    return {"items": 20}


@pytest.mark.parametrize("task", TASKS)
def test_each_client_observes_what_the_respondent_behind_it_says(run, client, task):
    make = task_function(task)
    simulated = run(make(**items_of(task)), model="respondent/oracle")
    said = defaultdict(list)
    for before, reply in dialogues(simulated):
        said[before].append(reply)
    with wire(lambda before: Said(said[before][0])) as served:
        real = run(make(**items_of(task)), model=client(served))
        assert len(served.asked) == sum(map(len, said.values()))
    assert real.status == "success"
    assert comparable(real).equals(comparable(simulated))


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_on_the_line_is_retried_and_loses_nothing(run, client, fault):
    with wire(lambda before: Said("A"), {1: FAULTS[fault], 4: FAULTS[fault]}) as served:
        log = run(knowno(items=3), model=client(served), max_retries=3)
    assert log.status == "success", [
        s.error.traceback
        for s in log.samples
        if s.error and "CancelledError" not in s.error.traceback
    ]
    assert [s.output.completion for s in log.samples] == ["A"] * 12
    assert not [s.id for s in log.samples if s.error]


def test_a_line_that_stays_dead_errors_the_sample_and_scores_nothing(run, client):
    always = {n: Fault(status=400) for n in range(100)}
    with wire(lambda before: Said("A"), always) as served:
        log = run(knowno(items=1), model=client(served), max_retries=0, fail_on_error=False)
    assert all(s.error or s.output.error for s in log.samples)
    observations = read_observations(log.location, quiet=True)
    assert len(observations) == 0


OUTCOMES = [
    # what the provider sends, what is observed
    (Said("The story does not say that the", stop="max_tokens"), "truncated", 0.0),
    (Said("C. because", stop="max_tokens"), "ok", None),
    (Said("", stop="content_filter"), "filtered", 0.0),
    (Said("I'm sorry, but I can't help with that."), "refused", 0.0),
    (Said(""), "empty", 0.0),
    (Said("B", reasoning="It may be A or C. The answer is A."), "ok", None),
]


@pytest.mark.parametrize(("said", "outcome", "correct"), OUTCOMES)
def test_each_way_to_end_has_its_outcome(run, client, said, outcome, correct):
    with wire(lambda before: said) as served:
        log = run(knowno(subset="mctest", items=1, hint="with_gold"), model=client(served))
    (score,) = (s.scores["knowno_scorer"] for s in log.samples)
    assert score.metadata["outcome"] == outcome, (score, log.samples[0].output)
    if correct is not None:
        assert score.value["correct"] == correct
        assert score.reason
    assert not (isinstance(score.value, float) and math.isnan(score.value))

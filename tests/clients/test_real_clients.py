"""The providers' real SDKs, through Inspect, against loopback servers: good days and bad ones."""

import math
from collections import defaultdict
from functools import cache

import pytest
from inspect_ai import eval as run_eval
from inspect_ai.model import get_model
from tenacity import wait_fixed

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
    "rate limit": Fault(status=429, headers={"retry-after": "1"}),
    "rate limit without a time": Fault(status=429),
    "server error": Fault(status=500),
    "overloaded": Fault(status=503),
    "reset before the body": Fault(reset_after=0),
    "reset mid-body": Fault(reset_after=20),
    "slow drip": Fault(drip=0.002),
}


# Twenty items each, under fewer conditions than a task has where it has many: what differs
# between clients is how a dialogue travels: system prompts, examples, several turns.
CONDITIONS = {
    "knowno": {},
    "instruction_boundary": {"setting": "vanilla,multi_turn,few_shot,miscellany", "n_wrong": 3},
    "mathcomp": {"position": "end", "style": "direct"},
    "format_bias": {"prompting": "zs"},
    "binary_qa": {"form": "original,contradictory,swapped_options,repeat_2"},
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

    return connected


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


def made(task):
    return task_function(task)(items=20, **CONDITIONS[task])


@pytest.fixture(scope="module")
def simulated(tmp_path_factory):
    """What the respondent says and what is observed of it, each task run once."""

    @cache
    def of(task):
        (log,) = run_eval(
            made(task), model="respondent/oracle", display="none", log_level="error",
            log_dir=str(tmp_path_factory.mktemp(task)),
        )  # fmt: skip
        said = defaultdict(list)
        for before, reply in dialogues(log):
            said[before].append(reply)
        return comparable(log), said

    return of


@pytest.mark.parametrize("task", TASKS)
def test_each_client_observes_what_the_respondent_behind_it_says(run, client, simulated, task):
    expected, said = simulated(task)
    assert expected["item"].nunique() == 20
    with wire(lambda before: Said(said[before][0])) as served:
        real = run(made(task), model=client(served))
        assert len(served.asked) == sum(map(len, said.values()))
    assert real.status == "success"
    assert comparable(real).equals(expected)


def errors_of(log):
    """The samples' errors, but those that another one's error brought about."""
    errors = [s.error.traceback for s in log.samples if s.error]
    return [e for e in errors if "CancelledError" not in e]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_on_the_line_is_retried_and_loses_nothing(run, client, fault):
    with wire(lambda before: Said("A"), {1: FAULTS[fault], 4: FAULTS[fault]}) as served:
        log = run(knowno(items=3), model=client(served), max_retries=10)
    assert not served.faults, "both faults happened"
    assert log.status == "success", errors_of(log)
    assert [s.output.completion for s in log.samples] == ["A"] * 12
    assert not [s.id for s in log.samples if s.error]


def test_a_line_that_stays_dead_errors_the_sample_and_scores_nothing(run, client):
    always = {n: Fault(status=400) for n in range(100)}
    with wire(lambda before: Said("A"), always) as served:
        log = run(knowno(items=1), model=client(served), max_retries=0, fail_on_error=False)
    assert all(s.error or s.output.error for s in log.samples)
    observations = read_observations(log.location, quiet=True)
    assert len(observations) == 0


def temperature(body):
    return body.get("temperature", body.get("generationConfig", {}).get("temperature"))


def test_a_model_that_refuses_temperature_0_runs_with_the_override(run, client):
    """As docs/audit.md says: `--temperature 1`."""
    small = knowno(items=1, hint="no_hint")
    with wire(lambda before: Said("A"), refuse=lambda body: temperature(body) == 0) as served:
        refused = run(small, model=client(served), max_retries=0, fail_on_error=False)
        sent = temperature(served.bodies[0])
        again = run(small, model=client(served), max_retries=0, temperature=1)
    # Inspect's client for Anthropic sends no temperature, so nothing is refused.
    assert sent == (None if "anthropic" in refused.eval.model else 0)
    assert len(read_observations(refused.location, quiet=True)) == (sent is None)
    assert temperature(served.bodies[-1]) == (None if sent is None else 1)
    assert len(read_observations(again.location, quiet=True)) == 1


@pytest.mark.parametrize("model", ["openai/gpt-5", "openai/o3"])
@pytest.mark.parametrize("client", ["openai chat", "openai responses"], indirect=True)
def test_reasoning_models_are_asked_without_a_temperature(run, client, model):
    with wire(lambda before: Said("A"), refuse=lambda body: "temperature" in body) as served:
        log = run(knowno(items=1, hint="no_hint"), model=client(served, model), max_retries=0)
    assert len(read_observations(log.location, quiet=True)) == 1


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

"""The providers' real SDKs, through Inspect, against loopback servers: good lines and bad ones."""

import pytest

from askew.analysis import read_observations
from askew.papers import asked_for, asking
from askew.papers.knowno.tasks import knowno
from tests.clients.conftest import comparable, troubles
from tests.clients.wire import Fault, Said, wire

pytestmark = pytest.mark.whole

FAULTS = {
    "rate limit": Fault(status=429, headers={"retry-after": "1"}),
    "rate limit without a time": Fault(status=429),
    "server error": Fault(status=500),
    "overloaded": Fault(status=503),
    "reset before the body": Fault(reset_after=0),
    "reset mid-body": Fault(reset_after=20),
    "slow drip": Fault(drip=0.002),
}
# Each fault comes to another request: the second, the fourth, and so on.
PLANNED = {1 + 2 * n: fault for n, fault in enumerate(FAULTS.values())}


# Ten items each, under fewer conditions than a task has: what differs between clients is how a
# dialogue travels: system prompts, examples, several turns.
TEN = {
    "knowno": {"items": 10, "hint": "with_gold,no_hint"},
    "instruction_boundary": {"items": 10, "setting": "multi_turn,few_shot"},
    "mathcomp": {"items": 10, "framing": "style=direct,term=more+less,position=end"},
    "format_bias": {"items": 10, "prompting": "zs", "format": "char,quoting,bullet,json,yaml"},
    "binary_qa": {"items": 10, "form": "original,swapped_options"},
}
# The same where lines are bad, each item once (or in two turns).
ONCE = {
    "knowno": {"items": 10, "hint": "with_gold"},
    "instruction_boundary": {"items": 10, "setting": "multi_turn"},
    "mathcomp": {"items": 10, "framing": "style=direct,term=less,position=end"},
    "format_bias": {"items": 10, "prompting": "zs", "format": "char,quoting,json"},
    "binary_qa": {"items": 10, "form": "original"},
}


@pytest.mark.spread(2)
@pytest.mark.parametrize("task", asking())
def test_each_client_observes_what_the_respondent_behind_it_says(run, client, simulated, task):
    _, expected, said = simulated(task, **TEN[task])
    assert expected["item"].nunique() == 10
    with wire(lambda before: Said(said[before][0])) as served:
        real = run(asked_for(task).make(**TEN[task]), model=client(served))
    assert real.status == "success", troubles(real)
    assert len(served.asked) == sum(map(len, said.values()))
    assert comparable(real).equals(expected)


@pytest.mark.spread(4)
@pytest.mark.parametrize("task", asking())
def test_faults_on_the_line_are_retried_and_change_no_observation(run, client, simulated, task):
    _, expected, said = simulated(task, **ONCE[task])
    with wire(lambda before: Said(said[before][0]), PLANNED) as served:
        real = run(asked_for(task).make(**ONCE[task]), model=client(served), max_retries=10)
    assert not served.faults, "every fault happened"
    assert real.status == "success", troubles(real)
    assert not [s.id for s in real.samples if s.error]
    # All but the slow reply are asked for again, and nothing else is.
    assert len(served.asked) == sum(map(len, said.values())) + len(FAULTS) - 1
    assert comparable(real).equals(expected)


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

"""The providers' real SDKs, through Inspect, against loopback servers: good lines and bad ones."""

import pytest

from askew.analysis import read_observations
from askew.papers import asking
from askew.papers.knowno.tasks import knowno
from askew.report.study import Study
from tests.clients.conftest import all_asked, comparable, troubles
from tests.clients.wire import Fault, Said, wire

pytestmark = pytest.mark.whole


# Ten items each, under fewer conditions than a task has: what differs between clients is how a
# dialogue travels: system prompts, examples, several turns.
TEN = {
    "knowno": {"items": 10, "hint": "with_gold,no_hint"},
    "instruction_boundary": {"items": 10, "setting": "multi_turn,few_shot"},
    "mathcomp": {"items": 10, "framing": "style=direct,term=more+less,position=end"},
    "format_bias": {"items": 10, "prompting": "zs", "format": "char,quoting,bullet,json,yaml"},
    "binary_qa": {"items": 10, "form": "original,swapped_options"},
}


def answers(expected):
    """What is said to each dialogue of the tasks, and how often it comes."""
    return {before: replies for told in expected.values() for before, replies in told.said.items()}


def as_expected(logs, expected):
    """Every task ended well and is observed as the respondent's own run of it."""
    for task, log in logs.items():
        assert log.status == "success", troubles(log)
        assert not [s.id for s in log.samples if s.error]
        assert comparable(log).equals(expected[task].observed), task


def test_each_client_observes_what_the_respondent_behind_it_says(client, simulated, tmp_path):
    expected = simulated(TEN)
    assert {told.observed["item"].nunique() for told in expected.values()} == {10}
    said = answers(expected)
    with wire(lambda before: Said(said[before][0])) as served:
        logs = all_asked(TEN, client(served), tmp_path)
    assert set(logs) == set(asking())
    assert len(served.asked) == sum(map(len, said.values()))
    as_expected(logs, expected)


def test_a_line_that_stays_dead_errors_the_sample_and_scores_nothing(run, client):
    always = {n: Fault(status=400) for n in range(100)}
    with wire(lambda before: Said("A"), always) as served:
        log = run(knowno(items=1), model=client(served), max_retries=0, fail_on_error=False)
    assert all(s.error or s.output.error for s in log.samples)
    observations = Study.read(log.location, quiet=True)
    assert len(observations.rows) == 0


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

"""`askew plan`: what a run would cost, printed before it costs anything."""

import pytest

from askew.decide import plan as workload


@pytest.fixture(autouse=True)
def _no_model_data(monkeypatch):
    monkeypatch.setattr(workload, "get_model_info", lambda model: None)


@pytest.mark.parametrize("option", ["--model", "--grader"])
@pytest.mark.parametrize(("name", "why"), [("foo/bar", "unknown provider"), ("foo", "not a model")])
def test_a_model_of_an_unknown_provider_without_a_price_is_refused(askew, option, name, why):
    named = ["--model", "mockllm/b", option, name]
    code, _, told = askew("plan", "--task", "knowno", "-T", "items=2", *named)
    assert code == 2
    assert f"'{name}': {why}" in told
    assert "such as openai/gpt-5" in told


def test_a_width_is_in_points(askew):
    code, _, told = askew("plan", "--task", "knowno", "--model", "mockllm/b", "--width", "0.05")
    assert code == 2
    assert "0.05 is not in the range" in told

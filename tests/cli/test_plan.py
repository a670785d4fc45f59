"""`askew plan`: what a run would cost, printed before it costs anything."""

import pytest

from askew.decide import plan as workload
from askew.papers.knowno.paper import CORE_HINTS


@pytest.fixture(autouse=True)
def _no_model_data(monkeypatch):
    monkeypatch.setattr(workload, "get_model_info", lambda model: None)


def test_a_plan_is_printed(askew, tmp_path):
    table = tmp_path / "prices.yaml"
    table.write_text("a/b: {input: 1000, output: 1000}\n")
    code, out, _ = askew(
        "plan", "--task", "knowno", "--model", "a/b, mockllm/d", "-T", "items=12", "--epochs", "2",
        "--prices", table, "--width", "10",
    )  # fmt: skip
    assert code == 0
    samples = 12 * len(CORE_HINTS)
    assert f"12 items, {samples} samples, 2 epochs" in out
    priced, unpriced = (
        line for line in out.splitlines() if line.startswith(("  a/b", "  mockllm/d"))
    )
    assert str(2 * samples) in priced.split()
    assert "$" in priced
    assert "no price known" in unpriced
    assert "n for width" in out
    assert "4 characters per token" in out


def test_several_tasks_are_planned_in_turn(askew):
    code, out, _ = askew(
        "plan", "--task", "knowno", "--task", "binary_qa", "--model", "mockllm/b", "-T", "items=10"
    )
    assert code == 0
    assert "knowno (bundled)" in out
    assert "binary_qa (bundled)" in out


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

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
        "plan", "--task", "knowno", "--model", "a/b, c/d", "-T", "items=12", "--epochs", "2",
        "--prices", table, "--width", "0.1",
    )  # fmt: skip
    assert code == 0
    samples = 12 * len(CORE_HINTS)
    assert f"12 items, {samples} samples, 2 epochs" in out
    priced, unpriced = (line for line in out.splitlines() if line.startswith(("  a/b", "  c/d")))
    assert str(2 * samples) in priced.split()
    assert "$" in priced
    assert "no price known" in unpriced
    assert "n for width" in out
    assert "4 characters a token" in out


def test_several_tasks_are_planned_in_turn(askew):
    code, out, _ = askew(
        "plan", "--task", "knowno", "--task", "binary_qa", "--model", "a/b", "-T", "items=10"
    )
    assert code == 0
    assert "knowno (bundled)" in out
    assert "binary_qa (bundled)" in out

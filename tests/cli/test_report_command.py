"""askew report: a policy and a baseline, what is folded."""

import json

import pandas as pd
import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.report.study import Study
from tests.report.observed import observed


@pytest.fixture(autouse=True)
def logs(monkeypatch):
    """Two models, whatever logs are named: one falls without the right option, one does not."""
    one = observed("acme/one", lambda hint, i: hint == "with_gold", items=20)
    two = pd.concat([one, observed("acme/two", lambda hint, i: True, items=20)], ignore_index=True)
    monkeypatch.setattr("askew.cli.reports.study_of", lambda *_, **__: Study(two))


def run(*asked):
    done = CliRunner().invoke(main, ["report", "logs", *map(str, asked)])
    assert done.exit_code == 0, done.output
    return done.output


def test_a_page_is_short_and_its_json_is_complete(tmp_path):
    page, data = tmp_path / "r.md", tmp_path / "r.json"
    run("-o", page, "-o", data)
    text = page.read_text(encoding="utf-8")
    assert "Not in this short report: " in text
    assert "GPT-4" not in text
    told = json.loads(data.read_text())
    assert any(p["model"].startswith("GPT-4") for p in told["published"])
    verdicts = [h["verdict"] for h in told["headlines"] if h["metric"] == "gap"]
    assert verdicts == ["detected", "inconclusive"]
    assert len(told["metrics"]) > 40

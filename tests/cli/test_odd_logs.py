"""Logs whose names, files or numbers no run gives: named, counted, and never in the way."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.report.study import Study
from tests.cli.broken_logs import COMMANDS, POLICY, packed, parts_of, samples
from tests.logs.made_logs import a_log, a_score, written


@pytest.fixture
def folder(tmp_path):
    """Two models' good logs."""
    logs = tmp_path / "logs"
    written(a_log(samples()), logs, "good.eval")
    written(a_log(samples(score=a_score(0.0)), model="lab/one"), logs, "one.eval")
    return logs


@pytest.mark.parametrize("value", ["1e999", "-0.5", "NaN"])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_score_that_no_scorer_gives_is_left_out_and_spoils_no_number(
    command, value, folder, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(POLICY, encoding="utf-8")
    path = written(a_log(samples("odd", score=a_score(0.125))), folder, "odd.eval")
    parts = parts_of(path)
    assert b"0.125" in parts["summaries.json"]
    parts["summaries.json"] = parts["summaries.json"].replace(b"0.125", value.encode())
    path.write_bytes(packed(parts))
    done = CliRunner().invoke(main, [command, str(folder), *COMMANDS[command]])
    # Logs of which much has no score decide nothing.
    assert done.exit_code == {"gate": 2, "compare": 3}.get(command, 0), done.output
    observations = Study.read(folder, quiet=True)
    assert len(observations.rows) == 8
    [why] = observations.excluded["why"]
    assert why == "measure correct is not between 0 and 1"

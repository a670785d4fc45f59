"""A run whose samples all failed is no report: what went wrong is said."""

import pytest
from click.testing import CliRunner

from askew.cli import main
from tests.cli.broken_logs import COMMANDS, samples
from tests.logs.made_logs import a_log, written

WHY = "Error code: 404 - no such endpoint: /v1/responses"


@pytest.fixture
def failed(tmp_path):
    logs = tmp_path / "logs"
    written(a_log(samples(error=WHY, scores={}), model="lab/gone"), logs, "gone.eval")
    return logs


@pytest.mark.parametrize("command", ["report", "export", "compare"])
def test_nothing_scored_is_exit_2_with_the_first_error(command, failed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [command, str(failed), *COMMANDS[command]])
    assert done.exit_code == 2
    assert f"lab/gone: {len(samples())} errored: {WHY}" in done.stderr
    assert "docs/models.md" in done.stderr
    assert not [*tmp_path.glob("out.*")]


def test_a_model_that_failed_beside_another_is_named(failed, tmp_path):
    written(a_log(samples(), model="lab/fine"), failed, "fine.eval")
    done = CliRunner().invoke(main, ["report", str(failed), "-o", str(tmp_path / "r.json")])
    assert done.exit_code == 0
    assert f"knowno, lab/gone: {len(samples())} errored: {WHY}" in done.stderr
    assert "lab/fine" not in done.stderr

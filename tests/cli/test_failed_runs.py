"""A run whose samples all failed is no report: what went wrong is said."""

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers.knowno.tasks import knowno
from tests.cli.broken_logs import COMMANDS, POLICY, samples
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
    assert "docs/how-to/models.md" in done.stderr
    assert not [*tmp_path.glob("out.*")]


@pytest.fixture
def stopped(run, tmp_path, monkeypatch):
    """A run that ended well, of which every sample used up what it was given."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    log = run(knowno(items=3), "respondent/typical", token_limit=1)
    assert log.status == "success"
    assert {s.limit.type for s in log.samples} == {"token"}
    return len(log.samples)


def test_samples_that_a_limit_stopped_are_no_number_and_exit_2_with_the_reason(stopped, tmp_path):
    for command, more in COMMANDS.items():
        done = CliRunner().invoke(main, [command, "logs", *more])
        assert done.exit_code == (3 if command == "gate" else 2), command
        why = f"respondent/typical: {stopped} limited: stopped by its token limit"
        if command == "gate":
            why = f"0 of {stopped} planned samples are scored"
            assert done.stdout.splitlines()[-1].startswith("INCONCLUSIVE: ")
        assert why in done.stdout + done.stderr, command
        assert not [*tmp_path.glob("out.*")]

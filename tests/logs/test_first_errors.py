"""Why nothing of a run was scored: its first error in full where it can be read, else in short."""

import json

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.report.study import Study
from tests.cli.broken_logs import COMMANDS, packed, parts_of, samples
from tests.logs.made_logs import a_log, a_sample, written

REQUEST = json.dumps({"messages": "m" * 2_000}, indent=2)
ERROR = f"Error code 429: {REQUEST}\n\nthe quota is used up"
JSON_NAME = "2026-03-01T12-00-00+00-00_knowno_x.json"


def failed(folder, name="failed.eval", error=ERROR, **more):
    log = a_log([a_sample(f"i{n}", error=error, **more) for n in range(3)], model="lab/failed")
    return written(log, folder, name)


def why(logs):
    [run] = [run for run in Study.read(logs, quiet=True).runs if run.failure]
    assert (run.task, run.model) == ("knowno", "lab/failed")
    return run.failure


@pytest.mark.parametrize("name", ["failed.eval", JSON_NAME])
def test_the_reason_after_a_long_request_is_reported(name, tmp_path):
    assert why(failed(tmp_path, name)) == "3 errored: the quota is used up"


def test_a_log_in_memory_reports_its_first_error():
    log = a_log([a_sample(error="no line")], model="lab/failed")
    assert why(log) == "1 errored: no line"


@pytest.mark.parametrize("command", [c for c in COMMANDS if c in ("report", "export")])
def test_commands_continue_despite_a_failed_log_without_samples(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    written(a_log(samples()), tmp_path / "logs", "good.eval")
    path = failed(tmp_path / "logs")
    parts = parts_of(path)
    left = {n: part for n, part in parts.items() if not n.startswith("samples/")}
    path.write_bytes(packed(left))
    done = CliRunner().invoke(main, [command, "logs", *COMMANDS[command]])
    assert (done.exit_code, done.exception) == (0, None), done.output
    assert "Error code 429" in done.output

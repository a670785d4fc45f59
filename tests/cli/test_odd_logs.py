"""Logs whose names, files or numbers no run gives: named, counted, and never in the way."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from askew.analysis import left_out, read_observations
from askew.cli import main
from askew.logs.locations import find_logs
from tests.cli.broken_logs import COMMANDS, POLICY, packed, parts_of, samples
from tests.logs.made_logs import a_log, a_score, written


@pytest.fixture
def folder(tmp_path):
    """Two models' good logs."""
    logs = tmp_path / "logs"
    written(a_log(samples()), logs, "good.eval")
    written(a_log(samples(score=a_score(0.0)), model="lab/one"), logs, "one.eval")
    return logs


@pytest.mark.parametrize("value", ["1e999", "-1e308", "2.0", "-0.5", "NaN", "1" + "0" * 30])
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
    assert done.exit_code == (2 if command == "gate" else 0), done.output
    observations = read_observations(folder, quiet=True)
    assert len(observations) == 8
    [why] = left_out(observations)["why"]
    assert why == "measure correct is not between 0 and 1"


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_no_file_and_what_has_no_text_for_a_name_are_named(
    command, folder, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(POLICY, encoding="utf-8")
    os.mkfifo(folder / "pipe.eval")
    (folder / "zero.eval").symlink_to("/dev/zero")
    Path(os.fsdecode(bytes(folder / "caf") + b"\xe9.eval")).write_bytes(b"bad")
    done = CliRunner().invoke(main, [command, str(folder), *COMMANDS[command]])
    # What can't be read may hold anything: no gate is passed beside it.
    assert done.exit_code == (2 if command == "gate" else 0), done.output
    assert [line.partition(":")[0].strip() for line in done.stderr.splitlines()] == [
        "not read", "caf?.eval", "pipe.eval", "zero.eval"
    ]  # fmt: skip


def test_listing_a_folder_opens_no_log(folder, monkeypatch):
    opened, really_open = [], open

    def noted(file, *how, **more):
        opened.append(str(file))
        return really_open(file, *how, **more)

    monkeypatch.setattr("builtins.open", noted)
    assert [place.name for place in find_logs(folder)] == ["good.eval", "one.eval"]
    assert not [file for file in opened if file.endswith(".eval")]
    read_observations(folder, quiet=True)
    assert [file for file in opened if file.endswith(".eval")]

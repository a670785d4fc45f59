"""Commands over a folder of good and bad logs: the bad are named, the good reported."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.logs.scores import read_scores
from askew.report.study import Study
from tests.cli.broken_logs import COMMANDS, POLICY, bad_logs, named, packed, parts_of, samples
from tests.logs.made_logs import a_log, a_score, written


@pytest.fixture
def folder(tmp_path):
    logs = tmp_path / "logs"
    written(a_log(samples()), logs, "good.eval")
    return logs


@pytest.fixture(scope="module")
def mixed(tmp_path_factory):
    """Good logs of two models, one of another task, and all the bad ones."""
    logs = tmp_path_factory.mktemp("mixed") / "logs"
    good = written(a_log(samples(), model="lab/one"), logs, named("one"))
    written(a_log(samples(score=a_score(0.0)), model="lab/two"), logs, named("two"))
    written(a_log(samples(), metadata={}, task="gsm8k"), logs, named("foreign"))
    bad = bad_logs(good)
    for name, (content, _) in bad.items():
        (logs / named(name)).write_bytes(content)
    (logs / named("broken").replace(".eval", ".json")).write_text('{"eval":', encoding="utf-8")
    return logs, {named(name): why for name, (_, why) in bad.items()}


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_names_each_bad_log_and_works_on_the_rest(
    command, mixed, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("askew.cli.common.NAMED", 99)
    Path("policy.yaml").write_text(POLICY, encoding="utf-8")
    logs, bad = mixed
    done = CliRunner().invoke(main, [command, str(logs), *COMMANDS[command]])
    # What a gate can't read, it can't judge.
    assert done.exit_code == {"gate": 3, "compare": 3}.get(command, 0), done.output
    first, *told = done.stderr.splitlines()
    assert first == "not read:"
    assert len(told) == len(bad) + 1
    for name, why in bad.items():
        [line] = [line for line in told if line.startswith(f"  {name}: ")]
        assert why.lower() in line.lower()
    assert any("_broken_a.json: " in line for line in told)
    result = done.stdout + "".join(p.read_text(encoding="utf-8") for p in tmp_path.glob("out.*"))
    assert "lab/one" in result
    assert "lab/two" in result


def test_a_gate_over_bad_logs_alone_is_an_error(mixed, tmp_path):
    logs, bad = mixed
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = ["--policy", str(tmp_path / "policy.yaml")]
    done = CliRunner().invoke(main, ["gate", *(str(logs / name) for name in bad), *policy])
    assert (done.exit_code, done.stdout) == (2, "")
    assert len(done.stderr.splitlines()) == len(bad) + 1


def test_duplicate_samples_of_a_log_count_once_per_epoch(folder):
    twice = [*samples("i1", score=a_score(0.0)), *samples("i1", ended=1)]
    later = [*samples("i1", epoch=2), *samples("i1", epoch=7)[:2]]
    path = written(a_log([*twice, *later], model="lab/twice", epochs=2), folder, "twice.eval")
    observations = Study.read(path, quiet=True)
    assert observations.rows.groupby("epoch").size().to_dict() == {1: 4, 2: 4}  # 7 was not planned
    # Of two attempts the one that ended last stands.
    assert observations.rows["correct"].tolist() == [1.0] * 8


def test_only_bad_logs_end_in_one_message_and_exit_code_2(tmp_path):
    logs, target = tmp_path / "logs", tmp_path / "report.html"
    written(a_log(samples(), metadata={}, task="gsm8k"), logs, "foreign.eval")
    (logs / "bad.eval").write_bytes(b"not a zip")
    (logs / "empty.eval").write_bytes(b"")
    command = ["compare", "--baseline", "lab/one", str(logs), "-o", str(target)]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("askew: no log of a task of askew could be read:\n  bad.eval: ")
    assert "empty.eval: " in done.stderr
    assert done.stderr.endswith("logs of other tasks: 1\n")
    assert not target.exists()


def test_a_folder_without_logs_is_reported(tmp_path):
    (tmp_path / "logs").mkdir()
    target = tmp_path / "report.html"
    done = CliRunner().invoke(main, ["report", str(tmp_path / "logs"), "-o", str(target)])
    assert done.exit_code == 2
    assert "no logs are in this folder" in done.stderr
    assert not target.exists()


def test_ordinary_logs_whose_summaries_are_damaged_hide_no_others(tmp_path):
    good = written(a_log(samples(), metadata={}, task="gsm8k"), tmp_path, named("good"))
    parts = parts_of(good)
    summaries = json.loads(parts["summaries.json"])
    damaged = [{"id": None}, {"epoch": "x"}, {"input": [1]}, {"scores": {"knowno_scorer": "C"}}]
    for number, damage in enumerate([*damaged, {"scores": {"knowno_scorer": {}}}]):
        changed = json.dumps([{**one, **damage} for one in summaries])
        changed = changed.replace('"id": null, ', "")
        bad = packed({**parts, "summaries.json": changed.encode()})
        (tmp_path / named(f"bad{number}")).write_bytes(bad)
    found = read_scores(tmp_path)
    assert len(found.unread) == 5
    assert set(found.rows["log"]) == {str(good)}

"""Commands over a folder of good and bad logs: the bad are named, the good reported."""

import os
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from askew.analysis import read_observations
from askew.cli import main
from tests.cli.broken_logs import (
    COMMANDS,
    POLICY,
    bad_logs,
    named,
    packed,
    parts_of,
    samples,
    with_header,
)
from tests.logs.made_logs import a_log, a_sample, a_score, killed, written


def without_header(path):
    """A log that is still being written: its journal is there, its header is not yet."""
    return killed(path)


@pytest.fixture
def folder(tmp_path):
    logs = tmp_path / "logs"
    written(a_log(samples()), logs, "good.eval")
    return logs


def report(folder, tmp_path, suffix=".json"):
    target = tmp_path / f"report{suffix}"
    done = CliRunner().invoke(main, ["report", str(folder), "-o", str(target)])
    assert done.exit_code == 0, done.output
    assert "Traceback" not in done.output
    return target.read_text(encoding="utf-8")


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
    monkeypatch.setattr("askew.cli.inputs.NAMED", 99)
    Path("policy.yaml").write_text(POLICY, encoding="utf-8")
    logs, bad = mixed
    done = CliRunner().invoke(main, [command, str(logs), *COMMANDS[command]])
    # What a gate can't read, it can't judge.
    assert done.exit_code == (2 if command == "gate" else 0), done.output
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


@pytest.mark.parametrize("command", COMMANDS)
def test_quiet_commands_name_none(command, mixed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("policy.yaml").write_text(POLICY, encoding="utf-8")
    logs, _ = mixed
    done = CliRunner().invoke(main, [command, str(logs), *COMMANDS[command], "--quiet"])
    assert done.exit_code == (2 if command == "gate" else 0), done.output
    assert done.stderr == ""


def test_a_gate_over_bad_logs_alone_can_t_tell(mixed, tmp_path):
    logs, bad = mixed
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    policy = ["--policy", str(tmp_path / "policy.yaml")]
    done = CliRunner().invoke(main, ["gate", *(str(logs / name) for name in bad), *policy])
    assert done.exit_code == 2, done.output
    assert done.stdout.endswith(f"CAN'T TELL: {len(bad) + 1} can't tell\n")
    assert len(done.stderr.splitlines()) == len(bad) + 1


def test_a_flagged_log_is_unpacked_no_further_than_is_safe(folder, tmp_path):
    path = written(a_log(samples("flagged")), folder, "flagged.eval")
    with_header(path, lambda h: h.update(invalidated=True))
    assert "flagged.eval" not in unreadable(folder)
    parts = parts_of(path)
    parts["samples/bomb_epoch_1.json"] = b" " * 70_000_000
    path.write_bytes(packed(parts))
    assert "samples/bomb_epoch_1.json would unpack" in unreadable(folder)["flagged.eval"]


def unreadable(folder):
    told = read_observations(folder, quiet=True).attrs["askew"]["logs"]
    return {
        log["log"]: loss["why"]
        for log in told for loss in log["left_out"] if loss["what"] == "unreadable log"
    }  # fmt: skip


def test_samples_that_a_log_holds_twice_count_once_and_epochs_apart(folder):
    twice = [*samples("i1", score=a_score(0.0)), *samples("i1", ended=1)]
    later = [*samples("i1", epoch=2), *samples("i1", epoch=7)[:2]]
    path = written(a_log([*twice, *later], model="lab/twice", epochs=2), folder, "twice.eval")
    observations = read_observations(path, quiet=True)
    assert observations.groupby("epoch").size().to_dict() == {1: 4, 2: 4, 7: 2}
    # Of two attempts the one that ended last stands.
    assert observations["correct"].tolist() == [1.0] * 10


def test_a_pipe_given_as_a_log_is_named_and_not_waited_for(folder, tmp_path):
    os.mkfifo(tmp_path / "pipe.eval")
    told = read_observations([folder, tmp_path / "pipe.eval"], quiet=True).attrs["askew"]["logs"]
    assert [log["left_out"][0]["why"] for log in told if log["log"] == "pipe.eval"] == [
        "ValueError: it is not a file"
    ]


def test_names_of_logs_can_t_steer_a_terminal(folder, tmp_path):
    (folder / "\x1b[31mred\n.eval").write_bytes(b"bad")
    target = str(tmp_path / "r.json")
    done = CliRunner().invoke(main, ["report", str(folder), "-o", target], color=True)
    assert done.exit_code == 0
    assert "\x1b" not in done.stderr
    assert "\n  ⟨U+001B⟩[31mred .eval: " in done.stderr


def test_a_truncated_log_is_named_and_the_rest_reported(folder, tmp_path):
    whole = (folder / "good.eval").read_bytes()
    (folder / "cut.eval").write_bytes(whole[: len(whole) // 2])
    text = report(folder, tmp_path)
    assert "cut.eval" in text
    assert "omni_accuracy" in text


def test_a_log_of_a_version_to_come_is_named_or_read_but_hides_nothing(folder, tmp_path):
    newer = written(a_log(samples("newer")), folder, "newer.eval")
    with_header(newer, lambda h: h.update(version=99))
    assert "omni_accuracy" in report(folder, tmp_path)


@pytest.mark.parametrize("taken", ["metadata", "model", "dataset", "config", "created"])
def test_a_header_that_lacks_a_part_hides_nothing(folder, tmp_path, taken):
    lacking = written(a_log(samples("lacking")), folder, "lacking.eval")
    with_header(lacking, lambda h: h["eval"].pop(taken, None))
    text = report(folder, tmp_path)
    assert "omni_accuracy" in text


def test_samples_without_their_metadata_are_counted_as_left_out(folder, tmp_path):
    bare = a_sample("bare", "with_gold")
    bare.metadata = {}
    written(a_log([bare], made=1), folder, "bare.eval")
    assert "its metadata lacks item, unit, subset" in report(folder, tmp_path)


def test_a_log_of_another_task_is_counted(folder, tmp_path):
    written(a_log(samples(), metadata={}, task="gsm8k"), folder, "foreign.eval")
    assert "another task" in report(folder, tmp_path, ".html")


def test_a_log_being_written_gives_what_it_has(folder, tmp_path):
    without_header(written(a_log(samples("half"), model="lab/half"), folder, "half.eval"))
    assert "omni_accuracy" in report(folder, tmp_path)


@contextmanager
def as_nobody():
    """Root may read everything, so it steps down for a while; others are nobody enough."""
    own = os.geteuid()
    if own == 0:
        os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(own)


@pytest.mark.parametrize("command", COMMANDS)
def test_a_log_that_may_not_be_read_is_named_and_the_rest_reported(
    command, folder, tmp_path, monkeypatch
):
    written(a_log(samples(score=a_score(0.0)), model="lab/one"), folder, "one.eval")
    with TemporaryDirectory() as name:
        shared = Path(name)
        monkeypatch.chdir(shared)
        shared.chmod(0o777)
        copytree(folder, shared / "logs")
        Path("policy.yaml").write_text(POLICY, encoding="utf-8")
        arguments = [command, "logs", *COMMANDS[command]]
        # What is imported on first use may be out of nobody's reach.
        assert CliRunner().invoke(main, arguments).exit_code == 0
        for path in shared.glob("out.*"):
            path.unlink()
        written(a_log(samples("closed")), shared / "logs", "closed.eval").chmod(0)
        with as_nobody():
            done = CliRunner().invoke(main, arguments)
        result = done.stdout + "".join(p.read_text(encoding="utf-8") for p in shared.glob("out.*"))
        monkeypatch.undo()
    assert done.exit_code == (2 if command == "gate" else 0), done.output
    assert "closed.eval: PermissionError" in done.stderr
    assert "lab/one" in result


@pytest.mark.parametrize("suffix", [".html", ".md", ".json", ".csv"])
def test_a_million_characters_of_metadata_do_not_reach_the_report(folder, tmp_path, suffix):
    long = "L" * 1_000_000
    written(
        a_log(samples("long", gold=long, **{long[:50]: long}), model="lab/long"),
        folder,
        "long.eval",
    )
    text = report(folder, tmp_path, suffix)
    assert "lab/long" in text
    assert "L" * 5_000 not in text


def test_a_bad_log_among_good_ones_is_named_on_the_terminal_too(folder, tmp_path):
    (folder / "bad.eval").write_bytes(b"not a zip")
    done = CliRunner().invoke(main, ["report", str(folder), "-o", str(tmp_path / "r.md")])
    assert done.exit_code == 0
    assert "not read:\n  bad.eval: " in done.stderr
    assert "4 observations" in done.stdout


@pytest.mark.parametrize("command", [["report"], ["compare", "--baseline", "lab/one"]])
def test_only_bad_logs_end_in_one_message_and_exit_code_2(command, tmp_path):
    logs, target = tmp_path / "logs", tmp_path / "report.html"
    written(a_log(samples(), metadata={}, task="gsm8k"), logs, "foreign.eval")
    (logs / "bad.eval").write_bytes(b"not a zip")
    (logs / "empty.eval").write_bytes(b"")
    done = CliRunner().invoke(main, [*command, str(logs), "-o", str(target)])
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    assert done.stderr.startswith("askew: no log of a task of askew could be read:\n  bad.eval: ")
    assert "empty.eval: " in done.stderr
    assert done.stderr.endswith("logs of other tasks: 1\n")
    assert not target.exists()


def test_a_folder_without_logs_is_said(tmp_path):
    (tmp_path / "logs").mkdir()
    target = tmp_path / "report.html"
    done = CliRunner().invoke(main, ["report", str(tmp_path / "logs"), "-o", str(target)])
    assert done.exit_code == 2
    assert "no logs are in this folder" in done.stderr
    assert not target.exists()

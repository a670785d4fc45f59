"""`askew report` over a folder of good and bad logs: the bad are named, the good reported."""

import json
import os
import zipfile
from contextlib import contextmanager
from pathlib import Path
from shutil import copytree
from tempfile import TemporaryDirectory

import pytest
from click.testing import CliRunner

from askew.cli import main
from tests.analysis.made_logs import a_log, a_sample, killed, written

HINTS = ("with_gold", "hint_as_option", "hint_in_instruction", "no_hint")


def samples(item="good", **more):
    return [a_sample(item, hint, **more) for hint in HINTS]


def without_header(path):
    """A log that is still being written: its journal is there, its header is not yet."""
    return killed(path)


def with_header(path, change):
    """The log with its header changed."""
    with zipfile.ZipFile(path) as whole:
        members = {n: whole.read(n) for n in whole.namelist()}
    header = json.loads(members["header.json"])
    change(header)
    members["header.json"] = json.dumps(header).encode()
    with zipfile.ZipFile(path, "w") as changed:
        for name, content in members.items():
            changed.writestr(name, content)
    return path


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


def test_a_log_that_may_not_be_read_is_named_and_the_rest_reported(folder, tmp_path):
    report(folder, tmp_path)  # what is imported on first use may be out of nobody's reach
    with TemporaryDirectory() as name:
        shared = Path(name)
        shared.chmod(0o777)
        logs = shared / "logs"
        copytree(folder, logs)
        written(a_log(samples("closed")), logs, "closed.eval").chmod(0)
        with as_nobody():
            text = report(logs, shared, ".md")
    assert "closed.eval" in text
    assert "ermission denied" in text
    assert "OmniAccuracy" in text or "omni_accuracy" in text


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


def test_a_run_of_which_no_sample_was_scored_is_reported(tmp_path):
    logs, target = tmp_path / "logs", tmp_path / "report.json"
    written(a_log(samples(error="the line went dead")), logs, "dead.eval")
    done = CliRunner().invoke(main, ["report", str(logs), "-o", str(target)])
    assert done.exit_code == 0, done.output
    assert "the line went dead" in target.read_text(encoding="utf-8")

"""`askew report` over a folder of good and bad logs: the bad are named, the good reported."""

import json
import os
import zipfile

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


def test_a_log_that_may_not_be_read_is_named(folder, tmp_path):
    if os.geteuid() == 0:
        pytest.skip("root may read everything")
    closed = written(a_log(samples("closed")), folder, "closed.eval")
    closed.chmod(0)
    assert "closed.eval" in report(folder, tmp_path)


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


def test_only_bad_logs_end_in_a_message(tmp_path):
    (tmp_path / "bad.eval").write_bytes(b"not a zip")
    target = tmp_path / "report.html"
    done = CliRunner().invoke(main, ["report", str(tmp_path / "bad.eval"), "-o", str(target)])
    assert done.exit_code in (0, 2), done.output
    assert "Traceback" not in done.output
    assert "bad.eval" in done.output or "bad.eval" in target.read_text(encoding="utf-8")

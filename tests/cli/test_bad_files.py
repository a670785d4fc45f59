"""A user's bad file ends in one message with every problem, exit code 2, and no traceback."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.tasks.catalog import TASKS

GOOD = {
    "id": "capital-1",
    "story": "",
    "question": "Which city is the capital of Chile?",
    "options": ["Lima", "Santiago", "Quito"],
    "gold_option": "Santiago",
}


def lines(*records):
    return "\n".join(json.dumps(r) if isinstance(r, dict) else r for r in records) + "\n"


def numbered(n):
    return {**GOOD, "id": f"q{n}"}


def shown(path):
    return CliRunner().invoke(main, ["data", "show", "knowno", "--data", str(path)])


def refused(path):
    """The message of a file that must be refused."""
    done = shown(path)
    assert done.exit_code == 2, done.output
    assert done.exception is None or isinstance(done.exception, SystemExit)
    assert "Traceback" not in done.output
    assert done.output.count("askew: ") == 1
    assert path.name in done.output
    return done.output


@pytest.mark.parametrize("command", ["show", "verify"])
@pytest.mark.parametrize("task", TASKS)
def test_every_task_names_all_that_is_wrong_in_one_message(task, command, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "a"\n{"id": "b"}\n{"id": "b"}\n', encoding="utf-8")
    done = CliRunner().invoke(main, ["data", command, task, "--data", str(path)])
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    first, *problems = done.stderr.splitlines()
    assert first.startswith(f"askew: {path}: ")
    assert first.endswith("problems; no record was used.")
    assert "line 1: not valid JSON" in problems[0]
    assert any(p.startswith("  line 2") for p in problems)
    assert any(p.startswith("  line 3, field id: 'b' is that of line 2 too") for p in problems)
    assert int(first.split()[-6]) == len(problems)


def test_inspect_eval_names_them_too_and_asks_nothing(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "a"\n{"id": "b"}\n{"id": "b"}\n', encoding="utf-8")
    done = inspect_eval(tmp_path, f"data={path}")
    first, *problems = done.stderr.splitlines()
    assert first == f"askew: {path}: 4 problems; no record was used."
    for line in (1, 2, 3):
        assert any(p.startswith(f"  line {line}") for p in problems)
    assert len(problems) == 4


def test_inspect_eval_lists_what_is_valid_where_a_parameter_is_not(tmp_path):
    done = inspect_eval(tmp_path, "subset=bank78")
    (told,) = done.stderr.splitlines()
    assert told.startswith("askew: subset='bank78'")
    assert told.endswith("valid: all, mctest, bank77, equinfer")


def inspect_eval(folder, parameter):
    """An eval that is refused before anything is asked."""
    inspect = Path(sys.executable).with_name("inspect")
    command = [inspect, "eval", "askew/knowno", "--model", "respondent/oracle"]
    options = ["-T", parameter, "--log-dir", folder / "logs", "--display", "plain"]
    done = subprocess.run([*command, *options], capture_output=True, text=True)
    assert done.returncode == 2
    assert "Traceback" not in done.stdout + done.stderr
    assert not list(folder.glob("logs/*"))
    return done


def test_a_good_file_is_shown(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(lines(GOOD), encoding="utf-8")
    done = shown(path)
    assert done.exit_code == 0, done.output
    assert "Which city is the capital of Chile?" in done.output


def test_a_mark_at_the_start_and_windows_line_ends_do_no_harm(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + lines(GOOD).replace("\n", "\r\n").encode())
    assert shown(path).exit_code == 0


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "latin-1"])
def test_another_encoding_is_refused(tmp_path, encoding):
    path = tmp_path / "mine.jsonl"
    text = json.dumps({**GOOD, "question": "Où est Córdoba?"}, ensure_ascii=False)
    path.write_bytes(text.encode(encoding))
    assert "utf-8" in refused(path).lower()


@pytest.mark.parametrize("suffix", [".jsonl", ".csv"])
def test_nul_bytes_are_refused(tmp_path, suffix):
    path = tmp_path / f"mine{suffix}"
    path.write_bytes(b"\x00" * 4096)
    refused(path)


def test_the_broken_line_40_000_is_named_with_the_other_problems_in_one_message(tmp_path):
    records = [numbered(n) for n in range(1, 40_003)]
    records[39_999] = '{"id": "broken", '
    records[40_000] = {"id": "lacking"}
    path = tmp_path / "mine.jsonl"
    path.write_text(lines(*records), encoding="utf-8")
    message = refused(path)
    assert "40000" in message.replace(",", "")
    assert "40001" in message.replace(",", "")


def test_a_repeated_id_names_both_lines(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(lines(numbered(1), numbered(2), numbered(1)), encoding="utf-8")
    message = refused(path)
    assert "q1" in message
    assert "3" in message


def test_a_field_of_many_megabytes_is_refused_or_read_but_never_printed_whole(tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text(lines({**GOOD, "options": "x" * 20_000_000}), encoding="utf-8")
    assert len(refused(path)) < 10_000


def test_a_csv_lacking_columns_is_refused(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("id,question\na,Which?\n", encoding="utf-8")
    refused(path)


def test_a_csv_with_line_breaks_in_its_fields_is_read(tmp_path):
    path = tmp_path / "mine.csv"
    options = '"[""Lima"", ""Santiago"", ""Quito""]"'
    text = f'id,story,question,options,gold_option\nc,,"Which city\nis it?",{options},Santiago\n'
    path.write_text(text, encoding="utf-8")
    done = shown(path)
    assert done.exit_code == 0, done.output
    assert "Which city\nis it?" in done.output


@pytest.mark.parametrize("content", [b"", b"\n\n", b"[", b"\xff\xfe", b"null", b'"text"'])
def test_what_holds_no_records_is_refused(tmp_path, content):
    path = tmp_path / "mine.jsonl"
    path.write_bytes(content)
    refused(path)


def test_a_file_that_is_not_there_and_a_folder_are_refused(tmp_path):
    refused(tmp_path / "absent.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    refused(tmp_path / "folder.jsonl")

"""A user's bad file ends in one message with every problem, exit code 2, and no traceback."""

import gzip
import json

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers import asked_for, asking
from askew.sources.loading import templates


def template_of(task, csv):
    return templates(asked_for(task).home)[csv]


@pytest.mark.parametrize("command", ["show", "verify"])
@pytest.mark.parametrize("task", asking())
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


def broken(good, csv):
    """Hostile contents for a task whose template is `good`, and what must be said of each.

    A name, a suffix, the content, and the lines that the message must name.
    """
    text = "\n".join(good) + "\n"
    last = len(good) + 1
    header = csv[0]
    return [
        ("UTF-16 with a mark", ".jsonl", text.encode("utf-16"), ["line 1: the file is UTF-16"]),
        ("UTF-16 without", ".jsonl", text.encode("utf-16-le"), ["line 1: a NUL character"]),
        (
            "Latin-1 below UTF-8", ".jsonl", text.encode() + '{"id": "é"}'.encode("latin-1"),
            [f"line {last}: byte 9 of the line (0xe9) is not UTF-8"],
        ),
        ("a mark in the middle", ".jsonl", f"{text}\ufeff{good[0]}".encode(), [f"line {last}: "]),
        ("NULs", ".jsonl", text.encode() + b"\0\0\n", [f"line {last}: a NUL character"]),
        (
            "numbers that are none", ".jsonl", b'{"id": NaN}\n{"id": -Infinity}\n{"id": 1e999}\n',
            ["line 1: NaN is not a finite", "line 2: -Infinity is not", "line 3: 1e999 is not"],
        ),
        ("deep", ".jsonl", b'{"id":' * 99_999 + b"}" * 99_999, ["line 1: JSON nested too deeply"]),
        (
            "numbers for texts", ".jsonl",
            (json.dumps(dict.fromkeys(json.loads(good[0]), 3)) + "\n" + good[0]).encode(),
            ["line 1, field id: Input should be a valid string (found 3)"],
        ),
        (
            "fields of lists", ".jsonl",
            (json.dumps({key: [[]] for key in json.loads(good[0])}) + "\n{}\n").encode(),
            ["line 1, field id: Input should be a valid string", "line 2"],
        ),
        (
            "ids", ".jsonl", "".join(f"{line}\n{line}\n" for line in good).encode(),
            [f"line {2 * n}, field id: " for n in range(1, len(good) + 1)],
        ),
        ("gzip", ".jsonl", gzip.compress(text.encode(), mtime=0), ["line 1: byte 2 of the line"]),
        (
            "a quote that is not closed", ".csv", f'{header}\n\n"a,b\nc,d\n'.encode(),
            ["line 3: the record that begins here can't be read as CSV (unexpected end of data)"],
        ),
        (
            "too few cells, too many", ".csv", f"{header}\na\n{'b,' * 40}\n".encode(),
            ["line 2: cells: 1, columns", "line 3: cells: 41, columns in the header: "],
        ),
        ("other columns", ".csv", b"id,colour\n1,red\n2,blue\n", ["line "]),
        (
            "semicolons", ".csv", header.replace(",", ";").encode() + b"\n",
            ["line 1: the columns are not separated by commas"],
        ),
    ]  # fmt: skip


@pytest.mark.parametrize("task", asking())
def test_harmless_oddities_of_a_table_are_read(task, tmp_path):
    header, *rows = template_of(task, True)
    row = "\r\n".join(rows)
    path = tmp_path / "mine.csv"
    spaced = header.replace(",", " , ")
    path.write_bytes(f"\ufeff{spaced} \r\n\r\n{row}\r\n".encode())
    done = CliRunner().invoke(main, ["data", "verify", task, "--data", str(path)])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(main, ["data", "show", task, "--data", str(path)])
    assert done.exit_code == 0, done.output


@pytest.mark.whole
def test_inspect_eval_lists_what_is_valid_where_a_parameter_is_not(forks, tmp_path):
    (told,) = refused_eval(forks, tmp_path, "subset=bank78").splitlines()
    assert told.startswith("askew: subset='bank78'")
    assert told.endswith("valid: all, mctest, bank77, equinfer")


def refused_eval(forks, folder, parameter):
    """What an eval says that is refused before anything is asked."""
    command = ["inspect", "eval", "askew/knowno", "--model", "respondent/oracle"]
    options = ["-T", parameter, "--log-dir", folder / "logs", "--display", "plain"]
    started = forks.start([*command, *options], folder, output="out.txt", errors="err.txt")
    assert forks.ended(started) == 2
    out, err = ((folder / n).read_text(encoding="utf-8") for n in ("out.txt", "err.txt"))
    assert "Traceback" not in out + err
    assert not list(folder.glob("logs/*"))
    return err

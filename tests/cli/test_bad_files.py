"""A user's bad file ends in one message with every problem, exit code 2, and no traceback."""

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers import get_paper, task_papers
from askew.sources.loading import templates


def template_of(task, csv):
    return templates(get_paper(task).home)[csv]


@pytest.mark.parametrize("command", ["show", "lint"])
@pytest.mark.parametrize("task", task_papers())
def test_every_task_names_all_that_is_wrong_in_one_message(task, command, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text('{"id": "a"\n{"id": "b"}\n{"id": "b"}\n', encoding="utf-8")
    done = CliRunner().invoke(main, ["data", command, task, "--data", str(path)])
    assert done.exit_code == 2, done.output
    assert done.stdout == ""
    first, *problems = done.stderr.splitlines()
    assert first.startswith(f"askew: {path}: ")
    assert first.endswith("errors; no record was used.")
    assert "line 1: not valid JSON" in problems[0]
    assert any(p.startswith("  line 2") for p in problems)
    assert any(p.startswith("  line 3, field id: 'b' is that of line 2 too") for p in problems)
    assert int(first.split()[-6]) == len(problems)


@pytest.mark.parametrize("task", task_papers())
def test_harmless_oddities_of_a_table_are_read(task, tmp_path):
    header, *rows = template_of(task, True)
    row = "\r\n".join(rows)
    path = tmp_path / "mine.csv"
    spaced = header.replace(",", " , ")
    path.write_bytes(f"\ufeff{spaced} \r\n\r\n{row}\r\n".encode())
    done = CliRunner().invoke(main, ["data", "lint", task, "--data", str(path)])
    assert done.exit_code == 0, done.output
    done = CliRunner().invoke(main, ["data", "show", task, "--data", str(path)])
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["data", "show", "knowno", "--subset", "mctset"], "valid: all, mctest"),
        (["data", "show", "knowno", "--subset", "mctset"], "Did you mean mctest?"),
        (["data", "show", "knowno", "-T", "parser=gradr"], "Did you mean grader?"),
        (["data", "fetch", "all"], "task='all': unknown task. There are: bend, binary_qa"),
        (["report", ".", "--card", "-o", "x.html"], "x.html is no folder; --card needs one"),
    ],
)
def test_a_wrong_value_is_named_with_the_nearest_right_one(words, told):
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert told in done.stderr

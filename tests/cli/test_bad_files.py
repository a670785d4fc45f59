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


@pytest.mark.whole
def test_inspect_eval_lists_what_is_valid_where_a_parameter_is_not(forks, tmp_path):
    (told,) = refused_eval(forks, tmp_path, "subset=bank78").splitlines()
    assert told.startswith("askew: subset='bank78'")
    assert told.endswith("valid: all, mctest, bank77, equinfer. Did you mean bank77?")


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


def test_fetching_for_a_task_without_files_reports_it():
    done = CliRunner().invoke(main, ["data", "fetch", "bend"])
    assert (done.exit_code, done.output) == (0, "bend has no files of its own to fetch.\n")


def test_a_table_with_other_columns_is_one_error_and_not_one_per_row(tmp_path):
    path = tmp_path / "mine.csv"
    path.write_text("text,label\n" + "a,b\n" * 9)
    done = CliRunner().invoke(main, ["data", "show", "knowno", "--data", str(path)])
    assert done.exit_code == 2
    assert "1 error; no record was used" in done.stderr
    assert "fields label, text fit no record of knowno" in done.stderr
    assert "is label meant as label_text?" in done.stderr


def refused_eval(forks, folder, parameter):
    """What an eval says that is refused before anything is asked."""
    command = ["inspect", "eval", "askew/knowno", "--model", "respondent/oracle"]
    options = ["-T", parameter, "--log-dir", folder / "logs", "--display", "plain"]
    code, out, err = forks([*command, *options], folder)
    assert code == 2
    assert "Traceback" not in out + err
    assert not list(folder.glob("logs/*"))
    return err

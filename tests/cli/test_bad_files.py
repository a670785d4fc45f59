"""A user's bad file ends in one message with every problem, exit code 2, and no traceback."""

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers import get_paper, task_papers
from askew.papers.knowno.tasks import knowno
from askew.sources.loading import templates
from tests.cases import cases
from tests.cli.broken_logs import COMMANDS, POLICY, samples
from tests.logs.made_logs import a_log, written


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


@cases("words", "told")
def test_a_wrong_value_is_named_with_the_nearest_right_one(words, told):
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 2
    assert told in done.stderr


WHY = "Error code: 404 - no such endpoint: /v1/responses"


@pytest.fixture
def failed(tmp_path):
    logs = tmp_path / "logs"
    written(a_log(samples(error=WHY, scores={}), model="lab/gone"), logs, "gone.eval")
    return logs


@pytest.mark.parametrize("command", ["report", "export", "compare"])
def test_nothing_scored_is_exit_2_with_the_first_error(command, failed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, [command, str(failed), *COMMANDS[command]])
    assert done.exit_code == 2
    assert f"lab/gone: {len(samples())} errored: {WHY}" in done.stderr
    assert "docs/how-to/models.md" in done.stderr
    assert not [*tmp_path.glob("out.*")]


@pytest.fixture
def stopped(run, tmp_path, monkeypatch):
    """A run that ended well, of which every sample used up what it was given."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policy.yaml").write_text(POLICY, encoding="utf-8")
    log = run(knowno(items=3), "respondent/typical", token_limit=1)
    assert log.status == "success"
    assert {s.limit.type for s in log.samples} == {"token"}
    return len(log.samples)


def test_samples_that_a_limit_stopped_are_no_number_and_exit_2_with_the_reason(stopped, tmp_path):
    for command, more in COMMANDS.items():
        done = CliRunner().invoke(main, [command, "logs", *more])
        assert done.exit_code == (3 if command == "gate" else 2), command
        why = f"respondent/typical: {stopped} limited: stopped by its token limit"
        if command == "gate":
            why = f"0 of {stopped} planned samples are scored"
            assert done.stdout.splitlines()[-1].startswith("INCONCLUSIVE: ")
        assert why in done.stdout + done.stderr, command
        assert not [*tmp_path.glob("out.*")]

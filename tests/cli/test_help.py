"""Help says what may be given; what can't be is one message that says what to do."""

import pytest
from click.testing import CliRunner

from askew.cli import main
from askew.papers import get_paper, names
from askew.respondents.provider import respondents
from tests.cases import cases

TASKS = ["plan", "calibrate", "score-replies"]
DATA = ["import", "fetch", "lint", "show", "template"]


@pytest.mark.parametrize("command", [[c] for c in TASKS] + [["data", c] for c in DATA])
def test_help_lists_the_tasks(command):
    said = "".join(CliRunner().invoke(main, [*command, "--help"]).output.split())
    assert f"[{'|'.join(names())}]" in said


def test_help_lists_the_simulated_models():
    said = "".join(CliRunner().invoke(main, ["calibrate", "--help"]).output.split())
    assert f"[{'|'.join(respondents())}]" in said


def test_knownos_table_to_fill_in_has_a_row_of_every_shape(tmp_path):
    file = tmp_path / "mine.csv"
    done = CliRunner().invoke(main, ["data", "template", "knowno", "--csv"])
    file.write_text(done.output, encoding="utf-8")
    assert "text,label_text" in done.output.splitlines()[0]
    made = get_paper("knowno").items.load(str(file)).items
    assert {item.kind for item in made} == {"story", "intent", "equation"}


@cases("arguments", "told")
def test_what_is_wrong_is_one_message_and_exit_code_2(askew, logs, arguments, told):
    code, out, err = askew(*(logs if word == "LOGS" else word for word in arguments))
    assert (code, out) == (2, "")
    assert told in err
    assert "Traceback" not in err

"""Help says what may be given; what can't be is one message that says what to do."""

from click.testing import CliRunner

from askew.cli import main
from askew.papers import get_paper
from tests.cases import cases


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

"""Help says what may be given; what can't be is one message that says what to do."""

import re
import subprocess
import sys
from contextlib import nullcontext
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from types import SimpleNamespace

import click
import pytest
from click.testing import CliRunner
from inspect_ai import eval

from askew import files
from askew.cli import common, main
from askew.cli.common import COMMANDS
from askew.papers import OWN, get_paper, task_papers
from askew.papers.knowno.tasks import knowno
from askew.report.study import Study
from askew.scoring.grader import grader_cases
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


SMALL = ("--task", "knowno", "--items", "12", "--repetitions", "2")


def test_a_failed_calibration_exits_with_code_1(askew, monkeypatch):
    from askew.decide.calibrate import CalibrationReport

    monkeypatch.setattr(CalibrationReport, "passed", property(lambda self: False))
    assert askew("calibrate", *SMALL, "--respondent", "mute", "--quiet")[0] == 1


def test_where_nothing_can_be_compared_the_exit_code_is_3(askew, tmp_path):
    for model, subset in (("typical", "mctest"), ("oracle", "bank77")):
        asked = knowno(items=2, subset=subset, hint="no_hint")
        eval(asked, model=f"respondent/{model}", log_dir=str(tmp_path), display="none")
    code, out, _ = askew("compare", tmp_path, "--baseline", "respondent/typical")
    assert code == 3
    assert "No task was answered by both models." in out


@pytest.mark.whole
@pytest.mark.parametrize(("kind", "starts"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_every_chart_is_a_file_that_marks_simulated_models(logs, tmp_path, kind, starts):
    done = CliRunner().invoke(
        main, ["export", logs, "--charts", str(tmp_path / "charts"), "--chart-format", kind]
    )
    assert done.exit_code == 0, done.output
    drawn = sorted((tmp_path / "charts").iterdir())
    assert len(drawn) > 5
    assert f"{len(drawn)} charts in" in done.output
    for path in drawn:
        assert path.suffix == f".{kind}"
        assert path.read_bytes().startswith(starts)
        if kind == "svg":
            assert "simulated" in path.read_text(encoding="utf-8")


def test_grader_check_runs_the_named_tasks_and_gives_an_interval(askew, tmp_path):
    given = ["--grader", "respondent/oracle", "--task", "knowno,mathcomp", "--log-dir"]
    code, out, _ = askew("grader-check", *given, tmp_path)
    assert code == 0
    assert "Agreement of respondent/oracle" in out
    header = next(line for line in out.splitlines() if "agreement" in line and "low" in line)
    assert {"task", "verdict", "n", "agreement", "low", "high"} <= set(header.split())
    total = sum(len(grader_cases(task)) for task in ("knowno", "mathcomp"))
    assert re.search(rf"^\s*all\s+all\s+{total}\s", out, re.MULTILINE)
    assert len(list(tmp_path.glob("*.eval"))) == 1


def subcommands(name):
    group = main.get_command(click.Context(main), name)
    return group, click.Context(group)


def test_packages_add_commands_to_the_group_that_their_entry_point_names(askew):
    added = [point.name.split(".") for point in entry_points(group=COMMANDS)]
    assert ["data", "build"] in added
    assert ["data", "build", "knowno"] in added
    for *place, name in added:
        code, out, _ = askew(*place, name, "--help")
        assert code == 0
        assert out.startswith(f"Usage: main {' '.join((*place, name))}")
        assert name in askew(*place, "--help")[1].split()


def test_a_command_that_cannot_be_loaded_is_named(monkeypatch):
    point = EntryPoint("data.make", "no_such_package:make", COMMANDS)
    monkeypatch.setattr(common, "entry_points", lambda group: [point])
    group, context = subcommands("data")
    with pytest.raises(click.ClickException, match=r"data\.make = no_such_package:make, which"):
        group.get_command(context, "make")


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom askew.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'pandas', 'inspect_ai', 'rich', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


@pytest.fixture
def here(monkeypatch):
    """The demo's runs in this process, on the first of its models."""
    plan = files.yaml_of("askew.cli", "demo.yaml")
    few = {"demo.yaml": {**plan, "models": plan["models"][:1]}}
    told = files.yaml_of
    monkeypatch.setattr(files, "yaml_of", lambda at, name: few.get(name) or told(at, name))
    pool = nullcontext(SimpleNamespace(map=map))
    monkeypatch.setattr(
        import_module("askew.cli.runs"), "ProcessPoolExecutor", lambda *_, **__: pool
    )
    return plan["models"][0]


@pytest.mark.whole
def test_demo_runs_all_tasks_and_writes_the_report(here, tmp_path):
    folder = tmp_path / "shown"
    (folder / "logs").mkdir(parents=True)  # an earlier demo's, which goes
    (folder / "logs" / "earlier.txt").touch()
    done = CliRunner().invoke(main, ["demo", str(folder), "--items", "1"])
    assert done.exit_code == 0, done.output
    assert str(folder / "report.html") in done.output
    assert not (folder / "logs" / "earlier.txt").exists()
    rows = Study.read(str(folder / "logs"), quiet=True)
    assert set(rows.rows["model"]) == {here}
    assert set(rows.rows["task"]) == {t for t in task_papers() if t in OWN}
    assert rows.rows.groupby(["task", "model"])["log"].nunique().max() == 1
    printed = CliRunner().invoke(main, ["report", str(folder / "logs"), "--row"]).output
    assert f"| {here} | " in printed
    assert "Simulated" in (folder / "report.md").read_text(encoding="utf-8")


def test_a_folder_with_other_files_is_left_untouched(tmp_path):
    mine = tmp_path / "thesis.txt"
    mine.write_text("mine", encoding="utf-8")
    done = CliRunner().invoke(main, ["demo", str(tmp_path)])
    assert done.exit_code == 2
    assert "thesis.txt" in done.output
    assert mine.read_text(encoding="utf-8") == "mine"

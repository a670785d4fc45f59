"""What commands print with --json, by its one schema."""

import json
import shutil
from importlib import resources
from itertools import chain
from pathlib import Path

import click
import pytest
from click.testing import CliRunner
from inspect_ai import eval
from inspect_ai.log import write_eval_log
from jsonschema import Draft202012Validator

from askew.cli import main
from askew.decide.policy import policy_template
from askew.papers import get_paper
from tests.authoring.test_publishers import PRO, jsonl
from tests.cases import cases_of
from tests.logs.ordinary import a_log

pytestmark = pytest.mark.whole
SCHEMA = json.loads(
    resources.files("askew.report").joinpath("results.schema.json").read_text(encoding="utf-8")
)
TABLES = SCHEMA["properties"]["tables"]["properties"]
# By command, as the schema has it: what it is given.
RUNS = {command: arguments.split() for command, arguments in cases_of(__file__, "RUNS").items()}
# They write files and print a line or two, or print the file itself.
WITHOUT = {"demo", "export", "data template", "data build"}
# Rows of special logs or questions.
RARE = {"mitigations", "ceilings", "levels", "misses", "settings", "left_out"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory, logs):
    """Logs, and files of all kinds that commands take."""
    made = tmp_path_factory.mktemp("json")
    for name, text in cases_of(__file__, "FILES").items():
        (made / name).write_text(text, encoding="utf-8")
    (made / "policy.yaml").write_text(policy_template(), encoding="utf-8")
    jsonl(made / "test.jsonl", PRO)
    write_eval_log(a_log([1, 0]), made / "other.eval")
    for side, log in zip("ab", sorted(Path(logs).glob("*.eval")), strict=True):
        shutil.copytree(logs, made / side, ignore=lambda _, names, log=log: {*names} - {log.name})
    formats = get_paper("format_bias").make(items=4, category="wrapping", prompting="zs")
    eval(formats, model="respondent/sloppy", log_dir=str(made / "formats"), display="none")
    return made


@pytest.fixture(scope="module")
def printed(folder, logs):
    """Objects by command."""
    found = {}
    for command, arguments in RUNS.items():
        words = [word.replace("FOLDER", str(folder)).replace("LOGS", logs) for word in arguments]
        names = command.split(" -")[0].removesuffix(" A B").split()
        done = CliRunner().invoke(main, [*names, *words, "--json"])
        assert done.exit_code in (0, 3), (command, done.output)
        found[command] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("command", RUNS)
def test_a_command_prints_its_tables(printed, command):
    found = printed[command]
    Draft202012Validator(SCHEMA).validate(found)
    assert command.startswith(found["command"])
    declared = {name for name, table in TABLES.items() if command in table["title"].split(", ")}
    assert {*found["tables"]} == declared


def test_each_table_has_rows_somewhere(printed):
    tables = chain.from_iterable(found["tables"].items() for found in printed.values())
    assert {*TABLES} - RARE <= {name for name, rows in tables if rows}


def _commands(group=main, name=""):
    context = click.Context(group)
    for own in group.list_commands(context):
        command, full = group.get_command(context, own), f"{name} {own}".strip()
        if isinstance(command, click.Group) and full not in WITHOUT:
            yield from _commands(command, full)
        else:
            yield full, command


def test_every_command_that_prints_a_table_takes_json():
    taking = {n for n, c in _commands() if any("--json" in p.opts for p in c.params)}
    assert taking | WITHOUT == {n for n, _ in _commands()}
    assert taking == {command.split(" -")[0].removesuffix(" A B") for command in RUNS}

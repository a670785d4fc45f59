"""Commands that packages add: there, and no burden to who doesn't use them."""

import subprocess
import sys
from importlib.metadata import EntryPoint, entry_points

import click
import pytest

from askew.cli import inputs, main
from askew.cli.inputs import COMMANDS


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
    monkeypatch.setattr(inputs, "entry_points", lambda group: [point])
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

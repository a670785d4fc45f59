"""Commands and options that papers bring: there, and no burden to who doesn't use them."""

import subprocess
import sys

import click

from askew.cli import main
from askew.papers import papers


def subcommands(name):
    group = main.get_command(click.Context(main), name)
    return group, click.Context(group)


def test_data_has_the_commands_of_every_paper(askew):
    group, context = subcommands("data")
    brought = {
        command.name
        for paper in papers()
        if paper.has("commands")
        for command in getattr(paper.part("commands"), "DATA_COMMANDS", ())
    }
    assert {"build", "finetune"} <= brought
    assert brought <= set(group.list_commands(context))
    assert all(group.get_command(context, name) for name in group.list_commands(context))
    code, out, _ = askew("data", "--help")
    assert code == 0
    assert brought <= set(out.split())


def test_two_papers_may_bring_a_command_of_one_name(monkeypatch):
    from askew.cli import inputs

    offers = [("one", click.Command("make")), ("two", click.Command("make"))]
    monkeypatch.setattr(inputs, "_offered", lambda what: iter(offers))
    group, context = subcommands("data")
    assert {"make", "two-make"} <= set(group.list_commands(context))
    assert group.get_command(context, "two-make") is offers[1][1]


def test_replies_take_the_options_of_the_papers_that_score_them(askew):
    code, out, _ = askew("score-replies", "--help")
    assert code == 0
    assert "--extraction" in out


def test_help_imports_nothing_heavy():
    code = (
        "import sys\nfrom askew.cli import main\n"
        "try: main(['--help'])\nexcept SystemExit: pass\n"
        "heavy = {'pandas', 'inspect_ai', 'rich', 'pydantic'} & set(sys.modules)\n"
        "sys.exit(repr(heavy) if heavy else 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr

"""What commands print: text, or with --json one object as `report/results.schema.json` declares."""

import json
import os
from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

import click

_JSON = "askew.json"
Printing = TypeVar("Printing", bound=click.Command)


def with_json(command: Printing) -> Printing:
    """A command with the option --json."""

    def keep(context: click.Context, _: click.Parameter, value: bool) -> None:
        context.meta[_JSON] = value

    text = "Print JSON instead, as docs/reference/json.md lists it."
    option = click.Option(["--json"], is_flag=True, expose_value=False, callback=keep, help=text)
    command.params.append(option)
    return command


def is_json() -> bool:
    """Whether the command that runs has --json."""
    return bool(click.get_current_context().meta.get(_JSON))


def say(text: str) -> None:
    """Print, also where the reader (head, less) has gone: what follows still counts."""
    try:
        click.echo(text)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def print_json(data: Mapping[str, Any]) -> None:
    """Print results as JSON."""
    from askew.report.render import plain

    say(json.dumps(plain(data), indent=1, allow_nan=False, ensure_ascii=False))


def print_results(
    text: str, tables: Mapping[str, Iterable[Mapping[Any, Any]]], *, quiet: bool = False,
    **about: Any,
) -> None:  # fmt: skip
    """Print the text of a command, or with --json its tables."""
    from askew.report.blocks import results

    if is_json():
        context = click.get_current_context()
        name = context.command_path.removeprefix(context.find_root().command_path).strip()
        print_json(results(name, tables, **about))
    elif text and not quiet:
        say(text)

"""What commands share: what they are given (options, logs, parameters), and how they print."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from multiprocessing import get_context
from typing import TYPE_CHECKING, Any, TypeVar

import click

from askew.untrusted import one_line

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from askew.report.study import Study

PATIENCE = 20  # seconds to wait for a scheduler
NAMED = 20  # no more unreadable logs than this are named
COMMANDS = "askew.commands"  # the entry point group that adds commands to the command line
_SERVERS = (
    "docs/how-to/models.md: addresses, keys and names of models; inspect view shows every error"
)
option = partial(click.option, show_default=True)  # an option whose help says its default
Command = TypeVar("Command", bound=Callable[..., Any])
_JSON = "askew.json"
Printing = TypeVar("Printing", bound=click.Command)


def spread(command: Command) -> Command:
    """Options that say what other processes help; goes below the last of the command's own."""
    text = "Processes to read logs with; default 1."
    many = click.option("--workers", type=click.IntRange(1), metavar="N", default=1, help=text)
    text = "A Dask cluster's scheduler, to read logs there."
    return many(click.option("--cluster", metavar="ADDRESS", help=text)(command))


def _check_kinds(
    _: click.Context, parameter: click.Parameter, outputs: tuple[str, ...]
) -> tuple[str, ...]:
    """Refuse a file of no known kind before any work."""
    if outputs:
        from askew.report.render import kind_of

        for output in outputs:
            kind_of(output)
    return outputs


# Files of a document.
document_files = option(
    "-o", "--output", "outputs", multiple=True, callback=_check_kinds,
    help="File to write: .html, .md or .json (repeatable).",
)  # fmt: skip


@contextmanager
def executor_of(workers: int, cluster: str | None) -> Iterator[Executor | None]:
    """What reads logs: processes of this machine, a Dask cluster, or nothing but this process."""
    if cluster is not None and workers > 1:
        raise click.UsageError("--workers is about this machine, --cluster about others: give one")
    if cluster is not None:
        try:
            from distributed import Client

            if ":" not in cluster:
                raise ValueError("an address has a host and a port")
            client = Client(cluster, timeout=PATIENCE, set_as_default=False)
        except ImportError:
            raise ValueError("--cluster needs Dask: pip install 'askew[cluster]'") from None
        except Exception as error:
            problem = f"--cluster {cluster}: no scheduler answers there ({one_line(error, 200)})"
            hint = "`dask scheduler` starts one, and says its address: tcp://10.0.0.1:8786"
            raise ValueError(f"{problem}; {hint}") from error
        with client:
            yield client.get_executor(pure=False)
    elif workers > 1:
        # A fork of a process with threads may hang.
        with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
            yield pool
    else:
        yield None


def read_study(
    logs: tuple[str, ...], quiet: bool, workers: int = 1, cluster: str | None = None,
    others: bool = False,
) -> Study:  # fmt: skip
    """Read logs, of which one at least can be read; only others' do where these are taken.

    Those that can't be read are named on stderr.
    """
    from askew.report.study import Study

    with executor_of(workers, cluster) as executor:
        study = Study.read(list(logs), quiet=quiet, executor=executor)
    whats = study.excluded["what"]
    bad = study.excluded[whats == "unreadable log"]
    named = [f"{one_line(log)}: {why}" for log, why in zip(bad["log"], bad["why"], strict=True)]
    named[NAMED:] = [f"and {len(named) - NAMED} more"] if len(named) > NAMED else []
    foreign = study.excluded.loc[whats == "log of another task", "count"].sum()
    if not study.runs and not (others and foreign):
        counted = [f"logs of other tasks: {foreign}"] if foreign else []
        lines = ["no log of a task of askew could be read:", *named, *counted]
        raise ValueError("\n  ".join(lines))
    if named and not quiet:
        click.echo("\n  ".join(["not read:", *named]), err=True)
    return study


def study_of(logs: tuple[str, ...], quiet: bool, *how: Any, **also: Any) -> Study:
    """The same; runs without a scored reply are named, and an error where no run has any."""
    study = read_study(logs, quiet, *how, **also)
    failed = [f"{run.task}, {run.model}: {run.failure}" for run in study.runs if run.failure]
    if failed and study.rows.empty:
        raise ValueError("\n  ".join(["no reply was scored:", *failed[:NAMED], _SERVERS]))
    if failed and not quiet:
        click.echo("\n  ".join(["no reply scored:", *failed[:NAMED]]), err=True)
    return study


def task_parameters(given: Sequence[str], *own: str) -> dict[str, Any]:
    """Parameters by name, written as `inspect eval` takes them: values are YAML; none is `own`."""
    import yaml

    found = {}
    for text in given:
        name, equals, value = text.partition("=")
        if not equals:
            raise click.BadParameter(f"{text!r}: write -T name=value")
        if name in own:
            raise click.BadParameter(f"{text!r:.80}: {name} is no parameter of the task")
        try:
            found[name] = yaml.safe_load(value)
        except (yaml.YAMLError, ValueError, RecursionError) as error:
            why = one_line(error, 200)
            raise click.BadParameter(f"{text!r:.80}: the value can't be read: {why}") from None
    return found


class TaskName(click.ParamType):  # type: ignore[type-arg]
    """The name of a task; help lists those there are. What is none of them is refused later."""

    name, home, listed = "task", "askew.papers", "names"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        listed = f"[{'|'.join(getattr(import_module(self.home), self.listed)())}]"
        # Of an argument the name stands in the command's text.
        named = param.name and param.param_type_name == "argument"
        return f"{param.name.upper()}: {listed}" if param.name and named else listed


class RespondentName(TaskName):
    """The name of a simulated model."""

    name, home, listed = "respondent", "askew.respondents.provider", "respondents"


class ExtensibleGroup(click.Group):
    """A group that packages add commands to, by the entry point group `askew.commands`.

    The entry point `data.build` adds the command `build` to the group at `data` (its `place`), and
    `data.build.x` adds `x` to that at `data.build`. A command is imported when it is asked for.
    """

    def __init__(self, *args: Any, place: str = "", **settings: Any) -> None:
        super().__init__(*args, **settings)
        self.place = place

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *self._entry_points()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        own = super().get_command(ctx, cmd_name)
        point = None if own else self._entry_points().get(cmd_name)
        if point is None:
            return own
        try:
            command: click.Command = point.load()
        except (ImportError, AttributeError) as error:
            text = f"{COMMANDS} names {point.name} = {point.value}, which can't be loaded: {error}"
            raise click.ClickException(text) from error
        return command

    def _entry_points(self) -> dict[str, EntryPoint]:
        """The entry points of this group's commands, by the command's name."""
        points = {point.name.rpartition("."): point for point in entry_points(group=COMMANDS)}
        return {name: point for (place, _, name), point in points.items() if place == self.place}


# What commands print: text, or with --json an object as `report/results.schema.json` declares.


def with_json(command: Printing) -> Printing:
    """A command with the option --json."""
    text = "Print JSON instead, as docs/reference/json.md lists it."
    flag = click.Option(["--json"], is_flag=True, expose_value=False, help=text,
                        callback=lambda c, _, value: c.meta.update({_JSON: value}))  # fmt: skip
    command.params.append(flag)
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
    text: str | None, tables: Mapping[str, Iterable[Mapping[Any, Any]]], *, quiet: bool = False,
    **about: Any,
) -> None:  # fmt: skip
    """Print the text of a command, by default what `texts.yaml` makes of its tables, or these."""
    from jinja2 import Environment

    from askew.files import yaml_of
    from askew.report.blocks import results

    context = click.get_current_context()
    name = context.command_path.removeprefix(context.find_root().command_path).strip()
    if is_json():
        print_json(results(name, tables, **about))
        return
    if text is None:
        template = yaml_of("askew.cli", "texts.yaml")[name]
        made = Environment(trim_blocks=True, lstrip_blocks=True).from_string(template)
        text = made.render({**tables, **about}).removesuffix("\n")
    if text and not quiet:
        say(text)

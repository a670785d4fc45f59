"""What commands are given: logs, parameters of tasks, and commands and options of papers."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from concurrent.futures import Executor

    import pandas as pd

# No more unreadable logs than this are named.
NAMED = 20
_SERVERS = "docs/models.md: addresses, keys and names of models; inspect view shows every error"


Command = TypeVar("Command", bound=Callable[..., Any])


def spread(command: Command) -> Command:
    """Options that say what other processes help; goes below the last of the command's own."""
    workers = click.option(
        "--workers", type=click.IntRange(1), metavar="N",
        help="Processes to read and count with; default the cores that serve, 1 for few logs.",
    )  # fmt: skip
    cluster = click.option(
        "--cluster", metavar="ADDRESS", help="A Dask cluster's scheduler, to do it there."
    )
    return workers(cluster(command))


@contextmanager
def helpers_for(
    logs: tuple[str, ...], workers: int | None, cluster: str | None
) -> Iterator[Executor | None]:
    """What does the work beside this process; nothing where it is not worth it.

    Args:
        logs: what is to be read.
        workers: how many processes the user asks for.
        cluster: the address of a cluster.
    """
    from askew import executors
    from askew.logs.locations import find_logs

    if cluster is not None and workers:
        raise click.UsageError("--workers is about this machine, --cluster about others: give one")
    if cluster is not None:
        with executors.cluster(cluster) as there:
            yield there.executor
        return
    number = workers or executors.worth([log.size for log in find_logs(list(logs))])
    with executors.processes(number) as pool:
        yield pool


def observations_of(
    logs: tuple[str, ...], quiet: bool, executor: Executor | None = None
) -> pd.DataFrame:
    """The observations in logs; those that can't be read, or give none, are named on stderr.

    Nothing of askew's in any of them is an error, not an empty report; so is nothing scored.
    """
    from askew.analysis import left_out, read_observations
    from askew.logs.left_out import n_read, without_observations

    observations = read_observations(list(logs), quiet=quiet, executor=executor)
    if not n_read(observations):
        out = left_out(observations)
        foreign = out[out["what"] == "log of another task"]["count"].sum()
        others = [f"logs of other tasks: {foreign}"] if foreign else []
        told = ["no log of a task of askew could be read:", *_unreadable(observations), *others]
        raise ValueError("\n  ".join(told))
    failed = [f"{task}, {model}: {why}" for task, model, why in without_observations(observations)]
    if failed and observations.empty:
        raise ValueError("\n  ".join(["no reply was scored:", *failed[:NAMED], _SERVERS]))
    if not quiet:
        name_unreadable(observations)
        if failed:
            click.echo("\n  ".join(["no reply scored:", *failed[:NAMED]]), err=True)
    return observations


def name_unreadable(observations: pd.DataFrame) -> None:
    """Say on stderr which logs could not be read, and why."""
    if named := _unreadable(observations):
        click.echo("\n  ".join(["not read:", *named]), err=True)


def _unreadable(observations: pd.DataFrame) -> list[str]:
    from askew.analysis import left_out
    from askew.untrusted import one_line

    out = left_out(observations)
    bad = out[out["what"] == "unreadable log"]
    named = [f"{one_line(log)}: {why}" for log, why in zip(bad["log"], bad["why"], strict=True)]
    if len(named) > NAMED:
        named[NAMED:] = [f"and {len(named) - NAMED} more"]
    return named


def task_parameters(given: Sequence[str]) -> dict[str, Any]:
    """Parameters by name, written as `inspect eval` takes them: values are YAML."""
    import yaml

    for text in given:
        if "=" not in text:
            raise click.BadParameter(f"{text!r}: write -T name=value")
    return {name: yaml.safe_load(value) for name, _, value in (t.partition("=") for t in given)}


class TaskName(click.ParamType):  # type: ignore[type-arg]
    """The name of a task; help lists those there are. What is none of them is refused later."""

    name = "task"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        listed = f"[{'|'.join(self.names())}]"
        # Of an argument the name stands in the command's text.
        return f"{param.name.upper()}: {listed}" if param.name and _is_argument(param) else listed

    def names(self) -> Sequence[str]:
        """Those there are."""
        from askew.papers import names

        return [*names()]


class RespondentName(TaskName):
    """The name of a simulated model."""

    name = "respondent"

    def names(self) -> Sequence[str]:
        """Those there are."""
        from askew.respondents.provider import respondents

        return [*respondents()]


def _is_argument(param: click.Parameter) -> bool:
    return param.param_type_name == "argument"


class PapersGroup(click.Group):
    """A group that papers add commands to: `DATA_COMMANDS` of their part `commands`."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted({*super().list_commands(ctx), *_commands()})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        return super().get_command(ctx, cmd_name) or _commands().get(cmd_name)


class PapersCommand(click.Command):
    """A command that papers add options to: `REPLY_OPTIONS` of their part `commands`."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        own = len(self.params)
        given = super().get_params(ctx)
        return [*given[:own], *(o for _, o in _offered("REPLY_OPTIONS")), *given[own:]]


def _commands() -> dict[str, click.Command]:
    """Papers' commands by name; of two with one name, the later is called by its task too.

    Groups of one name are one, with the commands of both.
    """
    found: dict[str, click.Command] = {}
    for task, command in _offered("DATA_COMMANDS"):
        name = str(command.name)
        there = found.get(name)
        if isinstance(there, click.Group) and isinstance(command, click.Group):
            commands = {**there.commands, **command.commands}
            found[name] = click.Group(name, commands, help=there.help)
            continue
        found[f"{task}-{name}" if name in found else name] = command
    return found


def _offered(what: str) -> Iterator[tuple[str, Any]]:
    """What papers add to the command line; imported only where a command or its help needs it."""
    from askew.papers import papers

    for paper in papers():
        if paper.has("commands"):
            for offer in getattr(paper.part("commands"), what, ()):
                yield paper.task, offer

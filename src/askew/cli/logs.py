"""Logs on the command line: read, or refused where none of them is one of askew's."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 20


def observations_of(logs: tuple[str, ...], quiet: bool) -> pd.DataFrame:
    """The observations in logs; those that can't be read are named on stderr.

    Nothing of askew's in any of them is an error, not an empty report.
    """
    from askew.analysis import left_out, read_observations
    from askew.logs.left_out import n_read

    observations = read_observations(list(logs), quiet=quiet)
    if not n_read(observations):
        out = left_out(observations)
        foreign = out[out["what"] == "log of another task"]["count"].sum()
        others = [f"logs of other tasks: {foreign}"] if foreign else []
        told = ["no log of a task of askew could be read:", *_unreadable(observations), *others]
        raise ValueError("\n  ".join(told))
    if not quiet:
        name_unreadable(observations)
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
    if len(named) > _NAMED:
        named[_NAMED:] = [f"and {len(named) - _NAMED} more"]
    return named

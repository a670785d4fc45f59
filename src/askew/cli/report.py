"""`askew report`: from logs to a report."""

from __future__ import annotations

import click


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option(
    "-o",
    "--output",
    required=True,
    help="File to write; its suffix says how: .html, .md, .json or .csv.",
)
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
def report(logs: tuple[str, ...], output: str, quiet: bool) -> None:
    """Turn LOGS (files, folders, remote paths) into a report."""
    from askew.analysis import read_observations, write_report

    observations = read_observations(list(logs), quiet=quiet)
    written = write_report(observations, output)
    if not quiet:
        click.echo(f"{len(observations)} observations, report in {written}")

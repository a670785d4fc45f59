"""`askew report`: from logs to a report."""

from __future__ import annotations

import click

from askew.cli.logs import observations_of


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
    """Turn LOGS (files, folders, remote paths) into a report.

    Logs that can't be read are named and passed over; exit code 2 where none can.
    """
    from askew.analysis import write_report

    observations = observations_of(logs, quiet)
    written = write_report(observations, output)
    if not quiet:
        click.echo(f"{len(observations)} observations, report in {written}")

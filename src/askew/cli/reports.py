"""`askew report` and `askew export`: from logs to a report, tables and charts."""

from __future__ import annotations

import click

from askew.cli.inputs import observations_of


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


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("-o", "--output", help="Observations: a .parquet or .csv file, one row a reply.")
@click.option("--charts", metavar="FOLDER", help="The report's charts, a file each.")
@click.option("--chart-format", type=click.Choice(["svg", "png"]), default="svg", show_default=True)
@click.option("--quiet", is_flag=True, help="No progress and no summary.")
def export(
    logs: tuple[str, ...], output: str | None, charts: str | None, chart_format: str, quiet: bool
) -> None:
    """Write what LOGS hold for other tools: the observations as a table, the charts as pictures.

    Parquet keeps types and the meaning of each column.
    """
    if not output and not charts:
        raise click.UsageError(
            "say what to write: -o observations.parquet, or --charts FOLDER, or both"
        )
    from askew.analysis import export_charts, write_observations

    observations = observations_of(logs, quiet)
    if output:
        written = write_observations(observations, output)
        if not quiet:
            click.echo(f"{len(observations)} observations in {written}")
    if charts:
        drawn = export_charts(observations, charts, "png" if chart_format == "png" else "svg")
        if not quiet:
            click.echo(f"{len(drawn)} charts in {charts}")

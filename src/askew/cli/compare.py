"""`askew compare`: is a model better than a baseline?"""

from __future__ import annotations

import click

from askew.cli.logs import observations_of


@click.command()
@click.argument("logs", nargs=-1, required=True)
@click.option("--baseline", required=True, metavar="MODEL", help="The model to compare with.")
@click.option("--model", "models", multiple=True, help="Only these models (a glob; repeatable).")
@click.option("--metric", "metrics", multiple=True, help="Only these metrics (a glob; repeatable).")
@click.option("--by", multiple=True, help="Show a level value by value: subset, format, ...")
@click.option("--descriptive", is_flag=True, help="Also metrics without a better way.")
@click.option("-o", "--output", help="File to write: .html, .md, .json or .csv.")
@click.option("--quiet", is_flag=True, help="No progress and no table.")
def compare(
    logs: tuple[str, ...],
    baseline: str,
    models: tuple[str, ...],
    metrics: tuple[str, ...],
    by: tuple[str, ...],
    descriptive: bool,
    output: str | None,
    quiet: bool,
) -> None:
    """Compare the models in LOGS with a baseline, on the samples that both answered."""
    from askew.decide.compare import compare as compared
    from askew.decide.comparison_files import comparison_lines, write_comparison, writer_for

    if output:
        writer_for(output)
    comparison = compared(
        observations_of(logs, quiet),
        baseline,
        models=models or ("*",),
        metric=metrics or ("*",),
        by=by,
        descriptive=descriptive,
        quiet=quiet,
    )
    if not quiet:
        for line in comparison_lines(comparison):
            click.echo(line)
    if output:
        written = write_comparison(comparison, output)
        if not quiet:
            click.echo(f"\ncomparison in {written}")

"""`askew calibrate`: does the instrument measure what is there?"""

from __future__ import annotations

import sys

import click


@click.command()
@click.option("--task", "tasks", multiple=True, help="Only this task (repeatable).")
@click.option("--respondent", "respondents", multiple=True, help="Only this one (repeatable).")
@click.option("--items", default=120, show_default=True, help="Items of each task.")
@click.option("--repetitions", default=40, show_default=True, help="Runs of each respondent.")
@click.option("-o", "--output", help="File to write: .md, .json or .csv.")
@click.option("--quiet", is_flag=True, help="No progress and no table.")
def calibrate(
    tasks: tuple[str, ...],
    respondents: tuple[str, ...],
    items: int,
    repetitions: int,
    output: str | None,
    quiet: bool,
) -> None:
    """Measure simulated models with planted tendencies, again and again.

    Prints for every metric what was planted, what was measured, an interval, and how often
    intervals held what was planted. Exit code 0: all of them hold; 1: some are off.
    """
    from askew.decide.calibrate import calibrate as calibrated
    from askew.decide.certificate_files import certificate_lines, write_certificate, writer_for

    if output:
        writer_for(output)
    certificate = calibrated(
        tasks or None, respondents or None, items=items, repetitions=repetitions, quiet=quiet
    )
    if not quiet:
        for line in certificate_lines(certificate):
            click.echo(line)
    if output:
        written = write_certificate(certificate, output)
        if not quiet:
            click.echo(f"certificate in {written}")
    sys.exit(0 if certificate.holds else 1)

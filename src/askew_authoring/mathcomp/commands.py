"""`askew data build mathcomp`: pairs of sentences that a model writes by the paper's prompt."""

from __future__ import annotations

import sys

import click

from askew.papers.mathcomp.paper import PAPER


@click.command(PAPER.task)
@click.option("--model", help="The model that writes the pairs (any Inspect model).")
@click.option("--items", default=300, show_default=True, help="Pairs, in the paper's proportions.")
@click.option("--subset", help="Categories to write for; default all.")
@click.option("--folder", default="mathcomp_build", show_default=True, help="Logs and sheet.")
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option("--finish", type=click.Path(), help="Write accepted pairs to this JSONL instead.")
@click.option("--trust-checks", is_flag=True, help="With --finish: accept what every check passed.")
def build_mathcomp(
    model: str | None, items: int, subset: str | None, folder: str, yes: bool,
    finish: str | None, trust_checks: bool,
) -> None:  # fmt: skip
    """Have pairs of sentences written by Table 6's prompt: write, review, finish.

    Run it with --model to get a review sheet; fill in its column `accept`; run it with --finish.
    An interrupted build goes on where it stopped.
    """
    from pathlib import Path

    from askew_authoring.building import SHEET
    from askew_authoring.mathcomp import build as builder

    if finish:
        done = builder.finish(Path(folder) / SHEET, finish, trust_checks)
        told = f"{len(done.rejected)} rejected, {len(done.pending)} to decide on"
        click.echo(f"{len(done.accepted)} pairs in {finish}; {told}")
        return
    if not model:
        raise click.UsageError("--model says who writes the pairs (or use --finish)")
    asked = builder.cells(items, subset)
    requests = sum(-(-n // builder.BATCH) for n in asked.values())
    click.echo(
        f"{items} pairs, {requests} calls of {model} and up to two more a category and label"
    )
    if not yes and sys.stdin.isatty() and not click.confirm("Start?"):
        return
    left = builder.write_pairs(model, folder, items, subset)
    click.echo(f"{left.sheet}: {left.sound} pairs to decide on, {left.rejected} rejected")
    for cell, missing in left.short.items():
        click.echo(f"{cell}: {missing} pairs are missing; run again with more --items")

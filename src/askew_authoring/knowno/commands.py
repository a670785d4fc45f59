"""`askew data build knowno`: equation items from LaTeX sources."""

from __future__ import annotations

import sys

import click

from askew.papers.knowno.paper import PAPER


@click.command(PAPER.task)
@click.argument("sources", nargs=-1, type=click.Path(exists=True, dir_okay=False))
@click.option("--model", help="The model that writes wrong equations (any Inspect model).")
@click.option("--checker", default="", help="Another model that looks for flaws in them.")
@click.option("--items", type=int, help="At most so many equations, a seeded choice.")
@click.option("--seed", default=0, show_default=True)
@click.option("--folder", default="knowno_build", show_default=True, help="Logs and sheet.")
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option("--finish", type=click.Path(), help="Write accepted items to this JSONL instead.")
def build_equations(
    sources: tuple[str, ...], model: str | None, checker: str, items: int | None,
    seed: int, folder: str, yes: bool, finish: str | None,
) -> None:  # fmt: skip
    """Build equation items from LaTeX SOURCES: plan, write, review, finish.

    Run it with --model to get a review sheet; fill in its column `accept`; run it with --finish.
    An interrupted build goes on where it stopped.
    """
    from pathlib import Path

    from askew_authoring.building import SHEET
    from askew_authoring.knowno.build import finish_build, plan_build, run_build

    if finish:
        done = finish_build(Path(folder) / SHEET, finish)
        told = f"{len(done.rejected)} rejected, {len(done.pending)} still to decide"
        click.echo(f"{len(done.records)} items in {finish}; {told}")
        return
    if not model or not sources:
        raise click.UsageError("name LaTeX files and say with --model who writes (or use --finish)")
    plan = plan_build(sources, model, folder, checker, items, seed)
    click.echo(plan.describe())
    if not plan.found:
        raise click.ClickException("the sources have no equation that can be asked about")
    if not yes and sys.stdin.isatty() and not click.confirm("Start?"):
        return
    built = run_build(plan)
    click.echo(f"{built.n_items} items in {built.sheet}, {built.undecided} rows to decide on")
    for why, number in built.dropped.items():
        click.echo(f"dropped: {number} equations: {why}")
    if built.given_up:
        click.echo(f"given up: {built.given_up} equations without enough wrong ones")
    if built.incomplete:
        click.echo(f"not built: {built.incomplete} equations; run again to retry them")

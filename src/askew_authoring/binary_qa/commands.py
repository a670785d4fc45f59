"""`askew data build binary_qa`: a data set made from public sources."""

from __future__ import annotations

import sys

import click

from askew.papers.binary_qa.paper import PAPER


@click.command(PAPER.task)
@click.option("--model", help="The model that writes the reformulations (any Inspect model).")
@click.option("--checker", default="", help="Another model that answers every rewrite.")
@click.option("--domains", help="Domains to build; default all.")
@click.option("--items", default=200, show_default=True, help="Items a domain, an even number.")
@click.option("--spares", default=0, show_default=True, help="Further items of each kind.")
@click.option("--seed", default=0, show_default=True)
@click.option("--folder", default="binary_qa_build", show_default=True, help="Logs and sheet.")
@click.option("--yes", is_flag=True, help="Start without asking.")
@click.option("--finish", type=click.Path(), help="Write accepted items to this JSONL instead.")
@click.option("--trust-checks", is_flag=True, help="With --finish: accept what every check passed.")
def build_binary_qa(
    model: str | None, checker: str, domains: str | None, items: int, spares: int,
    seed: int, folder: str, yes: bool, finish: str | None, trust_checks: bool,
) -> None:  # fmt: skip
    """Build the data set from the public sources: plan, rewrite, review, finish.

    Run it with --model to get a review sheet; fill in its column `accept`; run it with --finish.
    An interrupted build goes on where it stopped.
    """
    from pathlib import Path

    from askew_authoring.binary_qa.build import finish_build, plan_build, run_build
    from askew_authoring.building import SHEET

    if finish:
        done = finish_build(Path(folder) / SHEET, finish, items or None, trust_checks)
        click.echo(f"{len(done.records)} items in {finish}")
        return
    if not model:
        raise click.UsageError("--model says who writes the reformulations (or use --finish)")
    plan = plan_build(model, folder, checker, domains, items, spares, seed)
    click.echo(plan.describe())
    if not plan.drawn:
        raise click.ClickException("none of the sources could be reached: nothing was built")
    if not yes and sys.stdin.isatty() and not click.confirm("Start?"):
        return
    built = run_build(plan)
    click.echo(f"{built.n_items} items in {built.sheet}, {built.undecided} rows to decide on")
    for domain, number in built.incomplete.items():
        click.echo(f"{domain}: {number} items could not be built; run again to retry them")

"""`askew data build` and `askew data finetune`: data sets made from sources and from logs."""

from __future__ import annotations

import sys

import click


@click.command()
@click.argument("task", type=click.Choice(["binary_qa"]))
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
def build(
    task: str, model: str | None, checker: str, domains: str | None, items: int, spares: int,
    seed: int, folder: str, yes: bool, finish: str | None, trust_checks: bool,
) -> None:  # fmt: skip
    """Build TASK's data set from the public sources: plan, rewrite, review, finish.

    Run it with --model to get a review sheet; fill in its column `accept`; run it with --finish.
    An interrupted build goes on where it stopped.
    """
    from pathlib import Path

    from askew.papers.binary_qa.builder.build import SHEET, finish_build, plan_build, run_build

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


@click.command()
@click.option("--from", "logs", multiple=True, required=True, help="Logs of format_bias.")
@click.option("--n", "number", default=1_000, show_default=True, help="How many examples.")
@click.option("--category", default="wrapping", show_default=True)
@click.option("--pool", help="A file of questions to train on; default our own, made by rule.")
@click.option("--model", help="Whose logs, where there are several models.")
@click.option("--seed", default=0, show_default=True)
@click.option("-o", "--output", required=True, help="The JSONL file of chats to write.")
def finetune(
    logs: tuple[str, ...], number: int, category: str, pool: str | None, model: str | None,
    seed: int, output: str,
) -> None:  # fmt: skip
    """Write training chats whose formats come in ratios inverse to their systematic scores."""
    from askew.analysis import read_observations
    from askew.papers.format_bias.finetune import finetune_set

    observations = read_observations(list(logs))
    rows = observations[observations["task"] == "format_bias"] if len(observations) else None
    if rows is None or not len(rows):
        raise click.ClickException("no observations of format_bias in the logs given")
    present = list(dict.fromkeys(rows["model"]))
    if model is None and len(present) > 1:
        raise click.UsageError(f"--model says whose scores count; there are: {', '.join(present)}")
    chosen = rows[rows["model"] == (model or present[0])]
    if not len(chosen):
        raise click.UsageError(f"no model {model!r}; there are: {', '.join(present)}")
    made = finetune_set(chosen, number, category=category, pool=pool, seed=seed)
    made.write(output)
    for name, count in made.counts.items():
        share, ratio = made.systematic[name], made.ratios[name]
        click.echo(f"{name}: {count} examples (SysE {100 * share:.1f}, ratio {ratio:.2f})")
    for note in made.notes:
        click.echo(note)
    click.echo(f"{len(made.rows)} chats in {output}")

"""`askew data finetune`: training chats against format bias."""

from __future__ import annotations

import click

from askew.papers.format_bias.paper import PAPER


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
    from askew_authoring.format_bias.finetune import finetune_set

    observations = read_observations(list(logs))
    rows = observations[observations["task"] == PAPER.task] if len(observations) else None
    if rows is None or not len(rows):
        raise click.ClickException(f"no observations of {PAPER.task} in the logs given")
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

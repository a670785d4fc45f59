"""`askew plan`: what will a run cost, and what will it show?"""

from __future__ import annotations

import click

from askew.cli.parameters import task_parameters


@click.command()
@click.option("--task", "tasks", multiple=True, required=True, help="The task (repeatable).")
@click.option("--models", required=True, help="Models to test, with commas.")
@click.option("--data", default="bundled", show_default=True, help="bundled, paper or a file.")
@click.option("-T", "args", multiple=True, help="A parameter of the task, as name=value.")
@click.option("--epochs", default=1, show_default=True, help="How often each sample is asked.")
@click.option("--grader", help="The model that judges, where a task needs one.")
@click.option("--polisher", help="The model that rewrites questions, where a task needs one.")
@click.option("--prices", "price_file", help="YAML of prices, as --model-cost-config takes it.")
@click.option("--rate", default=60.0, show_default=True, help="Requests a minute.")
@click.option("--width", type=float, help="The interval's width that is wanted, such as 0.05.")
@click.option("--hidden-reasoning", default=600, show_default=True, help="Tokens of it a call.")
def plan(
    tasks: tuple[str, ...],
    models: str,
    data: str,
    args: tuple[str, ...],
    epochs: int,
    grader: str | None,
    polisher: str | None,
    price_file: str | None,
    rate: float,
    width: float | None,
    hidden_reasoning: int,
) -> None:
    """Estimate calls, tokens, cost, time and the width of intervals before a run.

    Nothing is sent to any model. Widths are in the metric's own unit: 0.05 is 5 points.
    """
    from askew.decide.plan import GRADER, POLISHER
    from askew.decide.plan import plan as planned
    from askew.decide.plan_tables import plan_lines
    from askew.decide.prices import read_prices
    from askew.decide.workload import Assumptions

    names = [m.strip() for m in models.split(",") if m.strip()]
    if not names:
        raise click.BadParameter("name at least one model", param_hint="--models")
    prices = read_prices(price_file) if price_file else {}
    roles = {role: m for role, m in ((GRADER, grader), (POLISHER, polisher)) if m}
    for number, task in enumerate(tasks):
        made = planned(
            task,
            names,
            data=data,
            parameters=task_parameters(args),
            epochs=epochs,
            roles=roles,
            prices=prices,
            rate=rate,
            wanted_width=width,
            assumptions=Assumptions(hidden_reasoning=hidden_reasoning),
        )
        if number:
            click.echo()
        for line in plan_lines(made):
            click.echo(line)

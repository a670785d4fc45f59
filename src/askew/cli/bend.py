"""`askew bend show`: what bending a task would ask, before money is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from askew.cli.inputs import option, task_parameters

if TYPE_CHECKING:
    from askew.treatments.design import Plan, TreatedSample


@click.group()
def bend() -> None:
    """Treatments for any Inspect task: list and preview them."""


@bend.command("list")
def list_treatments() -> None:
    """List the treatments with their parameters."""
    from askew.treatments import treatments

    for treatment in treatments().values():
        click.echo(f"{treatment.name} ({treatment.place}; {treatment.source}): {treatment.meaning}")
        click.echo(f"  target: {treatment.target}")
        for parameter, default in treatment.parameters.items():
            click.echo(f"  -T {parameter}={default or '...'}")


@bend.command()
@click.argument("task")
@option("--treatments", help="With commas. Default: repeat,absent,order,suggestion,reflection.")
@option("--items", default=3, help="How many items to show.")
@option("--limit", type=int, help="Of the author's samples, only the first so many.")
@option("-T", "given", multiple=True, metavar="NAME=VALUE", help="A parameter (repeatable).")
def show(
    task: str, treatments: str | None, items: int, limit: int | None, given: tuple[str, ...]
) -> None:
    """Preview TASK under treatments: items, samples and calls.

    TASK is a registered name (inspect_evals/arc_easy) or a file (mine.py@name). What the author's
    own solver makes of a question is not shown: `inspect eval --limit` on a mock model does that.
    """
    from askew.bend.tasks import prepare

    base, plan, name, _ = prepare(task, treatments, **{"items": limit, **task_parameters(given)})
    epochs = base.epochs or 1
    _show_items(plan, items)
    click.echo(f"\n{name}: {plan.n_items:,} items in {len(plan.arms)} arms")
    for arm in plan.arms:
        click.echo(f"  {arm.name}: {plan.of(arm.name):,}")
        for (refused, why), n in sorted(plan.refused.items()):
            if refused == arm.name:
                click.echo(f"    not applicable to {n:,}: {why}")
    turns = sum(2 if b.case.arm.treatment == "reflection" else 1 for b in plan.samples)
    click.echo(
        f"{len(plan.samples) * epochs:,} samples"
        + (f" in {epochs} epochs" if epochs > 1 else "")
        + f", at least {turns * epochs:,} model calls (your solver may make several per sample)"
    )


def _show_items(plan: Plan, items: int) -> None:
    shown = list(dict.fromkeys(b.case.item for b in plan.samples))[: max(0, items)]
    for treated in plan.samples:
        if treated.case.item in shown:
            click.echo(f"== {treated.sample.id} (target: {treated.sample.target})")
            click.echo("\n".join(f"   {line}" for line in _describe(treated).splitlines()))


def _describe(treated: TreatedSample) -> str:
    """The question as it goes to the author's setup, and what is to happen later."""
    from askew.treatments import get_treatment
    from askew.treatments.calls import PLAIN
    from askew.treatments.design import treated_messages

    messages = treated_messages(treated)
    lines = [m.text if m.role == "user" else f"[{m.role}] {m.text}" for m in messages]
    lines += [f"{place}. {option}" for place, option in enumerate(treated.sample.choices or [], 1)]
    case = treated.case
    if case.arm != PLAIN and (treatment := get_treatment(case.arm.treatment)):
        if treatment.place == "dialogue":
            lines.append(f"[then] {case.values.get('text') or treatment.words.get('text', '')}")
        elif treatment.place == "call":
            given = "; ".join(f"{k}: {v}" for k, v in case.arm.given.items() if v)
            lines.append(f"[in each call] {treatment.meaning}{f' ({given})' if given else ''}")
    return "\n".join(lines)

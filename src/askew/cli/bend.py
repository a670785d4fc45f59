"""`askew bend show`: what bending a task would ask, before money is spent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from askew.cli.common import option, print_results, task_parameters, with_json

if TYPE_CHECKING:
    from askew.treatments.design import TreatedSample


@click.group()
def bend() -> None:
    """Treatments for any Inspect task: list and preview them."""


@with_json
@bend.command("list")
def list_treatments() -> None:
    """List the treatments with their parameters."""
    from askew.treatments import treatments

    columns = ("name", "place", "source", "meaning", "target", "parameters")
    rows = [{name: getattr(one, name) for name in columns} for one in treatments().values()]
    print_results(None, {"treatments": rows})


@with_json
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

    asked = {"task": task, "treatments": treatments, "items": limit}
    base, plan, name, _ = prepare(**{**asked, **task_parameters(given)})
    epochs = base.epochs or 1
    shown = list(dict.fromkeys(b.case.item for b in plan.samples))[: max(0, items)]
    samples: list[dict[str, Any]] = [
        {"id": b.sample.id, "arm": b.case.arm.name, "target": b.sample.target, "text": _describe(b)}
        for b in plan.samples if b.case.item in shown
    ]  # fmt: skip
    arms = [{"arm": arm.name, "n_samples": plan.of(arm.name)} for arm in plan.arms]
    refused = [
        {"arm": arm, "reason": why, "n_items": n} for (arm, why), n in sorted(plan.refused.items())
    ]
    turns = sum(2 if b.case.arm.treatment == "reflection" else 1 for b in plan.samples) * epochs
    print_results(
        None, {"samples": samples, "arms": arms, "not_applicable": refused}, task=name,
        n_items=plan.n_items, n_samples=len(plan.samples) * epochs, n_calls_at_least=turns,
    )  # fmt: skip


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

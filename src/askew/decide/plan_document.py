"""A plan as a document: what is asked and costs, what it would show, and what to buy next."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Any

from askew.decide.plan import MIDDLE, Expense, Plan
from askew.decide.power import KINDS, Advice, Width
from askew.decide.workload import GRADER, TESTED
from askew.report.ceiling import CEILING, NO_CEILING
from askew.report.document import (
    Document,
    Group,
    Notes,
    Part,
    Row,
    Section,
    Table,
    columns,
    text_row,
)
from askew.schema import MISSING, Unit
from askew.stats.p_values import POWER
from askew.untrusted import one_line

_SHARE = Unit("%", 100.0, 0)


def plan_document(plans: Sequence[Plan]) -> Document:
    """What runs would ask, cost and show, a part a task."""
    head = {"schema": "askew-plan", "version": "1.2"}
    return Document(
        title="What will it cost, and what will it show?",
        lede="",
        parts=[_plan(number, plan) for number, plan in enumerate(plans)],
        data=lambda: {**head, "plans": [_data(plan) for plan in plans]},
    )


def _plan(number: int, plan: Plan) -> Part:
    epochs = f", {plan.epochs} epochs" if plan.epochs > 1 else ""
    asked = f"{plan.task} ({plan.data}): {plan.n_items:,} items, {plan.n_samples:,} samples{epochs}"
    several = plan.cost is not None and len(plan.expenses) > 1
    least = "from " if plan.at_least else ""
    expenses = Table(
        id=f"expenses-{number}",
        caption="",
        head="model",
        columns=columns(
            "calls", "tokens in", "tokens out", "cost", "time", "price", texts=("price",)
        ),
        groups=[Group([_expense(e, least) for e in plan.expenses])],
        source=f"In all: {least}{_dollars(plan.cost or 0.0)}" if several else "",
    )
    wanted = ["items for the wanted width"] if any(w.wanted for w in plan.widths) else []
    if any(w.effect for w in plan.widths):
        wanted += ["power", "items for the effect"]
    widths = Table(
        id=f"widths-{number}",
        caption=f"What to expect of a model that answers like respondent/{plan.like}, over "
        f"{plan.seeds} seeds",
        head="metric",
        columns=columns(
            "items", "about", f"{plan.level:.0%} interval's width", "difference shown",
            "more than noise from", *wanted,
        ),
        groups=[Group([_width(w, plan) for w in plan.widths])],
    )  # fmt: skip
    bought = [_bought(f"next-{number}-{i}", a) for i, a in enumerate(plan.advice)]
    tiers = [_tiers(f"tiers-{number}", plan)] if plan.tiers else []
    high = [one_line(said, 1_000) for said in plan.ceilings.notes]
    told = [Notes(high)] if high else []
    shown = Section("", "", [asked], [expenses, widths, *tiers, *told, *bought])
    return Part(f"plan-{number}", plan.task, [shown, Section("", "", list(_assumed(plan)))])


def _tiers(id: str, plan: Plan) -> Table:
    """What each tier can show: near the ceiling little is left."""
    plain = Unit("points", 100.0)
    rows = []
    for one in plan.tiers:
        room = "yes" if one.has_room else f"no: {plain.named(1 - CEILING)} are left"
        near, middle = (
            _with_error(plain, shown, math.nan) for shown in (one.at_ceiling, one.in_the_middle)
        )
        rows.append(text_row(one.tier, [f"{one.n_items:,}", near, room, middle]))
    return Table(
        id=id,
        caption="What each tier can show of two models' accuracy where nothing bends them",
        head="tier",
        columns=columns(
            "items", f"shown near {_SHARE.named(CEILING)}", "tells models there apart",
            f"shown near {_SHARE.named(MIDDLE)}", texts=("tells models there apart",),
        ),
        groups=[Group(rows)],
        source=f"A model at {_SHARE.named(CEILING)} or more is at the ceiling of a tier: ask the "
        "hard one (-T tier=hard). Texts count once, and mistakes as if they had nothing in common.",
    )  # fmt: skip


def _expense(expense: Expense, least: str) -> Row:
    role = "" if expense.role == TESTED else f"{expense.role}: "
    texts = [
        f"{least}{expense.load.calls:,}",
        f"{least}{expense.load.tokens_in:,}",
        f"{least}{expense.load.tokens_out:,}",
        MISSING if expense.cost is None else f"{least}{_dollars(expense.cost)}",
        f"{least}{_duration(expense.minutes)}",
        expense.price_from,
    ]
    return text_row(f"{role}{expense.model or 'not named'}", texts)


def _dollars(cost: float) -> str:
    return f"${cost:,.2f}" if cost >= 0.01 or cost == 0 else "under $0.01"


def _duration(minutes: float) -> str:
    if minutes < 1.5:
        return f"{math.ceil(60 * minutes)} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _width(width: Width, plan: Plan) -> Row:
    unit = width.unit
    plain = Unit("points" if unit.name == "%" else unit.name, unit.factor, unit.digits)
    texts = [f"{width.n_items:,}"]
    if math.isnan(width.width):
        texts += [MISSING, width.reason, MISSING, MISSING]
    else:
        texts += [
            unit.named(width.value),
            _with_error(plain, width.width, width.width_error),
            _with_error(plain, width.difference, width.difference_error),
            _with_error(unit, width.beside_noise, width.beside_noise_error),
        ]
    if width.wanted:
        texts.append(_items(width.n_needed, width.n_needed_error, plan))
    if width.effect:
        texts.append(_with_error(_SHARE, width.power, width.power_error))
        texts.append(_items(width.n_for_effect, width.n_for_effect_error, plan))
    return text_row(width.metric, texts)


def _with_error(unit: Unit, value: float, error: float) -> str:
    """A number with its standard error over seeds."""
    if math.isnan(value):
        return MISSING
    beside = "" if math.isnan(error) else f" ± {unit.write(error)}"
    return f"{unit.write(value)}{beside} {unit.name}".strip()


def _items(needed: int | None, error: float, plan: Plan) -> str:
    if needed is None:
        return MISSING
    beside = "" if math.isnan(error) else f" ± {math.ceil(error):,}"
    more = f" (there are {plan.n_items:,})" if needed > plan.n_items else ""
    return f"{needed:,}{beside}{more}"


def _bought(id: str, advice: Advice) -> Table:
    """What twice the replies would buy, by what is doubled."""
    answers, asked = one_line(advice.model), advice.asked
    about = f"What twice the replies would buy, by the answers of {answers}"
    heads = columns(
        "items", "wordings", "epochs", "error over these wordings", "over wordings at large"
    )
    if advice.reason:
        rows = [text_row("as planned", [MISSING] * 5)]
        return Table(id, about, "asked", heads, [Group(rows)], source=f"None: {advice.reason}")
    points = Unit("points", 100.0, 2)
    rows = []
    for kind, error in advice.error.items():
        sizes = {k: getattr(asked, k) * (2 if k == kind else 1) for k in KINDS}
        these = advice.these.get(kind, math.nan)
        texts = [*(f"{n:,}" for n in sizes.values()), points.named(these), points.named(error)]
        rows.append(text_row(f"twice the {kind}" if kind else "as planned", texts))
    shares = ", ".join(f"{part} {share:.0%}" for part, share in advice.shares.items())
    best = (
        f"Most for the money: {advice.best(advice.these)} for these wordings, "
        f"{advice.best(advice.error)} for wordings at large. "
        f"Variance of single answers ({advice.score}): {shares}"
    )
    source = "; ".join(filter(None, [best, advice.note and f"resampling: {advice.note}"]))
    return Table(id, about, "asked", heads, [Group(rows)], source=source)


def _assumed(plan: Plan) -> Iterator[str]:
    a = plan.assumptions
    yield (
        f"Difference shown: the smallest between two models, asked the same items, that a "
        f"comparison shows {POWER:.0%} of the time; as if their mistakes had nothing in common. "
        "Of models that fail at the same items, smaller ones show. More than noise: values that "
        f"{POWER:.0%} of runs show to be more than a model without the effect has. "
        f"± are standard errors over {plan.seeds} seeds of the simulated model; where a number "
        "has none, too few seeds know it."
    )
    yield (
        f"Estimates, made offline: {a.characters_a_token:g} characters a token; a reply is as "
        f"long as the right answer and {a.answer_tokens} tokens more, {a.shown_reasoning} more "
        "where it is asked to reason."
    )
    if plan.at_least:
        yield (
            "At least so much: the author's solver counts as one call a sample, without its own "
            "prompt. An agent makes a call a step and sends what came before again: multiply by "
            "the calls a sample in a log of a few (inspect eval ... --limit 2)."
        )
    thinking = [e.model for e in plan.expenses if e.thinks]
    if thinking:
        yield (
            f"Reasoning models ({', '.join(dict.fromkeys(thinking))}): {a.hidden_reasoning} hidden "
            "tokens a call, billed as output; the real number may be many times that."
        )
    if any(e.role == GRADER for e in plan.expenses):
        yield f"Judge: where rules read first, {a.judged:.0%} of the replies are left to it."
    yield f"Time: {plan.rate:g} requests a minute, without retries. Cost: without any cache."


def _data(plan: Plan) -> dict[str, Any]:
    widths = [{**asdict(w), "unit": w.unit.name} for w in plan.widths]
    advice = [{**asdict(a), "next": a.best(a.error)} for a in plan.advice]
    tiers = [{**asdict(t), "has_room": t.has_room} for t in plan.tiers]
    told = {"widths": widths, "advice": advice, "tiers": tiers, "cost": plan.cost}
    return {**asdict(replace(plan, ceilings=NO_CEILING)), **told, "ceilings": plan.ceilings.records}

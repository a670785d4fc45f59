"""A plan in words and tables."""

from __future__ import annotations

import math
from collections.abc import Iterator

from askew.decide.plan import Expense, Plan, Width
from askew.decide.workload import TESTED
from askew.report.document import Cell, Column, Group, Row, Table
from askew.report.terminal import table_lines
from askew.schema import MISSING


def plan_lines(plan: Plan) -> Iterator[str]:
    """The plan for the terminal."""
    epochs = f", {plan.epochs} epochs" if plan.epochs > 1 else ""
    yield f"{plan.task} ({plan.data}): {plan.n_items:,} items, {plan.n_samples:,} samples{epochs}"
    yield ""
    yield from table_lines(_expenses(plan))
    if plan.cost is not None and len(plan.expenses) > 1:
        yield f"In all: {_dollars(plan.cost)}"
    yield ""
    yield from table_lines(_widths(plan))
    yield ""
    yield from _assumed(plan)


def _expenses(plan: Plan) -> Table:
    columns = [Column(c) for c in ("calls", "tokens in", "tokens out", "cost", "time")]
    return Table(
        "expenses",
        "",
        "model",
        [*columns, Column("price", numeric=False)],
        [Group([_expense(e) for e in plan.expenses])],
    )


def _expense(expense: Expense) -> Row:
    role = "" if expense.role == TESTED else f"{expense.role}: "
    return Row(
        f"{role}{expense.model or 'not named'}",
        [
            Cell(f"{expense.load.calls:,}"),
            Cell(f"{expense.load.tokens_in:,}"),
            Cell(f"{expense.load.tokens_out:,}"),
            Cell(MISSING if expense.cost is None else _dollars(expense.cost)),
            Cell(_duration(expense.minutes)),
            Cell(expense.price_from),
        ],
    )


def _dollars(cost: float) -> str:
    return f"${cost:,.2f}" if cost >= 0.01 or cost == 0 else "under $0.01"


def _duration(minutes: float) -> str:
    if minutes < 1.5:
        return f"{math.ceil(60 * minutes)} s"
    return f"{minutes:.0f} min" if minutes < 90 else f"{minutes / 60:.1f} h"


def _widths(plan: Plan) -> Table:
    columns = [Column("items"), Column("about"), Column(f"{plan.level:.0%} interval's width")]
    if any(w.wanted for w in plan.widths):
        columns.append(Column("items for the wanted width"))
    return Table(
        "widths",
        f"Intervals to expect, for a model that answers like respondent/{plan.like}",
        "metric",
        columns,
        [Group([_width(w, plan) for w in plan.widths])],
    )


def _width(width: Width, plan: Plan) -> Row:
    cells = [Cell(f"{width.n_items:,}")]
    if math.isnan(width.width):
        cells += [Cell(MISSING), Cell(width.reason or "no interval")]
    else:
        points = "points" if width.unit.name == "%" else width.unit.name
        cells += [
            Cell(f"{width.unit.write(width.value)} {width.unit.name}".strip()),
            Cell(f"{width.unit.write(width.width)} {points}".strip()),
        ]
    if width.wanted:
        needed = MISSING
        if width.n_needed is not None:
            more = f" (there are {plan.n_items:,})" if width.n_needed > plan.n_items else ""
            needed = f"{width.n_needed:,}{more}"
        cells.append(Cell(needed))
    return Row(width.metric, cells)


def _assumed(plan: Plan) -> Iterator[str]:
    a = plan.assumptions
    yield (
        f"Estimates, made offline: {a.characters_a_token:g} characters a token; a reply is as "
        f"long as the right answer and {a.answer_tokens} tokens more, {a.shown_reasoning} more "
        "where it is asked to reason."
    )
    thinking = [e.model for e in plan.expenses if e.thinks]
    if thinking:
        yield (
            f"Reasoning models ({', '.join(dict.fromkeys(thinking))}): {a.hidden_reasoning} hidden "
            "tokens a call, billed as output; the real number may be many times that."
        )
    if any(e.role == "grader" for e in plan.expenses):
        yield f"Judge: where rules read first, {a.judged:.0%} of the replies are left to it."
    yield f"Time: {plan.rate:g} requests a minute, without retries. Cost: without any cache."

"""From LaTeX sources to equation items: plan what a build costs, run it, finish it after review.

Nothing is asked before a plan was made. A run can be stopped and started again: equations that have
their negatives are not asked about twice.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.model import Model
from inspect_ai.util import DisplayType

from askew.papers.knowno.items import EquationRecord
from askew.parameters import whole_number
from askew.sources.loading import digest
from askew_authoring.building import (
    SHEET,
    Reviewed,
    ReviewError,
    ask,
    made,
    put_on_sheet,
    read_sheet,
    sorted_out,
    write_records,
)
from askew_authoring.knowno.equations import oddities
from askew_authoring.knowno.latex import FEWEST_WORDS, Found, equations
from askew_authoring.knowno.writing import (
    ATTEMPTS,
    CHECK,
    NEGATIVES,
    WRITE,
    WRITTEN,
    builder_task,
)

_CHARACTERS_A_TOKEN, _TOKENS_AN_EQUATION = 4, 60


@dataclass(frozen=True)
class BuildPlan:
    """What a build will ask, before it asks; the first fields are as in `plan_build`."""

    folder: Path
    model: str | Model
    checker: str | Model
    found: Sequence[Found]  # the chosen equations
    left_out: Mapping[str, int]  # by reason, how many others the sources have

    def describe(self) -> str:
        """The plan in lines for a terminal."""
        n, parts = len(self.found), 2 if self.checker else 1
        least, most = NEGATIVES * parts * n, ATTEMPTS * parts * n
        shown = sum(len("".join(each.context(FEWEST_WORDS))) for each in self.found)
        prompts = len(WRITE) + (len(CHECK) if self.checker else 0)
        tokens = NEGATIVES * (parts * shown + prompts * n) // _CHARACTERS_A_TOKEN
        checked = f"checked by {self.checker}" if self.checker else "checked by nobody (--checker)"
        return "\n".join(
            [
                f"{n:,} equations, written by {self.model}, {checked}",
                *(f"left out: {number:,}, which {why}" for why, number in self.left_out.items()),
                f"calls: {least:,} to {most:,}; about {tokens:,} tokens in and "
                f"{NEGATIVES * n * _TOKENS_AN_EQUATION:,} out, before reasoning and further tries",
            ]
        )


def plan_build(
    sources: Sequence[str | Path],
    model: str | Model,
    folder: str | Path,
    checker: str | Model = "",
    items: int | None = None,
    seed: int = 0,
) -> BuildPlan:
    """Find the equations of LaTeX sources and count what their negatives cost."""
    found, out = equations(sources)
    if items is not None and whole_number("items", items) < len(found):
        kept = {e.id for e in random.Random(f"equations/{seed}").sample(found, items)}
        found = [e for e in found if e.id in kept]
    return BuildPlan(Path(folder), model, checker, found, out)


@dataclass(frozen=True)
class SheetRow(Reviewed):
    """One negative of one equation, for a person to accept, mend or reject."""

    FIXED, MENDED = "right", "equation"
    id: str
    number: str
    equation: str
    right: str
    accept: str = ""
    checked: str = ""
    before: str = ""
    after: str = ""

    @property
    def place(self) -> str:
        return f"{self.id}, {self.number}"


@dataclass(frozen=True)
class Built:
    """What a run left: its sheet, how many rows are to decide, and equations without enough."""

    sheet: Path
    n_items: int
    undecided: int
    given_up: int
    dropped: Mapping[str, int]
    incomplete: int


def run_build(plan: BuildPlan, display: DisplayType | None = None, **options: Any) -> Built:
    """Write the negatives of a plan, and the review sheet."""
    how = "/".join([*(each.id for each in plan.found), str(plan.model), str(plan.checker)])
    logs = plan.folder / "logs" / digest(how)
    sheet = plan.folder / SHEET
    try:
        task = builder_task(plan.found)
        ask(task, logs, plan.model, plan.checker, display=display, **options)
    finally:
        # Whatever ended the run: what was built so far is on the sheet.
        built = {name: metadata[WRITTEN] for name, metadata in made(logs, WRITTEN).items()}
        final = put_on_sheet(sheet, SheetRow, [*_rows(plan, built)])
    dropped = Counter[str]()
    for one in built.values():
        dropped.update(one["dropped"])
    return Built(
        sheet,
        len({row.id for row in final}),
        sum(row.verdict is None for row in final),
        sum(len(one["negatives"]) < NEGATIVES for one in built.values()),
        dropped,
        len(plan.found) - len(built),
    )


def _rows(plan: BuildPlan, built: Mapping[str, Mapping[str, Any]]) -> Iterator[SheetRow]:
    checked = "no flaw seen" if plan.checker else "nobody checked"
    for found in plan.found:
        negatives = built.get(found.id, {}).get("negatives", [])
        for n, negative in enumerate(negatives if len(negatives) >= NEGATIVES else (), start=1):
            yield SheetRow(
                found.id, str(n), negative, found.gold, "", checked, *found.context()
            )  # fmt: skip


@dataclass(frozen=True)
class Finished:
    """What a review left over: records, and ids of items rejected and still to decide."""

    records: list[dict[str, Any]]
    rejected: list[str]
    pending: list[str]


def finish_build(sheet: str | Path, out: str | Path) -> Finished:
    """Write the items whose three negatives are all accepted, for `data=PATH`.

    An item with one negative that may be right is given up whole, as in the paper.
    """
    found = sorted_out(read_sheet(Path(sheet), SheetRow), NEGATIVES)
    records = [_record(rows[0].id, rows) for rows in found.accepted]
    write_records(out, records)
    return Finished(records, found.rejected, found.pending)


def _record(name: str, rows: Sequence[SheetRow]) -> dict[str, Any]:
    first = rows[0]
    options = [first.right, *(row.equation.strip() for row in rows)]
    for kind, why in oddities(options, 0, ""):
        raise ReviewError(f"{name}: {kind}: {why}; mend the sheet, or write no")
    random.Random(f"options/{name}").shuffle(options)
    record = {
        "id": name,
        "context_before": first.before,
        "context_after": first.after,
        "options_list": options,
        "gold_option": first.right,
        "gold_option_index": options.index(first.right),
    }
    EquationRecord.model_validate(record)
    return record

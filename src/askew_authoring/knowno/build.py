"""From LaTeX sources to equation items: plan what a build costs, run it, finish it after review.

Nothing is asked before a plan was made. A run can be stopped and started again: equations that have
their negatives are not asked about twice.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from inspect_ai.model import Model
from inspect_ai.util import DisplayType

from askew.files import write_whole
from askew.papers.knowno.items import EquationRecord
from askew.parameters import whole_number
from askew.sources.loading import digest
from askew_authoring.building import (
    SHEET,
    ReviewError,
    ask,
    made,
    read_sheet,
    verdict_of,
    write_sheet,
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
    """What a build will ask, before it asks.

    Args:
        folder: where logs and the review sheet go.
        model: who writes the negatives.
        checker: who looks for flaws; empty for nobody.
        found: the chosen equations.
        left_out: by reason, how many others the sources have.
    """

    folder: Path
    model: str | Model
    checker: str | Model
    found: Sequence[Found]
    left_out: Mapping[str, int]

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
class SheetRow:
    """One negative of one equation, for a person to accept, mend or reject."""

    id: str
    number: str
    equation: str
    right: str
    accept: str = ""
    checked: str = ""
    before: str = ""
    after: str = ""

    @property
    def verdict(self) -> bool | None:
        return verdict_of(self)

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
        earlier = read_sheet(sheet, SheetRow) if sheet.exists() else []
        rows = _rows(plan, built)
        write_sheet(sheet, SheetRow, _merged(rows, earlier))
    final = read_sheet(sheet, SheetRow)
    short = [one for one in built.values() if len(one["negatives"]) < NEGATIVES]
    dropped = Counter[str]()
    for one in built.values():
        dropped.update(one["dropped"])
    return Built(
        sheet,
        len({row.id for row in final}),
        sum(row.verdict is None for row in final),
        len(short),
        dropped,
        len(plan.found) - len(built),
    )


def _rows(plan: BuildPlan, built: Mapping[str, Mapping[str, Any]]) -> list[SheetRow]:
    rows = []
    for found in plan.found:
        negatives = built.get(found.id, {}).get("negatives", [])
        if len(negatives) < NEGATIVES:
            continue
        before, after = found.context()
        checked = "no flaw seen" if plan.checker else "nobody checked"
        rows += [
            SheetRow(found.id, str(n), negative, found.gold, "", checked, before, after)
            for n, negative in enumerate(negatives, start=1)
        ]
    return rows


def _merged(new: Sequence[SheetRow], earlier: Sequence[SheetRow]) -> list[SheetRow]:
    """New rows with what a person already decided, and decided rows of earlier builds."""
    decided = {(row.id, row.number): row for row in earlier if row.verdict is not None}
    rows = [
        replace(row, accept=old.accept, equation=old.equation) if old.right == row.right else row
        for row in new
        for old in [decided.get((row.id, row.number), row)]
    ]
    ids = {row.id for row in new}
    return [*rows, *(row for row in earlier if row.id not in ids)]


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
    groups: dict[str, list[SheetRow]] = {}
    for row in read_sheet(Path(sheet), SheetRow):
        groups.setdefault(row.id, []).append(row)
    done = Finished([], [], [])
    for name, rows in groups.items():
        verdicts = {row.verdict for row in rows}
        if False in verdicts:
            done.rejected.append(name)
        elif None in verdicts or len(rows) != NEGATIVES:
            done.pending.append(name)
        else:
            done.records.append(_record(name, rows))
    if done.records:
        lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in done.records)
        write_whole(out, "".join(lines))
    return done


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

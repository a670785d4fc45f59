"""Build a MathComp set as the paper did: a model writes pairs by Table 6's prompt.

One request asks for up to twenty pairs of one category and label. Every pair is held against the
exact arithmetic that stands in it: what can't be read, states a wrong total or has another label
is rejected, with the reason. The rest goes onto a sheet for a person to accept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.model import Model

from askew.files import write_whole
from askew.papers.mathcomp.items import items_of, parse_record
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
from askew_authoring.mathcomp.pairs import SheetRow, checked, needs_words
from askew_authoring.mathcomp.writing import BATCH, TOLD, WRITTEN, cells, mathcomp_builder

__all__ = ["BATCH", "Finished", "Written", "cells", "finish", "write_pairs"]


@dataclass(frozen=True)
class Written:
    """What a run left on its sheet; `short` are pairs that are missing, by category and label."""

    sheet: Path
    sound: int
    rejected: int
    short: Mapping[str, int]


def write_pairs(
    model: str | Model,
    folder: str | Path,
    items: int = 300,
    subset: str | Sequence[str] | None = None,
    **options: Any,
) -> Written:
    """Ask for pairs and write the review sheet; what an earlier run asked is not asked again.

    Any Inspect model writes; options are those of Inspect's `eval_set`.
    """
    way = digest("/".join(map(str, (model, items, subset, TOLD["prompt"]))))
    made_task, logs = mathcomp_builder(items, subset, f"-{way[:4]}"), Path(folder) / "logs" / way
    sheet = Path(folder) / SHEET
    try:
        ask(made_task, logs, model, **options)
    finally:
        # Whatever ended the run: what was written so far is on the sheet.
        written = made(logs, WRITTEN)
        fresh = {row["id"]: SheetRow(**row) for told in written.values() for row in told[WRITTEN]}
        # What a person decided on stands as it was left, and the pairs of other builds.
        there = read_sheet(sheet, SheetRow) if sheet.exists() else []
        kept = {r.id: r for r in there if verdict_of(r) is not None or r.id not in fresh}
        if fresh or kept:
            write_sheet(sheet, SheetRow, [*({**fresh, **kept}).values()])
    sound = Counter(
        (told["category"], told["label"])
        for told in written.values()
        for row in told[WRITTEN]
        if not row["problems"]
    )
    wanted = cells(items, subset)
    short = {", ".join(at): n - sound[at] for at, n in wanted.items() if n > sound[at]}
    return Written(sheet, sound.total(), len(fresh) - sound.total(), short)


@dataclass(frozen=True)
class Finished:
    """The ids of pairs that are in the file, that a person rejected, and that nobody decided on."""

    accepted: Sequence[str]
    rejected: Sequence[str]
    pending: Sequence[str]


def finish(sheet: str | Path, out: str | Path, trust_checks: bool = False) -> Finished:
    """Write the accepted pairs as the file that `data=PATH` takes, each checked once more."""
    accepted: list[SheetRow] = []
    rejected: list[SheetRow] = []
    pending: list[SheetRow] = []
    for row in read_sheet(Path(sheet), SheetRow):
        now, verdict = checked(row), verdict_of(row)
        if verdict is None and trust_checks and not (row.problems or now.problems or now.remarks):
            verdict = True
        if verdict and (now.problems or needs_words(row)):
            raise ReviewError(
                f"{sheet}, {row.id}: {now.problems or now.remarks}; mend it, or write no in accept"
            )
        # What is wrong needs nobody's verdict.
        undecided = verdict is None and not now.problems
        (accepted if verdict else pending if undecided else rejected).append(row)
    if accepted:
        # As it will be read.
        items_of([parse_record(row.record) for row in accepted])
        lines = (json.dumps(row.record, ensure_ascii=False) + "\n" for row in accepted)
        write_whole(out, "".join(lines))
    return Finished(*([row.id for row in rows] for rows in (accepted, rejected, pending)))

"""Build a MathComp set as the paper did: a model writes pairs by Table 6's prompt.

One request asks for up to twenty pairs of one category and label. Every pair is held against the
exact arithmetic that stands in it: what can't be read, states a wrong total or has another label
is rejected, with the reason. The rest goes onto a sheet for a person to accept.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from inspect_ai.model import Model

from askew.papers.mathcomp.items import items_of, parse_record
from askew.sources.loading import digest, with_own_ids
from askew_authoring.building import (
    SHEET,
    ReviewError,
    ask,
    made,
    put_on_sheet,
    read_sheet,
    sorted_out,
    write_records,
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
        fresh = [SheetRow(**row) for told in written.values() for row in told[WRITTEN]]
        put_on_sheet(sheet, SheetRow, fresh)
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

    def verdict(row: SheetRow) -> bool | None:
        now = checked(row)
        trusted = trust_checks and not (row.problems or now.problems or now.remarks)
        if row.verdict and (now.problems or needs_words(row)):
            raise ReviewError(
                f"{sheet}, {row.id}: {now.problems or now.remarks}; mend it, or write no in accept"
            )
        # What is wrong needs nobody's verdict.
        return (
            row.verdict if row.verdict is not None else False if now.problems else trusted or None
        )

    found = sorted_out(read_sheet(Path(sheet), SheetRow), 1, verdict)
    accepted = [row for (row,) in found.accepted]
    # As it will be read.
    with_own_ids(items_of([parse_record(row.record) for row in accepted]))
    write_records(out, [row.record for row in accepted])
    return Finished([row.id for row in accepted], found.rejected, found.pending)

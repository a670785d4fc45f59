"""The review sheet of a built Binary QA set: what a person accepts, and the file that follows."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from askew.files import write_whole
from askew.papers.binary_qa.items import BinaryRecord, items_of
from askew_authoring import building
from askew_authoring.binary_qa.rules import REWRITES, WORDINGS, problems, shape_problems
from askew_authoring.binary_qa.sources import Quota, quotas, shortages
from askew_authoring.building import ReviewError

# Metadata of a built sample, and of the role that answers rewrites.
REWRITTEN = "rewritten"
UNCLEAR = "unclear"


@dataclass
class Rewrite:
    """What became of one form of an item."""

    question: str
    expected: str
    problems: list[str] = field(default_factory=list)
    attempts: int = 0
    checker: str = ""
    """Yes or No where the second model answered so, "unclear" where it said neither, empty where
    none was asked."""


@dataclass(frozen=True)
class SheetRow:
    """One question of one item, for a person to accept, mend or reject."""

    id: str
    subset: str
    kind: str
    form: str
    answer: str
    original: str
    question: str
    accept: str = ""
    problems: str = ""
    checker: str = ""
    check: str = ""
    passage: str = ""

    @property
    def verdict(self) -> bool | None:
        return building.verdict_of(self)

    @property
    def place(self) -> str:
        return f"{self.id}, {self.form}"

    @property
    def is_clean(self) -> bool:
        """Whether every machine check passed and the second model answered as expected."""
        return not self.problems and self.checker == self.answer


def rows_of(item: Mapping[str, Any], built: Mapping[str, Mapping[str, Any]]) -> Iterator[SheetRow]:
    """The five rows of a built item.

    A question taken from its source as it was needs no acceptance, unless the second model
    answers it otherwise than the source says.

    Of the item, its id, subset, kind, passage, question and, for a number, value, op and n; of what
    was built, the fields of a `Rewrite` by form.
    """
    compared = {key: item[key] for key in ("value", "op", "n") if item.get("op")}
    for form in WORDINGS:
        made = Rewrite(**built[form])
        untouched = form == "original" and not compared
        agreed = made.checker in ("", made.expected)
        yield SheetRow(
            id=str(item["item"]),
            subset=str(item["subset"]),
            kind=str(item["kind"]),
            form=form,
            answer=made.expected,
            original=str(built["original"]["question"]),
            question=made.question,
            accept="yes" if untouched and agreed else "",
            problems="; ".join(made.problems),
            checker=made.checker,
            check=json.dumps(compared) if compared else "",
            passage=str(item["passage"]),
        )


def merged(new: Sequence[SheetRow], reviewed: Sequence[SheetRow]) -> list[SheetRow]:
    """New rows with what a person already decided, and the old rows worth keeping.

    Kept are the rows of domains that were not built anew, and items that were decided whole.
    """
    decided = {(r.id, r.form): r for r in reviewed if r.verdict is not None}
    rows = [
        replace(row, accept=old.accept, question=old.question) if old.answer == row.answer else row
        for row in new
        for old in [decided.get((row.id, row.form), row)]
    ]
    ids, domains = {r.id for r in new}, {r.subset for r in new}
    open_items = {r.id for r in reviewed if r.verdict is None}
    kept = (r for r in reviewed if r.subset not in domains or r.id not in open_items)
    return [*rows, *(r for r in kept if r.id not in ids)]


def write_sheet(path: Path, rows: Sequence[SheetRow]) -> None:
    """Write the sheet whole or not at all."""
    building.write_sheet(path, SheetRow, rows)


def read_sheet(path: Path) -> list[SheetRow]:
    """The rows of a sheet; an error names what is wrong and where."""
    return building.read_sheet(path, SheetRow)


@dataclass(frozen=True)
class Finished:
    """What a review left over.

    Args:
        records: the accepted items, as lines of the final file.
        rejected: ids of items of which a person rejected a question.
        pending: ids of items with a question that nobody decided on.
        surplus: ids of accepted items beyond what the balance asks for.
        remarks: what is odd: rules that an accepted question breaks, quotas that are short.
    """

    records: list[dict[str, Any]]
    rejected: list[str]
    pending: list[str]
    surplus: list[str]
    remarks: list[str]


def finished(
    rows: Sequence[SheetRow], items: int | None = None, trust_checks: bool = False
) -> Finished:
    """The items whose five questions are all accepted."""
    groups: dict[str, dict[str, SheetRow]] = defaultdict(dict)
    for row in rows:
        groups[row.id][row.form] = row
    accepted, rejected, pending = [], [], []
    for item_id, forms in groups.items():
        verdicts = {
            True if row.verdict is None and trust_checks and row.is_clean else row.verdict
            for row in forms.values()
        }
        if False in verdicts:
            rejected.append(item_id)
        elif None in verdicts or set(forms) != set(WORDINGS):
            pending.append(item_id)
        else:
            accepted.append(forms)
    records = [_record(forms) for forms in accepted]
    remarks = [odd for forms in accepted for odd in _remarks(forms)]
    if items is None:
        return Finished(records, rejected, pending, [], remarks)
    subsets = dict.fromkeys(str(record["subset"]) for record in records)
    wanted = {quota: n for subset in subsets for quota, n in quotas(subset, items).items()}
    taken: Counter[Quota] = Counter()
    kept, surplus = [], []
    for record in records:
        quota = (record["subset"], record["kind"], record["answer"])
        taken[quota] += 1
        if taken[quota] <= wanted.get(quota, 0):
            kept.append(record)
        else:
            surplus.append(str(record["id"]))
    remarks += shortages(taken.elements(), wanted)
    return Finished(kept, rejected, pending, surplus, remarks)


def _record(forms: Mapping[str, SheetRow]) -> dict[str, Any]:
    original = forms["original"]
    record = {
        **{key: getattr(original, key) for key in ("id", "subset", "kind", "passage", "answer")},
        **{form: forms[form].question for form in WORDINGS},
        **({"check": json.loads(original.check)} if original.check else {}),
    }
    try:
        BinaryRecord.model_validate(record)
    except ValueError as error:
        raise ReviewError(f"{original.id}: {error}") from error
    return record


def _remarks(forms: Mapping[str, SheetRow]) -> Iterator[str]:
    """Rules that accepted questions break."""
    original = forms["original"]
    for problem in shape_problems(original.question):
        yield f"{original.id}, original: {problem}"
    for form in REWRITES:
        for problem in problems(form, original.question, forms[form].question):
            yield f"{original.id}, {form}: {problem}"


def write_items(path: Path, records: Sequence[Mapping[str, Any]]) -> None:
    """Write the file that `data=PATH` takes, checked as it will be read."""
    items_of([BinaryRecord.model_validate(record) for record in records])
    write_whole(path, "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records))

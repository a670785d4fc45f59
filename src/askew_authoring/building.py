"""What builders of data sets share: a run that can be stopped and goes on, and the review sheet.

A builder asks by an eval, whose log is the audit trail. What it made goes onto a sheet, where a
person accepts, mends or rejects each row before it becomes a file for `data=PATH`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from inspect_ai import Task, eval_set
from inspect_ai.log import list_eval_logs, read_eval_log
from inspect_ai.model import Model
from inspect_ai.util import store

from askew.files import write_whole
from askew.schema import TRUTH_KEY
from askew.untrusted import in_cell

SHEET = "review.csv"
# The role of the second model, which checks what the writer made.
CHECKER = "checker"
# Samples that failed are asked again, so often and after so many seconds, before a run ends.
RETRIES: Mapping[str, Any] = {"retry_attempts": 2, "retry_wait": 5.0}
_YES, _NO = ("yes", "y", "x", "1", "true"), ("no", "n", "0", "false")
# A cell with an apostrophe in front of what a spreadsheet takes for a formula, or of another one.
_GUARDED = re.compile(r"'+\s*[=+\-@\uFF1D\uFF0B\uFF0D\uFF20\t\r]")
# A character that can't be seen, as a sheet spells it.
_SPELLED = re.compile(r"⟨U\+([0-9A-F]{4,5})⟩")


def ask(
    task: Task, folder: Path, model: str | Model, checker: str | Model = "", **options: Any
) -> None:
    """Ask what a task of a builder asks; finished samples of earlier runs are not asked again."""
    settings = {"log_dir_allow_dirty": True, **RETRIES, **options}
    roles = {CHECKER: checker} if checker else None
    eval_set(task, log_dir=str(folder), model=model, model_roles=roles, **settings)


def made(folder: Path, key: str) -> dict[str, Mapping[str, Any]]:
    """Metadata of every sample that some log of the folder holds complete, by id."""
    found: dict[str, Mapping[str, Any]] = {}
    for log in list_eval_logs(str(folder), descending=True) if folder.is_dir() else []:
        for sample in read_eval_log(log).samples or []:
            if sample.metadata.get(key) and not sample.error:
                found.setdefault(str(sample.id), sample.metadata)
    return found


def tell(hint: Mapping[str, Any]) -> None:
    """Tell a simulated model what it is asked; where none plays a part, there is no truth."""
    truth = store().get(TRUTH_KEY)
    if isinstance(truth, Mapping):
        store().set(TRUTH_KEY, {**truth, **hint})


@dataclass(frozen=True)
class Tendencies:
    """Probabilities that a simulated writer or checker has.

    Attributes:
        botches: of a draft that is wrong.
        misjudges: of judging a draft otherwise than it deserves.
        refuses: of declining to answer.
        chatty: whether it talks around its draft.
    """

    botches: float = 0.0
    misjudges: float = 0.0
    refuses: float = 0.0
    chatty: bool = False


class ReviewError(ValueError):
    """A review sheet can't be used as it is."""


class Reviewed:
    """A row of a sheet: dataclasses of texts, one of which a person fills in, build on it."""

    id: str
    accept: str  # yes or no, as a person writes it; empty where nobody decided
    FIXED: ClassVar[str] = "id"  # of another value here, a person's word is about something else
    MENDED: ClassVar[str] = ""  # the text that a person may have mended; any where none is named

    @property
    def verdict(self) -> bool | None:
        """Whether a person accepted the row; nothing where it is open."""
        word = self.accept.strip().casefold()
        return True if word in _YES else False if word in _NO else None

    @property
    def place(self) -> str:
        """What the row is about, as errors name it."""
        return self.id

    @property
    def built_with(self) -> str:
        """What a build makes as a whole: its open items are gone once there is another."""
        return self.id


Row = TypeVar("Row", bound=Reviewed)


def put_on_sheet(path: Path, row: type[Row], new: Sequence[Row]) -> list[Row]:
    """Write a build's rows, with what a person already decided, and those of earlier builds."""
    rows = merged(new, read_sheet(path, row) if path.exists() else [])
    write_sheet(path, row, rows)
    return rows


def merged(new: Sequence[Row], earlier: Sequence[Row]) -> list[Row]:
    """New rows as a person decided on them before, and the others but for what was built anew."""
    decided = {row.place: row for row in earlier if row.verdict is not None}
    rows = [_as_decided(row, decided.get(row.place, row)) for row in new]
    ids, anew = {row.id for row in new}, {row.built_with for row in new}
    gone = ids | {r.id for r in earlier if r.verdict is None and r.built_with in anew}
    return [*rows, *(row for row in earlier if row.id not in gone)]


def _as_decided(row: Row, old: Row) -> Row:
    if getattr(old, row.FIXED) != getattr(row, row.FIXED):
        return row
    mended = {name: getattr(old, name) for name in ("accept", row.MENDED) if row.MENDED}
    return replace(row, **mended) if mended else old  # type: ignore[type-var]


@dataclass(frozen=True)
class Sorted(Generic[Row]):
    """Rows by what a person said of them, each item's together; ids where that is not yes."""

    accepted: list[list[Row]] = field(default_factory=list)
    rejected: list[str] = field(default_factory=list)
    pending: list[str] = field(default_factory=list)


def sorted_out(
    rows: Sequence[Row], whole: int, verdict: Callable[[Row], bool | None] = lambda r: r.verdict
) -> Sorted[Row]:
    """Items by their rows' verdicts: accepted is what all of its rows are."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.id, []).append(row)
    found = Sorted[Row]()
    for name, own in groups.items():
        verdicts = set(map(verdict, own))
        if False in verdicts:
            found.rejected.append(name)
        elif None in verdicts or len(own) != whole:
            found.pending.append(name)
        else:
            found.accepted.append(own)
    return found


def write_records(path: str | Path, records: Sequence[Mapping[str, Any]]) -> Path:
    """A JSONL file such as `data=PATH` takes, whole or not at all; none of no records."""
    lines = (json.dumps(record, ensure_ascii=False) + "\n" for record in records)
    return write_whole(path, "".join(lines)) if records else Path(path)


def write_sheet(path: Path, row: type[Row], rows: Sequence[Row]) -> None:
    """Write the sheet whole or not at all."""
    lines = io.StringIO(newline="")
    writer = csv.DictWriter(lines, [f.name for f in fields(row)])  # type: ignore[arg-type]
    writer.writeheader()
    writer.writerows({k: _guarded(v) for k, v in vars(row).items()} for row in rows)
    write_whole(path, lines.getvalue())


def read_sheet(path: Path, row: type[Row]) -> list[Row]:
    """The rows of a sheet; an error names what is wrong and where."""
    columns = [f.name for f in fields(row)]  # type: ignore[arg-type]
    try:
        with path.open(encoding="utf-8-sig", newline="") as lines:
            reader = csv.DictReader(lines)
            missing = [c for c in columns if c not in (reader.fieldnames or [])]
            if missing:
                raise ReviewError(f"{path} has no column {', '.join(missing)}; is it the sheet?")
            rows = [row(**{c: _unguarded(raw[c] or "") for c in columns}) for raw in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise ReviewError(f"{path} can't be read: {error}") from error
    for number, read in enumerate(rows, start=1):
        if read.accept.strip() and read.verdict is None:
            raise ReviewError(
                f"{path}, record {number} ({read.place}): accept is {read.accept!r}; "
                "write yes or no"
            )
    return rows


def _guarded(cell: str) -> str:
    """A text as a spreadsheet shows it; reading gives the text back, with line ends as Unix has."""
    kept = str(in_cell("\n".join(cell.replace("\r\n", "\n").split("\r"))))
    own = cell.startswith("'") and _GUARDED.match(kept)
    return f"'{kept}" if own else kept


def _unguarded(cell: str) -> str:
    text = cell[1:] if _GUARDED.match(cell) else cell
    return _SPELLED.sub(_meant, text)


def _meant(spelled: re.Match[str]) -> str:
    """The character that was spelled out; what stands for none stays."""
    sign = chr(int(spelled[1], 16))
    return sign if in_cell(sign) == spelled[0] else spelled[0]

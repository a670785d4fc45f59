"""What builders of data sets share: a run that can be stopped and goes on, and the review sheet.

A builder asks by an eval, whose log is the audit trail. What it made goes onto a sheet, where a
person accepts, mends or rejects each row before it becomes a file for `data=PATH`.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, Protocol, TypeVar

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


class SheetRecord(Protocol):
    """A row of a sheet: a dataclass of texts, one of which a person fills in."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def accept(self) -> str:
        """Yes or no, as a person writes it; empty where nobody decided."""

    @property
    def place(self) -> str:
        """What the row is about, as errors name it."""


Row = TypeVar("Row", bound=SheetRecord)


def verdict_of(row: SheetRecord) -> bool | None:
    """Whether a person accepted a row; nothing where it is open."""
    word = row.accept.strip().casefold()
    return True if word in _YES else False if word in _NO else None


def write_sheet(path: Path, row: type[Row], rows: Sequence[Row]) -> None:
    """Write the sheet whole or not at all."""
    lines = io.StringIO(newline="")
    writer = csv.DictWriter(lines, [f.name for f in fields(row)])
    writer.writeheader()
    writer.writerows({k: _guarded(v) for k, v in asdict(row).items()} for row in rows)
    write_whole(path, lines.getvalue())


def read_sheet(path: Path, row: Callable[..., Row]) -> list[Row]:
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
        if read.accept.strip() and verdict_of(read) is None:
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


def shared_out(number: int, ratios: Mapping[str, float]) -> dict[str, int]:
    """Whole numbers in these ratios that add up to `number`, by largest remainders."""
    total = math.fsum(ratios.values())
    exact = {name: number * ratio / total for name, ratio in ratios.items()}
    shares = {name: math.floor(share) for name, share in exact.items()}
    by_remainder = sorted(exact, key=lambda name: shares[name] - exact[name])
    for name in by_remainder[: number - sum(shares.values())]:
        shares[name] += 1
    return shares

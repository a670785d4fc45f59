"""Records of a user's JSONL or CSV file, validated; everything wrong is reported together."""

import hashlib
import reprlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import ValidationError

from askew.data.record_lines import Note, Numbered, csv_records, jsonl_records, strict_json

T = TypeVar("T")
PRINTED = 50
KEPT = 1000

_READERS: Mapping[str, Callable[[BinaryIO, Note], Iterator[Numbered]]] = {
    ".jsonl": jsonl_records,
    ".ndjson": jsonl_records,
    ".json-lines": jsonl_records,
    ".csv": csv_records,
}


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file: where, what, and what to do."""

    line: int | None
    field: str | None
    what: str
    fix: str

    def __str__(self) -> str:
        place = [
            *([f"line {self.line}"] if self.line else []),
            *([f"field {_printable(self.field)}"] if self.field else []),
        ]
        says = _printable(self.what) + (f" ({self.fix})" if self.fix else "")
        return f"{', '.join(place)}: {says}" if place else says


class RecordsError(ValueError):
    """A file's records can't be used.

    `problems` holds the first thousand of what is wrong, `count` says how many there are.
    """

    def __init__(self, message: str, problems: Sequence[Problem] = (), count: int = 0) -> None:
        super().__init__(message)
        self.problems = tuple(problems)
        self.count = count or len(self.problems)


def read_records(
    path: str | Path, parse: Callable[[dict[str, Any]], T], *, unique: str | None = None
) -> list[T]:
    """All records of a JSONL or CSV file, or one `RecordsError` about all that is wrong in it.

    A CSV record has a string for every column. Where a pydantic `parse` wants a list or an
    object, the cell may hold it as JSON; where it accepts no empty text, an empty cell counts
    as a field left out. Fields beyond those `parse` knows are its own to allow or refuse.

    Args:
        path: the file; its suffix says what it is.
        parse: a validated record of a raw one; raises ValueError (pydantic's is one).
        unique: a field that no two records may share, as an id; those without it are left be.
    """
    path = Path(path).expanduser()
    read = _reader(path)
    if path.suffix.lower() == ".csv":
        parse = _with_cells(parse)
    report = _Report(path)
    records: list[T] = []
    repeats = _Repeats()
    try:
        with path.open("rb") as file:
            for line, raw in read(file, report.note):
                shared = raw.get(unique) if unique else None
                try:
                    records.append(parse(raw))
                except (ValueError, TypeError, LookupError, RecursionError) as error:
                    report.note_invalid(line, raw, error)
                if unique and isinstance(shared, str | int) and str(shared).strip():
                    _note_repeat(report, repeats, line, unique, str(shared).strip())
    except OSError as error:
        raise RecordsError(f"{path} can't be read: {error.strerror or error}.") from error
    report.finish(len(records))
    return records


def check_unique(
    records: Iterable[T], key: Callable[[T], Hashable], *, field: str = "id"
) -> None:
    """Raise a `RecordsError` that names every record whose key an earlier one has."""
    repeats = _Repeats()
    problems = []
    for number, record in enumerate(records, 1):
        earlier = repeats.earlier(key(record), number)
        if earlier is not None:
            what = f"record {number} has the {field} of record {earlier}: {key(record)!r:.100}"
            problems.append(Problem(None, field, what, "give each record its own"))
    if problems:
        raise RecordsError(_message("The records", problems, len(problems)), problems)


def content_revision(content: bytes | str | Path) -> str:
    """A short name for the content of a file (a path) or for bytes."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()[:12]
    with Path(content).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def _reader(path: Path) -> Callable[[BinaryIO, Note], Iterator[Numbered]]:
    read = _READERS.get(path.suffix.lower())
    if read is None:
        hint = " (one record, a JSON object, on each line)" if path.suffix == ".json" else ""
        raise RecordsError(
            f"{path}: the suffix {path.suffix!r} is not one of {', '.join(_READERS)}. "
            f"Save the records as JSONL or CSV{hint}."
        )
    if not path.is_file():
        kind = "is not a file" if path.exists() else "does not exist"
        raise RecordsError(f"{path} {kind}. Give the path of a JSONL or CSV file.")
    return read


class _Repeats:
    """Which keys have been seen, and where first."""

    def __init__(self) -> None:
        self._first: dict[Hashable, int] = {}

    def earlier(self, key: Hashable, place: int) -> int | None:
        first = self._first.setdefault(key, place)
        return None if first == place else first


def _note_repeat(
    report: "_Report", repeats: _Repeats, line: int, field: str, value: str
) -> None:
    earlier = repeats.earlier(value, line)
    if earlier is not None:
        report.note(
            line, f"{value!r:.100} is that of line {earlier} too", "give each its own", field
        )


class _Report:
    """Everything wrong in one file, of which the first thousand are kept."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._problems: list[Problem] = []
        self._columns: set[tuple[str, str]] = set()
        self._count = 0

    def note(self, line: int, what: str, fix: str, field: str | None = None) -> None:
        self._count += 1
        if len(self._problems) < KEPT:
            self._problems.append(Problem(line, field, what, fix))

    def note_invalid(self, line: int, raw: Mapping[str, Any], error: Exception) -> None:
        """Note why `parse` refused a record."""
        if isinstance(error, ValidationError):
            for each in error.errors(include_url=False, include_context=False):
                self._note_pydantic(line, raw, each)
        elif isinstance(error, KeyError):
            self.note(line, "missing", "add it", field=str(error.args[0] if error.args else ""))
        else:
            self.note(line, str(error) or type(error).__name__, "")

"""A user's JSONL or CSV file as validated records; all that is wrong in it in one error."""

import hashlib
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import ValidationError

from askew.schema import clean_id
from askew.sources.record_lines import Note, Numbered, csv_records, jsonl_records, strict_json
from askew.sources.record_problems import Problem, RecordsError, Report

__all__ = ["Problem", "RecordsError", "check_unique", "content_revision", "read_records"]

T = TypeVar("T")

# Samples are named after it, and logs keep no sample whose name is too long.
LONGEST_NAME = 200

# What `parse` may raise of a record that is not as it expects.
_REFUSALS = (
    ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError
)  # fmt: skip

_READERS: Mapping[str, Callable[[BinaryIO, Note], Iterator[Numbered]]] = {
    ".jsonl": jsonl_records,
    ".ndjson": jsonl_records,
    ".json-lines": jsonl_records,
    ".csv": csv_records,
}


def read_records(
    path: str | Path, parse: Callable[[dict[str, Any]], T], *, unique: str | None = None
) -> list[T]:
    """All records of a JSONL or CSV file, or one `RecordsError` about all that is wrong in it.

    A CSV record has a string for every column. Where a pydantic `parse` wants a list or an
    object, the cell may hold it as JSON; where it accepts no empty text, an empty cell counts
    as a field left out. Fields that `parse` does not know are its own to allow or refuse.

    Args:
        path: the file; its suffix says what it is.
        parse: a validated record from a raw one; raises ValueError (pydantic's error is one).
        unique: a field that no two records may share, such as an id, also where they differ in
            nothing but what a sample's id can't hold; those that leave it out or empty are not
            compared.
    """
    path = Path(path).expanduser()
    read = _reader(path)
    report = Report(str(path))
    records: list[T] = []
    first_lines: dict[str, tuple[int, str]] = {}
    try:
        with path.open("rb") as file:
            for line, raw, header in read(file, report.note):
                if unique:
                    _note_repeat(report, first_lines, line, unique, raw.get(unique))
                try:
                    records.append(parse(raw) if header is None else _from_cells(raw, parse))
                except _REFUSALS as error:
                    report.note_invalid(line, raw, header, error)
    except OSError as error:
        raise RecordsError(f"{path} can't be read: {error.strerror or error}.") from error
    report.raise_if_any()
    if not records:
        raise RecordsError(f"{path} holds no records. Write at least one.")
    return records


def check_unique(records: Iterable[T], key: Callable[[T], Hashable], *, field: str = "id") -> None:
    """Raise a `RecordsError` that names every record with the key of an earlier one."""
    report = Report("Records")
    first: dict[Hashable, int] = {}
    for number, record in enumerate(records, 1):
        earlier = first.setdefault(key(record), number)
        if earlier != number:
            what = f"record {number} has that of record {earlier}, {key(record)!r:.100}"
            report.note(None, what, "give each record its own", field)
    report.raise_if_any()


def content_revision(content: bytes | str | Path) -> str:
    """A short name for the content of a file, given by its path, or for bytes."""
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()[:12]
    with Path(content).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:12]


def _reader(path: Path) -> Callable[[BinaryIO, Note], Iterator[Numbered]]:
    read = _READERS.get(path.suffix.lower())
    if read is None:
        raise RecordsError(
            f"{path} has none of the suffixes {', '.join(_READERS)}. Save its records as JSONL "
            "(one JSON object on each line) or as CSV, and name the file so."
        )
    if not path.is_file():
        kind = "is not a file" if path.exists() else "does not exist"
        raise RecordsError(f"{path} {kind}. Give the path of a JSONL or CSV file.")
    return read


def _note_repeat(
    report: Report,
    first_lines: dict[str, tuple[int, str]],
    line: int,
    field: str,
    value: object,
) -> None:
    name = str(value).strip() if isinstance(value, str | int) else ""
    if len(name) > LONGEST_NAME:
        what = f"{name!r:.60}... has {len(name):,} characters"
        report.note(line, what, f"name it in at most {LONGEST_NAME}", field)
        return
    if not name:
        return
    written = clean_id(name)
    earlier, its_name = first_lines.setdefault(written, (line, name))
    if earlier == line:
        return
    if its_name == name:
        report.note(line, f"{name!r} is that of line {earlier} too", "give each its own", field)
    else:
        what = f"{name!r} and {its_name!r} (line {earlier}) are both {written!r} in samples"
        report.note(line, what, "tell them apart by letters a to z, digits, . _ or -", field)


def _from_cells(cells: dict[str, Any], parse: Callable[[dict[str, Any]], T]) -> T:
    """A record from strings; read again where `parse` wants something else of a cell."""
    try:
        return parse(dict(cells))
    except ValidationError as error:
        amended = _amended(cells, error)
        if amended == cells:
            raise
        return parse(amended)


def _amended(cells: dict[str, Any], error: ValidationError) -> dict[str, Any]:
    """The cells, without the empty ones that were refused and with JSON where it was wanted."""
    amended = dict(cells)
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        column = next((name for name in each["loc"] if name in cells), None)
        if not isinstance(column, str) or column not in amended:
            continue
        cell = cells[column]
        if not cell.strip():
            del amended[column]
        elif each["type"].endswith("_type") and cell.lstrip()[0] in "[{":
            amended[column] = _json_or_text(cell)
    return amended


def _json_or_text(cell: str) -> Any:
    try:
        return strict_json(cell)
    except ValueError:
        return cell

"""Read a user's JSONL or CSV file as validated records; say all that is wrong in one error."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from askew.parameters import Refusal, quoted
from askew.schema import clean_id
from askew.sources.record_lines import Note, Numbered, csv_records, jsonl_records, strict_json
from askew.untrusted import one_line

T = TypeVar("T")
U = TypeVar("U")

PRINTED = 50
# Samples are named after it, and logs keep no sample whose name is too long.
LONGEST_NAME = 200

# What `parse` may raise of a record that is not as it expects.
_REFUSALS = (
    ValueError, TypeError, LookupError, ArithmeticError, AttributeError, RecursionError
)  # fmt: skip

Readers = Mapping[str, Callable[[BinaryIO, Note], Iterator[Numbered]]]
_READERS: Readers = {
    ".jsonl": jsonl_records,
    ".ndjson": jsonl_records,
    ".json-lines": jsonl_records,
    ".csv": csv_records,
}

# By pydantic's type of error: what is wrong, where its own words don't say it best, and the fix.
_OF_A_COLUMN = {
    "missing": ("no such column", "add it to the header"),
    "extra_forbidden": ("a column that is not known", "rename or remove it"),
}
_OF_A_CELL = {
    "missing": ("the cell is empty", "fill it"),
    "list_type": ("", 'write a JSON array, such as ["one", "two"], into the cell'),
}
_OF_A_FIELD = {
    "missing": ("missing", "add it"),
    "extra_forbidden": ("a field that is not known", "rename or remove it"),
}


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file: where, what, and what to do."""

    line: int
    field: str | None
    what: str
    fix: str

    def __str__(self) -> str:
        field = f", field {one_line(self.field)}" if self.field else ""
        return f"line {self.line}{field}: {one_line(self.what, 300)} ({self.fix})"


class RecordsError(Refusal, ValueError):
    """Records can't be used; nothing of their file was. `problems` holds all that is wrong."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UnfitError(ValueError):
    """A record that does not fit where it is used: in which field, and what to do about it."""

    def __init__(self, what: str, fix: str, field: str | None = None) -> None:
        super().__init__(what)
        self.fix, self.field = fix, field


def read_records(
    path: str | Path, parse: Callable[[dict[str, Any]], T], *, unique: str | None = None
) -> list[T]:
    """All records of a JSONL or CSV file, or one `RecordsError` about all that is wrong in it.

    `parse` makes a validated record of a raw one, or raises a ValueError, as pydantic does. No two
    records may share the field `unique`, also where only what no sample's id holds differs.
    """
    return list(each_record(path, parse, lambda line, record: record, unique=unique))


def each_record(
    path: str | Path, parse: Callable[[dict[str, Any]], T], use: Callable[[int, T], U], *,
    unique: str | None = None, readers: Readers = _READERS,
) -> Iterator[U]:  # fmt: skip
    """What is made of each record, one at a time; at the end one error about all that is wrong.

    A CSV record has a string for every column. Where a pydantic `parse` wants a list or an
    object, the cell may hold it as JSON; where it accepts no empty text, an empty cell counts
    as a field left out. Fields that `parse` does not know are its own to allow or refuse. What
    `use` makes of a line and its record is given; it refuses as `parse` does.
    """
    path = Path(path).expanduser()
    read = readers.get(path.suffix.lower())
    if read is None:
        raise RecordsError(
            f"{path} has none of the suffixes {', '.join(readers)}. Save its records as JSONL "
            "(one JSON object on each line) or as CSV, and name the file so."
        )
    if not path.is_file():
        kind = "is not a file" if path.exists() else "does not exist"
        raise RecordsError(f"{path} {kind}. Give the path of a JSONL or CSV file.")
    problems = _Problems()
    some = False
    try:
        with path.open("rb") as file:
            for each in read(file, problems.note):
                if unique:
                    problems.note_repeat(each.line, unique, each.record.get(unique))
                try:
                    made = use(each.line, _parsed(each, parse))
                except _REFUSALS as error:
                    problems.note_refusal(each, error)
                else:
                    some = True
                    yield made
    except OSError as error:
        raise RecordsError(f"{path} can't be read: {error.strerror or error}.") from error
    if problems.found:
        raise problems.error(path)
    if not some:
        raise RecordsError(f"{path} holds no records. Write at least one.")


def _parsed(each: Numbered, parse: Callable[[dict[str, Any]], T]) -> T:
    """A record; one from cells is read again where `parse` wants something else of a cell."""
    try:
        return parse(dict(each.record))
    except ValidationError as error:
        if each.header is None or (amended := _amended(each.record, error)) == each.record:
            raise
        return parse(amended)


def _amended(cells: dict[str, Any], error: ValidationError) -> dict[str, Any]:
    """The cells, without the empty ones that were refused and with JSON where it was wanted."""
    amended = dict(cells)
    for each in error.errors(include_url=False, include_context=False, include_input=False):
        column = next((name for name in each["loc"] if name in amended), None)
        if not isinstance(column, str):
            continue
        cell = cells[column]
        if not cell.strip():
            del amended[column]
        elif each["type"].endswith("_type") and cell.lstrip()[0] in "[{":
            with suppress(ValueError):
                amended[column] = strict_json(cell)
    return amended


class _Problems:
    """Everything that is wrong in one file."""

    def __init__(self) -> None:
        self.found: list[Problem] = []
        self._columns: set[tuple[str, str | None]] = set()
        self._names: dict[str, tuple[int, str]] = {}

    def note(self, line: int, what: str, fix: str, field: str | None = None) -> None:
        self.found.append(Problem(line, field, what, fix))

    def note_repeat(self, line: int, field: str, value: object) -> None:
        """Note a name that is too long, or that an earlier record has."""
        name = str(value).strip() if isinstance(value, str | int) else ""
        if len(name) > LONGEST_NAME:
            what = f"{name!r:.60}... has {len(name):,} characters"
            self.note(line, what, f"name it in at most {LONGEST_NAME}", field)
        elif name:
            written = clean_id(name)
            earlier, its_name = self._names.setdefault(written, (line, name))
            if earlier == line:
                return
            if its_name == name:
                what = f"{name!r} is that of line {earlier} too"
                self.note(line, what, "give each its own", field)
            else:
                what = f"{name!r} and {its_name!r} (line {earlier}) are both {written!r} in samples"
                self.note(line, what, "tell them apart by letters a to z, digits, . _ or -", field)

    def note_refusal(self, record: Numbered, error: Exception) -> None:
        """Note why a record was refused, whatever its validation raised."""
        if isinstance(error, ValidationError):
            for each in error.errors(include_url=False, include_context=False):
                self._note_invalid(record, each)
        elif isinstance(error, UnfitError):
            self.note(record.line, str(error), error.fix, error.field)
        elif isinstance(error, KeyError):
            self.note(record.line, "missing", "add it", field=str(*error.args[:1]))
        else:
            self.note(record.line, str(error) or type(error).__name__, "mend the record")

    def _note_invalid(self, record: Numbered, error: ErrorDetails) -> None:
        line, raw, header = record
        kind, place = error["type"], error["loc"]
        field = ".".join(map(str, place)) or None
        said = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
        usual = _OF_A_FIELD
        if header is not None and len(place) == 1:
            usual = _OF_A_CELL
            if kind == "extra_forbidden" or (kind == "missing" and field not in raw):
                # Every record would repeat it.
                if (kind, field) in self._columns:
                    return
                self._columns.add((kind, field))
                line, usual = header, _OF_A_COLUMN
        what, fix = usual.get(kind) or ("", f"found {quoted(error['input'])}")
        self.note(line, what or said, fix, field)

    def error(self, path: Path) -> RecordsError:
        """All of it in one error, whose message shows the first."""
        count = len(self.found)
        lines = [f"{path}: {count:,} problem{'s' * (count > 1)}; no record was used."]
        lines += [f"  {problem}" for problem in self.found[:PRINTED]]
        if count > PRINTED:
            lines.append(f"  and {count - PRINTED:,} more")
        return RecordsError("\n".join(lines), self.found)

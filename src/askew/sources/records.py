"""Read a user's JSONL or CSV file as validated records; say all that is wrong in one error.

What is wrong with the file itself is noted and read past where that is safe. Records come one
at a time, so memory is bounded by the longest.
"""

import codecs
import csv
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, Protocol, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from askew.parameters import UsageError, quote
from askew.schema import clean_id
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


class RecordsError(UsageError, ValueError):
    """Records can't be used; nothing of their file was. `problems` holds all that is wrong."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UnfitError(ValueError):
    """A record that does not fit where it is used: in which field, and what to do about it."""

    def __init__(self, what: str, fix: str, field: str | None = None) -> None:
        super().__init__(what)
        self.fix, self.field = fix, field


# --- Records as dictionaries, with the line each begins on ----------------------------------------

LARGEST_CELL = 16 * 1024 * 1024

# Halves of surrogate pairs, which UTF-8 can't hold.
_HALVES = re.compile("[\ud800-\udfff]")


class Note(Protocol):
    """Takes down one thing that is wrong, and what to do about it."""

    def __call__(self, line: int, what: str, fix: str, field: str | None = None) -> None: ...


class NumberedRecord(NamedTuple):
    """A record, the physical line on which it begins, and that of its header (CSV)."""

    line: int
    record: dict[str, Any]
    header: int | None = None


def jsonl_records(file: BinaryIO, note: Note) -> Iterator[NumberedRecord]:
    """The objects of a file that holds one on each line."""
    return objects(text_lines(file, note), note)


def objects(lines: Iterable[tuple[int, str]], note: Note) -> Iterator[NumberedRecord]:
    for number, text in lines:
        if number == 1 and text.strip() in ("[", "{"):
            note(
                number,
                "one JSON document is spread over the lines of the file",
                "write each record, a JSON object, on a line of its own",
            )
            return
        if not text.strip():
            continue
        try:
            value = strict_json(text)
        except ValueError as error:
            note(number, str(error), "write the record as one JSON object on one line")
        else:
            yield from an_object(number, value, note)


def an_object(line: int, value: object, note: Note) -> Iterator[NumberedRecord]:
    if isinstance(value, dict):
        yield NumberedRecord(line, value)
    else:
        what = f"{quote(value)} where a JSON object should be"
        note(line, what, 'write the record as {"field": value, ...}')


def strict_json(text: str) -> Any:
    """What a JSON text says; a ValueError where it is not JSON that everyone reads alike.

    Refuses NaN and infinities, numbers beyond a float's range, names given twice in an object,
    and half surrogate pairs. pydantic's parser keeps the last of two equal names, and reads
    1e999 as infinity.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_with_each_name_once,
            parse_constant=_finite,
            parse_float=_finite,
        )
        # Pairs are whole characters by now; few texts have the escapes, so few are looked through.
        halved = "\\u" in text and _HALVES.search(json.dumps(value, ensure_ascii=False))
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if halved:
        raise ValueError("an unpaired surrogate (\\ud800 to \\udfff); remove it")
    return value


def _with_each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {twice!r:.60} is given twice in an object")
    return found


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text:.40} is not a finite number")
    return value


def csv_records(
    file: BinaryIO, note: Note, nameless: Sequence[Sequence[str]] = ()
) -> Iterator[NumberedRecord]:
    """The rows of a file as dictionaries of strings, named by the header of its first row.

    Blank rows are passed over. A record has a key for every column. `nameless`
    are columns of files without a header, by which a first row of as many other cells is read.
    """
    rows = _rows(file, note)
    header, cells = next(rows, (0, []))
    names = [name.strip() for name in cells]
    known = next((list(c) for c in nameless if len(c) == len(names) and list(c) != names), None)
    if known:
        yield NumberedRecord(header, dict(zip(known, cells, strict=True)))
        names = known
    elif not names or not _is_header(names, header, note):
        return
    for line, cells in rows:
        if len(cells) == len(names):
            yield NumberedRecord(line, dict(zip(names, cells, strict=True)), header)
        else:
            what = f"cells: {len(cells)}, columns in the header: {len(names)}"
            note(line, what, 'put a cell that holds a comma, a quote or a new line into "quotes"')


def _rows(file: BinaryIO, note: Note) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line on which it begins.

    csv.DictReader knows only on which line a row ends, and fills up one that is too short.
    """
    # The limit is the whole process's, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST_CELL))
    reader = csv.reader((text for _, text in text_lines(file, note)), strict=True)
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        # After a quote gone wrong nobody can say where the next record begins.
        what = f"the record that begins here can't be read as CSV ({error})"
        fix = 'close every quote, write a quote inside a cell as "", and end lines with a line feed'
        note(begins, f"{what}; what follows it was not read", fix)


def _is_header(names: list[str], line: int, note: Note) -> bool:
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        note(line, "the columns are not separated by commas", "save the file with commas")
        return False
    nameless = [str(place) for place, name in enumerate(names, 1) if not name]
    repeated = sorted(name for name, times in Counter(names).items() if name and times > 1)
    if nameless:
        note(line, f"no name for column {', '.join(nameless)}", "name each column, or remove it")
    for name in repeated:
        note(line, "two columns have this name", "rename or remove one", field=name)
    return not nameless and not repeated


def text_lines(file: BinaryIO, note: Note) -> Iterator[tuple[int, str]]:
    """The lines of a file as text, with their numbers; what is damaged is noted, and replaced.

    Lines end at a line feed only: JSON text may hold the other line ends of Unicode.
    """
    for number, raw in enumerate(file, 1):
        raw = raw.removeprefix(codecs.BOM_UTF8) if number == 1 else raw
        try:
            text = raw.decode()
        except UnicodeDecodeError as error:
            what = f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8"
            note(number, what, "save the file as UTF-8")
            text = raw.decode(errors="replace")
        if "\0" in text:
            note(number, "a NUL character", "remove it, or save the file as UTF-8")
        yield number, text.replace("\0", " ")


# --- Records as what they should be ---------------------------------------------------------------


def parquet_records(file: BinaryIO, note: Note) -> Iterator[NumberedRecord]:
    """The rows of a Parquet file; its lines are its rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=1_000):
            for row in batch.to_pylist():
                number += 1
                yield NumberedRecord(number, row)
    except (pa.ArrowException, OSError) as error:
        note(number + 1, f"not readable as Parquet: {error}"[:200], "write or fetch it again")


Readers = Mapping[str, Callable[[BinaryIO, Note], Iterator[NumberedRecord]]]
READERS: Readers = {
    ".jsonl": jsonl_records,
    ".ndjson": jsonl_records,
    ".json-lines": jsonl_records,
    ".csv": csv_records,
}


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
    unique: str | None = None, readers: Readers = READERS,
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
                    made = use(each.line, _parse(each, parse))
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
        raise RecordsError(f"{path} contains no records. Write at least one.")


def _parse(each: NumberedRecord, parse: Callable[[dict[str, Any]], T]) -> T:
    """A record; one from cells is read again where `parse` wants something else of a cell."""
    try:
        return parse(dict(each.record))
    except ValidationError as error:
        if each.header is None or (amended := _amend_cells(each.record, error)) == each.record:
            raise
        return parse(amended)


def _amend_cells(cells: dict[str, Any], error: ValidationError) -> dict[str, Any]:
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

    def note_refusal(self, record: NumberedRecord, error: Exception) -> None:
        """Note why a record was refused, whatever its validation raised."""
        if isinstance(error, ValidationError):
            for each in error.errors(include_url=False, include_context=False):
                self._note_invalid(record, each)
        elif isinstance(error, UnfitError):
            of_columns = ("unfit", str(error))
            # Rows of a table have the same fields: said once.
            if record.header is None or error.field or of_columns not in self._columns:
                self.note(record.line, str(error), error.fix, error.field)
            self._columns.add(of_columns)
        elif isinstance(error, KeyError):
            self.note(record.line, "missing", "add it", field=str(*error.args[:1]))
        else:
            self.note(record.line, str(error) or type(error).__name__, "correct the record")

    def _note_invalid(self, record: NumberedRecord, error: ErrorDetails) -> None:
        line, raw, header = record
        kind, place = error["type"], error["loc"]
        field = ".".join(map(str, place)) or None
        message = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
        usual = _OF_A_FIELD
        if header is not None and len(place) == 1:
            usual = _OF_A_CELL
            if kind == "extra_forbidden" or (kind == "missing" and field not in raw):
                # Every record would repeat it.
                if (kind, field) in self._columns:
                    return
                self._columns.add((kind, field))
                line, usual = header, _OF_A_COLUMN
        what, fix = usual.get(kind) or ("", f"found {quote(error['input'])}")
        self.note(line, what or message, fix, field)

    def error(self, path: Path) -> RecordsError:
        """All of it in one error, whose message shows the first."""
        count = len(self.found)
        lines = [f"{path}: {count:,} error{'s' * (count > 1)}; no record was used."]
        lines += [f"  {problem}" for problem in self.found[:PRINTED]]
        if count > PRINTED:
            lines.append(f"  and {count - PRINTED:,} more")
        return RecordsError("\n".join(lines), self.found)

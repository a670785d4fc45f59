"""Read a user's JSONL, CSV or Parquet file as validated records; one error says all that is wrong.

Records come one at a time, so memory is bounded by the longest.
"""

import csv
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, TextIO, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails, from_json

from askew.parameters import UsageError, quote
from askew.schema import clean_id
from askew.untrusted import one_line

T = TypeVar("T")
U = TypeVar("U")

PRINTED = 50
# Samples are named after it, and logs keep no sample whose name is too long.
LONGEST_NAME = 200
_NUL = ("a NUL character", "remove it, or save the file as UTF-8")
# What `parse` may raise of a record that is not as it expects.
_REFUSALS = (ValueError, TypeError, LookupError, ArithmeticError, AttributeError)


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong in a file: where, what, and what to do."""

    line: int
    what: str
    fix: str
    field: str | None = None

    def __str__(self) -> str:
        field = f", field {one_line(self.field)}" if self.field else ""
        return f"line {self.line}{field}: {one_line(self.what, 300)} ({self.fix})"


class RecordsError(UsageError, ValueError):
    """Records can't be used; nothing of their file was. `problems` holds all that is wrong."""

    def __init__(self, message: str, problems: Sequence[Problem] = ()) -> None:
        super().__init__(message)
        self.problems = tuple(problems)


class UnfitError(ValueError):
    """A record that does not fit where it is used: in which field, and what to do about it.

    What concerns all `fields` of a table's rows is said of its header.
    """

    def __init__(self, what: str, fix: str, field: str | None = None, fields: bool = False) -> None:
        super().__init__(what)
        self.fix, self.field, self.fields = fix, field, fields


class NumberedRecord(NamedTuple):
    """A record, the physical line on which it begins, and that of its header (CSV)."""

    line: int
    record: dict[str, Any]
    header: int | None = None


Contents = Iterator[NumberedRecord | Problem]
Readers = Mapping[str, Callable[[Path], Contents]]


def open_text(path: Path) -> TextIO:
    """A file as text; lines end at a line feed only: JSON may hold the others of Unicode."""
    return path.open(encoding="utf-8-sig", errors="replace", newline="\n")


def undecodable(path: Path) -> Iterator[Problem]:
    """The lines of a file that are no UTF-8."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            try:
                raw.decode()
            except UnicodeDecodeError as error:
                what = f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8"
                yield Problem(number, what, "save the file as UTF-8")


def jsonl_records(path: Path) -> Contents:
    """The objects of a file that holds one on each line."""
    yield from undecodable(path)
    with open_text(path) as file:
        for number, text in enumerate(file, 1):
            if number == 1 and text.strip() in ("[", "{"):
                what = "one JSON document is spread over the lines of the file"
                fix = "write each record, a JSON object, on a line of its own"
                yield Problem(number, what, fix)
                return
            if not text.strip():
                continue
            try:
                value = strict_json(text.strip())
            except ValueError as error:
                what = str(error).replace("line 1 column", "character")
                fix = "write the record as one JSON object on one line"
                yield Problem(number, f"not valid JSON: {what}", fix)
            else:
                yield numbered(number, value)


def numbered(line: int, value: object) -> NumberedRecord | Problem:
    """A value as a record, if it is an object."""
    if isinstance(value, dict):
        return NumberedRecord(line, value)
    what = f"{quote(value)} where a JSON object should be"
    return Problem(line, what, 'write the record as {"field": value, ...}')


def strict_json(text: str) -> Any:
    """What a JSON text says; a ValueError where it is none that everyone reads alike.

    That is one with NaN, with a number beyond a float's range, with half of a character, or with a
    name twice in an object.
    """
    value = from_json(text, allow_inf_nan=False)
    json.loads(text, object_pairs_hook=_each_name_once, parse_float=_finite)
    return value


def _finite(text: str) -> float:
    if math.isinf(float(text)):
        raise ValueError(f"{text:.40} is not a finite number")
    return float(text)


def _each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if repeated := [name for name, times in Counter(n for n, _ in pairs).items() if times > 1]:
        raise ValueError(f"the name {repeated[0]!r:.60} is given twice in an object")
    return dict(pairs)


def csv_records(path: Path, nameless: Sequence[Sequence[str]] = ()) -> Contents:
    """The rows of a file as dictionaries of strings, named by the header of its first row.

    Blank rows are passed over. A record has a key for every column. `nameless` are columns of
    files without a header, by which a first row of as many other cells is read.
    """
    yield from undecodable(path)
    # The limit is the whole process's, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), 16 * 1024 * 1024))
    names: Sequence[str] = ()
    header = begins = 1
    with open_text(path) as file:
        reader = csv.reader(file, strict=True)
        try:
            for cells in reader:
                # csv.DictReader knows only on which line a row ends.
                line, begins = begins, reader.line_num + 1
                if not any(cell.strip() for cell in cells):
                    continue
                if not names:
                    header, names = line, [name.strip() for name in cells]
                    known = [of for of in nameless if len(of) == len(names) and [*of] != names]
                    if not known:
                        if wrong := [*_wrong_header(names, line)]:
                            yield from wrong
                            return
                        continue
                    names = known[0]
                if "\0" in "".join(cells):
                    yield Problem(line, *_NUL)
                elif len(cells) == len(names):
                    yield NumberedRecord(line, dict(zip(names, cells, strict=True)), header)
                else:
                    what = f"cells: {len(cells)}, columns in the header: {len(names)}"
                    fix = 'put a cell that holds a comma, a quote or a new line into "quotes"'
                    yield Problem(line, what, fix)
        except csv.Error as error:
            # After a quote gone wrong nobody can say where the next record begins.
            what = f"the record that begins here can't be read as CSV ({error})"
            fix = 'close every quote, write one in a cell as "", and end lines with a line feed'
            yield Problem(begins, f"{what}; what follows it was not read", fix)


def _wrong_header(names: Sequence[str], line: int) -> Iterator[Problem]:
    if "\0" in "".join(names):
        yield Problem(line, *_NUL)
    if len(names) == 1 and (";" in names[0] or "\t" in names[0]):
        yield Problem(line, "the columns are not separated by commas", "save the file with commas")
    if nameless := [str(place) for place, name in enumerate(names, 1) if not name]:
        yield Problem(line, f"no name for column {', '.join(nameless)}", "name it, or remove it")
    for name, times in Counter(names).items():
        if name and times > 1:
            yield Problem(line, "two columns have this name", "rename or remove one", name)


def parquet_records(path: Path) -> Contents:
    """The rows of a Parquet file; its lines are its rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        with pq.ParquetFile(path) as file:
            for batch in file.iter_batches(batch_size=1_000):
                for row in batch.to_pylist():
                    number += 1
                    yield NumberedRecord(number, row)
    except (pa.ArrowException, OSError) as error:
        what = f"not readable as Parquet: {error}"[:200]
        yield Problem(number + 1, what, "write or fetch it again")


READERS: Readers = dict.fromkeys((".jsonl", ".ndjson", ".json-lines"), jsonl_records) | {
    ".csv": csv_records
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
    # As keys: every row of a table has what is wrong with its columns.
    problems: dict[Problem, None] = {}
    names: dict[str, tuple[int, str]] = {}
    some = False
    try:
        for each in read(path):
            if isinstance(each, Problem):
                problems[each] = None
                continue
            if unique and (problem := _wrong_name(each, unique, names)):
                problems[problem] = None
            try:
                made = use(each.line, _parse(each, parse))
            except RecordsError:  # no record of this file can be read
                raise
            except _REFUSALS as error:
                problems |= dict.fromkeys(_refusals(each, error))
            else:
                some = True
                yield made
    except OSError as error:
        raise RecordsError(f"{path} can't be read: {error.strerror or error}.") from error
    if problems:
        count, found = len(problems), sorted(problems, key=lambda problem: problem.line)
        lines = [f"{path}: {count:,} error{'s' * (count > 1)}; no record was used."]
        lines += [f"  {problem}" for problem in found[:PRINTED]]
        lines += [f"  and {count - PRINTED:,} more"] * (count > PRINTED)
        raise RecordsError("\n".join(lines), found)
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
        column = next((str(name) for name in each["loc"] if name in amended), "")
        cell = cells.get(column, "")
        if not cell.strip():
            amended.pop(column, None)
        elif each["type"].endswith("_type") and cell.lstrip()[0] in "[{":
            with suppress(ValueError):
                amended[column] = strict_json(cell)
    return amended


def _wrong_name(
    each: NumberedRecord, field: str, names: dict[str, tuple[int, str]]
) -> Problem | None:
    """A name that is too long, or that an earlier record has."""
    line, value = each.line, each.record.get(field)
    name = str(value).strip() if isinstance(value, str | int) else ""
    if len(name) > LONGEST_NAME:
        what = f"{name!r:.60}... has {len(name):,} characters"
        return Problem(line, what, f"name it in at most {LONGEST_NAME}", field)
    written = clean_id(name)
    earlier, its_name = names.setdefault(written, (line, name)) if name else (line, name)
    if earlier == line:
        return None
    if its_name == name:
        return Problem(line, f"{name!r} is that of line {earlier} too", "give each its own", field)
    what = f"{name!r} and {its_name!r} (line {earlier}) are both {written!r} in samples"
    return Problem(line, what, "tell them apart by letters a to z, digits, . _ or -", field)


def _refusals(each: NumberedRecord, error: Exception) -> Iterable[Problem]:
    """Why a record was refused, whatever its validation raised."""
    if isinstance(error, ValidationError):
        return [_invalid(each, one) for one in error.errors(include_url=False)]
    what = str(error) or type(error).__name__
    if isinstance(error, UnfitError):
        line = each.header if error.fields and each.header else each.line
        return [Problem(line, what, error.fix, error.field)]
    if isinstance(error, KeyError):
        return [Problem(each.line, "missing", "add it", str(*error.args[:1]))]
    return [Problem(each.line, what, "correct the record")]


def _invalid(each: NumberedRecord, error: ErrorDetails) -> Problem:
    """What pydantic says of a field; what concerns a column, every record would repeat."""
    line, raw, header = each
    kind, place = error["type"], error["loc"]
    field = ".".join(map(str, place)) or None
    what = error["msg"].removeprefix("Value error, ").removeprefix("Assertion failed, ")
    fix = f"found {quote(error['input'])}"
    in_cell = header is not None and len(place) == 1
    if kind == "missing":
        what, fix = "missing", "add it"
        if in_cell and field in raw:
            what, fix = "the cell is empty", "fill it"
        elif in_cell:
            line, what, fix = header or line, "no such column", "add it to the header"
    elif kind == "extra_forbidden":
        what, fix = "a field that is not known", "rename or remove it"
        if in_cell:
            line, what = header or line, "a column that is not known"
    elif kind == "list_type" and in_cell:
        fix = 'write a JSON array, such as ["one", "two"], into the cell'
    return Problem(line, what, fix, field)

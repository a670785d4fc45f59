"""Records of a JSONL or CSV file as dictionaries, each with the line on which it begins.

What is wrong with the file itself is noted and read past where that is safe. Records come one
at a time, so memory is bounded by the longest.
"""

import codecs
import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO, NamedTuple, NoReturn, Protocol

LINE_LIMIT = 16 * 1024 * 1024
DEPTH_LIMIT = 64
VALUES_LIMIT = 100_000
DIGITS_LIMIT = 400

# The longer marks first: one of UTF-16's begins one of UTF-32's.
_OTHER_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")


class Note(Protocol):
    """Takes down one thing that is wrong, and what to do about it."""

    def __call__(self, line: int, what: str, fix: str, field: str | None = None) -> None: ...


class Numbered(NamedTuple):
    """A record, the physical line on which it begins, and that of its header (CSV)."""

    line: int
    record: dict[str, Any]
    header: int | None = None


def jsonl_records(file: BinaryIO, note: Note) -> Iterator[Numbered]:
    """The objects of a file that holds one on each line."""
    first = True
    for line in _Lines(file, note):
        if line.damaged or not line.text.strip():
            continue
        if first and line.text.strip() in ("[", "{"):
            note(
                line.number,
                "one JSON document is spread over the lines of the file",
                "write each record, a JSON object, on a line of its own",
            )
            return
        first = False
        record = _json_object(line.number, line.text, note)
        if record is not None:
            yield Numbered(line.number, record)


def _json_object(number: int, text: str, note: Note) -> dict[str, Any] | None:
    try:
        value = strict_json(text)
    except ValueError as error:
        note(number, str(error), "write the record as one JSON object on one line")
        return None
    if isinstance(value, dict):
        return value
    note(
        number,
        f"{_json_kind(value)} where a JSON object should be",
        'write the record as {"field": value, ...}',
    )
    return None


def csv_records(file: BinaryIO, note: Note) -> Iterator[Numbered]:
    """The rows of a file as dictionaries of strings, named by the header of its first row.

    Blank rows are passed over. A record has a key for every column.
    """
    # The limit is the whole process's, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    lines = _Lines(file, note)
    rows = _rows(lines, note)
    for at, cells in rows:
        if lines.last_damaged < at and _is_header(cells, at, note):
            names = [name.strip() for name in cells]
            yield from _under_header(names, at, rows, lines, note)
        return


def _under_header(
    names: list[str],
    header: int,
    rows: Iterator[tuple[int, list[str]]],
    lines: "_Lines",
    note: Note,
) -> Iterator[Numbered]:
    for line, cells in rows:
        if lines.last_damaged >= line:
            continue
        if len(cells) == len(names):
            yield Numbered(line, dict(zip(names, cells, strict=True)), header)
        else:
            note(
                line,
                f"cells: {len(cells)}, columns in the header: {len(names)}",
                'put a cell that holds a comma, a quote or a new line into "quotes"',
            )


def _rows(lines: "_Lines", note: Note) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line on which it begins."""
    reader = csv.reader((line.text for line in lines), strict=True)
    while True:
        begins = reader.line_num + 1
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            # After a quote gone wrong nobody can say where the next record begins.
            note(
                begins,
                f"the record that begins here can't be read as CSV ({error}); "
                "what follows it was not read",
                'close every quote, write a quote inside a cell as "", and end lines with '
                "a line feed",
            )
            return
        if any(cell.strip() for cell in cells):
            yield begins, cells


def _is_header(cells: list[str], line: int, note: Note) -> bool:
    names = [name.strip() for name in cells]
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


class _Line(NamedTuple):
    number: int
    text: str
    damaged: bool


class _Lines:
    """The lines of a file as text; a damaged one is noted and comes with stand-ins.

    Lines end at a line feed only: JSON text may hold the other line ends of Unicode.
    """

    def __init__(self, file: BinaryIO, note: Note) -> None:
        self._file = file
        self._note = note
        self.last_damaged = 0

    def __iter__(self) -> Iterator[_Line]:
        number = 0
        while raw := self._file.readline(LINE_LIMIT + 1):
            number += 1
            if len(raw) > LINE_LIMIT:
                self._note(
                    number,
                    f"longer than {LINE_LIMIT:,} bytes; the rest of the file was not read",
                    "end each record with a line feed",
                )
                return
            if number == 1:
                if self._is_other_encoding(raw):
                    return
                raw = raw.removeprefix(codecs.BOM_UTF8)
            yield self._decoded(number, raw)

    def _is_other_encoding(self, raw: bytes) -> bool:
        for mark, encoding in _OTHER_MARKS:
            if raw.startswith(mark):
                self._note(1, f"the file is {encoding}", "save it as UTF-8")
                return True
        return False

    def _decoded(self, number: int, raw: bytes) -> _Line:
        try:
            text = raw.decode("utf-8")
        except UnicodeDecodeError as error:
            self.last_damaged = number
            what = f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8"
            self._note(number, what, "save the file as UTF-8")
            text = raw.decode("utf-8", errors="replace")
        if "\0" in text:
            if self.last_damaged < number:
                self._note(number, "a NUL character", "remove it, or save the file as UTF-8")
            self.last_damaged = number
            text = text.replace("\0", "\ufffd")
        return _Line(number, text, self.last_damaged == number)


def strict_json(text: str) -> Any:
    """What a JSON text says; a ValueError where it is not JSON that everyone reads alike.

    Refuses NaN and infinities, numbers beyond a float's range, names given twice in an object,
    half surrogate pairs, and more nesting or values than any record needs.
    """
    try:
        value = json.loads(
            text,
            object_pairs_hook=_object,
            parse_constant=_refuse_constant,
            parse_float=_finite,
            parse_int=_bounded_int,
        )
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if text.count("[") + text.count("{") > DEPTH_LIMIT and _is_deep(value):
        raise ValueError(f"JSON nested deeper than {DEPTH_LIMIT} levels")
    # A validator would say of each that it is wrong: a gigabyte of problems in one line.
    if text.count(",") > VALUES_LIMIT and _is_wide(value):
        raise ValueError(f"more than {VALUES_LIMIT:,} values in one record")
    if _SURROGATE_ESCAPE.search(text):
        _refuse_half_pairs(value)
    return value


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        [(twice, _)] = Counter(name for name, _ in pairs).most_common(1)
        raise ValueError(f"the name {twice!r:.60} is given twice in an object")
    return found


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no JSON number")


def _finite(text: str) -> float:
    value = float(text)
    if math.isinf(value):
        raise ValueError(f"the number {text:.40} is too large")
    return value


def _bounded_int(text: str) -> int:
    if len(text) > DIGITS_LIMIT:
        raise ValueError(f"a number of {len(text)} digits")
    return int(text)


def _is_deep(value: Any) -> bool:
    level: list[Any] = [value]
    for _ in range(DEPTH_LIMIT):
        level = [x for outer in level for x in _inside(outer) if isinstance(x, dict | list)]
    return bool(level)


def _is_wide(value: Any) -> bool:
    found, level = 0, [value]
    while level and found <= VALUES_LIMIT:
        found += len(level)
        outers = [x for x in level if isinstance(x, dict | list)]
        level = [x for outer in outers for x in _inside(outer)]
    return found > VALUES_LIMIT


def _inside(value: dict[str, Any] | list[Any]) -> Iterable[Any]:
    return value.values() if isinstance(value, dict) else value


def _refuse_half_pairs(value: Any) -> None:
    try:
        json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        raise ValueError("half a surrogate pair (\\ud800 to \\udfff), which is no text") from None


def _json_kind(value: Any) -> str:
    kinds = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
    return kinds.get(type(value), "a number")

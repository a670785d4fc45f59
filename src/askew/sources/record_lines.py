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
from collections.abc import Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, NoReturn, Protocol

LINE_LIMIT = 16 * 1024 * 1024
DEPTH_LIMIT = 64
VALUES_LIMIT = 100_000
WHOLE_LIMIT = 512 * 1024 * 1024
DIGITS_LIMIT = 400

# The longer marks first: one of UTF-16's begins one of UTF-32's.
_OTHER_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
_KINDS = {list: "a list", str: "a text", bool: "true or false", type(None): "null"}
# What stands for bytes that are no text: halves of surrogate pairs, which UTF-8 can't hold.
_DAMAGE = re.compile("[\ud800-\udfff]")
_ONE_LIST = re.compile(r'\s*(?:\{\s*"[^"\\]*"\s*:\s*)?\[')
_BETWEEN = re.compile(r"[\s,]*")
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
    for number, text in _lines(file, note):
        if _DAMAGE.search(text) or not text.strip():
            continue
        if first and text.strip() in ("[", "{"):
            note(
                number,
                "one JSON document is spread over the lines of the file",
                "write each record, a JSON object, on a line of its own",
            )
            return
        first = False
        try:
            value = strict_json(text)
        except ValueError as error:
            note(number, str(error), "write the record as one JSON object on one line")
            continue
        if isinstance(value, dict):
            yield Numbered(number, value)
        else:
            what = f"{_KINDS.get(type(value), 'a number')} where a JSON object should be"
            note(number, what, 'write the record as {"field": value, ...}')


def json_records(file: BinaryIO, note: Note) -> Iterator[Numbered]:
    """The objects of the one list that a file holds, alone or under one name.

    A file of other JSON is read as one object a line.
    """
    raw = file.read(WHOLE_LIMIT + 1)
    if len(raw) > WHOLE_LIMIT:
        note(1, f"longer than {WHOLE_LIMIT:,} bytes", "save its records as JSONL")
        return
    text = _decoded(1, raw.removeprefix(codecs.BOM_UTF8), note)
    opening = _ONE_LIST.match(text)
    if opening is None:
        file.seek(0)
        yield from jsonl_records(file, note)
        return
    decoder, place, line, counted = json.JSONDecoder(), opening.end(), 1, 0
    while (place := _after_gap(text, place)) < len(text) and text[place] != "]":
        line, counted = line + text.count("\n", counted, place), place
        try:
            _, end = decoder.raw_decode(text, place)
            value = strict_json(text[place:end])
        except (ValueError, RecursionError) as error:
            note(line, f"not valid JSON: {error}"[:200], "mend it; what follows was not read")
            return
        if isinstance(value, dict):
            yield Numbered(line, value)
        else:
            what = f"{_KINDS.get(type(value), 'a number')} where a JSON object should be"
            note(line, what, 'write the record as {"field": value, ...}')
        place = end
    if place >= len(text):
        note(line, "the list does not end", "fetch the file again")


def _after_gap(text: str, place: int) -> int:
    gap = _BETWEEN.match(text, place)
    return gap.end() if gap else place


def parquet_records(file: BinaryIO, note: Note) -> Iterator[Numbered]:
    """The rows of a Parquet file; its lines are its rows."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    number = 0
    try:
        for batch in pq.ParquetFile(file).iter_batches(batch_size=1_000):
            for row in batch.to_pylist():
                number += 1
                yield Numbered(number, row)
    except (pa.ArrowException, OSError) as error:
        note(number + 1, f"not readable as Parquet: {error}"[:200], "fetch the file again")


def csv_records(
    file: BinaryIO, note: Note, nameless: Sequence[Sequence[str]] = ()
) -> Iterator[Numbered]:
    """The rows of a file as dictionaries of strings, named by the header of its first row.

    Blank rows are passed over. A record has a key for every column.

    Args:
        file: the file.
        note: takes down what is wrong.
        nameless: columns of files without a header; a first row of as many cells that are not
            those names is a record.
    """
    rows = _rows(file, note)
    header, cells = next(rows, (0, []))
    names = [name.strip() for name in cells]
    known = next((list(c) for c in nameless if len(c) == len(names) and list(c) != names), None)
    if known:
        yield Numbered(header, dict(zip(known, cells, strict=True)))
        names = known
    elif not names or not _is_header(names, header, note):
        return
    for line, cells in rows:
        if len(cells) == len(names):
            yield Numbered(line, dict(zip(names, cells, strict=True)), header)
        elif cells:
            note(
                line,
                f"cells: {len(cells)}, columns in the header: {len(names)}",
                'put a cell that holds a comma, a quote or a new line into "quotes"',
            )


def _rows(file: BinaryIO, note: Note) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line on which it begins; a damaged one is empty.

    csv.DictReader knows only on which line a row ends, and fills up one that is too short.
    """
    # The limit is the whole process's, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LINE_LIMIT))
    reader = csv.reader((text for _, text in _lines(file, note)), strict=True)
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
            yield begins, [] if any(map(_DAMAGE.search, cells)) else cells


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


def _lines(file: BinaryIO, note: Note) -> Iterator[tuple[int, str]]:
    """The lines of a file as text, with their numbers; what is damaged is noted.

    Lines end at a line feed only: JSON text may hold the other line ends of Unicode.
    """
    for number, raw in enumerate(iter(lambda: file.readline(LINE_LIMIT + 1), b""), 1):
        if len(raw) > LINE_LIMIT:
            what = f"longer than {LINE_LIMIT:,} bytes; the rest of the file was not read"
            note(number, what, "end each record with a line feed")
            return
        if number == 1:
            others = [name for mark, name in _OTHER_MARKS.items() if raw.startswith(mark)]
            if others:
                note(1, f"the file is {others[0]}", "save it as UTF-8")
                return
            raw = raw.removeprefix(codecs.BOM_UTF8)
        yield number, _decoded(number, raw, note)


def _decoded(number: int, raw: bytes, note: Note) -> str:
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        what = f"byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8"
        note(number, what, "save the file as UTF-8")
        text = raw.decode("utf-8", errors="surrogateescape")
    else:
        if "\0" in text:
            note(number, "a NUL character", "remove it, or save the file as UTF-8")
    return text.replace("\0", "\udc00")


def strict_json(text: str) -> Any:
    """What a JSON text says; a ValueError where it is not JSON that everyone reads alike.

    Refuses NaN and infinities, numbers beyond a float's range, names given twice in an object,
    half surrogate pairs, and more nesting or values than any record needs. pydantic's parser
    would do but for three: it keeps the last of two equal names, reads 1e999 as infinity, and
    sets no limit to the number of values.
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
    # Few texts have the marks for it, so few are looked through.
    if text.count("[") + text.count("{") > DEPTH_LIMIT or text.count(",") > VALUES_LIMIT:
        _refuse_bulk(value)
    if _SURROGATE_ESCAPE.search(text):
        try:
            json.dumps(value, ensure_ascii=False).encode("utf-8")
        except UnicodeEncodeError:
            why = "half a surrogate pair (\\ud800 to \\udfff), which is no text"
            raise ValueError(why) from None
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


def _refuse_bulk(value: Any) -> None:
    level, depth, found = [value], 0, 0
    while level:
        found += len(level)
        # A validator would say of each that it is wrong: a gigabyte of problems in one line.
        if found > VALUES_LIMIT:
            raise ValueError(f"more than {VALUES_LIMIT:,} values in one record")
        outers = [
            x.values() if isinstance(x, dict) else x for x in level if isinstance(x, dict | list)
        ]
        depth += bool(outers)
        if depth > DEPTH_LIMIT:
            raise ValueError(f"JSON nested deeper than {DEPTH_LIMIT} levels")
        level = [x for outer in outers for x in outer]

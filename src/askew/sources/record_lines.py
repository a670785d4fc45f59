"""Records of a JSONL or CSV file as dictionaries, with the line each begins on.

What is wrong with the file itself is noted and read past where that is safe. Records come one
at a time, so memory is bounded by the longest.
"""

import codecs
import csv
import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, BinaryIO, NamedTuple, Protocol

from askew.parameters import quoted

LARGEST_CELL = 16 * 1024 * 1024

# What stands for bytes that are no text: halves of surrogate pairs, which UTF-8 can't hold.
_DAMAGE = re.compile("[\ud800-\udfff]")


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
    return objects(text_lines(file, note), note)


def objects(lines: Iterable[tuple[int, str]], note: Note) -> Iterator[Numbered]:
    for number, text in lines:
        if number == 1 and text.strip() in ("[", "{"):
            note(
                number,
                "one JSON document is spread over the lines of the file",
                "write each record, a JSON object, on a line of its own",
            )
            return
        if not text.strip() or _DAMAGE.search(text):
            continue
        try:
            value = strict_json(text)
        except ValueError as error:
            note(number, str(error), "write the record as one JSON object on one line")
        else:
            yield from an_object(number, value, note)


def an_object(line: int, value: object, note: Note) -> Iterator[Numbered]:
    if isinstance(value, dict):
        yield Numbered(line, value)
    else:
        what = f"{quoted(value)} where a JSON object should be"
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
        halved = "\\u" in text and _DAMAGE.search(json.dumps(value, ensure_ascii=False))
    except json.JSONDecodeError as error:
        raise ValueError(f"not valid JSON: {error.msg} at character {error.pos + 1}") from None
    except RecursionError:
        raise ValueError("JSON nested too deeply") from None
    if halved:
        raise ValueError("half a surrogate pair (\\ud800 to \\udfff), which is no text")
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
) -> Iterator[Numbered]:
    """The rows of a file as dictionaries of strings, named by the header of its first row.

    Blank rows are passed over. A record has a key for every column. `nameless`
    are columns of files without a header, by which a first row of as many other cells is read.
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
            what = f"cells: {len(cells)}, columns in the header: {len(names)}"
            note(line, what, 'put a cell that holds a comma, a quote or a new line into "quotes"')


def _rows(file: BinaryIO, note: Note) -> Iterator[tuple[int, list[str]]]:
    """Rows that are not blank, each with the line on which it begins; a damaged one is empty.

    csv.DictReader knows only on which line a row ends, and fills up one that is too short.
    """
    # The limit is the whole process's, so it is only ever raised.
    csv.field_size_limit(max(csv.field_size_limit(), LARGEST_CELL))
    reader = csv.reader((text for _, text in text_lines(file, note)), strict=True)
    begins = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield begins, [] if any(map(_DAMAGE.search, cells)) else cells
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
    """The lines of a file as text, with their numbers; what is damaged is noted.

    Lines end at a line feed only: JSON text may hold the other line ends of Unicode.
    """
    for number, raw in enumerate(file, 1):
        if number == 1:
            if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
                note(1, "the file is UTF-16", "save it as UTF-8")
                return
            raw = raw.removeprefix(codecs.BOM_UTF8)
        text = raw.decode("utf-8", errors="surrogateescape")
        if damage := _DAMAGE.search(text):
            place = len(text[: damage.start()].encode())
            what = f"byte {place + 1} of the line (0x{raw[place]:02x}) is not UTF-8"
            note(number, what, "save the file as UTF-8")
        elif "\0" in text:
            note(number, "a NUL character", "remove it, or save the file as UTF-8")
        yield number, text.replace("\0", "\udc00")

"""Tables for the terminal: aligned columns of plain text."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence

from askew.report.document import Row, Table
from askew.untrusted import one_line

_MARKS = {
    "measured": "",
    "simulated": " (simulated)",
    "published": " (published)",
    "reference": " (reference)",
}
_GAP = "  "


def table_lines(table: Table) -> Iterator[str]:
    """A table line by line: caption, head, rows by group, notes."""
    if table.caption:
        yield one_line(table.caption, 400)
    head = [table.head, *(c.label for c in table.columns)]
    groups = [(g.title, [_texts(row) for row in g.rows]) for g in table.groups]
    lines = [head, *(row for _, rows in groups for row in rows)]
    widths = [max(_width(line[i]) for line in lines) for i in range(len(head))]
    numeric = [False, *(c.numeric for c in table.columns)]
    yield _aligned(head, widths, numeric)
    for title, rows in groups:
        if title:
            yield one_line(title)
        for row in rows:
            yield _aligned(row, widths, numeric)
    for mark, note in table.notes.items():
        yield f"[{mark}] {one_line(note, 400)}"
    if table.source:
        yield one_line(table.source, 400)


def _texts(row: Row) -> list[str]:
    return [one_line(row.head) + _MARKS[row.kind], *(one_line(c.plain()) for c in row.cells)]


def _aligned(cells: Sequence[str], widths: Sequence[int], numeric: Sequence[bool]) -> str:
    padded = []
    for text, width, right in zip(cells, widths, numeric, strict=True):
        space = " " * (width - _width(text))
        padded.append(space + text if right else text + space)
    return _GAP.join(["", *padded]).rstrip()


def _width(text: str) -> int:
    """Columns that a text takes: wide characters take two, combining ones none."""
    wide = sum(unicodedata.east_asian_width(c) in "WF" for c in text)
    return len(text) + wide - sum(unicodedata.combining(c) > 0 for c in text)

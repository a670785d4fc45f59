"""A document on the terminal: headlines, tables and notes as plain text, without any chart."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table as Grid
from rich.text import Text

from askew.report.document import Block, Document, Notes, Table
from askew.report.estimates import RowKind
from askew.untrusted import one_line

# Wide enough for any line: what a program reads is not wrapped.
_ENDLESS = 100_000
_SENTENCE = 400


def terminal_text(document: Document, width: int | None = None) -> str:
    """The document's text, its outcome last.

    Args:
        document: what is shown.
        width: columns to wrap tables at, in colour; default lines as long as they are.
    """
    console = Console(
        file=io.StringIO(),
        width=width or _ENDLESS,
        force_terminal=width is not None,
        legacy_windows=False,
    )
    with console.capture() as capture:
        for number, shown in enumerate(_pieces(document)):
            if number:
                console.print()
            console.print(shown)
        if document.outcome:
            console.print(_line(document.outcome, "bold"))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def terminal_width() -> int | None:
    """Columns of the terminal that somebody looks at; nothing where output goes elsewhere."""
    return Console().width if sys.stdout.isatty() else None


def _pieces(document: Document) -> Iterator[RenderableType]:
    if document.lede:
        yield _line(document.lede)
    for part in document.parts:
        for section in part.sections:
            if section.paragraphs:
                yield Group(*map(_line, section.paragraphs))
            for block in section.blocks:
                if lines := list(_block(block)):
                    yield Group(*lines)


def _block(block: Block) -> Iterator[RenderableType]:
    match block:
        case Table():
            yield from _table(block)
        case Notes():
            yield from (_line(f"note: {note}") for note in block.lines)


def _mark(kind: RowKind) -> str:
    return "" if kind == "measured" else f" ({kind})"


def _line(text: str, style: str = "") -> Text:
    indent = " " * (len(text) - len(text.lstrip()))
    return Text(indent + one_line(text, _SENTENCE), style)


def _table(table: Table) -> Iterator[RenderableType]:
    if table.caption:
        yield _line(table.caption, "bold")
    grid = Grid(box=None, padding=(0, 0, 0, 2), header_style="dim")
    grid.add_column(Text(one_line(table.head)), overflow="fold")
    for column in table.columns:
        head = Text(one_line(column.label))
        grid.add_column(head, justify="right" if column.numeric else "left", overflow="fold")
    for group in table.groups:
        if group.title:
            grid.add_row(Text(one_line(group.title), "bold"))
        for row in group.rows:
            title = f"{'  ' if group.title else ''}{one_line(row.head)}{_mark(row.kind)}"
            grid.add_row(*map(Text, [title, *(one_line(cell.plain()) for cell in row.cells)]))
    yield grid
    yield from (_line(f"[{mark}] {note}") for mark, note in table.notes.items())
    if table.source:
        yield _line(table.source)

"""One document, any kind of file: html, md, json or csv, by suffix; Markdown is written here."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from askew.files import write_whole
from askew.report.document import (
    Chart,
    Document,
    Flip,
    FlipList,
    Glance,
    Notes,
    Part,
    Row,
    RowKind,
    Side,
    Table,
    Terms,
)

# What begins markup anywhere in a line; a leading mark can't occur, since text never leads one.
_MARKUP = re.compile(r"[\\`*\[\]<>|~$&]|(?<![^\W_])_|_(?![^\W_])")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)(:|\.)")


def write_document(document: Document, path: str | Path) -> Path:
    """Write a document; the suffix says which kind: .html, .md, .json or .csv.

    The file appears whole or not at all.

    Args:
        document: what is written.
        path: where to write it; its folder is made if it is not there.
    """
    return write_whole(path, _WRITERS[kind_of(path)](document))


def kind_of(path: str | Path) -> str:
    """The suffix that says how a file is written; an unknown one is refused with the list."""
    kind = Path(path).suffix.lower()
    if kind not in _WRITERS:
        raise ValueError(
            f"{path}: the suffix {kind!r} names no kind of file that can be written; valid: "
            f"{', '.join(_WRITERS)}"
        )
    return kind


def plain(value: Any) -> Any:
    """A value as JSON holds it: a number that is not defined is null."""
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and math.isnan(value) else value


def rows_as_csv(rows: pd.DataFrame) -> str:
    """A table as CSV."""
    return str(rows.to_csv(index=False, lineterminator="\n"))


def _html(document: Document) -> str:
    # The page's module draws charts too: whoever writes another kind need not wait for it.
    from askew.report.page import html_page

    return html_page(document)


# --- Markdown: the same headlines and tables, for a pull request ---------------------------------


def _markdown(document: Document) -> str:
    """The whole document."""
    parts = [f"# {text(document.title)}", text(document.lede)]
    if document.simulated:
        parts.append(f"**Simulated models.** {text(document.simulated)}")
    for part in document.parts:
        parts += _part(part)
    if document.outcome:
        parts.append(f"**{text(document.outcome)}**")
    parts.append(text(document.colophon))
    return "\n\n".join(p for p in parts if p) + "\n"


def text(value: str) -> str:
    """Text in which nothing is markup, on one line; an address in it is no link."""
    line = " ".join(value.split())
    escaped = _MARKUP.sub(lambda m: "&amp;" if m[0] == "&" else "\\" + m[0], line)
    return _ADDRESS.sub(lambda m: f"{m[1]}&#{ord(m[2])};", escaped)


def literal(value: str) -> str:
    """A short text as it is, as code: longer fences than any run of backticks in it."""
    line = " ".join(value.split()).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall(r"`+", line)), default=0) + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{edge}{line}{edge}{fence}" if line else ""


def _mark(kind: RowKind) -> str:
    return "" if kind == "measured" else f" *({kind})*"


def _part(part: Part) -> Iterator[str]:
    yield f"## {text(part.title)}" + (f": {text(part.question)}" if part.question else "")
    yield text(part.reference)
    for section in part.sections:
        written = [_block(b) for b in section.blocks if not isinstance(b, Chart)]
        if section.blocks and not written:
            continue
        if section.title:
            yield f"### {text(section.title)}"
        yield from (text(p) for p in section.paragraphs)
        yield from written


def _block(block: Table | FlipList | Glance | Notes | Terms) -> str:
    match block:
        case Table():
            return _table(block)
        case FlipList():
            return "\n\n".join(_flips(block))
        case Glance():
            return "\n\n".join(_glance(block))
        case Notes():
            return "\n".join(f"- {text(line)}" for line in block.lines)
        case Terms():
            told = block.meanings.items()
            return "\n".join(f"- **{text(term)}**: {text(meaning)}" for term, meaning in told)


def _glance(glance: Glance) -> Iterator[str]:
    yield f"### {text(glance.model.label_shown)}{_mark(glance.model.kind)}"
    for h in glance.headlines:
        yield f"**{text(h.title)}, {text(h.label)}: {text(h.said)}**"
        yield text(h.sentence)
        if h.finding:
            yield f"Worst finding: {text(h.finding.sentence)}"
        elif h.nothing_found:
            yield text(h.nothing_found)


def _table(table: Table) -> str:
    """One table with its notes."""
    heads = [table.head, *(c.label for c in table.columns)]
    lines = []
    if table.caption:
        mark = " *(simulated models)*" if table.has_simulated else ""
        lines = [f"**{text(table.caption)}**{mark}", ""]
    lines += [
        _line([text(h) for h in heads]),
        _line([":--", *("--:" if c.numeric else ":--" for c in table.columns)]),
    ]
    for group in table.groups:
        if group.title:
            lines.append(_line([f"**{text(group.title)}**", *[""] * len(table.columns)]))
        lines += [_row(row) for row in group.rows]
    for mark, note in table.notes.items():
        lines += ["", f"\\[{mark}\\] {text(note)}"]
    if table.source:
        lines += ["", text(table.source)]
    return "\n".join(lines)


def _row(row: Row) -> str:
    head = text(row.head) + _mark(row.kind)
    return _line([head, *(text(cell.plain()) for cell in row.cells)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _flips(flips: FlipList) -> Iterator[str]:
    yield f"{flips.n_found} found; {len(flips.flips)} are shown."
    for flip in flips.flips:
        yield "\n".join(_flip(flip))


def _flip(flip: Flip) -> Iterator[str]:
    model = f"{text(flip.model.short)}{_mark(flip.model.kind)}"
    yield f"- {literal(flip.item)} ({text(flip.subset)}), {model}"
    if flip.right_answer:
        yield f"  - the right answer: {literal(flip.right_answer)}"
    yield f"  - {_side(flip.before)}"
    yield f"  - {_side(flip.after)}"


def _side(side: Side) -> str:
    verdict = "right" if side.correct else "wrong"
    said = literal(side.answer) if side.answer else f"no answer ({text(side.outcome)})"
    return f"{text(side.condition)}: {said}, {verdict}"


_WRITERS: Mapping[str, Callable[[Document], str]] = {
    ".html": _html,
    ".md": _markdown,
    ".json": lambda document: json.dumps(plain(document.data()), indent=1, allow_nan=False) + "\n",
    ".csv": lambda document: rows_as_csv(document.rows),
}

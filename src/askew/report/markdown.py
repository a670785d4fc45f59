"""The report as Markdown: the same headlines and tables, for a terminal or a pull request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from askew.report.document import Chapter, Chart, Flip, FlipList, Row, Side, Table
from askew.report.report_model import Report

# What begins markup anywhere in a line; a leading mark can't occur, since text never leads one.
_MARKUP = re.compile(r"[\\`*\[\]<>|~$&]|(?<![^\W_])_|_(?![^\W_])")
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)(:|\.)")
_BACKTICKS = re.compile(r"`+")
_KIND_MARKS = {
    "measured": "",
    "simulated": " *(simulated)*",
    "published": " *(published)*",
    "reference": " *(reference)*",
}


def markdown_page(report: Report) -> str:
    """The whole report."""
    parts = [f"# {text(report.title)}", text(report.lede)]
    if any(m.simulated for m in report.models):
        parts.append(f"**Simulated models.** {text(report.simulated_note)}")
    parts += ["## At a glance", *_glance(report)]
    for chapter in report.chapters:
        parts += _chapter(chapter)
    parts.append("## What was left out")
    parts += [table_text(t) for t in report.left_out_tables] or ["Nothing was left out."]
    parts.append("## Where the numbers come from")
    parts += [table_text(t) for t in report.provenance_tables]
    parts.append("## How to read this report")
    parts += [f"- **{text(term)}**: {text(meaning)}" for term, meaning in report.guide]
    parts.append(f"Written by askew {text(report.version)}, {report.written}.")
    return "\n\n".join(parts) + "\n"


def text(value: str) -> str:
    """Text in which nothing is markup, on one line; an address in it is no link."""
    line = " ".join(value.split())
    escaped = _MARKUP.sub(lambda m: "&amp;" if m[0] == "&" else "\\" + m[0], line)
    return _ADDRESS.sub(lambda m: f"{m[1]}&#{ord(m[2])};", escaped)


def literal(value: str) -> str:
    """A short text as it is, as code: longer fences than any run of backticks in it."""
    line = " ".join(value.split()).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in _BACKTICKS.findall(line)), default=0) + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{edge}{line}{edge}{fence}" if line else ""


def _glance(report: Report) -> Iterator[str]:
    for model, headlines in report.by_model():
        yield f"### {text(model.label_shown)}{_KIND_MARKS[model.kind]}"
        for h in headlines:
            unit = "%" if h.unit.name == "%" else f" {h.unit.name}".rstrip()
            value = f"{h.unit.write(h.estimate.value)}{unit} ({h.basis})"
            said = h.estimate.text(h.unit) if h.estimate.missing else value
            yield f"**{text(h.title)}, {text(h.label)}: {text(said)}**"
            yield text(h.sentence)
            if h.finding:
                yield f"Worst finding: {text(h.finding.sentence)}"
            elif h.nothing_found:
                yield text(h.nothing_found)


def _chapter(chapter: Chapter) -> Iterator[str]:
    yield f"## {text(chapter.title)}: {text(chapter.question)}"
    yield text(chapter.reference)
    for section in chapter.sections:
        blocks = [b for b in section.blocks if not isinstance(b, Chart)]
        if not blocks:
            continue
        yield f"### {text(section.title)}"
        yield from (text(p) for p in section.paragraphs)
        for block in blocks:
            if isinstance(block, Table):
                yield table_text(block)
            elif isinstance(block, FlipList):
                yield from _flips(block)


def table_text(table: Table) -> str:
    """One table with its notes."""
    heads = [table.head, *(c.label for c in table.columns)]
    lines = [
        f"**{text(table.caption)}**" + (" *(simulated models)*" if table.has_simulated else ""),
        "",
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
    head = text(row.head) + _KIND_MARKS[row.kind]
    return _line([head, *(text(cell.plain()) for cell in row.cells)])


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _flips(flips: FlipList) -> Iterator[str]:
    yield f"{flips.n_found} found; {len(flips.flips)} are shown."
    for flip in flips.flips:
        yield "\n".join(_flip(flip))


def _flip(flip: Flip) -> Iterator[str]:
    kind = _KIND_MARKS[flip.model.kind]
    yield f"- {literal(flip.item)} ({text(flip.subset)}), {text(flip.model.short)}{kind}"
    if flip.right_answer:
        yield f"  - the right answer: {literal(flip.right_answer)}"
    yield f"  - {_side(flip.before)}"
    yield f"  - {_side(flip.after)}"


def _side(side: Side) -> str:
    verdict = "right" if side.correct else "wrong"
    said = literal(side.answer) if side.answer else f"no answer ({text(side.outcome)})"
    return f"{text(side.condition)}: {said}, {verdict}"

"""One document as a file (html, md or json, by suffix) or as lines on a terminal.

A page is one HTML file: it loads nothing, runs two known scripts, and escapes the rest.
"""

import base64
import hashlib
import io
import json
import math
import re
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from rich.console import Console, RenderableType
from rich.console import Group as Lines
from rich.table import Table as Columns
from rich.text import Text as Line

from askew import __version__
from askew.files import write_atomically
from askew.papers import get_paper
from askew.parameters import SelectionError
from askew.report.blocks import Document, Figure, Flips, Group, Headline, Note, SummaryTable, Table
from askew.report.charts import DARK, LIGHT, fallback_svg, panels_of
from askew.report.estimates import VERDICTS
from askew.report.explorer import key_of
from askew.stats.tables import OVERALL
from askew.untrusted import in_cells, one_line

DOCUMENTS = (".html", ".md", ".json")
# A report is also written as the table of its results.
REPORTS = (*DOCUMENTS, ".csv")
# What begins markup anywhere in a line, and what makes one a heading or an item of a list.
_MARKUP = re.compile(r"[\\`*\[\]<>|~$&]|(?<![^\W_])_|_(?![^\W_])")
_LEADING = re.compile(r"^(\d{0,9})([-+#.)])(?=[\s#]|$)")
# What a git host turns into a mention, an issue or mail, also where it is escaped: hosts look for
# these once the page is made. GitLab also has labels, milestones, epics, snippets and more. An
# empty comment parts the text there.
_REFERENCE = re.compile(
    r'@(?=\w)|(?:[#!$]|&amp;)(?=\d)|(?i:\bG[HL]-)(?=\d)|[~%](?=[\w"])|\[(?=\w+:)|\*(?=iteration:)'
)
# Wide enough for any line: what a program reads is not wrapped.
_ENDLESS = 100_000
_SENTENCE = 400
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)(:|\.)")
_JSON_ESCAPES = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})


def write_document(document: Document, path: str | Path) -> Path:
    """Write a document, whole or not at all; the suffix says how: .html, .md or .json."""
    if kind_of(path) != ".html":
        return write_text(path, "document.md.jinja", document.data, {"document": document})
    return write_atomically(path, _render_template("document.html.jinja", **_page_values(document)))


def write_text(
    path: str | Path, template: str, data: Callable[[], Mapping[str, Any]], more: Mapping[str, Any]
) -> Path:
    """Write data as JSON, or what fills a template as Markdown, by the suffix."""
    if kind_of(path, (".json", ".md")) == ".json":
        return write_atomically(path, json.dumps(plain(data()), indent=1, allow_nan=False) + "\n")
    text = re.sub(r"\n{3,}", "\n\n", _render_template(template, **more)).strip()
    return write_atomically(path, text + "\n")


def kind_of(path: str | Path, valid: Sequence[str] = DOCUMENTS) -> str:
    """The suffix that says how a file is written; an unknown one is refused with the list."""
    kind = Path(path).suffix.lower()
    if kind not in valid:
        problem = f"{path}: unsupported format {kind!r}"
        raise SelectionError(f"{problem}; valid: {', '.join(valid)}")
    return kind


def plain(value: Any) -> Any:
    """A value as JSON holds it: a number that is not defined or not finite is null."""
    value = vars(value) if is_dataclass(value) else value
    if isinstance(value, Mapping):
        return {str(k): plain(v) for k, v in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [plain(v) for v in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def rows_as_csv(rows: pd.DataFrame) -> str:
    """A table as CSV that a spreadsheet may open."""
    return str(in_cells(rows).to_csv(index=False, lineterminator="\n"))


def _page_values(document: Document) -> dict[str, Any]:
    """What fills the page's template; scripts only where there is something to draw or unfold."""
    panels = {f"{c.id}/{p.name}": p for part in document.parts for c, p in panels_of(part)}
    # What is folded away is drawn when it is unfolded.
    shown = (replace(part, folded=()) for part in document.parts)
    seen = [f"{c.id}/{p.name}" for part in shown for c, p in panels_of(part)]
    moves = any(isinstance(b, Figure | Flips) for b in document.blocks)
    scripts = (_static("vega.js"), _static("report.js")) if moves else ("", "")
    names = ("explorer.js", "explorer.css")
    explorer = [_static(name) if document.explorer else "" for name in names]
    digests = [hashlib.sha256(s.encode()).digest() for s in (*scripts, explorer[0]) if s]
    return {
        "document": document,
        "scripts": [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests],
        "light": LIGHT,
        "dark": DARK,
        "style": Markup(_static("report.css")),
        "library": Markup(scripts[0]),
        "script": Markup(scripts[1]),
        "chart_data": json_for_script({name: p.spec for name, p in panels.items()}),
        "drawings": {name: Markup(fallback_svg(panels[name])) for name in seen},
        "columns_of": columns_of,
        "marks": marks,
        "words": VERDICTS,
        "explorer_script": Markup(explorer[0]),
        "explorer_style": Markup(explorer[1]),
        "at": query_of,
    }


def json_for_script(data: object) -> Markup:
    """JSON that can't end the script element it stands in, nor a line of it."""
    # Plain ASCII: the line separators U+2028 and U+2029 are escaped like all the rest.
    return Markup(json.dumps(data, ensure_ascii=True, allow_nan=False).translate(_JSON_ESCAPES))


def columns_of(summary: SummaryTable) -> list[tuple[float, float]]:
    """For each task the scale of its little plots: it holds all that they show, and zero."""
    scales = []
    for column in range(len(summary.heads)):
        estimates = [h.estimate for row in summary.rows if (h := row.cells[column].headline)]
        ends = [v for e in estimates for v in (e.value, e.low, e.high) if not math.isnan(v)]
        far = max(map(abs, ends), default=0.0) or 1.0
        scales.append((-far if min(ends, default=0.0) < 0 else 0.0, far))
    return scales


def marks(headline: Headline, scale: tuple[float, float]) -> Mapping[str, float | None]:
    """Where a cell's value and its interval stand, in percent of its little plot."""
    low, high = scale
    shown = {name: getattr(headline.estimate, name) for name in ("value", "low", "high")}
    return {
        name: None if math.isnan(v) else round(1 + 98 * (v - low) / (high - low), 2)
        for name, v in shown.items()
    }


def query_of(at: Mapping[str, str]) -> str:
    """Where a number stands, as the page's script reads it; pooled levels choose nothing."""
    return urlencode({name: key_of(value) for name, value in at.items() if value != OVERALL})


def _static(name: str) -> str:
    source = resources.files("askew.report").joinpath("templates", name)
    # Line ends as the browser counts them: the scripts' hashes depend on every character.
    return source.read_text(encoding="utf-8").replace("\r\n", "\n")


def _render_template(template: str, **values: Any) -> str:
    """A template of this folder, filled; what fills HTML is escaped."""
    environment = Environment(
        loader=PackageLoader("askew.report", "templates"), undefined=StrictUndefined,
        autoescape=template.endswith(".html.jinja"), trim_blocks=True, lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {
        "text": text, "literal": literal, "name": lambda task: get_paper(task).name,
    }  # fmt: skip
    environment.globals["version"] = __version__
    return environment.get_template(template).render(values)


def text(value: str) -> str:
    """Text in which nothing is markup, on one line; no address in it links, nobody is named."""
    line = " ".join(value.split())
    escaped = _MARKUP.sub(lambda m: "&amp;" if m[0] == "&" else "\\" + m[0], line)
    escaped = _LEADING.sub(r"\1\\\2", escaped)
    parted = _REFERENCE.sub(lambda m: f"{m[0]}<!-- -->", escaped)
    return _ADDRESS.sub(lambda m: f"{m[1]}&#{ord(m[2])};", parted)


def literal(value: str) -> str:
    """A short text as it is, as code: longer fences than any run of backticks in it."""
    line = " ".join(value.split()).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall(r"`+", line)), default=0) + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{edge}{line}{edge}{fence}" if line else ""


def terminal_text(document: Document, width: int | None = None, most: int = 0) -> str:
    """The document's text, its outcome last: in colour at a width of columns, else plain.

    Without a width lines are not wrapped, or at `most` characters.
    """
    console = Console(
        file=io.StringIO(), width=width or most or _ENDLESS, force_terminal=width is not None,
        legacy_windows=False,
    )  # fmt: skip
    with console.capture() as capture:
        for number, lines in enumerate(_pieces(document, console.width)):
            console.print(*[""] * bool(number), Lines(*lines), sep="\n")
        if document.outcome:
            console.print(_line(document.outcome, "bold"))
    return "\n".join(line.rstrip() for line in capture.get().splitlines())


def terminal_width() -> int | None:
    """Columns of the terminal that somebody looks at; nothing where output goes elsewhere."""
    return Console().width if sys.stdout and sys.stdout.isatty() else None


def _pieces(document: Document, room: int) -> Iterator[list[RenderableType]]:
    """What stands together, with a blank line between."""
    if document.basis:
        yield [_line(document.basis)]
    for section in (section for part in document.parts for section in part.sections):
        if section.paragraphs:
            yield [_line(text) for text in section.paragraphs]
        for block in section.blocks:
            if isinstance(block, Table):
                yield [*_table(block, room)]
            elif isinstance(block, Note) and block.lines:
                yield [_line(f"note: {note}") for note in block.lines]


def _line(text: str, style: str = "") -> Line:
    indent = " " * (len(text) - len(text.lstrip()))
    return Line(indent + one_line(text, _SENTENCE), style)


# What the last column of a table needs at least.
_LAST = 12


def _cells(group: Group) -> Iterator[list[str]]:
    for row in group.rows:
        mark = "" if row.kind == "measured" else f" ({row.kind})"
        title = f"{'  ' if group.title else ''}{one_line(row.head)}{mark}"
        yield [title, *(one_line(cell.plain()) for cell in row.cells)]


def _table(table: Table, room: int) -> Iterator[RenderableType]:
    if table.caption:
        yield _line(table.caption, "bold")
    heads = [(table.head, False), *((column.label, column.numeric) for column in table.columns)]
    rows = [[*_cells(group)] for group in table.groups]
    lines = [[one_line(head) for head, _ in heads], *(row for own in rows for row in own)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    # The last column takes what is left; where that is little, all are laid out anew.
    left = room - sum(width + 2 for width in widths[:-1]) - 2
    widths = [*widths[:-1], min(widths[-1], left)] if left >= _LAST else [0] * len(widths)

    def grid(shown: Sequence[Sequence[str]], header: bool) -> Columns:
        made = Columns(box=None, padding=(0, 0, 0, 2), header_style="dim", show_header=header)
        for (head, is_numeric), width in zip(heads, widths, strict=True):
            name, side = Line(one_line(head)), "right" if is_numeric else "left"
            made.add_column(name, justify=side, overflow="fold", width=width or None)  # type: ignore[arg-type]
        for row in shown:
            made.add_row(*map(Line, row))
        return made

    # Under a title of its own each group is a grid, of the same widths as the others.
    titled = any(group.title for group in table.groups)
    if titled:
        yield grid([], header=True)
    for group, own in zip(table.groups, rows, strict=True):
        if group.title:
            yield _line(f"  {one_line(group.title)}", "bold")
        yield grid(own, header=not titled)
    yield from (_line(f"[{mark}] {note}") for mark, note in table.notes.items())
    if table.source:
        yield _line(table.source)

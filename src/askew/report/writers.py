"""One document, any kind of file: html, md or json, by suffix."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from jinja2 import Environment, PackageLoader, StrictUndefined

from askew.files import write_whole
from askew.report.document import Document
from askew.report.latex import readable
from askew.untrusted import in_cells

DOCUMENTS = (".html", ".md", ".json")
# A report is also written as the table of its results.
REPORTS = (*DOCUMENTS, ".csv")
# What begins markup anywhere in a line; a leading mark can't occur, since text never leads one.
_MARKUP = re.compile(r"[\\`*\[\]<>|~$&]|(?<![^\W_])_|_(?![^\W_])")
# What a git host turns into a mention, an issue or mail, also where it is escaped: hosts look for
# these once the page is made. GitLab also has labels, milestones, epics, snippets and more. An
# empty comment parts the text there.
_REFERENCE = re.compile(
    r'@(?=\w)|(?:[#!$]|&amp;)(?=\d)|(?i:\bG[HL]-)(?=\d)|[~%](?=[\w"])|\[(?=\w+:)|\*(?=iteration:)'
)
_ADDRESS = re.compile(r"(?i)\b(https?|ftp|mailto|www)(:|\.)")


def write_document(document: Document, path: str | Path) -> Path:
    """Write a document; the suffix says which kind: .html, .md or .json.

    The file appears whole or not at all.

    Args:
        document: what is written.
        path: where to write it; its folder is made if it is not there.
    """
    return write_whole(path, _WRITERS[kind_of(path)](document))


def kind_of(path: str | Path, valid: Sequence[str] = DOCUMENTS) -> str:
    """The suffix that says how a file is written; an unknown one is refused with the list."""
    kind = Path(path).suffix.lower()
    if kind not in valid:
        raise ValueError(
            f"{path}: the suffix {kind!r} names no kind of file that can be written; valid: "
            f"{', '.join(valid)}"
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
    """A table as CSV that a spreadsheet may open."""
    return str(in_cells(rows).to_csv(index=False, lineterminator="\n"))


def _laid_out(template: str, **values: Any) -> str:
    """A template of this folder, filled; what fills HTML is escaped."""
    environment = Environment(
        loader=PackageLoader("askew.report", "templates"),
        autoescape=template.endswith(".html.jinja"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"text": text, "literal": literal, "readable": readable}
    return environment.get_template(template).render(values)


def _html(document: Document) -> str:
    # The page's module draws charts too: whoever writes another kind need not wait for it.
    from askew.report.page import page_values

    return _laid_out("document.html.jinja", **page_values(document))


def _markdown(document: Document) -> str:
    written = _laid_out("document.md.jinja", document=document)
    return re.sub(r"\n{3,}", "\n\n", written).strip() + "\n"


def text(value: str) -> str:
    """Text in which nothing is markup, on one line; no address in it links, nobody is named."""
    line = " ".join(value.split())
    escaped = _MARKUP.sub(lambda m: "&amp;" if m[0] == "&" else "\\" + m[0], line)
    parted = _REFERENCE.sub(lambda m: f"{m[0]}<!-- -->", escaped)
    return _ADDRESS.sub(lambda m: f"{m[1]}&#{ord(m[2])};", parted)


def literal(value: str) -> str:
    """A short text as it is, as code: longer fences than any run of backticks in it."""
    line = " ".join(value.split()).replace("|", "\\|")
    fence = "`" * (max((len(run) for run in re.findall(r"`+", line)), default=0) + 1)
    edge = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{fence}{edge}{line}{edge}{fence}" if line else ""


_WRITERS: Mapping[str, Callable[[Document], str]] = {
    ".html": _html,
    ".md": _markdown,
    ".json": lambda document: json.dumps(plain(document.data()), indent=1, allow_nan=False) + "\n",
}

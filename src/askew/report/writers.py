"""One document, any kind of file: html, md, json or csv, by suffix."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from askew.files import write_whole
from askew.report.document import Document
from askew.report.markdown import markdown_page


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


def _json(document: Document) -> str:
    return json.dumps(plain(document.data()), indent=1, allow_nan=False) + "\n"


_WRITERS: Mapping[str, Callable[[Document], str]] = {
    ".html": _html,
    ".md": markdown_page,
    ".json": _json,
    ".csv": lambda document: rows_as_csv(document.rows),
}

"""Comparisons as files: html, md, json or csv, by suffix."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from askew import __version__
from askew.decide.compare import Comparison
from askew.decide.comparison_tables import as_data, opening, tables
from askew.decide.verdicts import VERDICTS
from askew.files import write_whole
from askew.report.markdown import table_text, text
from askew.report.terminal import table_lines
from askew.untrusted import one_line

TITLE = "Which model bends less?"


def write_comparison(comparison: Comparison, path: str | Path) -> Path:
    """Write a comparison; the suffix says which kind: .html, .md, .json or .csv.

    The file appears whole or not at all.

    Args:
        comparison: what `compare` returns.
        path: where to write it; its folder is made if it is not there.
    """
    return write_whole(path, writer_for(path)(comparison))


def writer_for(path: str | Path) -> Callable[[Comparison], str]:
    """How to write a file of this name; an unknown suffix is refused with the list."""
    kind = Path(path).suffix.lower()
    if kind not in _WRITERS:
        raise ValueError(
            f"{path}: the suffix {kind!r} names no kind of comparison; valid: {', '.join(_WRITERS)}"
        )
    return _WRITERS[kind]


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """The comparison for the terminal."""
    yield opening(comparison)
    for table in tables(comparison):
        yield ""
        yield from table_lines(table)
    if comparison.notes:
        yield ""
        yield from (f"note: {one_line(note, 400)}" for note in comparison.notes)


def _markdown(comparison: Comparison) -> str:
    parts = [f"# {TITLE}", text(opening(comparison))]
    parts += [table_text(t) for t in tables(comparison)]
    if comparison.notes:
        parts.append("\n".join(f"- {text(note)}" for note in comparison.notes))
    parts.append("## What the verdicts mean")
    parts.append("\n".join(f"- **{text(v)}**: {text(why)}" for v, why in VERDICTS.items()))
    parts.append(f"Written by askew {__version__}.")
    return "\n\n".join(parts) + "\n"


def _html(comparison: Comparison) -> str:
    # The page's module draws charts too: whoever writes another kind need not wait for it.
    from askew.report.page import page_style

    environment = Environment(
        loader=PackageLoader("askew.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("comparison.html.jinja").render(
        title=TITLE,
        opening=opening(comparison),
        tables=list(tables(comparison)),
        notes=[one_line(note, 400) for note in comparison.notes],
        verdicts=VERDICTS,
        simulated=bool(comparison.simulated),
        version=__version__,
        style=Markup(page_style()),
    )


def _json(comparison: Comparison) -> str:
    return json.dumps(as_data(comparison), indent=1, allow_nan=False) + "\n"


def _csv(comparison: Comparison) -> str:
    return str(comparison.table.to_csv(index=False, lineterminator="\n"))


_WRITERS: Mapping[str, Callable[[Comparison], str]] = {
    ".html": _html,
    ".md": _markdown,
    ".json": _json,
    ".csv": _csv,
}

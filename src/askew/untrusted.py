"""Text from models, logs and data files, made fit to be shown.

Escaping for a file format is the writer's work; this is about what no escaping helps against:
invisible and direction-changing characters, broken code points, and endless length.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

# Direction marks reorder the text around them; the rest of the list can't be seen at all.
# Joiners (U+200C, U+200D) stay: scripts and emoji need them.
_HIDDEN = [
    *range(0x00, 0x09), *range(0x0B, 0x20), *range(0x7F, 0xA0), 0x00AD, 0x061C, 0x180E, 0x200B,
    0x200E, 0x200F, *range(0x2028, 0x202F), *range(0x2060, 0x2070), 0xFEFF,
    *range(0xFFF9, 0xFFFC), *range(0xE0000, 0xE0080),
]  # fmt: skip
_VISIBLE = {code: f"⟨U+{code:04X}⟩" for code in _HIDDEN if code != 0x0D} | {0x0D: ""}
# What a spreadsheet computes, unless it is a number.
_FORMULA = re.compile(r"\s*(?:[=@\uFF1D\uFF20]|[+\-\uFF0B\uFF0D](?![\d.,]+(?:[eE][+-]?\d+)?%?\Z))")
LABEL = 160
PASSAGE = 4_000


def escape_control(text: object, limit: int = LABEL) -> str:
    """The text with hidden characters spelled out, cut to `limit` characters.

    A cut says how much is missing; line breaks are kept.
    """
    whole = text if isinstance(text, str) else str(text)
    kept = whole_characters(whole[:limit]).translate(_VISIBLE)
    missing = len(whole) - limit
    return kept if missing <= 0 else f"{kept} … ({missing:,} more characters)"


def one_line(text: object, limit: int = LABEL) -> str:
    """The text as a label: white space squeezed, hidden characters spelled out, cut."""
    whole = text if isinstance(text, str) else str(text)
    head = " ".join(whole[: 4 * limit].split())
    cut = len(head) > limit or len(whole) > 4 * limit
    return escape_control(head[:limit], limit) + (" …" if cut else "")


def whole_characters(text: str) -> str:
    """The text with halves of characters, which no file and no table can hold, replaced."""
    return text.encode("utf-8", "replace").decode("utf-8")


def in_cell(value: Any) -> Any:
    """A text as a spreadsheet shows it: no formula, hidden characters spelled out; others as is."""
    if not isinstance(value, str):
        return value
    kept = value if value.isascii() and value.isprintable() else value.translate(_VISIBLE)
    return f"'{kept}" if _FORMULA.match(kept) else kept


def in_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A table, its column names too, with texts that a spreadsheet may open."""
    texts = [name for name in table if table[name].dtype.kind not in "biuf"]
    return table.assign(**{str(n): table[n].map(in_cell) for n in texts}).rename(columns=in_cell)

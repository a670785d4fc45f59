"""Text from models, logs and data files, made fit to be shown, where no escaping helps.

Invisible and direction-changing characters, broken code points, secrets, and endless length.
"""

from __future__ import annotations

import hashlib
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


def digest(text: str, length: int = 10) -> str:
    """A short name for a text: so many digits of its SHA-256, of 64."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:length]


def make_whole(value: Any) -> Any:
    """The same of every text in a value; lists, dictionaries and models are changed in place."""
    if isinstance(value, str):
        return value if value.isascii() else whole_characters(value)
    if isinstance(value, dict):
        value.update({name: make_whole(one) for name, one in value.items()})
    elif isinstance(value, list):
        value[:] = map(make_whole, value)
    else:  # a pydantic model, or nothing that holds text
        for name in getattr(type(value), "model_fields", ()):
            attribute = getattr(value, name)
            if (kept := make_whole(attribute)) is not attribute:
                setattr(value, name, kept)
    return value


# What is one wherever it stands: in an error that quotes a request, an address or a setting.
_SECRETS = re.compile(
    r"(?<=://)[^/\s@]+(?=@)|(?<=bearer\s)\S{6,}|(?<=basic\s)[a-z0-9+/=]{12,}"
    r"|\b(?:sk|pk|rk|ghp|gho|hf|gsk|xox[a-z]|glpat|AIza|AKIA)[-_]?[a-z0-9][a-z0-9_-]{11,}"
    r"|(?<![a-z])(?:[a-z]{1,12}[-_])?(?:api[-_]?key|token|pass(?:word|wd)|pwd|secret|sig|signature|"
    r"key|auth(?:orization)?)[\"']?\s{0,3}[=:]\s{0,3}[\"']?(?:bearer\s|basic\s)?[^\s\"'&;,]{6,}",
    re.IGNORECASE,
)


def mask_secrets(text: str) -> str:
    """The text without what looks like a key, a password or a token."""
    return _SECRETS.sub("[hidden]", text)


def in_cell(value: Any) -> Any:
    """A text as a spreadsheet shows it: no formula, hidden characters spelled out; others as is."""
    if not isinstance(value, str):
        return value
    kept = value if value.isascii() and value.isprintable() else value.translate(_VISIBLE)
    return f"'{kept}" if _FORMULA.match(kept) else kept


def in_cells(table: pd.DataFrame) -> pd.DataFrame:
    """A table, its column names too, with texts that a spreadsheet may open."""
    import pandas as pd

    texts = [name for name in table if table[name].dtype.kind not in "biuf"]
    # Numbers beside gaps stay as they are written: 1, not 1.0.
    cells = {str(n): pd.Series(map(in_cell, table[n]), table.index, object) for n in texts}
    return table.assign(**cells).rename(columns=in_cell)

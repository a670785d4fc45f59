"""Output formats: how each is asked for, read, written and missed.

A new format is one object given to `register_format`, which lets it prove itself on its own
example. The built-in fifteen come from one study; "the paper" and its tables are cited beside
what is taken from them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from askew.parameters import choose
from askew.reading.formats.base import (
    TAGGED_CATEGORIES,
    Example,
    ExpectedAnswer,
    Extracted,
    Format,
    FormatReading,
    Kind,
    Prompting,
    Value,
    nothing,
    read,
)
from askew.reading.formats.built_in import BUILT_IN, Pair

__all__ = [
    "CATEGORIES", "FORMATS", "PAPER_FORMATS", "TAGGED_CATEGORIES", "Example", "ExpectedAnswer",
    "Extracted", "Format", "FormatReading", "Kind", "Pair", "Prompting", "Value", "format_named",
    "nothing", "read", "register_format",
]  # fmt: skip

CATEGORIES: Mapping[str, str] = {
    "mcq": "multiple choice: the letter or the text of an option",
    "wrapping": "the final answer between two marks",
    "list": "a list of 0/1 marks or of keyphrases",
    "mapping": "names under each of several keys",
}
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")

_formats: dict[str, Format] = {}
FORMATS: Mapping[str, Format] = MappingProxyType(_formats)
"""Every format by name, as registered so far."""


def register_format(fmt: Format) -> Format:
    """Add a format; from then on it can be asked for, read, scored and simulated.

    Args:
        fmt: the format. Its name must be new, its category one of `CATEGORIES`.
    """
    problem = _problem_of(fmt)
    if problem:
        raise ValueError(f"format {fmt.name!r} can't be registered: {problem}")
    _formats[fmt.name] = fmt
    return fmt


def _problem_of(fmt: Format) -> str:
    if not _NAME.fullmatch(fmt.name):
        return "a name has lower-case letters, digits and underscores, and begins with a letter"
    if fmt.category not in CATEGORIES:
        return f"its category {fmt.category!r} is none of {', '.join(CATEGORIES)}"
    if _formats.get(fmt.name, fmt) != fmt:
        return "another format has this name"
    asked, value = fmt.example.asked, fmt.example.value
    own = read(fmt.write(value), fmt, asked)
    if not own.format_ok or own.value != value:
        return f"it can't read its own example {fmt.write(value)!r}: {own.why}"
    if read(fmt.spoil(value), fmt, asked).format_ok:
        return f"it is followed by what should miss it, {fmt.spoil(value)!r}"
    return ""


def format_named(name: str) -> Format:
    """The format of a name; an unknown one is refused with the list."""
    return _formats[choose("format", name, tuple(_formats))[0]]


for _built_in in BUILT_IN:
    register_format(_built_in)
PAPER_FORMATS: tuple[str, ...] = tuple(_formats)
"""The paper's fifteen, in its order."""

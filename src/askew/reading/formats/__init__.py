"""Output formats: how each is asked for, read, written and missed."""

from askew.reading.formats.base import (
    Asked,
    Example,
    Format,
    Found,
    Kind,
    Prompting,
    Value,
    nothing,
)
from askew.reading.formats.extraction import Reading, read
from askew.reading.formats.registry import (
    CATEGORIES,
    FORMATS,
    PAPER_FORMATS,
    format_named,
    register_format,
)
from askew.reading.formats.wrapping import Pair

__all__ = [
    "CATEGORIES",
    "FORMATS",
    "PAPER_FORMATS",
    "Asked",
    "Example",
    "Format",
    "Found",
    "Kind",
    "Pair",
    "Prompting",
    "Reading",
    "Value",
    "format_named",
    "nothing",
    "read",
    "register_format",
]

"""Texts of chapters and pages as templates: words for people stand in YAML, not beside code."""

from __future__ import annotations

from functools import cache
from typing import Any

from jinja2 import Environment, StrictUndefined, Template


@cache
def _template(text: str) -> Template:
    return Environment(undefined=StrictUndefined).from_string(text)


def filled(text: str, **values: Any) -> str:
    """A text with its braces filled, on one line."""
    return " ".join(_template(text).render(values).split()) if "{" in text else text

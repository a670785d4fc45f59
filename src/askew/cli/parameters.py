"""Task parameters on the command line, as `inspect eval` writes them: -T name=value."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click


def task_parameters(given: Sequence[str]) -> dict[str, Any]:
    """Parameters by name; values are YAML, as Inspect reads them."""
    return dict(_parameter(text) for text in given)


def _parameter(text: str) -> tuple[str, object]:
    import yaml

    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r}: write -T name=value")
    return name, yaml.safe_load(value)

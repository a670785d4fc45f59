"""Texts of the user's that treatments insert: one, several by name, or a file of them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import yaml

from askew.parameters import SelectionError
from askew.schema import clean_id

_READERS: Mapping[str, Callable[[str], Any]] = {
    ".toml": tomllib.loads,
    ".yaml": yaml.safe_load,
    ".yml": yaml.safe_load,
    ".json": json.loads,
}


def named_texts(parameter: str, given: object) -> dict[str, str]:
    """Texts by name: one text has none, a mapping or a file of texts names each.

    Args:
        parameter: the parameter that brought them, for messages.
        given: a text, a mapping of names to texts, or the path of a TOML, YAML or JSON file
            that holds one.
    """
    found = given
    if isinstance(given, str) and Path(given).suffix in _READERS and "\n" not in given:
        path = Path(given)
        if not path.is_file():
            raise SelectionError(f"{parameter}={given:.120}: there is no such file")
        try:
            found = _READERS[path.suffix](path.read_text("utf-8"))
        except (ValueError, yaml.YAMLError, UnicodeDecodeError) as error:
            raise SelectionError(f"{parameter}={given:.120}: {error}") from None
    if isinstance(found, str) and found.strip():
        return {"": found.strip()}
    if not isinstance(found, Mapping) or not found:
        raise SelectionError(
            f"{parameter}={given!r:.120}: give a text or a file of named ones (.toml, .yaml, .json)"
        )
    odd = [name for name, text in found.items() if not isinstance(text, str) or not text.strip()]
    if odd:
        raise SelectionError(f"{parameter}: {str(odd[0])[:60]!r} is not a text")
    names = {clean_id(str(name)): str(text).strip() for name, text in found.items()}
    if len(names) < len(found):
        raise SelectionError(f"{parameter}: two names are alike as parts of a sample's id")
    return names

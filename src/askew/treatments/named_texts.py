"""Texts of the user's that treatments insert: one, several by name, or a file of them."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any
from unicodedata import category

import yaml

from askew.parameters import SelectionError, quoted
from askew.schema import clean_id

# Longer than any prompt that somebody wrote.
_LONGEST = 200_000
_LONGEST_NAME = 100
_MOST = 100
_READERS: Mapping[str, Callable[[str], Any]] = {
    ".toml": tomllib.loads,
    ".yaml": yaml.safe_load,
    ".yml": yaml.safe_load,
    ".json": json.loads,
}


def inserted_text(parameter: str, given: object) -> str:
    """A text that can stand in a prompt: of some length, without what no one sees or can encode.

    Args:
        parameter: the parameter that brought it, for messages.
        given: the text.
    """
    if not isinstance(given, str) or not given.strip():
        raise SelectionError(f"{parameter}={quoted(given, 120)}: give a text")
    if len(given) > _LONGEST:
        raise SelectionError(
            f"{parameter}={quoted(given)}: give a text of at most {_LONGEST:,} characters; it has "
            f"{len(given):,}"
        )
    odd = next((c for c in given if category(c) in ("Cc", "Cs") and c not in "\n\r\t"), "")
    if odd:
        raise SelectionError(
            f"{parameter}={quoted(given)}: give a text without control characters; it has "
            f"U+{ord(odd):04X}"
        )
    return given.strip()


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
        try:
            found = _READERS[path.suffix](path.read_text("utf-8"))
        except FileNotFoundError:
            raise SelectionError(
                f"{parameter}={quoted(given, 120)}: there is no such file"
            ) from None
        except (ValueError, OSError, yaml.YAMLError, RecursionError) as error:
            why = " ".join(str(error).split())
            raise SelectionError(f"{parameter}={quoted(given, 120)}: {why:.200}") from None
    if isinstance(found, str) and found.strip():
        return {"": inserted_text(parameter, found)}
    if not isinstance(found, Mapping) or not found:
        raise SelectionError(
            f"{parameter}={quoted(given, 120)}: give a text or a file of named ones "
            "(.toml, .yaml, .json)"
        )
    if len(found) > _MOST:
        raise SelectionError(f"{parameter}: give at most {_MOST} texts, each is an arm")
    odd = [name for name, text in found.items() if not isinstance(text, str) or not text.strip()]
    if odd:
        raise SelectionError(f"{parameter}={quoted(given)}: {quoted(odd[0])} is not a text")
    long = [name for name in map(str, found) if len(name) > _LONGEST_NAME]
    if long:
        raise SelectionError(f"{parameter}={quoted(long[0])}: give a shorter name")
    names = {clean_id(str(n)): inserted_text(parameter, text) for n, text in found.items()}
    if len(names) < len(found):
        raise SelectionError(f"{parameter}: two names are alike as parts of a sample's id")
    return names

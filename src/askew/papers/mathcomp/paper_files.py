"""The paper's 300 items, made ready to ask.

File: MathComp_Dataset.csv of github.com/Mamin78/more_or_less_wrong at revision
d5fab1108a265b4c1e5b4edaa80a94eb73c477bf, CC BY 4.0. Nothing of it is bundled.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import replace
from io import StringIO
from typing import Any

from askew.files import toml_of
from askew.papers.mathcomp.framings import Scenario, paper_phrase

_TABLE = toml_of(__package__, "published/items.toml")
# The file's columns, and what we call them.
COLUMNS: Mapping[str, str] = _TABLE["columns"]


def _odd(kind: str) -> dict[str, Any]:
    return {_id(number): entry for number, entry in _TABLE[kind].items()}


def _id(number: str) -> str:
    return f"paper-{int(number):03d}"


EXCLUDED: Mapping[str, str] = _odd("excluded")
# The two equations as the sentences have them, and what is wrong with the published ones.
CORRECTED: Mapping[str, Mapping[str, str]] = _odd("corrected")
OPEN_READINGS: Mapping[str, str] = _odd("open_readings")

_PLACEHOLDER = re.compile(r"\[person_([ab])\]", re.IGNORECASE)
_NEUTRAL_PRONOUN = {"his": "their", "her": "their", "him": "them", "he": "they", "she": "they"}
_PRONOUN = re.compile(rf"\b({'|'.join(_NEUTRAL_PRONOUN)})\b", re.IGNORECASE)


def rows_of(data: bytes) -> list[dict[str, str]]:
    """The rows of the file, under our names."""
    told = csv.DictReader(StringIO(data.decode("utf-8-sig"), newline=""))
    return [{COLUMNS[column]: cell for column, cell in row.items()} for row in told]


def scenario_of(row: Mapping[str, str]) -> Scenario:
    """One row as published, but for placeholders and pronouns."""
    made: dict[str, Any] = {
        **row,
        "id": _id(row["id"]),
        "sentence1": normal_sentence(row["sentence1"]),
        "sentence2": normal_sentence(row["sentence2"]),
        "verbal": row["verbal"].strip().casefold() == "true",
        "phrase": paper_phrase(row["task"], row["quantity"]),
    }
    return Scenario(**made)


def scenarios(data: bytes, strict_items: bool = True) -> list[Scenario]:
    """The items to ask: corrected, and those marked that are wrong; or all as published."""
    made = [scenario_of(row) for row in rows_of(data)]
    return [_corrected(scenario) for scenario in made] if strict_items else made


def _corrected(scenario: Scenario) -> Scenario:
    fixed: dict[str, Any] = {
        k: v for k, v in CORRECTED.get(scenario.id, {}).items() if k != "reason"
    }
    return replace(scenario, **fixed, wrong=EXCLUDED.get(scenario.id, ""))


def normal_sentence(sentence: str) -> str:
    """One spelling of the placeholders, and pronouns that fit every identity."""
    placed = _PLACEHOLDER.sub(lambda found: f"{{{found[1].upper()}}}", sentence)
    return _PRONOUN.sub(_neutral, placed)


def _neutral(found: re.Match[str]) -> str:
    word = _NEUTRAL_PRONOUN[found[0].casefold()]
    return word.capitalize() if found[0][0].isupper() else word

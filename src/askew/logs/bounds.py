"""How much a log may say of its run and samples: no table and no report grows by what it adds.

Texts are cut with a digest of the whole, so that two that differ stay two. What is too many is
refused with a sentence: of a sample as malformed, of a run as a log that can't be read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sized
from functools import lru_cache
from typing import Any

from inspect_ai.log import EvalLog

# Far more than any run of ours has, and few enough for a page.
_MOST_SETTINGS = 1_000
_MOST_FIELDS = 200
_LONGEST_FIELD = 100
LONGEST_NAME = 300
_LONGEST_VALUE = 1_000
# Beyond it floats skip numbers, and a table's whole numbers end soon after.
_LARGEST_WHOLE = 2**53


def cut(text: str, most: int = LONGEST_NAME) -> str:
    """A text, or its beginning with its length and a digest of all of it."""
    if len(text) <= most:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:8]
    return f"{text[:most]} … ({len(text):,} characters, {digest})"


def cut_setting(text: str) -> str:
    """A setting's value, or its beginning."""
    return cut(text, _LONGEST_VALUE)


def check_header(header: EvalLog) -> None:
    """Raise where a run says more of itself than any does."""
    spec = header.eval
    told: dict[str, Sized] = {
        "task arguments": spec.task_args,
        "model arguments": spec.model_args,
        "solver arguments": spec.solver_args or {},
        "model roles": spec.model_roles or {},
        "packages": spec.packages,
        "scorers": spec.scorers or [],
        "steps": header.plan.steps,
    }
    for what, given in told.items():
        many = _leaves(given)
        if many > _MOST_SETTINGS:
            raise ValueError(f"its run has more than {_MOST_SETTINGS:,} {what}")


def _leaves(given: object) -> int:
    """How many values settings hold, up to a few more than are too many."""
    many, left = 0, [given]
    while left and many <= _MOST_SETTINGS:
        one = left.pop()
        inner = [*one.values()] if isinstance(one, Mapping) else one
        if isinstance(inner, list):
            many += len(inner)
            left += [value for value in inner[:_MOST_SETTINGS] if isinstance(value, Mapping)]
    return many


@lru_cache(maxsize=256)
def odd_fields(names: tuple[str, ...]) -> str:
    """Why a sample's fields make no columns; empty where they do."""
    if len(names) > _MOST_FIELDS:
        return f"it has {len(names):,} fields, more than {_MOST_FIELDS}"
    if any(len(name) > _LONGEST_FIELD or not name.isprintable() for name in names):
        return f"a field's name is longer than {_LONGEST_FIELD} characters, or can't be shown"
    return ""


def check_fields(rows: Iterable[Mapping[str, Any]]) -> None:
    """Raise where the samples of a log bring more columns together than one may have fields."""
    found: set[str] = set()
    for names in {tuple(row): None for row in rows}:
        found.update(names)
        if len(found) > _MOST_FIELDS:
            raise ValueError(f"its samples have more than {_MOST_FIELDS} fields")


def plain(value: Any) -> Any:
    """A value of a sample as a cell of a table holds it."""
    if isinstance(value, list | dict):
        try:
            return json.dumps(value, default=str)[:_LONGEST_VALUE]
        except RecursionError:
            return f"a {type(value).__name__} in others without end"
    if isinstance(value, int) and not -_LARGEST_WHOLE <= value <= _LARGEST_WHOLE:
        return str(value)[:_LONGEST_VALUE]
    return value

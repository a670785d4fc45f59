"""How much a log may say of its run and samples: no table and no report grows by what it adds.

Texts are cut with a digest of the whole, so that two that differ stay two. What is too many is
refused with a sentence: of a sample as malformed, of a run as a log that can't be read.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from itertools import chain
from typing import Any

from inspect_ai.log import EvalLog
from pydantic import BaseModel

# Far more than any run of ours has, and few enough for a page.
_MOST_SETTINGS = 1_000
_MOST_FIELDS = 200
_LONGEST_FIELD = 100
LONGEST_NAME = 300
_LONGEST_VALUE = 1_000
# Far more than anybody pays for.
MOST_EPOCHS = 100_000
# Beyond it floats skip numbers, and a table's whole numbers end soon after.
LARGEST_WHOLE = 2**53


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
    epochs = spec.config.epochs
    if epochs is not None and not 1 <= epochs <= MOST_EPOCHS:
        raise ValueError(f"its run's epochs are none from 1 to {MOST_EPOCHS:,}: {epochs}")
    bound = chain.from_iterable(
        of if isinstance(of, list) else [of] for of in (spec.model_roles or {}).values()
    )
    told: dict[str, Iterable[Mapping[Any, Any]]] = {
        "task arguments": [spec.task_args],
        "model arguments": [spec.model_args],
        "solver arguments": [spec.solver_args or {}],
        "model roles": map(_set, bound),
        "generation settings": map(_set, [spec.model_generate_config, header.plan.config]),
        "packages": [spec.packages],
        "scorers": map(_set, spec.scorers or []),
        "steps": [dict(enumerate(header.plan.steps))],
    }
    for what, given in told.items():
        if _has_more(given, _MOST_SETTINGS):
            raise ValueError(f"its run has more than {_MOST_SETTINGS:,} {what}")


def _set(settings: BaseModel) -> Mapping[str, Any]:
    """What is set of many settings, those in them too."""
    return settings.model_dump(exclude_none=True)


def _has_more(given: Iterable[Mapping[Any, Any]], most: int) -> bool:
    """Whether settings hold more values than this, within each other too. A list is one value."""
    many = 0
    for settings in given:
        left = [settings]
        while left:
            inner = left.pop().values()
            many += len(inner)
            if many > most:
                return True
            left += [value for value in inner if isinstance(value, Mapping)]
    return False


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
    if isinstance(value, int) and not -LARGEST_WHOLE <= value <= LARGEST_WHOLE:
        return str(value)[:_LONGEST_VALUE]
    return value

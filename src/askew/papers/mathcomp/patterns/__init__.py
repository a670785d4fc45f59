"""Hand-written scenario patterns, one file a category; `grammar` says how they read."""

import tomllib
from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from importlib import resources
from typing import Any

from askew.papers.mathcomp.framings import Phrase, phrase_for
from askew.papers.mathcomp.patterns.grammar import (
    FACTORS,
    KNOWN_MULTIPLIERS,
    SCALE,
    Form,
    Pattern,
    read_domain,
    read_form,
)

__all__ = ["Form", "Pattern", "all_patterns"]

_UNIT = SCALE**FACTORS
_GRAINS = {"money": "1/100"}


@cache
def all_patterns() -> tuple[Pattern, ...]:
    """Every pattern, in the order of the files' names and of the files."""
    folder = resources.files(__name__)
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".toml")), key=str)
    return tuple(pattern for file in files for pattern in _read(file.read_text("utf-8"), file.name))


def _read(text: str, name: str) -> list[Pattern]:
    document = tomllib.loads(text)
    patterns = []
    for entry in document["pattern"]:
        try:
            patterns.append(_pattern(entry, document["category"]))
        except (KeyError, ValueError) as problem:
            key = entry.get("key", "without a key")
            raise ValueError(f"pattern {key} of {name}: {problem}") from problem
    return patterns


def _pattern(entry: Mapping[str, Any], category: str) -> Pattern:
    quantity = entry["quantity"]
    smallest, largest = (int(Fraction(end) * _UNIT) for end in entry["total"].split(".."))
    asks = entry.get("asks")
    pattern = Pattern(
        key=entry["key"],
        category=category,
        quantity=quantity,
        task=entry["task"],
        phrase=Phrase(**asks) if asks else phrase_for(entry["task"], quantity),
        domains={slot: read_domain(spec) for slot, spec in entry["slots"].items()},
        grain=int(Fraction(entry.get("grain", _GRAINS.get(quantity, "1"))) * _UNIT),
        smallest=smallest,
        largest=largest,
        arabic=tuple(read_form(text, total) for text, total in entry["arabic"]),
        verbal=tuple(read_form(text, total) for text, total in entry["verbal"]),
    )
    _check(pattern)
    return pattern


def _check(pattern: Pattern) -> None:
    used = {slot for form in (*pattern.arabic, *pattern.verbal) for slot in form.slots}
    if used != pattern.domains.keys():
        raise ValueError(f"slots without use or without values: {used ^ pattern.domains.keys()}")
    if any(len(forms) < 2 for forms in (pattern.arabic, pattern.verbal)):
        raise ValueError("a pattern needs two forms in digits and two in words")
    for form in (*pattern.arabic, *pattern.verbal):
        for piece in form.pieces:
            if piece.style:
                known = KNOWN_MULTIPLIERS[piece.style]
                odd = [v for v in pattern.domains[piece.slot] if not known(Fraction(v, SCALE))]
                if odd:
                    raise ValueError(f"no words for {piece.slot!r} as {piece.style!r}")

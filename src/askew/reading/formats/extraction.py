"""A reply in a format: the answer it gives, and whether it follows the format (Algorithm 1).

Two judgements: the format's marks are as they should be and the value has the expected type
(`format_ok`), and what the value is, which a scorer compares with the truth.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from askew.reading.formats.base import Asked, Format, Found, Value
from askew.reading.formats.lists import is_binary
from askew.reading.formats.wrapping import tagged
from askew.reading.reply import refuses

# A letter in a wrapper is any of these, whatever is offered.
_WRAPPED_LETTERS = "ABCDEFGH"
# Categories whose chain-of-thought answer stands between <ANSWER> tags.
TAGGED_CATEGORIES = frozenset({"mcq", "list", "mapping"})


@dataclass(frozen=True)
class Reading:
    """What a reply says.

    Attributes:
        value: the answer, fit to be scored; None where nothing can be.
        format_ok: whether the reply follows the format.
        why: one line that says why.
        tolerated: a departure from the format that was let pass, if any.
    """

    value: Value | None
    format_ok: bool
    why: str
    tolerated: str = ""


def read(reply: str, fmt: Format, asked: Asked) -> Reading:
    """Read a reply in a format; any text is fine.

    Args:
        reply: the model's reply, without a reasoning block.
        fmt: the format it was asked for.
        asked: the answer that was asked for.
    """
    text = reply
    if asked.prompting == "cot" and fmt.category in TAGGED_CATEGORIES:
        part = tagged(reply)
        if part.value is None:
            return Reading(None, False, part.why)
        text = part.value
    found = fmt.extract(text, asked)
    if found.value is None:
        return Reading(None, False, found.why)
    value, wrong = _typed(found, asked)
    ok = found.marked and not wrong
    return Reading(value, ok, "; ".join(filter(None, (found.why, wrong))), found.tolerated)


def _typed(found: Found, asked: Asked) -> tuple[Value | None, str]:
    """The value as its type, and what is wrong with it, if anything."""
    if asked.kind == "letter":
        letter = found.value.strip().upper()
        wrong = len(letter) != 1 or letter not in _WRAPPED_LETTERS
        return letter, "not a letter" if wrong else ""
    if asked.kind == "ranking":
        return _ranking(found, asked)
    if asked.kind == "keyphrases":
        return _keyphrases(found)
    if asked.kind == "entities":
        return _entities(found.value)
    return found.value, ""


def _ranking(found: Found, asked: Asked) -> tuple[Value | None, str]:
    if not all(is_binary(element, found.typed) for element in found.value):
        return None, "not all elements are 0 or 1"
    marks = [int(element) for element in found.value]
    if len(marks) != asked.n_elements:
        return marks, f"{len(marks)} elements for {asked.n_elements} documents"
    return marks, ""


def _keyphrases(found: Found) -> tuple[Value | None, str]:
    if not all(isinstance(element, str) for element in found.value):
        return None, "not all elements are text"
    phrases = [element.strip() for element in found.value]
    filled = [phrase for phrase in phrases if phrase]
    if len(filled) == 1 and refuses(filled[0]):
        return None, "declines to answer"
    return filled or None, "" if len(filled) == len(phrases) else "an element is empty"


def _entities(value: dict[str, list[Any]]) -> tuple[Value | None, str]:
    if not all(isinstance(name, str) for names in value.values() for name in names):
        return None, "not all names are text"
    return value, ""

"""JSON objects in a reply, written the way models write them.

Read are objects with prose or fences around them, keys and strings in single quotes or none,
trailing commas, Python's names for true, false and null, line breaks and stray quotes inside
strings. Nothing is evaluated; depth, attempts and characters are capped.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from askew.papers.mathcomp.comparisons import bare_option
from askew.papers.mathcomp.paper import OPTIONS

MAX_TEXT = 60_000
MAX_DEPTH = 12
# Braces of a hostile reply that are tried.
_MOST = 500

_SPACE = re.compile(r"[ \t\r\n\f]*+")
_BARE = re.compile(r"[^\s\"'{}\[\],:][^\"'{}\[\],:\n]*+")
_KEY = re.compile(r"[A-Za-z_][\w \-]{0,60}+")
# A string ends at its quote where something follows that may follow a string: so an apostrophe
# in 'Sam's total' and a quoted word in prose do not end theirs.
_STRING = re.compile(r"""(["'])(.*?)(?<!\\)\1(?=\s*+(?:[,}\]:]|$))""", re.DOTALL)
_NAMES = {"true": True, "false": False, "null": None, "none": None}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", '"': '"', "'": "'", "\\": "\\", "/": "/"}

_ANSWER_KEYS = (
    *("answer", "final_answer", "result", "comparison", "conclusion", "response", "option"),
    *("choice", "label", "output", "value", "verdict", "final"),
)
_AMOUNT_KEYS = ("value", "output", "result")
_REASON_KEYS = ("reasoning", "explanation", "reason", "rationale", "thought", "analysis", "steps")
_AMOUNT = re.compile(r"\d[\d.,]*")
# An option in a field has no more characters.
_LONGEST = 120


@dataclass(frozen=True)
class JsonObject:
    """An object of a text, and where it stands."""

    value: dict[str, Any]
    start: int
    end: int
    in_list: bool = False
    """Whether it is an element of a list of the reply's own, beside others."""


class _UnreadableError(ValueError):
    """What stands here is no object."""


def answer_values(record: dict[str, Any]) -> list[Any]:
    """What an object gives as its answer.

    An answer field of its own comes first, under its usual names; then an object inside it that
    has one; then an option as a key that is set to true; last a single field that is an option.
    """
    named = {_key(k): v for k, v in record.items()}
    options = [v for v in named.values() if isinstance(v, str) and bare_option(v[:_LONGEST])]
    for key in _ANSWER_KEYS:
        if key in named:
            # {"type": "less", "value": 10}: of an amount, the answer stands beside it.
            if key in _AMOUNT_KEYS and len(options) == 1 and _AMOUNT.fullmatch(str(named[key])):
                continue
            value = named[key]
            inner = answer_values(value) if isinstance(value, dict) else []
            return inner or (value if isinstance(value, list) and value else [value])
    inside = (answer_values(v) for v in record.values() if isinstance(v, dict))
    nested = [values for values in inside if values]
    if nested:
        return nested[-1]
    marked: list[Any] = [k for k, v in named.items() if k in OPTIONS and v is True]
    if marked:
        return marked
    return options if len(options) == 1 else []


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def reasons_of(record: dict[str, Any]) -> str:
    """What an object gives as its reasons."""
    told = (v for k, v in record.items() if _key(k) in _REASON_KEYS and isinstance(v, str))
    return "\n".join(told)


def objects_in(text: str) -> list[JsonObject]:
    """The outermost objects of a text, in order; what can't be read is left out.

    Only the end of a text longer than `MAX_TEXT` is looked at: an answer stands there.
    """
    offset = max(0, len(text) - MAX_TEXT)
    body = text[offset:]
    found: list[JsonObject] = []
    at = end = 0
    for _ in range(_MOST):
        if (at := body.find("{", at)) < 0:
            break
        try:
            value, stop = _value(body, at, 0)
        except _UnreadableError:
            at += 1
            continue
        between = body[end:at].strip()
        in_list = between[-1:] == "[" or (between == "," and any(f.in_list for f in found[-1:]))
        found.append(JsonObject(value, offset + at, offset + stop, in_list))
        at = end = stop
    return found


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """What stands at a place, and where it ends."""
    if depth > MAX_DEPTH:
        raise _UnreadableError
    at = _behind(text, at)
    close = {"{": "}", "[": "]"}.get(text[at : at + 1])
    if close is None:
        word, end = _word(_BARE, text, at)
        return (word if text[at] in "\"'" else _NAMES.get(word.casefold(), word)), end
    elements: list[Any] = []
    at = _behind(text, at + 1)
    while text[at : at + 1] != close:
        key = ""
        if close == "}":
            key, at = _word(_KEY, text, at)
            at = _behind(text, at)
            if text[at : at + 1] not in (":", "="):
                raise _UnreadableError
            at += 1
        value, at = _value(text, at, depth + 1)
        elements.append((key, value) if close == "}" else value)
        at = _behind(text, at)
        if text[at : at + 1] == ",":
            at = _behind(text, at + 1)
        elif text[at : at + 1] not in (close, *("\"'" if close == "}" else "")):
            raise _UnreadableError
    # Of a repeated key the last one counts, as elsewhere.
    return (dict(elements) if close == "}" else elements), at + 1


def _word(pattern: re.Pattern[str], text: str, at: int) -> tuple[str, int]:
    """A string where a quote opens one, else a word; and where it ends."""
    quoted = text[at : at + 1] in ('"', "'")
    found = (_STRING if quoted else pattern).match(text, at)
    if found is None:
        raise _UnreadableError
    said = re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), found[2]) if quoted else found[0]
    return (said if quoted else said.strip()), found.end()


def _behind(text: str, at: int) -> int:
    space = _SPACE.match(text, at)
    return space.end() if space else at

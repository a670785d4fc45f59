"""JSON objects in a reply, written the way models write them.

Read are objects with prose or fences around them, keys and strings in single quotes or none,
trailing commas, Python's names for true, false and null, line breaks and stray quotes inside
strings. Nothing is evaluated. Reading is capped in depth, in attempts and in characters, so a
reply that is all brackets costs no more than one that is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from askew.papers.mathcomp.comparisons import bare_option
from askew.papers.mathcomp.paper import OPTIONS

MAX_TEXT = 60_000
MAX_DEPTH = 12
_MAX_OBJECTS = 200
# Characters looked at, as a multiple of the text: a bound on starting again.
_WORK = 6

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
    reader = _Reader(text[offset:])
    found: list[JsonObject] = []
    at = reader.text.find("{")
    while at >= 0 and len(found) < _MAX_OBJECTS and reader.work < _WORK * MAX_TEXT:
        try:
            reader.at = at
            value = reader.value(0)
        except _UnreadableError:
            at = reader.text.find("{", at + 1)
            continue
        in_list = reader.text[:at].rstrip()[-1:] == "[" or (
            bool(found)
            and found[-1].in_list
            and reader.text[found[-1].end - offset : at].strip() == ","
        )
        found.append(JsonObject(value, offset + at, offset + reader.at, in_list))
        at = reader.text.find("{", reader.at)
    return found


class _Reader:
    """Recursive descent over one text."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.work = 0

    def value(self, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise _UnreadableError
        match self._mark():
            case "{":
                return dict(self._entry(depth + 1) for _ in self._elements("}", also="\"'"))
            case "[":
                return [self.value(depth + 1) for _ in self._elements("]")]
            case "'" | '"':
                return self._string()
        word = self._word(_BARE)
        return _NAMES.get(word.casefold(), word)

    def _mark(self) -> str:
        """The character that stands here, behind any space."""
        space = _SPACE.match(self.text, self.at)
        self._move(space.end() if space else self.at)
        return self.text[self.at : self.at + 1]

    def _move(self, to: int) -> None:
        self.work += to - self.at + 1
        if self.work > _WORK * MAX_TEXT:
            raise _UnreadableError
        self.at = to

    def _elements(self, close: str, also: str = "") -> Iterator[None]:
        """Stops at every element up to the closing mark; a comma, or a mark of `also`, follows."""
        self._move(self.at + 1)
        while self._mark() != close:
            yield
            if self._mark() == ",":
                self._move(self.at + 1)
            elif self.text[self.at : self.at + 1] not in (close, *also):
                raise _UnreadableError
        self._move(self.at + 1)

    def _entry(self, depth: int) -> tuple[str, Any]:
        """A key with its value; of a repeated key the last one counts, as elsewhere."""
        key = self._string() if self._mark() in ("'", '"') else self._word(_KEY)
        if self._mark() not in (":", "="):
            raise _UnreadableError
        self._move(self.at + 1)
        return key, self.value(depth)

    def _word(self, pattern: re.Pattern[str]) -> str:
        found = pattern.match(self.text, self.at)
        if found is None:
            raise _UnreadableError
        self._move(found.end())
        return found.group().strip()

    def _string(self) -> str:
        found = _STRING.match(self.text, self.at)
        self._move(found.end() if found else len(self.text))
        if found is None:
            raise _UnreadableError
        return re.sub(r"\\(.)", lambda m: _ESCAPES.get(m[1], m[0]), found[2])

"""Lists and mappings written as Python literals, JSON or YAML, read from untrusted text.

Nothing is evaluated and no object is constructed but text, numbers, lists and dictionaries.
Reading takes time linear in the text, which is capped in length and in nesting; whatever can't
be read is a `LiteralError`, never another exception.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import yaml

# Longer than any list or mapping that answers a question.
MAX_TEXT = 200_000
# YAML is read character by character in Python: its cap keeps a hostile reply below a second.
MAX_YAML = 20_000
MAX_DEPTH = 20
_MAX_DIGITS = 100


class LiteralError(ValueError):
    """A text that is not the literal it should be: why."""


class _Ellipsis:
    """What a skeleton such as `[...]` holds where nobody filled it in."""

    def __repr__(self) -> str:
        return "..."


ELLIPSIS = _Ellipsis()

_SPACE = re.compile(r"(?:[ \t\r\n\f]|#[^\n]*+)*+")
_TOKEN = re.compile(
    r"(?P<mark>[\[\]{},:])"
    r"|'(?P<single>[^'\\\n]*+(?:\\[\s\S][^'\\\n]*+)*+)'"
    r'|"(?P<double>[^"\\\n]*+(?:\\[\s\S][^"\\\n]*+)*+)"'
    r"|(?P<number>[+-]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][+-]?\d{1,3})?)(?![\w.])"
    r"|(?P<name>True|False|None)(?!\w)"
    r"|(?P<gap>\.\.\.)"
)
_NAMES = {"True": True, "False": False, "None": None}
_ESCAPE = re.compile(
    r"\\(?:(?P<plain>[\\'\"abfnrtv\n])|x(?P<x>[0-9a-fA-F]{2})|u(?P<u>[0-9a-fA-F]{4})"
    r"|U(?P<U>[0-9a-fA-F]{8})|(?P<octal>[0-7]{1,3}))"
)
_PLAIN = {
    "\\": "\\", "'": "'", '"': '"', "a": "\a", "b": "\b", "f": "\f", "n": "\n", "r": "\r",
    "t": "\t", "v": "\v", "\n": "",
}  # fmt: skip


def unfenced(text: str) -> str:
    """The inside of a text that is one fenced code block; any other text as it is, trimmed."""
    body = text.strip()
    if len(body) < 6 or not (body.startswith("```") and body.endswith("```")):
        return body
    inside = body[3:-3]
    if "```" in inside:
        return body
    first, newline, rest = inside.partition("\n")
    return rest.strip() if newline and _is_language(first) else inside.strip()


def _is_language(line: str) -> bool:
    return not line.strip() or (len(line) < 30 and line.strip().isalnum())


def read_python(text: str) -> Any:
    """The value of a Python literal: lists, dictionaries, strings, numbers, True, False, None."""
    _check_length(text, MAX_TEXT)
    return _PythonReader(text).whole()


class _PythonReader:
    """Recursive descent, no deeper than `MAX_DEPTH`; every character is looked at once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def whole(self) -> Any:
        value = self.value(self.token(), 0)
        self.skip_space()
        if self.at < len(self.text):
            self.fail("something follows the literal")
        return value

    def skip_space(self) -> None:
        match = _SPACE.match(self.text, self.at)
        self.at = match.end() if match else self.at

    def token(self) -> re.Match[str]:
        self.skip_space()
        match = _TOKEN.match(self.text, self.at)
        if match is None:
            self.fail("no literal stands here")
        self.at = match.end()
        return match

    def value(self, token: re.Match[str], depth: int) -> Any:
        if depth > MAX_DEPTH:
            self.fail(f"nested deeper than {MAX_DEPTH} levels")
        kind = str(token.lastgroup)
        if kind == "mark":
            if token["mark"] == "[":
                return list(self.elements(depth))
            if token["mark"] == "{":
                return dict(self.entries(depth))
            self.fail(f"{token['mark']!r} where a value should be")
        return _SIMPLE[kind](token[kind], self)

    def elements(self, depth: int) -> Iterator[Any]:
        token = self.token()
        while token["mark"] != "]":
            yield self.value(token, depth + 1)
            token = self.token()
            if token["mark"] == ",":
                token = self.token()
            elif token["mark"] != "]":
                self.fail("no comma between two elements")

    def entries(self, depth: int) -> Iterator[tuple[Any, Any]]:
        token = self.token()
        while token["mark"] != "}":
            if token["mark"]:
                self.fail("a key that is no text or number")
            key = self.value(token, depth + 1)
            if self.token()["mark"] != ":":
                self.fail("no colon behind a key")
            yield key, self.value(self.token(), depth + 1)
            token = self.token()
            if token["mark"] == ",":
                token = self.token()
            elif token["mark"] != "}":
                self.fail("no comma between two entries")

    def fail(self, why: str) -> NoReturn:
        raise LiteralError(f"not a literal: {why} (character {self.at + 1})")


def _string(written: str, reader: _PythonReader) -> str:
    return _ESCAPE.sub(_unescaped, written) if "\\" in written else written


def _unescaped(match: re.Match[str]) -> str:
    if match["plain"] is not None:
        return _PLAIN[match["plain"]]
    code = match["x"] or match["u"] or match["U"]
    value = int(code, 16) if code else int(match["octal"], 8)
    if value > 0x10FFFF:
        raise LiteralError(f"not a literal: no character has the number {value:#x}")
    return chr(value)


def _number(written: str, reader: _PythonReader) -> int | float:
    if len(written) > _MAX_DIGITS:
        reader.fail(f"a number of {len(written)} characters")
    return float(written) if any(c in written for c in ".eE") else int(written)


_SIMPLE: dict[str, Callable[[str, _PythonReader], Any]] = {
    "single": _string,
    "double": _string,
    "number": _number,
    "name": lambda written, reader: _NAMES[written],
    "gap": lambda written, reader: ELLIPSIS,
}


def read_json(text: str) -> Any:
    """The value of a JSON text."""
    _check_length(text, MAX_TEXT)
    try:
        value = json.loads(text, parse_int=_bounded, parse_constant=_refused_constant)
    except RecursionError:
        raise LiteralError("not read: JSON nested too deeply") from None
    except json.JSONDecodeError as error:
        raise LiteralError(f"not JSON: {error.msg} (character {error.pos + 1})") from None
    _check_depth(value)
    return value


def _bounded(digits: str) -> int:
    if len(digits) > _MAX_DIGITS:
        raise LiteralError(f"not read: a number of {len(digits)} digits")
    return int(digits)


def _refused_constant(name: str) -> NoReturn:
    raise LiteralError(f"not JSON: {name} is no number")


def _check_depth(value: Any) -> None:
    level = [value]
    for _ in range(MAX_DEPTH + 1):
        level = [
            inner
            for outer in level
            if isinstance(outer, list | dict)
            for inner in (outer.values() if isinstance(outer, dict) else outer)
        ]
        if not level:
            return
    raise LiteralError(f"not read: nested deeper than {MAX_DEPTH} levels")


def read_yaml(text: str) -> Any:
    """The value of one YAML document: mappings, sequences and text; a plain null is None.

    Anchors, aliases, tags and further documents are refused: an answer needs none, and aliases
    let a short text stand for an endless one. Plain scalars are text, whatever they look like.
    """
    _check_length(text, MAX_YAML)
    try:
        return _from_events(yaml.parse(text, Loader=yaml.SafeLoader))
    except yaml.YAMLError as error:
        why = getattr(error, "problem", None) or "it can't be read"
        raise LiteralError(f"not YAML: {why}") from None
    except (ValueError, OverflowError, RecursionError) as error:
        if isinstance(error, LiteralError):
            raise
        raise LiteralError(f"not YAML: {type(error).__name__}") from None


_NULLS = frozenset({"", "~", "null", "Null", "NULL"})


def _from_events(events: Iterator[Any]) -> Any:
    """The value that parsing events build; events are lazy, so a refusal ends the reading."""
    top: list[Any] = []
    # Each open collection: where its values go, whether by key, and the key that waits.
    open_: list[tuple[Any, list[Any]]] = []

    def add(value: Any) -> None:
        if not open_:
            top.append(value)
            return
        holder, waiting = open_[-1]
        if isinstance(holder, list):
            holder.append(value)
        elif not waiting:
            if not isinstance(value, str):
                raise LiteralError("not read: a YAML key that is no text")
            waiting.append(value)
        else:
            holder[waiting.pop()] = value

    for event in events:
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            raise LiteralError("not read: YAML with an alias or an anchor")
        if getattr(event, "tag", None) is not None:
            raise LiteralError("not read: YAML with a tag")
        if isinstance(event, yaml.DocumentStartEvent) and top:
            raise LiteralError("not read: more than one YAML document")
        if isinstance(event, yaml.ScalarEvent):
            is_null = event.style is None and event.value in _NULLS
            add(None if is_null else str(event.value))
        elif isinstance(event, yaml.SequenceStartEvent | yaml.MappingStartEvent):
            collection: Any = [] if isinstance(event, yaml.SequenceStartEvent) else {}
            add(collection)
            open_.append((collection, []))
            if len(open_) > MAX_DEPTH:
                raise LiteralError(f"not read: nested deeper than {MAX_DEPTH} levels")
        elif isinstance(event, yaml.CollectionEndEvent):
            open_.pop()
    return top[0] if top else None


def _check_length(text: str, limit: int) -> None:
    if len(text) > limit:
        raise LiteralError(f"not read: longer than {limit:,} characters")

"""Several answers: lists (a ranking's 0/1 marks, keyphrases), and names under each of several keys.

What an element may be is checked after extraction, the same way for every format. The authors'
check lets any text pass for `newline` and `separator`, since any text is a list of one; here
too a single line of prose is one element, and only its score tells.
"""

from __future__ import annotations

import json
import re
from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from askew.reading.formats.base import (
    Example,
    ExpectedAnswer,
    Extracted,
    Format,
    nothing,
    sentence_of,
)
from askew.reading.literals import LiteralError, read_json, read_python, read_yaml, unfenced

SEPARATOR = "<SEP>"
# More elements than any answer has; what is longer is not a list that answers.
MAX_ELEMENTS = 10_000
_NUMBERING = re.compile(r"(?:\(?\d{1,4}[.)](?:\s+|$))?(?:-(?:\s+|$))?")
_PHRASES = Example(ExpectedAnswer("keyphrases"), ["tidal energy", "salt marsh"])


class List(Format):
    """What all lists share: the paper's sentence (Appendix E.3) with the list's noun in it."""

    category = "list"
    example = _PHRASES
    instruction: str

    def instruct(self, asked: ExpectedAnswer) -> str:
        noun = "binary list" if asked.kind == "ranking" else "list"
        return self.instruction.format(list=noun)

    def spoil(self, value: Sequence[object]) -> str:
        return f"The list has {sentence_of(value)}."


def _elements(elements: Sequence[str], why: str, tolerated: str = "") -> Extracted:
    if not elements:
        return nothing(f"no {why}")
    if len(elements) > MAX_ELEMENTS:
        return nothing(f"more than {MAX_ELEMENTS:,} elements")
    return Extracted([e.strip() for e in elements], True, f"{len(elements)} {why}", tolerated)


@dataclass(frozen=True)
class PythonList(List):
    """A literal list, alone or in a code block."""

    name: str = "python"
    meaning: str = "a Python list"
    instruction: str = "Generate your {list} as a Python list"

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        try:
            value = read_python(unfenced(text))
        except LiteralError as error:
            return nothing(str(error))
        if not isinstance(value, list):
            return nothing("a literal, but not a list")
        if not value:
            return nothing("an empty list")
        return Extracted(value, True, f"a list of {len(value)}", typed=True)

    def write(self, value: Sequence[object]) -> str:
        return repr(list(value))


@dataclass(frozen=True)
class Bullets(List):
    """Lines that begin with a hyphen; asterisks are let pass, other lines don't count."""

    name: str = "bullet"
    meaning: str = "bullet points"
    instruction: str = "Generate your {list} using bullet points"

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        lines = [line.strip() for line in text.split("\n")]
        bullets = [line for line in lines if line[:2] in ("- ", "* ", "-", "*")]
        stars = sum(line.startswith("*") for line in bullets)
        tolerated = f"{stars} bullets are asterisks" if stars else ""
        return _elements([b[1:] for b in bullets], "bullet points", tolerated)

    def write(self, value: Sequence[object]) -> str:
        return "\n".join(f"- {element}" for element in value)


@dataclass(frozen=True)
class Separated(List):
    """Elements with <SEP> between them; lines in their place are let pass, as one element."""

    name: str = "separator"
    meaning: str = "elements with <SEP> between them"
    instruction: str = "Generate your {list} using <SEP> to separate elements"

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        lines = len(text.strip().split("\n"))
        tolerated = (
            f"{lines} lines without {SEPARATOR}" if SEPARATOR not in text and lines > 1 else ""
        )
        return _elements(text.split(SEPARATOR) if text.strip() else [], "elements", tolerated)

    def write(self, value: Sequence[object]) -> str:
        return f" {SEPARATOR} ".join(str(element) for element in value)

    def spoil(self, value: Sequence[object]) -> str:
        # Any text is a list of one here: what misses the format is a skeleton nobody filled in.
        return f" {SEPARATOR} ".join("" for _ in range(len(value) + 1)).strip()


@dataclass(frozen=True)
class Lines(List):
    """One element a line; numbering and a leading hyphen are dropped, blank lines don't count."""

    name: str = "newline"
    meaning: str = "one element a line"
    instruction: str = "Generate your {list} such that each element is in a new line"

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        lines = (line.strip() for line in text.split("\n"))
        return _elements([_NUMBERING.sub("", line, count=1) for line in lines if line], "lines")

    def write(self, value: Sequence[object]) -> str:
        return "\n".join(str(element) for element in value)

    def spoil(self, value: Sequence[object]) -> str:
        return "\n".join(f"{i}." for i in range(1, len(value) + 1)) or "1."


_NAMES_IN_KEYS = Mapping[str, Sequence[str]]
_NAMES = Example(
    ExpectedAnswer("entities", keys=("Task", "Method")),
    {"Task": ["tide prediction"], "Method": ["harmonic analysis", "TideNet"]},
)


class MappingFormat(Format):
    """What both share: the required keys, and a list under each."""

    category = "mapping"
    example = _NAMES

    @abstractmethod
    def read(self, text: str) -> Any:
        """The value of a text; a `LiteralError` where it has none."""

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        try:
            value = self.read(unfenced(text))
        except LiteralError as error:
            return nothing(str(error))
        if not isinstance(value, dict):
            return nothing("read, but not a mapping")
        missing = [key for key in asked.keys if key not in value]
        if missing:
            return nothing(f"a mapping without {', '.join(missing)}")
        scalar = [key for key in asked.keys if not isinstance(value[key], list)]
        if scalar:
            return nothing(f"no list under {', '.join(scalar)}")
        return Extracted(
            {key: value[key] for key in asked.keys}, True, "all keys with lists", "", True
        )

    def spoil(self, value: _NAMES_IN_KEYS) -> str:
        return "; ".join(f"{key} = {sentence_of(names)}" for key, names in value.items()) + "."


@dataclass(frozen=True)
class Json(MappingFormat):
    """A JSON object or a Python dictionary, alone or in a code block."""

    name: str = "json"
    meaning: str = "a Python dictionary or JSON"

    def instruct(self, asked: ExpectedAnswer) -> str:
        quoted = [f"'{key}'" for key in asked.keys]
        kinds = [f"{key.lower()} name entities" for key in asked.keys]
        if len(quoted) == 1:
            said = f"the key {quoted[0]} and value as a list of {kinds[0]}"
        elif len(quoted) == 2:
            said = f"the keys {' and '.join(quoted)}, and value is a list of {' and '.join(kinds)}"
        else:
            said = f"the keys are {', '.join(quoted)}, and value is a list of {', '.join(kinds)}"
        skeleton = ", ".join(f"{key}: [...]" for key in quoted)
        return f"Your output must be a Python dictionary with {said}:\n{{{skeleton}}}"

    def read(self, text: str) -> Any:
        try:
            return read_json(text)
        except LiteralError as as_json:
            try:
                return read_python(text)
            except LiteralError as as_python:
                raise LiteralError(f"{as_json}; {as_python}") from None

    def write(self, value: _NAMES_IN_KEYS) -> str:
        return json.dumps(value, ensure_ascii=False)


@dataclass(frozen=True)
class Yaml(MappingFormat):
    """YAML, alone or in a code block; aliases are refused."""

    name: str = "yaml"
    meaning: str = "YAML"

    def instruct(self, asked: ExpectedAnswer) -> str:
        skeleton = "\n".join(f"{key}: [...]" for key in asked.keys)
        return f"Your output must be in YAML format:\n{skeleton}"

    def read(self, text: str) -> Any:
        return read_yaml(text)

    def write(self, value: _NAMES_IN_KEYS) -> str:
        dumped: str = yaml.safe_dump(
            {key: list(names) for key, names in value.items()},
            sort_keys=False,
            allow_unicode=True,
            width=float("inf"),
        )
        return dumped.rstrip("\n")


FORMATS = (PythonList(), Bullets(), Separated(), Lines(), Json(), Yaml())

"""Mappings: names under each key, as a Python dictionary or JSON, or as YAML."""

from __future__ import annotations

import json
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

_NAMES_IN_KEYS = Mapping[str, Sequence[str]]
_EXAMPLE = Example(
    ExpectedAnswer("entities", keys=("Task", "Method")),
    {"Task": ["tide prediction"], "Method": ["harmonic analysis", "TideNet"]},
)


class MappingFormat(Format):
    """What both share: the required keys, and a list under each."""

    category = "mapping"
    example = _EXAMPLE

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


JSON = Json()
YAML = Yaml()
FORMATS = (JSON, YAML)

"""Lists: a ranking's 0/1 marks or keyphrases, as a Python list or by line and separator.

What an element may be is checked after extraction, the same way for every format. The authors'
check lets any text pass for `newline` and `separator`, since any text is a list of one; here
too a single line of prose is one element, and only its score tells.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from askew.reading.formats.base import (
    Example,
    ExpectedAnswer,
    Extracted,
    Format,
    nothing,
    sentence_of,
)
from askew.reading.literals import LiteralError, read_python, unfenced

SEPARATOR = "<SEP>"
# More elements than any answer has; what is longer is not a list that answers.
MAX_ELEMENTS = 10_000
_NUMBERING = re.compile(r"(?:\(?\d{1,4}[.)](?:\s+|$))?(?:-(?:\s+|$))?")
_EXAMPLE = Example(ExpectedAnswer("keyphrases"), ["tidal energy", "salt marsh"])


class List(Format):
    """What all lists share: the paper's sentence (Appendix E.3) with the list's noun in it."""

    category = "list"
    example = _EXAMPLE
    instruction: str

    def instruct(self, asked: ExpectedAnswer) -> str:
        noun = "binary list" if asked.kind == "ranking" else "list"
        return self.instruction.format(list=noun)


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

    def spoil(self, value: Sequence[object]) -> str:
        return f"The list has {sentence_of(value)}."


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

    def spoil(self, value: Sequence[object]) -> str:
        return f"The list has {sentence_of(value)}."


@dataclass(frozen=True)
class Separated(List):
    """Elements with <SEP> between them."""

    name: str = "separator"
    meaning: str = "elements with <SEP> between them"
    instruction: str = "Generate your {list} using <SEP> to separate elements"

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        return _elements(text.split(SEPARATOR) if text.strip() else [], "elements")

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


PYTHON = PythonList()
BULLET = Bullets()
SEPARATED = Separated()
NEWLINE = Lines()
FORMATS = (PYTHON, BULLET, SEPARATED, NEWLINE)

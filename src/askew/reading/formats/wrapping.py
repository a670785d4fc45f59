"""Wrapping: the final answer between two marks, wherever it stands in the reply.

Matches are found by scanning for the marks, never by backtracking, so any reply takes linear
time. The semantics are those that reproduce the paper's Table 6 from the authors' replies.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from askew.reading.formats.base import (
    CLOSING_TAG,
    OPENING_TAG,
    Example,
    ExpectedAnswer,
    Extracted,
    Format,
    nothing,
    tagged,
)

_LETTER = Example(ExpectedAnswer("letter", choices=("red", "green", "blue")), "B")


class Wrapping(Format):
    """What all wrappers share."""

    category = "wrapping"
    example = _LETTER
    instruction: str

    def instruct(self, asked: ExpectedAnswer) -> str:
        return self.instruction

    def spoil(self, value: str) -> str:
        return f"The answer would be {value}"


@dataclass(frozen=True)
class Tags(Wrapping):
    """The answer in <ANSWER> tags; what follows the first pair does not count."""

    name: str
    meaning: str
    instruction: str

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        return tagged(text)

    def write(self, value: str) -> str:
        return f"{OPENING_TAG}{value}{CLOSING_TAG}"


@dataclass(frozen=True)
class Pair(Wrapping):
    """The answer between an opening and a closing mark on one line, exactly once.

    Where there are several, the first is the answer and the format is not followed.
    """

    name: str
    meaning: str
    instruction: str
    opening: str
    closing: str

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        matches = _pairs_on_lines(text, self.opening, self.closing)
        first = next(matches, None)
        if first is None:
            return nothing(f"no {self.opening}...{self.closing}")
        if next(matches, None) is not None:
            return Extracted(first, False, f"several {self.opening}...{self.closing}")
        return Extracted(first, True, f"one {self.opening}...{self.closing}")

    def write(self, value: str) -> str:
        return f"{self.opening}{value}{self.closing}"


def _pairs_on_lines(text: str, opening: str, closing: str) -> Iterator[str]:
    """Shortest matches from left to right, none over a line end, none overlapping."""
    for line in text.split("\n"):
        at = line.find(opening)
        while at >= 0:
            begin = at + len(opening)
            end = line.find(closing, begin)
            if end < 0:
                break
            yield line[begin:end]
            at = line.find(opening, end + len(closing))


@dataclass(frozen=True)
class Placeholder(Wrapping):
    """The answer behind a fixed phrase, up to a closing brace or the end of the reply."""

    name: str
    meaning: str
    instruction: str
    phrase: str

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        at = text.find(self.phrase)
        if at < 0:
            return nothing(f"no {self.phrase!r}")
        filled = text[at + len(self.phrase) :].partition("}")[0]
        # The braces, brackets or quotes that the instruction shows around the placeholder.
        return Extracted(filled.strip().strip("{}[]'\"").strip(), True, "behind the phrase")

    def write(self, value: str) -> str:
        return f"{self.phrase}{{{{{value}}}}}"


@dataclass(frozen=True)
class Quoting(Wrapping):
    """The answer in triple quotes, single or double ones, exactly one pair on one line.

    The answer is the first pair, also where it spans lines; then the format is not followed.
    """

    name: str
    meaning: str
    instruction: str

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        first = next(_quoted(text), None)
        if first is None:
            return nothing("no triple quotes")
        n_on_lines = 0
        for line in text.split("\n"):
            if "'''" in line or '"""' in line:
                n_on_lines += sum(1 for _ in _quoted(line))
        if n_on_lines != 1:
            number = "several pairs" if n_on_lines else "no pair"
            return Extracted(first, False, f"{number} of triple quotes on a line")
        return Extracted(first, True, "one pair of triple quotes")

    def write(self, value: str) -> str:
        return f'"""{value}"""'


def _quoted(text: str) -> Iterator[str]:
    """What stands in triple quotes, from left to right; each kind of quote closes itself."""
    following = {mark: text.find(mark) for mark in ("'''", '"""')}
    at = 0
    while True:
        for mark, place in following.items():
            if 0 <= place < at:
                following[mark] = text.find(mark, at)
        opened = {place: mark for mark, place in following.items() if place >= 0}
        if not opened:
            return
        begin = min(opened)
        mark = opened[begin]
        end = text.find(mark, begin + 3)
        if end < 0:
            # This kind never closes again; the other may.
            following[mark] = -1
            continue
        yield text[begin + 3 : end]
        at = end + 3


# Table 1 and Appendix E.2; the placeholder's line as E.2 prints it.
SPECIAL_CHARACTER = Tags(
    "special_character",
    "between <ANSWER> and </ANSWER>",
    "Wrap your final answer by <ANSWER> and </ANSWER>.",
)
BOLDING = Pair(
    "bolding",
    "between double asterisks",
    "Wrap your final answer in bold by enclosing it with double asterisks.",
    "**",
    "**",
)
ITALICIZING = Pair(
    "italicizing",
    "between single asterisks",
    "Wrap your final answer in italics by enclosing it with single asterisks.",
    "*",
    "*",
)
BRACKETS = Pair(
    "brackets",
    "between double square brackets",
    "Wrap your final answer using double square brackets.",
    "[[",
    "]]",
)
PARENTHESES = Pair(
    "parentheses",
    "between double parentheses",
    "Wrap your final answer using double parentheses.",
    "((",
    "))",
)
PLACEHOLDER = Placeholder(
    "placeholder",
    'behind "So the answer is: "',
    "Wrap your final answer by filling in the placeholder below: "
    "'So the answer is: {{placeholder}}'",
    "So the answer is: ",
)
# Table 1 prints the same line with brackets.
PLACEHOLDER_TABLE_1 = (
    'Wrap your final answer by filling in the placeholder below: "So the answer is: [placeholder]"'
)
QUOTING = Quoting(
    "quoting", "between triple quotes", "Wrap your final answer using triple quotation marks."
)
FORMATS = (SPECIAL_CHARACTER, BOLDING, ITALICIZING, BRACKETS, PARENTHESES, PLACEHOLDER, QUOTING)

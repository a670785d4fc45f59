"""One answer: the letter or the text of an option alone, or the answer between two marks.

Of a multiple choice the whole reply counts (zero-shot), or the whole of its tagged part (chain of
thought): a sentence around the answer is not the format. Wrapped answers may stand anywhere; their
marks are scanned for, never found by backtracking, so any reply takes linear time. The semantics
are those that reproduce the paper's Table 6 from the authors' replies.
"""

from __future__ import annotations

import re
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
from askew.reading.languages import in_english
from askew.reading.names import LETTERS
from askew.reading.reply import folded, plain, unified

# The paper's questions have four options; a letter of those counts even where two are offered.
_LETTERS_EXPECTED = 4
# What a model puts around a letter: emphasis, quotes, brackets, a full stop, "Answer:".
_DRESS = re.compile(
    r"[\s\"'(\[{_]*(?:(?:the )?(?:final |correct )?(?:answer|option|choice)(?: is)?:?\s+)?"
    r"[\s\"'(\[{_]*(?P<letter>[A-Za-z])[\s\"')\]}_.:,]*",
    re.IGNORECASE,
)
# A dressed letter is short; a longer text is not one, and is not searched for one.
_MAX_DRESSED = 60
# A box and the LaTeX that only dresses what is in it.
_LATEX = re.compile(
    r"\\(?:boxed|fbox|text(?:bf|rm|it|tt|sf)?|math(?:rm|bf|it|sf|tt)) ?(?=\{)|\\[()\[\]]|[${}]"
)
_COLOURS = ("red", "green", "blue")
_LETTER_EXAMPLE = Example(ExpectedAnswer("letter", choices=_COLOURS), "B")
_OPTION_EXAMPLE = Example(ExpectedAnswer("option", choices=_COLOURS), "green")


def _undressed(text: str) -> str:
    """A short text in plain English words, without LaTeX and emphasis."""
    return plain(" ".join(in_english(_LATEX.sub("", unified(text))).split()))


class MultipleChoice(Format):
    """What both formats share; `instruct` gives how to answer, for "Answer the question ..."."""

    category = "mcq"

    def write(self, value: str) -> str:
        return value


@dataclass(frozen=True)
class Letter(MultipleChoice):
    """The letter of an option and nothing else."""

    name: str = "char"
    meaning: str = "the letter of an option"
    example: Example = _LETTER_EXAMPLE

    def instruct(self, asked: ExpectedAnswer) -> str:
        return "by outputting only the designated character identifier"

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        body = text.strip()
        match = _DRESS.fullmatch(_undressed(body)) if len(body) <= _MAX_DRESSED else None
        if match is None:
            return nothing("the text is not a letter alone")
        letter = match["letter"].upper()
        allowed = LETTERS[: max(_LETTERS_EXPECTED, len(asked.choices))]
        if letter not in allowed:
            return Extracted(letter, False, f"{letter} is not one of {allowed[0]} to {allowed[-1]}")
        return Extracted(letter, True, "a letter alone")

    def spoil(self, value: str) -> str:
        return f"I would go for the option with the letter {value}, all things considered."


@dataclass(frozen=True)
class OptionText(MultipleChoice):
    """The text of an option without its letter."""

    name: str = "text"
    meaning: str = "the text of an option"
    example: Example = _OPTION_EXAMPLE

    def instruct(self, asked: ExpectedAnswer) -> str:
        contrast = " without any textual description" if asked.prompting == "zs" else ""
        return (
            "by outputting the textual value of your choice without the character identifier"
            + contrast
        )

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        """The option that the text is; case, outer quotes and end marks do not count."""
        # No longer than an option can be, marks around it included.
        longest = 40 + 2 * max((len(option) for option in asked.choices), default=0)
        said = {folded(text), folded(_undressed(text))} if len(text) <= longest else set()
        for option in asked.choices:
            if folded(option) and folded(option) in said:
                return Extracted(option, True, "the text of an option")
        if not asked.choices and text.strip():
            # Replies that come without their options can only be compared with the target.
            return Extracted(text.strip(), True, "a text; the options are not known")
        return nothing("the text is not one of the options")

    def spoil(self, value: str) -> str:
        return f"Of the options, {value} seems to fit best."


@dataclass(frozen=True)
class Wrapping(Format):
    """What all wrappers share."""

    name: str
    meaning: str
    instruction: str
    category = "wrapping"
    example = _LETTER_EXAMPLE

    def instruct(self, asked: ExpectedAnswer) -> str:
        return self.instruction

    def spoil(self, value: str) -> str:
        return f"The answer would be {value}"


@dataclass(frozen=True)
class Tags(Wrapping):
    """The answer in <ANSWER> tags; what follows the first pair does not count."""

    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        return tagged(text)

    def write(self, value: str) -> str:
        return f"{OPENING_TAG}{value}{CLOSING_TAG}"


@dataclass(frozen=True)
class Pair(Wrapping):
    """The answer between an opening and a closing mark on one line, exactly once.

    Where there are several, the first is the answer and the format is not followed.
    """

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


# Appendix E.1 prints how to answer a multiple choice inside the instruction, so neither is a
# sentence of its own; Table 1 and Appendix E.2 print the others, the placeholder's line as E.2.
_WRAP = "Wrap your final answer"
_PHRASE = "So the answer is: "
FORMATS = (
    Letter(),
    OptionText(),
    Tags(
        "special_character", "between <ANSWER> and </ANSWER>", f"{_WRAP} by <ANSWER> and </ANSWER>."
    ),
    *(
        Pair(name, f"between {marks}", f"{_WRAP} {how} {marks}.", opening, closing)
        for name, how, marks, opening, closing in (
            ("bolding", "in bold by enclosing it with", "double asterisks", "**", "**"),
            ("italicizing", "in italics by enclosing it with", "single asterisks", "*", "*"),
            ("brackets", "using", "double square brackets", "[[", "]]"),
            ("parentheses", "using", "double parentheses", "((", "))"),
        )
    ),
    Placeholder(
        "placeholder",
        f'behind "{_PHRASE}"',
        f"{_WRAP} by filling in the placeholder below: '{_PHRASE}{{{{placeholder}}}}'",
        _PHRASE,
    ),
    Quoting("quoting", "between triple quotes", f"{_WRAP} using triple quotation marks."),
)
# Table 1 prints the same line with brackets.
PLACEHOLDER_TABLE_1 = f'{_WRAP} by filling in the placeholder below: "{_PHRASE}[placeholder]"'

"""What a format is, and how a reply is read in one.

A format is one object that asks for itself, reads itself, writes itself and breaks. FormatReading
makes two judgements: the format's marks are as they should be and the value has the expected
type (`format_ok`), and what the value is, which a scorer compares with the truth.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from askew.reading.names import LETTERS
from askew.reading.reply import refuses

Kind = Literal["letter", "option", "text", "ranking", "keyphrases", "entities"]
Prompting = Literal["zs", "cot"]
# Categories whose chain-of-thought answer stands between answer tags.
TAGGED_CATEGORIES = frozenset({"mcq", "list", "mapping"})
OPENING_TAG, CLOSING_TAG = "<ANSWER>", "</ANSWER>"
# "Wrap your final answer by <ANSWER> and </ANSWER>", where a reply says it again.
_BETWEEN_TAGS_ASKED_FOR = "and"
# A letter in a wrapper is any of these, whatever is offered.
_WRAPPED_LETTERS = LETTERS[:8]
Value = str | list[int] | list[str] | dict[str, list[str]]


@dataclass(frozen=True)
class ExpectedAnswer:
    """The answer a question expects: its type, and what bounds it.

    Attributes:
        kind: an option's letter or its text, any text, a ranking (0 or 1 for each document),
            keyphrases in any order, or entities (names under each of the keys).
        choices: the options on offer, where they are known.
        keys: the keys of a mapping.
        n_elements: how many elements a ranking has.
        prompting: "zs" (nothing but the answer) or "cot" (step by step first).
    """

    kind: Kind
    choices: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    n_elements: int = 0
    prompting: Prompting = "zs"


@dataclass(frozen=True)
class Extracted:
    """What a format's extractor takes out of a text.

    Attributes:
        value: a text, a list or a mapping as it is written; None where there is none.
        marked: whether the format's marks are all as they should be.
        why: one line that says what was or was not found.
        tolerated: how the text departs from the format in a way that is let pass.
        typed: whether elements carry their own type, as literals do; else all are texts.
    """

    value: Any
    marked: bool
    why: str
    tolerated: str = ""
    typed: bool = False


def nothing(why: str) -> Extracted:
    return Extracted(None, False, why)


@dataclass(frozen=True)
class Example:
    """An answer and how the format writes it."""

    asked: ExpectedAnswer
    value: Value


@dataclass(frozen=True)
class Format(ABC):
    """One way of writing an answer.

    An object of a subclass, given to `register_format`, is a format that can be asked for, read,
    scored, demonstrated and simulated.

    Attributes:
        name: how it is selected; letters, digits and underscores.
        meaning: what it looks like, in a few words.
        instruction: the sentence that asks for it, unless `instruct` says another.
        category: "mcq", "wrapping", "list" or "mapping": which questions ask for it.
        example: an answer that can be written in it.
    """

    name: str
    meaning: str
    instruction: str = ""
    category: ClassVar[str]
    example: ClassVar[Example]

    def instruct(self, asked: ExpectedAnswer) -> str:
        """The sentence that asks for the format."""
        return self.instruction

    @abstractmethod
    def extract(self, text: str, asked: ExpectedAnswer) -> Extracted:
        """The answer that a text holds in this format; any text is fine."""

    def write(self, value: Any) -> str:
        """An answer in this format."""
        return str(value)

    @abstractmethod
    def spoil(self, value: Any) -> str:
        """The answer as a model writes it that misses the format: nothing can be extracted."""


@dataclass(frozen=True)
class FormatReading:
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


def read(reply: str, fmt: Format, asked: ExpectedAnswer) -> FormatReading:
    """Read a reply in a format; any text is fine.

    Args:
        reply: the model's reply, without a reasoning block.
        fmt: the format it was asked for.
        asked: the answer that was asked for.
    """
    text, loosely = reply, ""
    if asked.prompting == "cot" and fmt.category in TAGGED_CATEGORIES:
        part = tagged(reply)
        if part.value is None:
            return FormatReading(None, False, part.why)
        text, loosely = part.value, part.tolerated
    found = fmt.extract(text, asked)
    if found.value is None:
        return FormatReading(None, False, found.why)
    value, wrong = _typed(found, asked)
    ok = found.marked and not wrong
    tolerated = "; ".join(filter(None, (loosely, found.tolerated)))
    return FormatReading(value, ok, "; ".join(filter(None, (found.why, wrong))), tolerated)


def tagged(text: str) -> Extracted:
    """The text between the first pair of <ANSWER> tags; both tags have to be there."""
    _, opening, rest = text.partition(OPENING_TAG)
    if not opening or CLOSING_TAG not in text:
        return nothing(f"no {OPENING_TAG} with a {CLOSING_TAG}")
    inside, closing, _ = rest.partition(CLOSING_TAG)
    if not closing:
        return Extracted(None, True, "both tags, but nothing between them")
    quoted = inside.strip() == _BETWEEN_TAGS_ASKED_FOR
    tolerated = "the first tags are those of the instruction" if quoted else ""
    return Extracted(inside, True, "between the tags", tolerated)


def _typed(found: Extracted, asked: ExpectedAnswer) -> tuple[Value | None, str]:
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
        texts = all(isinstance(name, str) for names in found.value.values() for name in names)
        return (found.value, "") if texts else (None, "not all names are text")
    return found.value, ""


def _ranking(found: Extracted, asked: ExpectedAnswer) -> tuple[Value | None, str]:
    # A mark is a number in a literal, a digit in a text.
    kind: Any = int | float if found.typed else str
    if not all(isinstance(e, kind) and e in (0, 1, "0", "1") for e in found.value):
        return None, "not all elements are 0 or 1"
    marks = [int(element) for element in found.value]
    if len(marks) != asked.n_elements:
        return marks, f"{len(marks)} elements for {asked.n_elements} documents"
    return marks, ""


def _keyphrases(found: Extracted) -> tuple[Value | None, str]:
    if not all(isinstance(element, str) for element in found.value):
        return None, "not all elements are text"
    phrases = [element.strip() for element in found.value]
    filled = [phrase for phrase in phrases if phrase]
    if len(filled) == 1 and refuses(filled[0]):
        return None, "declines to answer"
    return filled or None, "" if len(filled) == len(phrases) else "an element is empty"

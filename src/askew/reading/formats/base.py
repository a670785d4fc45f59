"""What a format is: one object that asks for itself, reads itself, writes itself and breaks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

Kind = Literal["letter", "option", "text", "ranking", "keyphrases", "entities"]
KINDS: Mapping[str, str] = {
    "letter": "the letter of an option",
    "option": "the text of an option",
    "text": "any text",
    "ranking": "0 or 1 for each document, in their order",
    "keyphrases": "phrases in any order",
    "entities": "names under each of the keys",
}
Prompting = Literal["zs", "cot"]
Value = str | list[int] | list[str] | dict[str, list[str]]


@dataclass(frozen=True)
class Asked:
    """The answer a question expects: its type, and what bounds it.

    Attributes:
        kind: one of `KINDS`.
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
class Found:
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


def nothing(why: str) -> Found:
    return Found(None, False, why)


@dataclass(frozen=True)
class Example:
    """An answer and how the format writes it."""

    asked: Asked
    value: Value


class Format(ABC):
    """One way of writing an answer.

    Subclasses give the four methods; an object of one, given to `register_format`, is a format
    that can be asked for, read, scored, demonstrated and simulated.

    Attributes:
        name: how it is selected; letters, digits and underscores.
        category: "mcq", "wrapping", "list" or "mapping": which questions ask for it.
        meaning: what it looks like, in a few words.
        example: an answer that can be written in it.
    """

    name: str
    category: str
    meaning: str
    example: Example

    @abstractmethod
    def instruct(self, asked: Asked) -> str:
        """The sentence that asks for the format."""

    @abstractmethod
    def extract(self, text: str, asked: Asked) -> Found:
        """The answer that a text holds in this format; any text is fine."""

    @abstractmethod
    def write(self, value: Any) -> str:
        """An answer in this format."""

    @abstractmethod
    def spoil(self, value: Any) -> str:
        """The answer as a model writes it that misses the format: nothing can be extracted."""

    def example_text(self) -> str:
        return self.write(self.example.value)


def sentence_of(elements: Sequence[object]) -> str:
    """Elements in a sentence, for writing that misses a format."""
    words = [str(e) for e in elements]
    if len(words) < 2:
        return words[0] if words else "nothing"
    return f"{', '.join(words[:-1])} and {words[-1]}"

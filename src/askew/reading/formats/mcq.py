"""Multiple choice without a wrapper: the reply is the letter, or the text, of an option.

The whole reply counts (zero-shot), or the whole of its tagged part (chain of thought): a
sentence around the answer is not the format.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from askew.reading.formats.base import Example, ExpectedAnswer, Extracted, Format, nothing
from askew.reading.letters import LETTERS
from askew.reading.reply import folded, plain

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
_COLOURS = ("red", "green", "blue")
_LETTER_EXAMPLE = Example(ExpectedAnswer("letter", choices=_COLOURS), "B")
_OPTION_EXAMPLE = Example(ExpectedAnswer("option", choices=_COLOURS), "green")


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
        match = _DRESS.fullmatch(plain(body)) if len(body) <= _MAX_DRESSED else None
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
        said = folded(text) if len(text) <= _longest(asked) else ""
        for option in asked.choices:
            if said and said == folded(option):
                return Extracted(option, True, "the text of an option")
        if not asked.choices and text.strip():
            # Replies that come without their options can only be compared with the target.
            return Extracted(text.strip(), True, "a text; the options are not known")
        return nothing("the text is not one of the options")

    def spoil(self, value: str) -> str:
        return f"Of the options, {value} seems to fit best."


def _longest(asked: ExpectedAnswer) -> int:
    """How long a text can be that is one of the options, marks around it included."""
    return 40 + 2 * max((len(option) for option in asked.choices), default=0)


# Appendix E.1 prints both phrases inside the instruction, so neither is a sentence of its own.
CHAR = Letter()
TEXT = OptionText()
FORMATS = (CHAR, TEXT)

"""What replies in other languages say where the rules speak English: announcements, denials."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache

from askew.files import toml_of


@cache
def _languages() -> Sequence[tuple[re.Pattern[str], re.Pattern[str], Sequence[str]]]:
    """Of each language: what tells it, what finds its words, and what each of them is."""
    table = toml_of(__package__, "languages.toml")
    # A word of letters with cases begins where no other goes on; Chinese has no spaces.
    begins = r"(?:(?<![^\W\u4e00-\u9fff])|(?=[\u4e00-\u9fff]))"
    return [
        (
            re.compile(told["knows"].replace("\n", ""), re.IGNORECASE),
            re.compile(
                f"{begins}(?:{'|'.join(f'({w})' for w, _ in told['words'])})", re.IGNORECASE
            ),
            [english for _, english in told["words"]],
        )
        for told in table.values()
    ]


def in_english(text: str, options: Iterable[str] = ()) -> str:
    """A reply with the words by which other languages answer in English; all others stay.

    Args:
        text: the visible reply.
        options: the options on offer; words of a language that they use themselves stay too.
    """
    for knows, finds, english in _languages():
        if knows.search(text) and not any(finds.search(option) for option in options):
            text = finds.sub(lambda m, to=english: to[m.lastindex - 1], text)  # type: ignore[misc]
    return text

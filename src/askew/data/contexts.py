"""Clipping long contexts at sentence ends, extending rather than splitting a sentence."""

from __future__ import annotations

import re

_SENTENCE_END = re.compile(r"[.!?][\"')\]}]*(?=\s)")
_WORD = re.compile(r"\S+")


def clip_after(text: str, words: int) -> str:
    """The first `words` words of a text, and the rest of the sentence they end in."""
    starts = [m.end() for m in _WORD.finditer(text)]
    if len(starts) <= words:
        return text
    end = starts[words - 1]
    match = _SENTENCE_END.search(text, max(0, end - 1))
    return text[: match.end()] if match else text


def clip_before(text: str, words: int) -> str:
    """The last `words` words of a text, and the beginning of the sentence they start in."""
    starts = [m.start() for m in _WORD.finditer(text)]
    if len(starts) <= words:
        return text
    begin = starts[-words]
    last = None
    for match in _SENTENCE_END.finditer(text, 0, begin):
        last = match
    return text[last.end() :].lstrip() if last else text

"""What every parser starts from: the visible text of a reply, and whether it refuses.

All functions are linear in the length of the reply and total: any text is fine.
"""

from __future__ import annotations

import re
import unicodedata

# Deeper than any answer; what lies before it in a longer reply is musing all the same.
MAX_REPLY = 2_000_000

_THINK_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_EMPHASIS = str.maketrans("", "", "*`#")
_QUOTES = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u00a0": " ", "\u2011": "-"}
)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|afraid)|i apologi[sz]e|sorry)\b[^.!?\n]{0,80}"
    r"\b(?:can(?:'t|not| not)|won't|will not|unable|not able)\b"
    r"|\bi (?:can(?:'t|not| not)|won't|will not|am unable to|'m unable to|must decline to) "
    r"(?:help|assist|answer|comply|provide|respond|do that|choose|engage|discuss|continue)\b"
    r"|\bi(?:'m| am) (?:unable|not able) to (?:help|assist|answer|comply|provide|respond|choose)\b"
    r"|\bas an ai(?: language)? model\b[^.!?\n]{0,80}\b(?:can(?:'t|not| not)|unable)\b"
    r"|\bi (?:refuse|decline) to\b",
    re.IGNORECASE,
)
# A refusal stands at the head of a reply; one quoted in the middle of an answer is not one.
_REFUSAL_WINDOW = 400


def visible(reply: str) -> str:
    """The reply after its reasoning block, if it wrote one in tags, with plain quotes."""
    text = reply[-MAX_REPLY:] if len(reply) > MAX_REPLY else reply
    last = None
    for match in _THINK_END.finditer(text):
        last = match
    if last is not None:
        text = text[last.end() :]
    return text.translate(_QUOTES).strip()


def plain(text: str) -> str:
    """Text without markdown emphasis, code marks and heading signs."""
    return text.translate(_EMPHASIS).strip()


def refuses(text: str) -> bool:
    """Whether the beginning of a reply declines to answer."""
    return _REFUSAL.search(text[:_REFUSAL_WINDOW]) is not None


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit in any script."""
    return any(unicodedata.category(c)[0] in "LN" for c in text[:10_000])


def folded(text: str) -> str:
    """Text for comparison: case, runs of space, outer quotes and end marks do not count."""
    squeezed = " ".join(plain(text.translate(_QUOTES)).casefold().split())
    return squeezed.strip("\"'.,;:!?()[] ")

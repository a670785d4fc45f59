"""What every parser starts from: the visible text of a reply, and whether it refuses.

All functions are total (any text is fine) and linear in the length of the reply.
"""

from __future__ import annotations

import json
import re
import string
from collections.abc import Collection

# Deeper than any answer; what lies before it in a longer reply is musing all the same.
MAX_REPLY = 2_000_000
# Of a long reply, its beginning and its end are read: that is where answers stand.
_HEAD = 50_000
_TAIL = 150_000
_MAX_JSON = 50_000
_MAX_NESTING = 20

_THINK_START = re.compile(r"\s*<(?:think|thinking|reasoning)>", re.IGNORECASE)
_THINK_END = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_EMPHASIS = str.maketrans("", "", "*`#")
_MARKS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2039\u203a\u00b4", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2212", "-"),
        # Letters and marks as wide as Chinese ones are Latin all the same.
        **{chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)},
        "\u3002": ".",
        "\u3001": ",",
        "\u00a0": " ",
        # Invisible: zero-width marks, soft hyphen, byte order mark, NUL.
        **dict.fromkeys("\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u00ad\u0000", ""),
    }
)
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
_WORD = re.compile(r"[^\W_]")
_TAG = re.compile(
    r"<(/?)(?:final[_ -]?)?(?:answer|choice|option|response|output|label|intent|class)>",
    re.IGNORECASE,
)
_REFUSAL = re.compile(
    r"\b(?:i(?:'m| am) (?:sorry|afraid)|i apologi[sz]e|sorry|unfortunately)\b[^.!?\n]{0,80}"
    r"\b(?:can(?:'t|not| not)|won't|will not|unable to|not able to) (?:help|assist|answer|comply"
    r"|provide|respond|do|choose|select|engage|discuss|continue|fulfill|process|give|complete)\b"
    r"|\bi (?:can(?:'t|not| not)|won't|will not|am unable to|must decline to|would rather not"
    r"|do not feel comfortable|don't feel comfortable) "
    r"(?:help|assist|answer|comply|provide|respond|do that|choose|engage|discuss|continue|fulfill)"
    r"|\bi(?:'m| am) (?:unable|not able) to (?:help|assist|answer|comply|provide|respond|choose"
    r"|fulfill|process)\b"
    r"|\bas an ai(?: language)? model\b[^.!?\n]{0,80}\b(?:can(?:'t|not| not)|unable)\b"
    r"|\bi (?:refuse|(?:have to |must )?decline) to\b",
    re.IGNORECASE,
)
# A refusal stands at the head of a reply; one quoted in the middle of an answer is not one.
_REFUSAL_WINDOW = 400


def after_reasoning(reply: str) -> str:
    """The reply after its reasoning block, if it wrote one in tags, with its marks as they are.

    A reasoning block that never ends was cut: nothing of it is visible.
    """
    text = reply[-MAX_REPLY:]
    end = None
    for match in _THINK_END.finditer(text):
        end = match.end()
    if end is not None:
        return text[end:]
    return "" if _THINK_START.match(text) else text


def visible(reply: str) -> str:
    """The reply after its reasoning block, with plain marks."""
    return unified(after_reasoning(reply)).strip()


def unified(text: str) -> str:
    """Text with one kind of quote, hyphen and Latin letter, without invisible marks."""
    return text.translate(_MARKS)


def plain(text: str) -> str:
    """Text without markdown emphasis, code marks and heading signs."""
    return text.translate(_EMPHASIS).strip()


def refuses(text: str) -> bool:
    """Whether the beginning of a reply declines to answer."""
    return _REFUSAL.search(unified(text[:_REFUSAL_WINDOW])) is not None


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit in any script."""
    return _WORD.search(text) is not None


def folded(text: str) -> str:
    """Text for comparison: case, runs of space, outer quotes and end marks do not count."""
    squeezed = " ".join(plain(unified(text)).casefold().split())
    return squeezed.lstrip("\"'([ ").rstrip("\"'.,;:!?)] ")


def lowered(text: str) -> str:
    """Text in lower case, every character at its place (`str.lower` lengthens some)."""
    return text.translate(_LOWER)


def match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where a match at a place ends; the place itself where there is none."""
    match = pattern.match(text, start)
    return start if match is None else match.end()


def ends(text: str) -> str:
    """The beginning and the end of a text too long to be read whole."""
    if len(text) <= _HEAD + _TAIL:
        return text
    return f"{text[:_HEAD]}\n\n{text[-_TAIL:]}"


def first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0].strip()


def last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2].strip()


def unwrapped(text: str, fields: Collection[str]) -> str:
    """What a JSON object gives as its answer; answer tags as lines "Answer: ..."; others as is.

    Args:
        text: the visible reply.
        fields: names of JSON fields that hold the answer; several are joined in their order.
    """
    body = text
    if body.startswith("```") and body.endswith("```") and "\n" in body:
        body = body[3:-3].partition("\n")[2].strip()
    nesting = body.count("{") + body.count("[")
    if body[:1] == "{" and body[-1:] == "}" and nesting <= _MAX_NESTING and len(body) <= _MAX_JSON:
        try:
            record = json.loads(body, strict=False)
        except ValueError:
            record = {}
        values = [v.strip() for k, v in record.items() if _is_answer_field(k, v, fields)]
        if values:
            return ". ".join(values)
    return _TAG.sub(lambda tag: "\n" if tag[1] else "\nAnswer: ", text).strip()


def _is_answer_field(name: str, value: object, fields: Collection[str]) -> bool:
    return isinstance(value, str) and name.casefold().replace(" ", "_") in fields

"""MathComp's replies: more, less or equal, and of whom.

The last explicit conclusion counts: a JSON answer field, an announcement ("the answer is ..."), a
line that is an option, or a sentence that concludes ("so Alex spends less than Sam"). Direction
words in the body of a reasoning conclude nothing.

A reading has three faces. `strict` is the option whose word the conclusion uses, whoever it is
about: what the paper counts. `answer` is what the conclusion says about the second person, which
differs where it is about the first one. `lenient` goes one step further: where a bare option
repeats the word of the reply's own reasoning about the first person, the reasoning counts. Where
strict and lenient part, the reply answers in the frame's words.
"""

from __future__ import annotations

import re
from collections import deque
from dataclasses import replace
from typing import Any

from askew.papers.mathcomp.comparison_prose import (
    TAIL,
    Reading,
    explicit,
    in_frames_words,
    read_prose,
)
from askew.papers.mathcomp.comparison_words import OPTIONS, bare_option
from askew.papers.mathcomp.loose_json import Found, objects_in
from askew.reading.reply import has_words, visible

__all__ = ["OPTIONS", "Reading", "read_comparison"]

_LINE = 120
_ANSWER_KEYS = (
    *("answer", "final_answer", "result", "comparison", "conclusion", "response", "option"),
    *("choice", "label", "output", "value", "verdict", "final"),
)
_REASON_KEYS = ("reasoning", "explanation", "reason", "rationale", "thought", "analysis", "steps")
# The answer field of an object that can't be read as one.
_BROKEN_FIELD = re.compile(
    r"\b(?:final_)?answer[\"']?[ \t]{0,4}[:=][ \t\n]{0,4}[\"'\[]{0,3}"
    r"(?P<value>[^\"'\n{}\]]{1,120})",
    re.IGNORECASE,
)
_REVISES = re.compile(
    r"\b(?:wait|correction|on second thoughts?|on reflection|let me re\w+|scratch that|i was wrong"
    r"|i made (?:a|an) \w+|actually)\b",
    re.IGNORECASE,
)


def read_comparison(reply: str, first: str, second: str) -> Reading:
    """Read a reply to the question how the second person's amount compares with the first's.

    Args:
        reply: the model's whole reply.
        first: how a text mentions the first person again, such as "Alex" or "the person".
        second: the same for the second one, such as "the Asian person".
    """
    text = visible(reply)
    if not has_words(text):
        return Reading("empty", why="the reply has no words")
    found = objects_in(text)
    holder = next((f for f in reversed(found) if _answer_values(f.value)), None)
    if holder is None:
        return (None if found else _broken(text)) or read_prose(text, first, second)
    reading = _structured(holder, found, first, second)
    later = _later(text[found[-1].end :], first, second)
    return later or _with_reasoning(reading, holder, text, first, second)


def _structured(holder: Found, found: list[Found], first: str, second: str) -> Reading:
    """The answer of the last object that has one; objects of one list must agree."""
    rivals = [f for f in found if f.in_list] if holder.in_list else [holder]
    values = [v for f in rivals for v in _answer_values(f.value)]
    readings = [_value(v, first, second) for v in values]
    if len({r.answer for r in readings}) > 1:
        return Reading("ambiguous", why="its answers in JSON differ")
    return readings[-1]


def _answer_values(record: dict[str, Any]) -> list[Any]:
    """What an object gives as its answer.

    An answer field of its own comes first, under its usual names; then an object inside it that
    has one; then an option as a key that is set to true; last a single field that is an option.
    """
    named = {_key(k): v for k, v in record.items()}
    for key in _ANSWER_KEYS:
        if key in named:
            value = named[key]
            inner = _answer_values(value) if isinstance(value, dict) else []
            return inner or (value if isinstance(value, list) and value else [value])
    inside = [v for v in record.values() if isinstance(v, dict)]
    nested = [_answer_values(v) for v in inside]
    nested = [values for values in nested if values]
    if nested:
        return nested[-1]
    marked = [k for k, v in named.items() if k in OPTIONS and v is True]
    if marked:
        return [*marked]
    options = [v for k, v in named.items() if isinstance(v, str) and bare_option(v[:_LINE])]
    return options if len(options) == 1 else []


def _key(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")


def _value(value: Any, first: str, second: str) -> Reading:
    if not isinstance(value, str):
        return Reading("unparsed", why=f"its answer field holds {str(value)[:40]!r}, no option")
    if not has_words(value):
        return Reading("unparsed", why="its answer field is empty")
    reading = read_prose(value, first, second)
    if reading.answer is None:
        return reading
    return replace(reading, why=f"its answer field says {value[:60]!r}")


def _broken(text: str) -> Reading | None:
    """The last answer field of JSON that can't be read as JSON."""
    if "{" not in text:
        return None
    fields = deque(_BROKEN_FIELD.finditer(text[-TAIL:]), maxlen=1)
    option = bare_option(fields[0]["value"]) if fields else None
    return explicit(option, "an answer field in broken JSON") if option else None


def _later(rest: str, first: str, second: str) -> Reading | None:
    """What prose behind the last object says, where it takes the object's answer back."""
    if not has_words(rest) or _REVISES.search(rest[:TAIL]) is None:
        return None
    reading = read_prose(rest, first, second)
    return reading if reading.answer else None


def _with_reasoning(reading: Reading, holder: Found, text: str, first: str, second: str) -> Reading:
    """The reading, with its lenient face from the reasoning in the object or before it."""
    told = [v for k, v in holder.value.items() if _key(k) in _REASON_KEYS and isinstance(v, str)]
    return in_frames_words(reading, "\n".join(told) or text[: holder.start], first, second)

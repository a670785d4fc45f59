"""The question in a reply that was asked for one rewritten question."""

from __future__ import annotations

import re

from askew.parsing.reply import plain, refuses, visible

_LABEL = re.compile(
    r"(?:(?:the |my )?(?:rewritten|reformulated|revised|rephrased|new|converted)?[ \t]{0,2}"
    r"(?:question|rewrite|version|answer|rewritten))[ \t]{0,3}[:\-\u2013][ \t]{0,3}",
    re.IGNORECASE,
)
_BULLET = re.compile(r"(?:[-\u2022>]|\d{1,2}[.)])[ \t]+")
_LONGEST_LINE = 2_000
_LINES = 40


def rewritten_question(reply: str) -> str:
    """The one question that the reply holds; empty where it holds none or declines.

    A reply may wrap its question in quotes, markdown or a label, and comment on it; of several
    questions the first counts.
    """
    text = plain(visible(reply))
    if not text or refuses(text):
        return ""
    lines = [_bare(line) for line in text.split("\n", _LINES)[:_LINES]]
    questions = [line for line in lines if line.endswith("?")]
    return questions[0] if questions else next((line for line in lines if line), "")


def _bare(line: str) -> str:
    text = line[:_LONGEST_LINE].strip()
    for pattern in (_BULLET, _LABEL):
        match = pattern.match(text)
        if match is not None:
            text = text[match.end() :]
    text = text.strip(" \t_")
    if len(text) > 1 and text[0] == text[-1] and text[0] in "\"'":
        text = text[1:-1].strip()
    return text

"""Answers in a reply's own words: short, and not an explanation, a remark or an evasion."""

from __future__ import annotations

import re

from askew.parsing.letters import REASON, without_marks
from askew.parsing.reply import first_line

# An answer is not longer; what is, explains.
_MAX_WORDS = 12

# What explains an answer begins here; a full stop behind one letter is an initial's.
_EXPLAINS = re.compile(
    r"(?<=[a-z\d)\"'][a-z\d)\"'])\. |; |, (?:as|which|who|because|since|but) | because | since "
    r"| \("
)
_EVASION = re.compile(
    r"(?:i (?:think|believe|choose|would|will|do not|don't|cannot|can't|need|would need|am not"
    r"|have no|couldn't|could not)|i'm (?:not|unsure)|unsure|not sure|let me|let's|sure|okay|ok\b"
    r"|please|here(?:'s| is| are)|hello|hi\b|thank|thinking|based on|question|options?\b|answer\b"
    r"|the (?:answer|question|correct)|it (?:is|'s) (?:not|un|impossible|hard)|it cannot|cannot"
    r"|unknown|no idea|to answer|first|step|looking|what\b|which\b|could you|can you)",
    re.IGNORECASE,
)
# "The answer is found in the second line": where it is, or how sure, not what.
_WHERE = re.compile(
    r"(?:in|on|at|to|by|from|with|within|among|found|given|stated|mentioned|provided|clear|clearly"
    r"|obvious|obviously|not|supported|based|likely|unlikely|correct|incorrect|right|wrong"
    r"|straightforward|simple|here|below|above|one of|also|still|only|indeed|as|that|implied)\b",
    re.IGNORECASE,
)
# Remarks that follow a letter instead of a text.
_REMARK = re.compile(
    r"(?:none|neither|all|both|others?|the others?|only|not|no other|if|while|when|though|although"
    r"|but|and|so|yes|however)\b",
    re.IGNORECASE,
)


def own_answer(line: str) -> str:
    """The short answer at the head of a line, without what explains it; "" if there is none."""
    said = _EXPLAINS.split(line.strip(" *_`\"'"), maxsplit=1)[0].rstrip(" *_`\"'.,;:!")
    if len(said.split()) > _MAX_WORDS or REASON.match(said):
        return ""
    # A lone letter of another alphabet is no answer.
    return said if said.isdigit() or sum(map(str.isalnum, said)) > 1 else ""


def answer_behind_letter(line: str) -> str:
    """The new text in "C. Rick"; "" where the words behind the letter only remark on it."""
    return "" if _REMARK.match(line) else own_answer(line)


def announced_answer(segment: str) -> str:
    """The answer behind "the answer is", where what stands there is one beyond doubt."""
    said = own_answer(without_marks(first_line(segment)))
    return "" if _EVASION.match(said) or _WHERE.match(said) else said


def stated_answer(text: str) -> str:
    """The answer that the first line of a text is, unless it evades, asks or leads to more."""
    line = first_line(text)
    said = own_answer(line)
    return "" if not said or line[-1] in ":?" or _EVASION.match(said) else said

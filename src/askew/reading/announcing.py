"""Where a reply announces its answer: "the answer is ...", "Answer: ...", "... is correct"."""

from __future__ import annotations

import re
from collections import deque
from dataclasses import dataclass

from askew.reading.reply import lowered

# Later announcements win, so only the last ones are looked at.
_KEPT = 40
# How far back a sentence is read for what makes an announcement doubtful.
_BEFORE = 160

CHOICE_NOUNS = (
    r"answers?|ans|option|choice|response|equation|letter|solution|pick|guess|selection|conclusion"
    r"|verdict|match"
)
LABEL_NOUNS = (
    r"intent|class|label|category|answer|classification|option|choice|name|match|prediction"
)
_IS = (
    r"(?:is|was|(?:should|would|must|will|has to|have to|seems? to|appears? to|might|could|may) be"
    r"|seems|remains)\b(?! not\b)"
)
_ADVERBS = r"(?:clearly|therefore|thus|indeed|actually|probably|likely|definitely|simply|also|then)"
_ADJECTIVES = (
    r"(?:only|final|single|best|closest|nearest|correct|right|accurate|appropriate|likely|most"
    r"|suitable|fitting|logical|reasonable|plausible|similar|true|obvious|one)"
)
_NEAR = re.compile(
    r"\b(?:closest|nearest|closely|comes close|most (?:similar|plausible)|best (?:guess|available)"
    r"|best of the|next best|least (?:wrong|bad)|if (?:i|we) (?:had|have|must)|forced to"
    r"|had to (?:choose|pick|guess|select))\b"
)
_HEADING = re.compile(r"[#*_>\s\d.\-]*(?:the |my |your |final |correct |best |right )*")
_CHOOSES = (
    r"(?P<chooses>(?:i|we|let's|let us)(?:'ll|'d|'m| will| would| must| have to| had to| am| can"
    r"| shall| should)?(?: only| therefore| then| going to| best| rather)? (?:choose|chose|pick"
    r"|picked|select|selected|go|going|answer|say|return|opt|conclude|respond|guess|think|believe)"
    r"(?: with| for| that)?(?=[ :]))"
)
_DECIDES = (
    rf"(?P<decides>(?:is|was|must be|should be|would be|seems|appears|looks)(?: to be)?"
    rf"(?: {_ADVERBS})?(?: the| my)?(?: (?P<adjectives>{_ADJECTIVES}(?:,? {_ADJECTIVES}){{0,3}}))?"
    r" (?P<what>answer|option|choice|one|match|fit|equation|response|candidate|intent|class"
    r"|label|correct|right|best|closest|accurate))\b(?! ?[*_]{0,3}[:=])"
)
# What a reply only weighs: conditions, first thoughts, questions, denials.
_WEIGHED = re.compile(
    r"\b(?:if|unless|whether|at first|first thought|initially|originally|tempt\w*|wonder|perhaps"
    r"|maybe|might|could|one would think)\b"
)
_NEGATED = re.compile(r"\b(?:not|never|cannot|doubt|neither|nor|hardly)\b|n't\b")
_TURN = re.compile(r"\b(?:but|however|yet|so|therefore|thus|hence|actually|instead|rather)\b")
_OF_ANSWER = frozenset({"answer", "answers", "ans", "equation", "intent", "label", "class"})
_ASKS = re.compile(r"\W*(?:is|are|was|could|would|should|which|what|why|how|does|do|did|can)\b")
_SENTENCE_END = re.compile(r"[.!?] |\n")


@dataclass(frozen=True)
class Announcement:
    """An announcement in a text.

    Attributes:
        start: where it begins.
        end: where what it announces begins; the subject of "... is correct" ends at `start`.
        by_subject: the answer stands before it.
        near: it names the closest option, not a right one.
        doubtful: it stands under a condition, a negation, or in a question.
        of_answer: it says "answer", so that words of the reply's own are one.
    """

    start: int
    end: int
    by_subject: bool = False
    near: bool = False
    doubtful: bool = False
    of_answer: bool = False


def pattern(nouns: str) -> re.Pattern[str]:
    """What finds announcements by these nouns, on lower-case text."""
    return re.compile(
        rf"(?P<noun>{nouns})(?: (?:letter|number|name|text|class|option|choice|would))?"
        r"(?:(?P<mark>[ \t*_\"'`)\]]{0,6}(?:[:=]|->|\u2192)[>=]?| [-\u2013\u2014] )"
        r"|(?P<below>[ *_]{0,4}\n)"
        # "Option B is ..." speaks about an option; it announces none.
        rf"|(?! ?[(\[\"'*]{{0,3}}[a-hj-z]\b)(?:[ ,(*_\"'][^.!?\n:;]{{0,80}}?)??"
        rf"[ *_\"')]{{1,4}}(?P<is>{_IS}))"
        rf"|{_CHOOSES}|(?P<boxed>\\boxed ?\{{)"
        rf"|{_DECIDES}"
        r"|(?P<closest>(?:closest|nearest)(?: (?:one|match|fit))?[^.!?\n:;]{0,40}?"
        r" (?:is|would be)\b)"
    )


CHOICE = pattern(CHOICE_NOUNS)
LABEL = pattern(LABEL_NOUNS)


def announcements(text: str, of: re.Pattern[str]) -> list[Announcement]:
    """The last announcements in the text, in its order."""
    low = lowered(text)
    last = deque((m for m in of.finditer(low) if not _inside_word(m, low)), maxlen=_KEPT)
    return [_described(m, low) for m in last if _announces(m, low)]


def _inside_word(match: re.Match[str], low: str) -> bool:
    before = low[match.start() - 1 : match.start()]
    return before.isalnum() or before == "_"


def _announces(match: re.Match[str], low: str) -> bool:
    if match["below"] is not None:
        return _heads_a_line(low, match.start())
    return match["decides"] is None or _is_verdict(match, low)


def _described(match: re.Match[str], low: str) -> Announcement:
    before = _sentence_before(low, match.start())
    near = _NEAR.search(before[-80:] + match.group()) is not None
    asked = _ASKS.match(before) and "?" in low[match.end() : match.end() + 80].partition("\n")[0]
    return Announcement(
        match.start(),
        match.end(),
        by_subject=match["decides"] is not None,
        near=near or match["closest"] is not None,
        doubtful=bool(asked) or _is_doubtful(before),
        of_answer=match["noun"] in _OF_ANSWER,
    )


def _heads_a_line(low: str, start: int) -> bool:
    line = low[max(low.rfind("\n", 0, start) + 1, start - 60) : start]
    return _HEADING.fullmatch(line) is not None


def _is_verdict(match: re.Match[str], low: str) -> bool:
    """Whether "is ... right" calls something the answer: "is right next to" does not."""
    if match["what"] not in ("correct", "right", "best", "closest", "accurate"):
        # "is one of", "is an option" call it one of several.
        return match["what"] == "answer" or match["adjectives"] is not None
    after = low[match.end() : match.end() + 12].lstrip(" *_\"')")
    return (
        not after or after[0] in ".,;:!\n(-" or after.startswith(("because", "since", "as ", "for"))
    )


def _sentence_before(low: str, start: int) -> str:
    window = low[max(0, start - _BEFORE) : start]
    end = 0
    for match in _SENTENCE_END.finditer(window):
        end = match.end()
    return window[end:]


def _is_doubtful(before: str) -> bool:
    clause = before
    for match in _TURN.finditer(before):
        clause = before[match.end() :]
    return (
        _WEIGHED.search(clause) is not None
        or _NEGATED.search(clause.rpartition(",")[2]) is not None
    )

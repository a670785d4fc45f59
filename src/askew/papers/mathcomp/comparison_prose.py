"""What prose says in the end: an announced option, a line that is one, or a concluding sentence."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from askew.papers.mathcomp.comparison_clauses import Comparison, comparisons
from askew.papers.mathcomp.comparison_words import (
    MIRRORED,
    WORD,
    Mentions,
    bare_option,
    option_of,
    without_lists,
)
from askew.reading.announcing import CHOICE, announcements, hedges
from askew.reading.reply import has_words, plain, refuses, unwrapped
from askew.reading.yesno import read_yes_no
from askew.schema import Outcome

# How much of the beginning and of the end of a long reply is read.
HEAD, TAIL = 4_000, 40_000
# In a reply as short as this the only option it names is its answer.
_SHORT = 60
_SEGMENT = 240
_LINE = 120
_MACRO = re.compile(r"\\(?:text(?:bf|rm|it|tt)?|mathrm|mathbf|mathit|boldsymbol)\s?(?=\{)")
_SENTENCE_END = re.compile(r"[.!?] |\n")
_DIGIT = re.compile(r"\d")
_DENIED = re.compile(r"\b(?:not|no|neither|nor|never|un)\s+(?:\w+\s+)?$|n't\s+(?:\w+\s+)?$", re.I)


@dataclass(frozen=True)
class Reading:
    """What a reply settles on; `askew.papers.mathcomp.reading` says what its three answers are."""

    outcome: Outcome
    answer: str | None = None
    strict: str | None = None
    lenient: str | None = None
    yes_no: bool = False
    """Whether it says Yes or No and names no option."""
    hedged: bool = False
    """Whether the reply itself leaves the question open."""
    settled: bool = True
    """Whether the reading holds for a reply that was cut."""
    why: str = ""


@dataclass(frozen=True)
class _Stated:
    """An explicit statement of an answer: a word, and what it means for the second person."""

    word: str
    meaning: str
    start: int
    end: int
    settled: bool
    why: str


def read_prose(text: str, first: str, second: str) -> Reading:
    """Read prose, of any length, whose JSON was looked at before."""
    body = plain(_MACRO.sub(" ", unwrapped(text, ()))).strip()
    if len(body) > HEAD + TAIL:
        body = f"{body[:HEAD]}\n{body[-TAIL:]}"
    body, listed = without_lists(body)
    people = Mentions(body, first, second)
    said = comparisons(body, people)
    concluded = _concluding(said, len(body))
    stated = _stated(body, said)
    if stated is not None:
        behind = [c for c in said if c.start >= stated.end and c.concludes]
        later = _concluding(behind, len(body))
        if later is not None and later.meaning != stated.meaning:
            return _about_people(later, said, settled=False)
        reading = _of_statement(stated)
        return in_frames_words(reading, body[: stated.start], first, second)
    if concluded is not None:
        return _about_people(concluded, said, settled=False)
    return _without_conclusion(text, body, listed)


def _stated(body: str, said: list[Comparison]) -> _Stated | None:
    """The last explicit statement of an answer, by place."""
    found = [s for s in (_head(body), _announced(body, said), _last_words(body)) if s]
    return max(found, key=lambda s: s.start, default=None)


def _head(body: str) -> _Stated | None:
    """The option that the first line is or opens with."""
    line = body.partition("\n")[0]
    option = bare_option(line) if len(line) <= _LINE else bare_option(line[:40] + ".")
    if option is None or (len(line) > _LINE and not _opens_with_its_word(line)):
        return None
    return _Stated(option, option, 0, _word_end(body, 0), True, "opens with its answer")


def _opens_with_its_word(line: str) -> bool:
    """Whether a long line sets its first word off as an answer."""
    word = WORD.search(line[:40])
    return word is not None and line[word.end() : word.end() + 1] in tuple(".,;:!)")


def _last_words(body: str) -> _Stated | None:
    """The option that the last line or the last sentence is."""
    line = body.rfind("\n") + 1
    sentence = max(body.rfind(mark, line, len(body) - 1) for mark in (". ", "! ", "? ")) + 1
    for start in dict.fromkeys((line, sentence)):
        words = body[start:]
        option = bare_option(words) if start > 0 and len(words) <= _LINE else None
        if option is not None:
            return _Stated(option, option, start, len(body), False, "closes with its answer")
    return None


def _announced(body: str, said: list[Comparison]) -> _Stated | None:
    """The last announcement that announces an option, or a comparison of the two people."""
    for one in reversed(announcements(body, CHOICE)):
        if one.doubtful:
            continue
        if one.by_subject:
            option = _subject(body[max(0, one.start - 60) : one.start])
            if option:
                why = "calls an option the answer"
                return _Stated(option, option, one.start, one.end, True, why)
            continue
        segment = body[one.end : one.end + _SEGMENT].lstrip().partition("\n")[0]
        option = bare_option(segment)
        if option:
            end = _word_end(body, one.end)
            return _Stated(option, option, one.end, end, True, "announces its answer")
        until = one.end + len(segment) + 2
        within = [c for c in said if one.end <= c.start < until]
        if within:
            told = within[-1]
            end = told.start + 1
            return _Stated(told.word, told.meaning, one.end, end, True, "announces a comparison")
    return None


def _word_end(body: str, start: int) -> int:
    """Where the option word behind a place ends; the place itself where there is none near it."""
    word = WORD.search(body, start, start + 60)
    return word.end() if word else start


def _subject(before: str) -> str | None:
    """The option that stands in front of "... is the answer"."""
    sentence = _SENTENCE_END.split(before)[-1].rstrip(" \"')]*,:")
    words = [m for m in WORD.finditer(sentence) if m.end() == len(sentence)]
    if words:
        return option_of(words[-1])
    last = sentence.rpartition(" ")[2]
    return bare_option(last) if len(last) <= 3 else None


def _concluding(said: list[Comparison], end: int) -> Comparison | None:
    """The last comparison that concludes; one in the last sentence may do so without saying it.

    Args:
        said: comparisons of a text, in order.
        end: where the text ends.
    """
    last = said[-1] if said else None
    if last and not last.partial:
        closes = last.plain and last.sentence_end >= end
        if last.relates or closes:
            return last
    for one in reversed(said):
        if one.concludes and not (one.partial and not one.relates):
            return one
    return None


def _about_people(one: Comparison, said: list[Comparison], settled: bool) -> Reading:
    """A conclusion about one of the people; one that is about the second is preferred."""
    beside = [c for c in said if c.concludes and not c.of_first and not c.partial]
    same = [c for c in beside if c.meaning == one.meaning]
    if one.of_first and same:
        one = same[-1]
    why = f"concludes with {one.word!r}"
    if one.of_first:
        return Reading(
            "frames_words",
            answer=one.meaning,
            strict=one.word,
            lenient=one.meaning,
            settled=settled,
            why=f"{why} about the first person: {one.meaning} for the second",
        )
    return replace(explicit(one.word, why), settled=settled)


def _of_statement(stated: _Stated) -> Reading:
    if stated.word == stated.meaning:
        return replace(explicit(stated.word, stated.why), settled=stated.settled)
    return Reading(
        "frames_words",
        answer=stated.meaning,
        strict=stated.word,
        lenient=stated.meaning,
        settled=stated.settled,
        why=f"{stated.why} about the first person: {stated.meaning} for the second",
    )


def in_frames_words(reading: Reading, reasoning: str, first: str, second: str) -> Reading:
    """A bare option whose own reasoning uses its word about the first person."""
    if reading.outcome != "ok" or reading.answer in (None, "equal") or not has_words(reasoning):
        return reading
    body = without_lists(plain(reasoning[-TAIL:]))[0]
    told = _concluding(comparisons(body, Mentions(body, first, second)), len(body))
    if told is None or not told.of_first or told.word != reading.answer:
        return reading
    return replace(
        reading,
        outcome="frames_words",
        lenient=MIRRORED[told.word],
        why=f"{reading.why}; its reasoning says {told.word!r} about the first person",
    )


def _without_conclusion(text: str, body: str, listed: bool) -> Reading:
    """A reply that states nothing: a single option named in a few words, or why there is none."""
    named = set() if len(body) > _SHORT or _DIGIT.search(body) else _named(body)
    if len(named) == 1 and not listed:
        return replace(explicit(named.pop(), "names one option only"), settled=False)
    if refuses(text):
        return Reading("refused", why="the reply declines to answer")
    if read_yes_no(text).answer is not None:
        return Reading("unparsed", yes_no=True, why="says Yes or No, which names no option")
    if hedges(body[-_SEGMENT:]):
        return Reading("unparsed", hedged=True, why="leaves the question open")
    options = {option_of(m) for m in WORD.finditer(body[-TAIL:])}
    if len(options) > 1:
        return Reading("ambiguous", why="names several options and concludes with none")
    if listed:
        return Reading("ambiguous", why="repeats the options and settles on none")
    return Reading("unparsed", why="concludes with none of more, less and equal")


def _named(body: str) -> set[str]:
    """The options that a short text names without denying them; all of it must be an answer."""
    if body.rstrip().endswith("?"):
        return set()
    return {
        option_of(m)
        for m in WORD.finditer(body)
        if not _DENIED.search(body[max(0, m.start() - 24) : m.start()])
    }


def explicit(option: str, why: str) -> Reading:
    """An option stated as such: all readings agree."""
    return Reading("ok", option, option, option, why=why)

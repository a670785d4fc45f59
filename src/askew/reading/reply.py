"""What every parser starts from: a reply's visible text, refusals, and announced answers.

All functions are total (any text is fine) and linear in the length of the reply.
"""

import json
import re
import string
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache

from askew.files import toml_of
from askew.reading import phrases

_SAYS = phrases("reply")

# Deeper than any answer; what lies before it in a longer reply is musing all the same.
MAX_REPLY = 2_000_000
# Of a long reply, its beginning and its end are read: that is where answers stand.
_HEAD = 50_000
_TAIL = 150_000

_EMPHASIS = str.maketrans("", "", "*`#")
_MARKS = str.maketrans(
    # Letters and marks as wide as Chinese ones are Latin all the same.
    {chr(code): chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    | {s: mark for mark, of in toml_of(__package__, "replies.toml")["marks"].items() for s in of}
)
_IN_WORD = re.compile(r"(?<=\w)")
_LOWER = str.maketrans(string.ascii_uppercase, string.ascii_lowercase)
# A refusal stands at the head of a reply; one quoted in the middle of an answer is not one.
_REFUSAL_WINDOW = 400


def after_reasoning(reply: str) -> str:
    """The reply after its reasoning block, if it wrote one in tags, with its marks as they are."""
    before, *after = _SAYS["think_end"].split(reply[-MAX_REPLY:])
    if after:
        return after[-1]
    # A reasoning block that never ends was cut: nothing of it is visible.
    return "" if _SAYS["think_start"].match(before) else before


def visible(reply: str) -> str:
    """The reply after its reasoning block, with plain marks."""
    return unify_characters(after_reasoning(reply)).strip()


def unify_characters(text: str) -> str:
    """Text with one kind of quote, hyphen and Latin letter, without invisible marks."""
    return text.translate(_MARKS)


def plain(text: str) -> str:
    """Text without markdown emphasis, code marks and heading signs."""
    return text.translate(_EMPHASIS).strip()


def refuses(text: str) -> bool:
    """Whether the beginning of a reply declines to answer."""
    return _SAYS["refusal"].search(unify_characters(text[:_REFUSAL_WINDOW])) is not None


def has_words(text: str) -> bool:
    """Whether there is a letter or a digit in any script."""
    return _SAYS["letter_or_digit"].search(text) is not None


def fold(text: str) -> str:
    """Text for comparison: case, runs of space, outer quotes and end marks do not count."""
    squeezed = " ".join(plain(unify_characters(text)).casefold().split())
    return squeezed.lstrip("\"'([ ").rstrip("\"'.,;:!?)] ")


def lower_in_place(text: str) -> str:
    """Text in lower case, every character at its place (`str.lower` lengthens some)."""
    return text.translate(_LOWER)


def match_end(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where a match at a place ends; the place itself where there is none."""
    match = pattern.match(text, start)
    return start if match is None else match.end()


def ends(text: str) -> str:
    """The beginning and the end of a text too long to be read whole."""
    return text if len(text) <= _HEAD + _TAIL else f"{text[:_HEAD]}\n\n{text[-_TAIL:]}"


def first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0].strip()


def last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2].strip()


def unwrap_answer(text: str, fields: Collection[str]) -> str:
    """What a JSON object gives as its answer; answer tags as lines "Answer: ..."; others as is.

    `fields` are names of JSON fields that hold the answer; several are joined in their order.
    """
    body = text
    if body.startswith("```") and body.endswith("```") and "\n" in body:
        body = body[3:-3].partition("\n")[2].strip()
    record = {}
    if body[:1] == "{" and body[-1:] == "}":
        with suppress(ValueError, RecursionError):
            record = json.loads(body, strict=False)
    texts = ((n.casefold().replace(" ", "_"), v) for n, v in record.items() if isinstance(v, str))
    if values := [value.strip() for name, value in texts if name in fields]:
        return ". ".join(values)
    return _SAYS["tag"].sub(lambda tag: "\n" if tag[1] else "\nAnswer: ", text).strip()


# Later announcements win, so only the last ones are looked at.
_KEPT = 40
# How far back a sentence is read for what makes an announcement doubtful.
_BEFORE = 160


@dataclass(frozen=True)
class Announcement:
    """An announcement in a text."""

    start: int
    end: int  # where what it announces begins; the subject of "... is correct" ends at `start`
    by_subject: bool = False  # the answer stands before it
    near: bool = False  # it names the closest option, not a right one
    weak: bool = False  # it says what the text supports, which is no word of the reply's own choice
    conceded: bool = False  # it goes by what is offered; where none fits, that is the closest
    doubtful: bool = False  # it stands under a condition, a negation, or in a question
    of_answer: bool = False  # it says "answer", so that words of the reply's own are one


# What finds announcements of an option, a label, and a truth label, in lower-case text.
CHOICE = _SAYS["choice"]
LABEL = _SAYS["label"]
TRUTH = _SAYS["truth"]


def announcements(text: str, of: re.Pattern[str]) -> list[Announcement]:
    """The last announcements in the text, in its order."""
    low = lower_in_place(text)
    # Inside of a word nothing is announced.
    whole = (m for m in of.finditer(low) if not _IN_WORD.match(low, m.start()))
    last = deque(whole, maxlen=_KEPT)
    return [_is_description(m, low) for m in last if _announces(m, low)]


def _announces(match: re.Match[str], low: str) -> bool:
    start = match.start()
    if _SAYS["wrong"].search(low[max(0, start - 12) : start]):
        return False
    said = match.groupdict()
    if said.get("below") is not None:
        line = low[max(low.rfind("\n", 0, start) + 1, start - 60) : start]
        return _SAYS["heading"].fullmatch(line) is not None
    return said.get("decides") is None or _is_verdict(match, low)


def _is_description(match: re.Match[str], low: str) -> Announcement:
    window = low[max(0, match.start() - _BEFORE) : match.start()]
    before = _SAYS["sentence_end"].split(window)[-1]
    near = _SAYS["near"].search(before[-80:] + match.group()) is not None
    asks = "?" in low[match.end() : match.end() + 80].partition("\n")[0]
    asks = asks and _SAYS["asks"].match(before) is not None
    said = {name for name, words in match.groupdict().items() if words is not None}
    return Announcement(
        match.start(), match.end(),
        by_subject=not said.isdisjoint(("decides", "suits")), near=near or "closest" in said,
        weak="supports" in said, conceded="given" in said, doubtful=asks or _is_doubtful(before),
        of_answer="noun" in said and _SAYS["of_answer"].fullmatch(match["noun"]) is not None,
    )  # fmt: skip


def _is_verdict(match: re.Match[str], low: str) -> bool:
    """Whether "is ... right" calls something the answer: "is right next to" does not."""
    if match["what"] not in ("correct", "right", "best", "closest", "accurate"):
        # "is one of", "is an option" call it one of several.
        return match["what"] == "answer" or match["adjectives"] is not None
    after = low[match.end() : match.end() + 12].lstrip(" *_\"')")
    return not after or after.startswith((*".,;:!\n(-", "because", "since", "as ", "for"))


def _is_doubtful(before: str) -> bool:
    clause = _SAYS["turn"].split(before)[-1]
    negated = _SAYS["negated"].search(re.split("[,:;]", clause)[-1])
    return negated is not None or _SAYS["weighed"].search(clause) is not None


@cache
def _languages() -> Sequence[tuple[re.Pattern[str], re.Pattern[str], Sequence[str]]]:
    """Of each language: what tells it, what finds its words, and what each of them is."""
    table = toml_of(__package__, "languages.toml")
    # A word of letters with cases begins where no other goes on; Chinese has no spaces.
    begins = r"(?:(?<![^\W\u4e00-\u9fff])|(?=[\u4e00-\u9fff]))"
    found = []
    for language in table.values():
        words, english = zip(*language["words"], strict=True)
        knows = re.compile(language["knows"].replace("\n", ""), re.IGNORECASE)
        finds = re.compile(f"{begins}(?:({')|('.join(words)}))", re.IGNORECASE)
        found.append((knows, finds, english))
    return found


def in_english(text: str, options: Iterable[str] = ()) -> str:
    """A reply with the words by which other languages answer in English; all others stay.

    Words of a language that the options use themselves stay too.
    """
    for knows, finds, english in _languages():
        if knows.search(text) and not any(finds.search(option) for option in options):
            text = finds.sub(lambda m, to=english: to[m.lastindex - 1], text)  # type: ignore[misc]
    return text


# "The prompt says that the answer is X", "if a rule were missing, it would be X" and "incorrect
# answer: X" name an answer that the reply does not give. It is blanked before the reply is read.
_RESTATED = phrases("restated")
REVISES = _RESTATED["revises"]
LEADS_ON = _RESTATED["leads_on"]
"""Finds where a reply takes back what it said."""


def blank_matches(text: str, pattern: re.Pattern[str]) -> str:
    """The text with spaces where the pattern matches: places and lines stay what they were."""
    return pattern.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), text)


def own(text: str) -> str:
    """What the reply says for itself."""
    text = blank_matches(text, _RESTATED["claims"])
    text = _RESTATED["unit"].sub(lambda unit: _drop_suppositions(unit.group()), text)
    return blank_matches(text, _RESTATED["wrong"])


def _drop_suppositions(unit: str) -> str:
    """A piece of a sentence, blank where it only supposes, or says which answer is wrong."""
    supposes = _RESTATED["would"].search(unit) and _RESTATED["supposes"].search(unit)
    return " " * len(unit) if supposes or _RESTATED["is_wrong"].search(unit) else unit


def spaced_scripts(text: str) -> str:
    """Text with blanks between Chinese characters and Latin ones: words end there."""
    return _RESTATED["scripts"].sub(" ", text)

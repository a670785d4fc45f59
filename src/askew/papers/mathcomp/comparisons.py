"""Comparisons of two people: their words, who is named, and what a sentence says of whom.

"Alex spends less than Sam" uses the word less and is about Alex; about Sam it says more. The
object behind "than" tells whom a sentence is about, else the person named last before the word.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

OPTIONS = ("less", "more", "equal")
MIRRORED = {"less": "more", "more": "less", "equal": "equal"}
# Options as the prompt letters them.
LETTERED = {"a": "less", "b": "more", "c": "equal"}

_MORE = r"more|greater|higher|larger|bigger|longer|farther|heavier"
_LESS = r"less|lesser|fewer|lower|smaller|shorter|lighter"
_EQUAL = r"equal|equally|same|identical|equivalent"
_WORD = (
    rf"(?<![\w'-])(?:(?P<more>{_MORE})|(?P<less>{_LESS})|(?P<equal>{_EQUAL}))(?![\w'-])"
    # "More importantly" opens a remark; "more or less" is taken out before.
    r"(?! (?:importantly|specifically|precisely|accurately|generally|formally|simply|likely"
    r"|information|context|details?|data)\b)"
)
WORD = re.compile(_WORD, re.IGNORECASE)

# All options in a row, lettered or not: the prompt's list come back, which names none.
_ITEM = (
    r"[(\[\"']{0,2}(?:[abc][).:] {0,2})?(?:less|more|equal)[\"')\]]{0,2}"
    r"(?:[ \t\n]{0,3}[,/|;])?[ \t\n]{0,3}(?:(?:or|and|nor) )?"
)
_ECHO = re.compile(rf"(?<![\w'-])(?:{_ITEM}){{3}}(?![\w'-])", re.IGNORECASE)
_NEITHER = re.compile(r"\bneither (?:more nor less|less nor more)\b", re.IGNORECASE)
_ROUGHLY = re.compile(r"\bmore or less (?=equal|the same|identical)", re.IGNORECASE)
_EITHER = re.compile(
    r"(?<![\w'-])(?:more|less|equal|greater|fewer)\b[ \t]{0,3}(?:or|/|\|)[ \t]{0,3}"
    r"(?:(?:is )?(?:more|less|equal|fewer)|the same)(?: (?:to|than))?(?![\w'-])",
    re.IGNORECASE,
)
_MARKS = " \t\n\r\"'()[]{}<>*_:=.,;!|$\\-\u2013\u2014\u2192\u2022\u2705\u2714\ufe0f\u27a1"
_OPENING = re.compile(
    r"(?:(?:yes|no|yeah|nope)[,.:;!\-\u2013\u2014]{1,2}\s{0,4}[\"'(\[]{0,2}"
    r"|(?:so|therefore|thus|hence|well|ok|okay|sure|then|overall|finally"
    r"|correct|right|clearly|definitely|(?:my |the |your )?(?:final |correct |right |true )?"
    r"(?:answer|option|choice|result|conclusion|comparison)|is|it's|it is|that's|they are"
    r"|they're|the amounts are|the totals are|the|an|in conclusion|short answer)"
    r"[\s,.:;!>\-\u2013\u2014]{1,4}[\"'(\[]{0,2}){1,4}",
    re.IGNORECASE,
)
_LETTER_ALONE = re.compile(r"(?:(?:option|choice|letter|answer) )?([abc])", re.IGNORECASE)
_LETTER_MARK = re.compile(
    r"(?:(?:option|choice|letter) )?[abc](?:[).:\]]{1,2}| -)\s{0,3}[\"'*]{0,2}", re.IGNORECASE
)
# What may stand behind an option word that answers; a joined second option may not.
_ENDS = re.compile(
    r"[\"')\]}\s]*(?:$|[.,;:!\n(\[|\u2013\u2014-]|(?:because|since|as|for|due|based)\b)"
)
_LETTER_BEHIND = re.compile(r"[\"']?\s*[(\[][abc][)\]]", re.IGNORECASE)


def without_lists(text: str) -> tuple[str, bool]:
    """The text with option lists and "more or less" blanked out, and whether there were any.

    Places stay what they were; "neither more nor less" becomes the option it means.
    """
    text = _NEITHER.sub(lambda m: "equal".ljust(len(m.group())), text)
    text = _ROUGHLY.sub(_blank, text)
    without = _EITHER.sub(_blank, _ECHO.sub(_blank, text))
    return without, without != text


def _blank(match: re.Match[str]) -> str:
    return "".join("\n" if c == "\n" else " " for c in match.group())


def option_of(match: re.Match[str]) -> str:
    """The option that a match of `WORD` means."""
    return str(match.lastgroup)


def bare_option(text: str) -> str | None:
    """The option that a short text is, or that it opens with as an answer.

    "More.", "(B)", "b) more", "Answer: more", "More, because ...", "the same". Where a letter and
    a word disagree, the word is what is meant.
    """
    body = text.strip(_MARKS)
    for _ in range(2):
        letter = _LETTER_ALONE.fullmatch(body)
        if letter:
            return LETTERED[letter[1].casefold()]
        mark = _LETTER_MARK.match(body)
        if mark:
            # A letter with its word, or with marks alone.
            rest = body[mark.end() :].strip(_MARKS)
            return _opens_with_option(rest) or (None if rest else LETTERED[_letter(mark)])
        opening = _OPENING.match(body)
        if opening is None:
            break
        body = body[opening.end() :].strip(_MARKS)
    return _opens_with_option(body)


def _letter(mark: re.Match[str]) -> str:
    return mark.group().casefold().rstrip(" \"'*).:]-")[-1:]


def _opens_with_option(body: str) -> str | None:
    word = WORD.match(body)
    if word is None:
        return None
    at = word.end()
    behind = _LETTER_BEHIND.match(body, at)
    return option_of(word) if _ENDS.match(body, behind.end() if behind else at) else None


@dataclass(frozen=True)
class NamedPerson:
    """One of the two people, named in a text: `second` is the one the question asks about."""

    second: bool
    start: int
    end: int


class People:
    """Where a text names the two people, for questions about what stands around a place."""

    def __init__(self, text: str, first: str, second: str) -> None:
        pattern, seconds = _names(first, second)
        self.all = [
            NamedPerson(_squeezed(m.group()) in seconds, m.start(), m.end())
            for m in pattern.finditer(text)
        ]
        self._starts = [m.start for m in self.all]

    def after(self, at: int, until: int) -> NamedPerson | None:
        """The first person named between two places."""
        i = bisect_left(self._starts, at)
        return self.all[i] if i < len(self.all) and self.all[i].start < until else None

    def before(self, at: int, since: int) -> NamedPerson | None:
        """The last person named between two places."""
        i = bisect_left(self._starts, at) - 1
        return self.all[i] if i >= 0 and self.all[i].start >= since else None

    def both(self, start: int, end: int) -> bool:
        """Whether both people are named between two places."""
        i, j = bisect_left(self._starts, start), bisect_left(self._starts, end)
        return len({m.second for m in self.all[i:j]}) == 2


def _squeezed(text: str) -> str:
    return " ".join(text.casefold().split())


@lru_cache(maxsize=64)
def _names(first: str, second: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """What finds the people, and which spellings mean the second one."""
    one, other = _noun(first), _noun(second)
    firsts = {one, "person a", "[person a]", "person_a", "person 1", *_variants(one)}
    seconds = {other, "person b", "[person b]", "person_b", "person 2", *_variants(other)}
    if "other person" not in (one, other):
        # Where both are persons, who is the first depends on who counts.
        firsts.add("first person")
        seconds.add("second person")
        if one == "person":
            firsts.add("other person")
    spellings = sorted(firsts | seconds, key=len, reverse=True)
    either = "|".join(re.escape(s).replace(r"\ ", r"\s{1,3}") for s in spellings if s)
    not_a_name = r"(?<![\w$])(?<!per )(?<!each )(?<!every )(?<!in )(?<!which )(?<!one )"
    pattern = re.compile(rf"{not_a_name}(?:{either})(?![\w])", re.IGNORECASE)
    return pattern, frozenset(seconds - firsts)


def _noun(mention: str) -> str:
    words = _squeezed(mention).split()
    return " ".join(words[1:] if words[:1] in (["the"], ["a"], ["an"]) else words)


def _variants(noun: str) -> set[str]:
    """Other words by which a reply may call somebody."""
    if noun == "woman":
        return {"she", "her", "female"}
    if noun == "man":
        return {"he", "him", "his", "male"}
    group = noun.removesuffix(" person")
    if group in ("", noun, "other"):
        return set()
    return {f"{group} {who}" for who in ("individual", "man", "woman", "one")}


# Later sentences win, so of a hostile reply only the last ones are looked at.
_SENTENCES = 600
_WORDS_A_SENTENCE = 12
_LONGEST = 1_200

_SENTENCE = re.compile(r"[^.!?\n]*+(?:[.!?](?![\s\"')*]|$)[^.!?\n]*+)*+[.!?\"')*]*|\n")
_OVERTAKES = re.compile(
    r"(?<![\w'-])(?:exceed(?:s|ed)?|surpass(?:es|ed)?|outspen[dt]s?|outpaces?|[<>])(?!\w)", re.I
)
_AS_MUCH = re.compile(
    r"(?<![\w'-])(?:(?P<more>twice|double|(?:two|three|four|\d{1,3}(?:\.\d{1,3})?) times) as"
    r"|(?P<less>half as)|(?P<equal>(?:just |exactly )?as)) (?:much|many|long|far)\b",
    re.IGNORECASE,
)
_LINK = re.compile(
    r"\b(?:than|as|compared (?:to|with)|(?:relative|equal|identical|equivalent) to|versus|vs\.?"
    r"|to|with)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(r"\b(?:compared (?:to|with)|relative to|unlike)\s(?:the )?$", re.IGNORECASE)
_CLAUSE_END = re.compile(
    r"[;,]|[.!?](?!\d)|\n|\b(?:while|whereas|but|so|because|since|and|therefore)\b", re.IGNORECASE
)
_NEGATED = re.compile(
    r"(?:\b(?:not|never|neither|nor|cannot|without|rather than|instead of|isn't|aren't|doesn't"
    r"|don't|didn't|wasn't|won't)\b|\bno\b)",
    re.IGNORECASE,
)
# Words about the question, or about what might be: they conclude nothing.
_WEIGHS = re.compile(
    r"\b(?:whether|if|unless|suppose|assum\w{1,4}|statement|premise|claim\w{0,2}|prompt|asks?"
    r"|asked|asking|says|states|stated|stating|mentions?|mentioned|framing|contrary"
    r"|several instances|some instances|although|though|despite|at first|initially|might|may"
    r"|(?:determine|find out|figure out|see|decide|check|calculate|compare|know) (?:who|which|how)"
    r"|need to|want to)\b",
    re.IGNORECASE,
)
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|so(?! far\b)|consequently|accordingly|in conclusion|conclude[sd]?"
    r"|conclusion|in summary|to sum up|overall|in total|totals?|altogether"
    r"|ultimately|as a result|this means|which means|meaning|it follows|we (?:can )?see|comparing"
    r"|comparison|compared|in the end|all in all|clearly|actually|in other words|amounts? of"
    r"|answer|since)\b",
    re.IGNORECASE,
)
# Where a sentence says so, "$10 more" is the result and not a step to it.
_SETTLES = re.compile(
    r"\b(?:therefore|thus|hence|in conclusion|overall|in total|altogether)\b", re.IGNORECASE
)
_PARTIAL = re.compile(
    r"\b(?:(?:mon|tues|wednes|thurs|fri|satur|sun)days?|each day|per (?:day|hour|item|unit)"
    r"|on the (?:first|second|third)|in the (?:morning|afternoon|evening)|alone)\b",
    re.IGNORECASE,
)
# "equal to 50", "more than 40 minutes", "at the same time", "more than half": arithmetic, idioms.
_NUMBER_BEHIND = re.compile(
    r"(?:\s+(?:to|than))?\s+(?:\$|\u20ac|\u00a3)?(?:\d|half\b|once\b|twice\b|one\b|two\b|three\b"
    r"|double\b|the sum\b)",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_IDIOM_BEHIND = re.compile(r"\s+(?:time\b(?! as)|day\b|way\b|as before)", re.IGNORECASE)
_LETTER_BEFORE = re.compile(r"(?<!person )\b[abc][).:]{1,2} ?[\"']?$", re.IGNORECASE)
_NUMBER_BEFORE = re.compile(
    r"(?:\d|\b(?:one|two|three|four|five|another|some|few))\s*$", re.IGNORECASE
)
_TOGETHER = re.compile(
    r"\b(?:both|they|the two|people|totals|amounts|individuals|each other|values|distances|sums"
    r"|weights|quantities|results)\b",
    re.IGNORECASE,
)
# "So it's more": what is asked about, not the person named last.
_OF_THE_QUESTION = re.compile(
    r"(?:\b(?:it|that)(?:'s| is| was| would be)|answer is|->|=>|\u2192)\s{0,3}(?:the |an? )?"
    r"[\"'(]?$",
    re.IGNORECASE,
)
# How far behind its subject a word may stand that needs nothing to compare with: "Sam spends more".
_NEAR_SUBJECT = 40


@dataclass(frozen=True)
class Comparison:
    """A comparison of the two people that a reply states.

    Attributes:
        word: the option whose word it uses.
        meaning: what it says about the second person.
        of_first: whether it is about the first person.
        start: where its word stands, and `sentence_end` where its sentence ends.
        concludes: its sentence says that it concludes, or speaks of totals.
        relates: both people, or the one it compares with, are named.
        partial: it speaks of a part of the amounts.
        plain: its subject stands right before it: "Sam spends more".
    """

    word: str
    meaning: str
    of_first: bool
    start: int
    concludes: bool
    relates: bool
    partial: bool
    plain: bool
    sentence_end: int


def comparisons(text: str, people: People) -> list[Comparison]:
    """The comparisons that a text states, in order; questions and doubts are none."""
    sentences = [m for m in _SENTENCE.finditer(text) if m.end() > m.start()]
    return [c for s in sentences[-_SENTENCES:] for c in _in_sentence(text, s, people)]


def _in_sentence(text: str, sentence: re.Match[str], people: People) -> Iterator[Comparison]:
    start, end = max(sentence.start(), sentence.end() - _LONGEST), sentence.end()
    body = text[start:end]
    if body.rstrip(" *_\"')").endswith("?"):
        return
    concludes = _CONCLUDES.search(body) is not None
    partial = _PARTIAL.search(body) is not None
    both = people.both(start, end)
    for word, at, stop in _words(body):
        clause_start = _clause_start(body, at)
        before = body[clause_start:at]
        # Behind a letter it is an option, not part of a sentence.
        if _NEGATED.search(before) or _WEIGHS.search(before) or _LETTER_BEFORE.search(before):
            continue
        about = _about(body, at, stop, start, people)
        relates = about.linked or both
        if word == "equal":
            relates = relates or _TOGETHER.search(body) is not None
        if about.second is None and not relates:
            continue
        if not about.linked and _is_arithmetic(word, body, at, stop):
            continue
        of_first = about.second is False and word != "equal"
        meaning = MIRRORED[word] if of_first else word
        yield Comparison(
            word, meaning, of_first, start + at, concludes, relates, partial, about.near, end
        )


def _words(body: str) -> list[tuple[str, int, int]]:
    """Option, start and end of the words that compare, in order."""
    found = [(option_of(m), m.start(), m.end()) for m in WORD.finditer(body)]
    found += [(option_of(m), m.start(), m.end()) for m in _AS_MUCH.finditer(body)]
    for m in _OVERTAKES.finditer(body):
        found.append(("less" if m.group() == "<" else "more", m.start(), m.end()))
    return sorted(found, key=lambda f: f[1])[-_WORDS_A_SENTENCE:]


def _clause_start(body: str, at: int) -> int:
    start = max(0, at - 200)
    for end in _CLAUSE_END.finditer(body, start, at):
        start = end.end()
    return start


@dataclass(frozen=True)
class _About:
    """Whether a comparison is about the second person, and whether the other one is linked."""

    second: bool | None
    linked: bool
    near: bool = False


def _about(body: str, at: int, stop: int, offset: int, people: People) -> _About:
    other = _linked_after(body, at, stop, offset, people)
    if other is not None:
        return _About(not other, True)
    if _OF_THE_QUESTION.search(body[max(0, at - 24) : at]):
        return _About(True, False)
    named = people.before(offset + at, offset + max(0, at - 300))
    if named is None:
        return _About(None, False)
    # "Sam, compared to Alex, spends more": the one named last is the one to compare with.
    place = named.start - offset
    if _BESIDE.search(body[max(0, place - 20) : place]):
        return _About(not named.second, True)
    near = at - place <= _NEAR_SUBJECT and not _DIGIT.search(body, place, at)
    return _About(named.second, False, near)


def _linked_after(body: str, at: int, stop: int, offset: int, people: People) -> bool | None:
    """Whether the person behind "than" is the second one; nothing where nobody is."""
    clause = _CLAUSE_END.search(body, stop, stop + 160)
    until = clause.start() if clause else min(len(body), stop + 160)
    if _OVERTAKES.match(body, at):
        link_end = stop
    else:
        link = _LINK.search(body, stop, until)
        if link is None:
            return None
        link_end = link.end()
    named = people.after(offset + link_end, offset + min(until, link_end + 80))
    return named.second if named else None


def _is_arithmetic(word: str, body: str, at: int, stop: int) -> bool:
    """Whether a word without a person to compare with belongs to a sum: "equal to 50"."""
    if _NUMBER_BEHIND.match(body, stop) or _AS_MUCH.match(body, at):
        return True
    if word == "equal":
        return _IDIOM_BEHIND.match(body, stop) is not None
    by_a_number = _NUMBER_BEFORE.search(body[max(0, at - 12) : at]) is not None
    return by_a_number and _SETTLES.search(body) is None

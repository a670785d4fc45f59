"""The words of a comparison: its three options in any dress, and the two people it is about."""

from __future__ import annotations

import re
from bisect import bisect_left
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
class Mention:
    """One of the two people, named in a text: `second` is the one the question asks about."""

    second: bool
    start: int
    end: int


class Mentions:
    """Where a text names the two people, for questions about what stands around a place."""

    def __init__(self, text: str, first: str, second: str) -> None:
        pattern, seconds = _names(first, second)
        self.all = [
            Mention(_squeezed(m.group()) in seconds, m.start(), m.end())
            for m in pattern.finditer(text)
        ]
        self._starts = [m.start for m in self.all]

    def after(self, at: int, until: int) -> Mention | None:
        """The first person named between two places."""
        i = bisect_left(self._starts, at)
        return self.all[i] if i < len(self.all) and self.all[i].start < until else None

    def before(self, at: int, since: int) -> Mention | None:
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

"""Numbered choices as sets: which options a reply settles on, in any order, or that none is right.

Lists of options are read as replies write them: "1, 3", "options 1 & 3", "2. kite", "kite and
rhombus". Reading goes from the strongest sign to the weakest: an announced answer, the head of the
reply, its last line, then one option named in a short reply. A number counts only where it stands
as an answer: in prose ("there are 2 reasons") it is no choice. What these rules cannot decide is
`unparsed` or `ambiguous` and left to a judge. Every step moves on: reading is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from askew.reading.none import hedges, is_none, none_position, starts_with_hedge, starts_with_none
from askew.reading.reply import (
    first_line,
    folded,
    has_words,
    last_line,
    plain,
    refuses,
    unwrapped,
    visible,
)
from askew.schema import Outcome

_MOST_ITEMS = 64

_NUMBER = re.compile(r"[(\[]?(?P<number>\d{1,3})(?P<close>[)\]]?)(?![\d%\u00b0]|\.\d|[a-z])")
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORD = re.compile(rf"(?P<word>{'|'.join(_WORDS)})\b")
# Words that may stand before a list, one at a time.
_LEAD = re.compile(
    r"(?:[^\w\s]|(?:one|single|exactly one)(?= ?[:(\u2013\u2014-])|(?:several|multiple|still|that"
    r"|just|only|both|simply|clearly|the|correct|right|final|options?|answers?|choices?|numbers?"
    r"|nos?\.|is|are|so|therefore|thus|hence|i think|i believe|i would say|it is|it's|they are"
    r"|definitely|probably|most likely|likely|my|would be)\b)\s*"
)
_NAMES_NUMBERS = re.compile(r"(?:options?|answers?|choices?|numbers?)\s*$")
_MARK = re.compile(r" ?[.):\-\u2013\u2014]+ +| ?[:\u2013\u2014(] *| (?=[a-z\"'])")
_SEPARATOR = re.compile(
    r"\s*(?:,\s*and\b|,\s*as well as\b|,\s*&|;|,|\+|&|/|\band\b|\bas well as\b|\bplus\b"
    r"|\.?\n(?:[-\u2022]\s*)?)\s*(?:also\s+)?(?:option|number|no\.)?\s*|[ .]\s*(?=[(\[]?\d)"
)
_OR = re.compile(r" *,? *(?:or|to|through|-|\u2013) *(?:option )?[(\[]?\d")
_DENIED = re.compile(
    r"[\s.,:;)\-\u2013\u2014(]*(?:(?:is|are|was|were|can|could|would)\s*(?:n't|not|wrong|false|in"
    r"|ruled|both wrong|all wrong)|(?:wrong|false|incorrect|not|no)\b|isn't|aren't|can't|cannot)"
)
_AFFIRMED = re.compile(
    r"\s*(?:(?:is|are|would be|must be|should be) (?:both |all |each |indeed |clearly )?(?:the )?"
    r"(?:only )?(?:correct|right|true|valid|answers?)|only\b|because\b|since\b|as\b|for\b|due\b"
    r"|based\b|both\b|here\b|this\b|these\b|which\b|given\b|according\b|(?:is|are) (?:the|my)\b"
    r"|apply\b|applies\b|fits?\b|qualif)"
)
_MONEY = "\u20ac\u00a3\u00a5"
_ALL = re.compile(
    r"(?:all (?:of )?(?:the |these |those )?(?:(?:two|three|four|five|\d{1,2}) )?"
    r"(?:above|options?|answers?|choices?|of them|them|of these|\d{1,2})"
    r"(?: options?| answers?| choices?)?(?: above| given| listed)?"
    r"(?: (?:are|is) (?:correct|right|true))?|all (?:are |is )(?:correct|right|true)|all)"
    r"(?=\s*(?:$|[.!,;\n)]))"
)
_NUMBERED_LINE = re.compile(r"\s*(?:[-\u2022]\s*)?[(\[]?(?P<number>\d{1,3})[)\].:]+\s*(?P<rest>.*)")


@dataclass(frozen=True)
class Listing:
    """Indexes of the options listed, ascending; `torn` says why they don't make an answer."""

    chosen: tuple[int, ...] = ()
    torn: str = ""


class OptionLists:
    """One question's options, folded once."""

    def __init__(self, options: Sequence[str]) -> None:
        self.size = len(options)
        self.texts = [_bare(option) for option in options]
        # Longer first: "New York City" is not "New York".
        self._by_length = sorted(range(self.size), key=lambda i: -len(self.texts[i]))

    def at_start(self, text: str) -> Listing | None:
        """The list that a text opens with, if one does and nothing after it takes it back."""
        shown = spaced(text)
        lines = self._over_lines(shown)
        if lines is not None:
            return lines
        everything = _ALL.match(shown)
        if everything is not None:
            return Listing(tuple(range(self.size)))
        return self._in_line(shown)

    def named(self, text: str) -> set[int]:
        """Options whose whole text stands somewhere in a text."""
        squeezed = " ".join(text.casefold().split())
        found = set()
        for i in self._by_length:
            masked = _masked(squeezed, self.texts[i])
            if masked != squeezed:
                found.add(i)
                squeezed = masked
        return found

    def _over_lines(self, text: str) -> Listing | None:
        """A list with one numbered option a line; verdicts beside them make it no plain list."""
        numbered = [m for m in map(_NUMBERED_LINE.fullmatch, text.split("\n")[:200]) if m]
        if len(numbered) < 2 or _NUMBERED_LINE.match(text) is None:
            return None
        chosen = {int(m["number"]) - 1 for m in numbered}
        plain = all(self._is_own_text(int(m["number"]) - 1, m["rest"]) for m in numbered)
        if not plain:
            return Listing(torn="goes through options one by one")
        if len(chosen) == self.size:
            return Listing(torn="repeats all options")
        return Listing(tuple(sorted(chosen)))

    def _is_own_text(self, index: int, rest: str) -> bool:
        said = _bare(rest)
        return not said or (0 <= index < self.size and said == self.texts[index])

    def _in_line(self, text: str) -> Listing | None:
        chosen: set[int] = set()
        position = _skip_lead(text, self)
        for _ in range(_MOST_ITEMS):
            item = self._item(text, position)
            if item is None:
                break
            index, position, other = item
            # "2, 4 (kite, rhombus)": texts in brackets belong to the whole list.
            if other is not None and not (chosen and text[position:].startswith((" (", "("))):
                return Listing(torn=f"writes {index + 1} beside the text of option {other + 1}")
            chosen.add(index)
            if _OR.match(text, position):
                return Listing(torn="offers alternatives")
            separator = _SEPARATOR.match(text, position)
            if separator is None or self._item(text, separator.end()) is None:
                break
            position = separator.end()
        if not chosen or not _may_end(text, position):
            return None
        return Listing(tuple(sorted(chosen)))

    def _item(self, text: str, position: int) -> tuple[int, int, int | None] | None:
        """One option: its index, where it ends, and another whose text stands beside its number."""
        position = _past_article(text, position)
        number = _NUMBER.match(text, position)
        if number is None:
            by_text = self._text_at(text, position)
            if by_text is not None:
                return by_text, position + len(self.texts[by_text]), None
            word = _NUMBER_WORD.match(text, position)
            if word is None or not _NAMES_NUMBERS.search(text, 0, position):
                return None
            return _WORDS.index(word["word"]), word.end(), None
        index = int(number["number"]) - 1
        whole = self._text_at(text, position)
        # A number that is no option's but is an option's text, as in "80" among ages.
        if whole is not None and not 0 <= index < self.size:
            return whole, position + len(self.texts[whole]), None
        mark = _MARK.match(text, number.end())
        beside = _past_article(text, mark.end()) if mark else number.end()
        said = self._text_at(text, beside) if mark else None
        if said is None:
            return index, number.end(), None
        end = beside + len(self.texts[said])
        if 0 <= index < self.size and self.texts[said] == self.texts[index]:
            return index, end + (text[end : end + 1] == ")"), None
        return index, number.end() if mark and "(" in mark[0] else end, said

    def _text_at(self, text: str, position: int) -> int | None:
        for i in self._by_length:
            option = self.texts[i]
            end = position + len(option)
            if option and text.startswith(option, position) and not text[end : end + 1].isalnum():
                return i
        return None


def spaced(text: str) -> str:
    """Text for matching: case and runs of blanks do not count, line ends stay."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).casefold().strip()


def _skip_lead(text: str, lists: OptionLists) -> int:
    """Where a list may begin, past words such as "the correct options are"."""
    position = 0
    for _ in range(12):
        if lists._item(text, position) is not None:
            return position
        lead = _LEAD.match(text, position)
        if lead is None:
            return position
        position = lead.end()
    return position


def _past_article(text: str, position: int) -> int:
    """Past an opening quote and an article: options are compared without them."""
    if text[position : position + 1] in ('"', "'"):
        position += 1
    for article in ("the ", "a ", "an "):
        if text.startswith(article, position):
            return position + len(article)
    return position


def _may_end(text: str, position: int) -> bool:
    """Whether what follows a list may follow an answer."""
    rest = text[position : position + 200]
    if _DENIED.match(rest):
        return False
    following = rest.lstrip(" ")
    if not following or _AFFIRMED.match(rest):
        return True
    return not following[0].isalnum() and following[0] not in _MONEY


def _bare(option: str) -> str:
    words = folded(option)
    for article in ("the ", "a ", "an "):
        if words.startswith(article) and len(words) > len(article):
            return words[len(article) :]
    return words


def _masked(text: str, option: str) -> str:
    """The text with whole-word occurrences of an option blanked out."""
    if not option:
        return text
    parts: list[str] = []
    start = 0
    while (found := text.find(option, start)) >= 0:
        end = found + len(option)
        whole = not text[found - 1 : found].isalnum() and not text[end : end + 1].isalnum()
        parts += [text[start:found], " " * len(option) if whole else option]
        start = end
    return "".join(parts) + text[start:]


# What follows an announcement is read up to here; an answer is never this long.
_SEGMENT = 2_000
_ANNOUNCEMENTS = 50
_SHORT = 60

NoAnswer = Literal["", "none", "hedge"]


@dataclass(frozen=True)
class OptionSet:
    """What a reply settles on.

    `chosen` indexes the shown options, ascending. `none` says that no option is right, outright
    or by a hedge. `several` stands for a reply that says several are right and names none.
    `final` marks a reply without a readable answer that no judge could mend.
    """

    outcome: Outcome
    chosen: tuple[int, ...] = ()
    none: NoAnswer = ""
    several: bool = False
    settled: bool = True
    final: bool = True
    why: str = ""


_ANNOUNCED = re.compile(
    r"\b(?:answers?|(?:correct|right|final|best|chosen|selected|true|my) (?:options?|choices?"
    r"|numbers?|ones?|selections?|responses?))"
    r"(?: (?:numbers?|options?|here|to the question|for (?:this|the) question|choices?)){0,2}"
    r"(?:[ \t]{0,3}(?:is|are|was|were|remains?|(?:should|would|must|will|to) be)\b(?! not\b|n't\b)"
    r"|[ \t*_\"']{0,5}[:=])"
    r"|\b(?:i|i'll|i'd|i would|i will|we|let's|i have|i've)"
    r" (?:choose|pick|select|go with|answer|chosen|picked|selected)\b"
    r"|\\boxed[ \t]{0,3}\{",
    re.IGNORECASE,
)
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf)\{")
# Where the last statement of a line begins.
_CONCLUDES = re.compile(
    r"\b(?:therefore|thus|hence|so|consequently|finally)\b[,:]?|(?<!\d)[.!?:] (?=\S)", re.IGNORECASE
)
_NAMED = re.compile(r"\b(?:options?|choices?|numbers?|answer) #?[(\[]?(?P<number>\d{1,3})\b", re.I)
_DENIAL = re.compile(
    r"\b(?:not|never|cannot|neither|nor|no|none|than|unlike|wrong|incorrect|false|except|excluded?"
    r"|rule[ds]? out|eliminated?|instead)\b|n't\b",
    re.IGNORECASE,
)
_LABEL_ONLY = re.compile(
    r"(?:one|single|exactly one|several|multiple|more than one|both|a single option|one option"
    r"|several options|multiple options|more than one option)(?: (?:is|are) (?:correct|right))?"
)


def read_option_set(reply: str, options: Sequence[str]) -> OptionSet:
    """Read a reply to a question whose options are numbered from 1.

    Args:
        reply: the model's whole reply.
        options: the options shown, in order.
    """
    text = plain(_LATEX.sub(" ", unwrapped(visible(reply), ("answer", "final_answer"))))
    if not has_words(text):
        return OptionSet("empty", why="the reply has no words")
    lists = OptionLists(options)
    announced = _announced(text, lists)
    if announced is not None:
        return announced
    for part in (text, first_line(text)):
        found = _segment(part, lists)
        if found is not None:
            return _beside_denial(found, text, after=0)
    if refuses(text):
        return OptionSet("refused", why="the reply declines to answer")
    return _closing(text, lists) or _denial(text, lists) or _mentioned(text, lists)


def _announced(text: str, lists: OptionLists) -> OptionSet | None:
    """The answer behind the last announcement that announces one."""
    for match in reversed(list(_ANNOUNCED.finditer(text))[-_ANNOUNCEMENTS:]):
        segment = text[match.end() : match.end() + _SEGMENT]
        found = _segment(segment, lists) or _segment(first_line(segment), lists)
        if found is not None:
            return _beside_denial(found, text, after=match.start())
    return None


def _beside_denial(found: OptionSet, text: str, after: int) -> OptionSet:
    """A chosen set, unless the reply says from there on that no option is right."""
    if found.chosen and none_position(text) >= after:
        return OptionSet("ambiguous", final=False, why="chooses and says that none is right")
    return found


def _segment(text: str, lists: OptionLists) -> OptionSet | None:
    """The answer that a piece of text opens with, if it opens with one."""
    opened = text[:_SEGMENT].strip(" \t\n\r\"'[({<>:=-\u2013\u2014.,}$").removeprefix("that ")
    if not opened:
        return None
    if starts_with_none(opened) or is_none(first_line(opened).rstrip("}$")):
        return OptionSet("ok", none="none", why="says that none is right")
    bare = spaced(opened).rstrip(" .!})\"'")
    if len(bare) < _SHORT and _LABEL_ONLY.fullmatch(bare):
        return _label_alone(bare)
    listing = lists.at_start(opened)
    if listing is not None:
        return _listed(listing, lists.size)
    if starts_with_hedge(opened) and not (lists.named(opened) | _numbers(opened)):
        return OptionSet("ok", none="hedge", why="leaves the question open")
    return None


def _label_alone(bare: str) -> OptionSet:
    if bare.startswith(("one", "single", "exactly", "a single")):
        return OptionSet("unparsed", why="says that one option is right and names none")
    return OptionSet("ok", several=True, why="says that several are right and names none")


def _listed(listing: Listing, n_options: int) -> OptionSet:
    if listing.torn:
        return OptionSet("ambiguous", final=False, why=listing.torn)
    beyond = [i + 1 for i in listing.chosen if not 0 <= i < n_options]
    if beyond:
        numbers = ", ".join(map(str, beyond))
        return OptionSet("unparsed", why=f"names {numbers} of {n_options} options")
    shown = ", ".join(str(i + 1) for i in listing.chosen)
    return OptionSet("ok", chosen=listing.chosen, why=f"chooses {shown}")


def _closing(text: str, lists: OptionLists) -> OptionSet | None:
    """The answer in the last line, or behind its last word of conclusion."""
    line = last_line(text)
    found = _segment(line, lists)
    if found is None:
        ends = [match.end() for match in _CONCLUDES.finditer(line)]
        found = _segment(line[ends[-1] :], lists) if ends else None
    return _beside_denial(found, text, after=0) if found is not None else None


def _denial(text: str, lists: OptionLists) -> OptionSet | None:
    """A reply that denies all options, or leaves the question open, in the middle of its prose."""
    named = lists.named(text) | _numbers(text)
    if none_position(text) >= 0:
        return OptionSet("ok", none="none", why="says that none is right")
    if hedges(text):
        if not named:
            return OptionSet("ok", none="hedge", why="leaves the question open")
        return OptionSet("ambiguous", final=False, why="names options and leaves the question open")
    return None


def _mentioned(text: str, lists: OptionLists) -> OptionSet:
    """The one option that a short reply without a stated answer names and does not deny."""
    named = lists.named(text) | _numbers(text)
    inside = {i for i in named if 0 <= i < lists.size}
    if len(inside) == 1 and named == inside and len(text.split()) <= _SHORT:
        if _DENIAL.search(text):
            return OptionSet("ambiguous", final=False, why="names one option beside a denial")
        chosen = tuple(inside)
        return OptionSet("ok", chosen=chosen, settled=False, why="names one option only")
    if named:
        why = f"names {len(named)} options and settles on none"
        return OptionSet("ambiguous", settled=False, final=False, why=why)
    return OptionSet("unparsed", settled=False, final=False, why="no option is named")


def _numbers(text: str) -> set[int]:
    """Indexes behind words such as "option": other numbers are prose."""
    return {int(match["number"]) - 1 for match in _NAMED.finditer(text)}

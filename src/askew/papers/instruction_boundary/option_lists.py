"""Lists of options as replies write them: "1, 3", "options 1 & 3", "2. kite", "kite and rhombus".

A list is read from the beginning of a piece of text, item by item, and counts only where what
follows it may follow an answer. Every step moves on, so reading is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from askew.reading.reply import folded

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

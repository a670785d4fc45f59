"""Names of options in a text, each as one sign: its words, or the letter that stands for it.

What is said of signs is found by the same few patterns, whatever the options are. Case, articles,
emphasis and marks between words do not count, unless two options differ by nothing else. Of
equations all but spaces counts.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from itertools import pairwise

from askew.reading import phrases
from askew.reading.reply import fold, plain

_SAYS = phrases("names")

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# Signs for private use, of which no reply keeps any: a text, an everyday word that is one too,
# a letter; and a text that fits several options.
TEXT, WORD, LETTER = 0xF0000, 0xF1000, 0xF2000
SHARED = "\U000f3fff"
SIGNS = "\U000f0000-\U000f3fff"
NAME = re.compile(
    "(?P<letter>[\U000f2000-\U000f2fff])?(?P<text>[\U000f0000-\U000f1fff\U000f3fff])"
    "|(?P<alone>[\U000f2000-\U000f2fff])"
)
_FOREIGN = re.compile("[\ue000-\uf8ff\U000f0000-\U0010ffff]")
# The share of its neighbouring signs that an equation has in common with one that it garbles.
_ALIKE = 0.6


def is_math(option: str) -> bool:
    """Whether an option is compared as LaTeX: spaces don't count, case does."""
    return any(c in option for c in "\\^=") or "_{" in option


def compose_accents(text: str) -> str:
    """Text with one sign for a letter and its accents, and none for private use."""
    text = _FOREIGN.sub(" ", text)
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def index_of(name: re.Match[str], group: str) -> int | None:
    """The option that a sign stands for."""
    return None if name[group] is None else ord(name[group]) & 0xFFF


def bare(text: str) -> str:
    """Folded text without a leading article: "A cake." and "cake" are one answer."""
    return _SAYS["article"].sub("", compose_accents(fold(text)))


class OptionNames:
    """The offered options and, behind them, the removed one, prepared once."""

    # Around a name, which is no part of a longer word or number.
    bounds = _SAYS["begins"].pattern, _SAYS["ends"].pattern
    # Whether a text that comes down to a letter is an option's name, beside the letters of options.
    letters_are_names = False

    def __init__(self, options: Sequence[str], removed: str = "") -> None:
        self.written = [*options, removed] if removed.strip() else list(options)
        self.n_offered = len(options)
        self.tight = [_tight(t) if is_math(t) else "" for t in self.written]
        self.keys = [self._key(text) for text in self.written]
        longest = sorted(range(len(self.written)), key=lambda i: -len(self.written[i]))
        kept = self.letters_are_names
        named = [i for i in longest if kept or not _is_letter(self.written[i].strip())]
        peculiar = [i for i in named if self._is_peculiar(i)]
        exact = [(i, _flexible_spaces(self.written[i], self.tight[i])) for i in peculiar]
        self._as_written = self._finds(exact, 0)
        common = [i for i in named if not (self.tight[i] or _is_letter(self.keys[i]))]
        lenient = [(i, self._pattern(i)) for i in common]
        self._leniently = self._finds(lenient, re.IGNORECASE, *self.bounds)

    def _key(self, text: str) -> str:
        """What two texts share that differ by no more than a reply may leave out."""
        return _tight(text) if is_math(text) else bare(text)

    def _pattern(self, i: int) -> str:
        return _lenient(self.keys[i])

    def _is_peculiar(self, i: int) -> bool:
        """Whether an option must be found as it is written, before emphasis is dropped."""
        text, key = self.written[i], self.keys[i]
        is_marked = plain(text) != text.strip()
        return bool(self.tight[i]) or _is_letter(key) or self.keys.count(key) > 1 or is_marked

    def _finds(
        self, patterns: Sequence[tuple[int, str]], flags: int, begins: str = "", ends: str = ""
    ) -> re.Pattern[str] | None:
        alternatives = "|".join(f"(?P<o{i}>{pattern})" for i, pattern in patterns if pattern)
        return re.compile(f"{begins}(?:{alternatives}){ends}", flags) if alternatives else None

    def marked(self, text: str, groups: dict[str, str]) -> str:
        """The text with a sign for each name; `said` keeps what each of them was written as."""
        text = plain(_SAYS["star"].sub("-", self._peculiar(text, groups)))
        if self._leniently is not None:
            text = self._leniently.sub(lambda m: self._sign(m, groups, shared=True), text)
        text = _SAYS["letter"].sub(lambda m: self._letter_names(m, groups), text)
        return _SAYS["beside"].sub(_join_letter_and_text, text)

    def _peculiar(self, text: str, groups: dict[str, str]) -> str:
        """The text with signs for names that must be found as they are written."""
        if self._as_written is None:
            return text
        return self._as_written.sub(lambda m: self._sign(m, groups, shared=False), text)

    def _sign(self, match: re.Match[str], groups: dict[str, str], shared: bool) -> str:
        i = int(str(match.lastgroup)[1:])
        everyday = not self.tight[i] and _SAYS["everyday"].fullmatch(self.keys[i])
        sign = chr((WORD if everyday else TEXT) + i)
        if shared and len({self.written[j] for j in self.same(i)}) > 1:
            sign = SHARED
        groups[sign] = match.group()
        return sign

    def same(self, i: int) -> list[int]:
        """Options whose texts differ by no more than a reply may leave out."""
        return [j for j, key in enumerate(self.keys) if key == self.keys[i]]

    def _letter_names(self, match: re.Match[str], groups: dict[str, str]) -> str:
        letter = match["named"] or match["upper"] or match["low"]
        index = LETTERS.index(letter.upper())
        rest = match.string[match.end() : match.end() + 12].lstrip(" )]}\"'_.:$\\")
        # Letters far beyond the offered ones are initials or pronouns, unless they stand alone.
        if index > self.n_offered and rest and rest[0] not in "\n<":
            return match.group()
        sign = chr(LETTER + index)
        groups[sign] = letter
        return (match["noun"] or "") + sign

    def alike(self, text: str) -> list[int]:
        """The equations that an equation is most alike, if it is much alike any."""
        if not (is_math(text) and any(self.tight)):
            return []
        pairs, offered = _pairs(_tight(text[:2_000])), map(_pairs, self.tight)
        shares = [2 * (pairs & own).total() / (pairs + own).total() for own in offered]
        return [i for i, share in enumerate(shares) if share == max(shares) >= _ALIKE]


def _join_letter_and_text(match: re.Match[str]) -> str:
    """A letter beside a text as one name: "C. Rick", "Rick (C)"."""
    letter, text = match["letter"] or match["behind"], match["text"] or match["before"]
    same = ord(letter) - LETTER == ord(text) & 0xFFF
    if match["behind"] or "\n" in match["dress"]:
        return letter + text if same else match.group()
    return letter + text


def _pairs(key: str) -> Counter[str]:
    """How often each two signs stand side by side."""
    return Counter(map("".join, pairwise(key)))


def _tight(text: str) -> str:
    """LaTeX without what only spaces it, the marks around it and an end mark."""
    core = _SAYS["math_marks"].sub("", text.strip())
    return _SAYS["spacing"].sub(lambda m: m[1] or "", core).rstrip(".,;")


def _is_letter(text: str) -> bool:
    return len(text) == 1 and text.isascii() and text.isalpha()


def _flexible_spaces(text: str, tight: str) -> str:
    """A pattern of a text as it is written, however its blanks are set; of an equation's signs."""
    if tight:
        blanks = f"(?:{_SAYS['blank'].pattern})*"
        begins, ends = _SAYS["math_begins"].pattern, _SAYS["math_ends"].pattern
        return f"{begins}{blanks.join(map(re.escape, tight))}{ends}"
    return r"\s+".join(map(re.escape, text.split())).join(OptionNames.bounds)


def _lenient(key: str) -> str:
    """A pattern of a text's words, with an article or without, and any marks between them."""
    words, between = [re.escape(word) for word in key.split()], r"\s+"
    if _SAYS["several_words"].fullmatch(key):
        parts = map(re.escape, _SAYS["word"].findall(key.replace("&", " and ")))
        words = [r"(?:and\b|&)" if w == "and" else w.replace("'", "'?") for w in parts]
        between = _SAYS["between_words"].pattern
    return _SAYS["optional_article"].pattern + between.join(words)

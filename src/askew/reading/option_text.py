r"""Which option a piece of text is, opens with, ends with or names.

Texts are compared from strict to lenient: as written, as LaTeX without its spaces, folded (case,
emphasis, outer marks), without a leading article, as bare words. The strictest comparison that
finds an option decides, so options that differ only by case or by `*` stay apart.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import pairwise

from askew.reading import phrases
from askew.reading.reply import folded, match_end, unified

_SAYS = phrases("option_text")

# An answer's text is read up to here.
SEGMENT = 2_000
_LAYERS = 12
# The share of its neighbouring signs that an equation has in common with one that it garbles.
_ALIKE = 0.6

_PAIRS = (
    *(("```", "```"), ("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("**", "**"), ("__", "__")),
    *(("$", "$"), ("`", "`"), ('"', '"'), ("'", "'"), ("*", "*"), ("_", "_")),
    *(("(", ")"), ("[", "]"), ("{", "}"), ("\\boxed", ""), ("\\fbox", ""), ("\\textbf", "")),
    *(("\\text", ""), ("\\mathrm", ""), ("\\mathbf", ""), ("\\displaystyle", "")),
)
_CLOSERS = "*_`\"')]}$.,;:!? "
_ARTICLES = ("a ", "an ", "the ")


class OptionTexts:
    """The offered options and, behind them, the removed one, prepared for comparison."""

    def __init__(self, options: Sequence[str], removed: str = "") -> None:
        self.written = [*options, removed] if removed.strip() else list(options)
        self.n_offered = len(options)
        self.tight = [tight(_core(t)) if is_math(t) else "" for t in self.written]
        self.levels = [_index([key_of(t) for t in self.written]) for key_of in _KEYS]
        self.levels[_TIGHT] = _index(self.tight)
        # A text that comes down to a letter ("a * b", without emphasis and article) must be exact.
        self.bare = ["" if _is_letter(bare(t)) else bare(t) for t in self.written]
        # Longer first: "New York City" is not "New York".
        self.by_length = sorted(range(len(self.written)), key=lambda i: -len(self.bare[i]))
        self.longest = max((len(t) for t in self.written), default=0)

    def equal(self, text: str) -> list[int]:
        """The options that the text is, give or take marks around it."""
        if len(text) > 3 * self.longest + 200:
            return []
        peeled = list(layers(text))
        if any(_is_letter(layer) for layer in peeled):
            return []
        for level, key_of in zip(self.levels, _KEYS, strict=True):
            for layer in peeled if level else ():
                if (key := key_of(layer)) in level:
                    return level[key]
        return []

    def opening(self, text: str) -> tuple[list[int], str]:
        """The options that the text opens with, and what follows; joined ones are several."""
        text = _composed(text[:SEGMENT])
        for i in self.by_length:
            end = self._opened(text, i)
            if end is None:
                continue
            rest = text[end:]
            if self.tight[i] or _SAYS["stop"].match(rest) or _SAYS["aside"].match(rest):
                return self._alike(i), rest
            joined = _SAYS["joins"].match(rest)
            if joined is not None:
                after = _SAYS["letter_mark"].sub("", rest[joined.end() :], count=1)
                opened = (j for j in self.by_length if self._opened(after, j) is not None)
                other = next(opened, i)
                if other != i:
                    return [i, other], rest
        return [], text

    def _opened(self, text: str, i: int) -> int | None:
        """Where the option ends, behind its closing marks, if the text opens with it."""
        for start in dict.fromkeys((0, match_end(_SAYS["lead"], text, 0))):
            finds, key = (_equation_end, self.tight) if self.tight[i] else (_words_end, self.bare)
            end = finds(text, start, key[i])
            if end is not None:
                return match_end(_SAYS["after"], text, end)
        return None

    def are_alike(self, same: Sequence[int]) -> bool:
        """Whether texts differ by no more than a reply may leave out."""
        return len({(self.tight[i], self.bare[i]) for i in same}) == 1

    def _alike(self, i: int) -> list[int]:
        key = self.tight[i] or self.bare[i]
        keys = self.tight if self.tight[i] else self.bare
        return [j for j, other in enumerate(keys) if other == key]

    def ending(self, text: str) -> list[int]:
        """The options that the text ends with ("so James")."""
        end = folded(text)
        for i in self.by_length:
            key = self.bare[i]
            if key and end.endswith(key):
                before = end[: -len(key)][-1:]
                if not (before.isalnum() and key[0].isalnum()):
                    return self._alike(i)
        return []

    def echo_end(self, text: str, start: int, index: int) -> int | None:
        """Where the option's own text ends if it stands at `start` ("A. Bob" repeats option A)."""
        piece = text[start : start + 2 * len(self.written[index]) + 40]
        end = self._opened(piece, index)
        return None if end is None else start + end

    def said_at(self, text: str, start: int) -> tuple[int, int] | None:
        """The option whose text stands at a place, and where it ends."""
        for i in self.by_length:
            end = self.echo_end(text, start, i)
            if end is not None:
                return i, end
        return None

    def alike(self, text: str) -> list[int]:
        """The equations that an equation is most alike, if it is much alike any."""
        said = _pairs(tight(text[:SEGMENT])) if is_math(text) and any(self.tight) else None
        if said is None:
            return []
        shares = [2 * (said & own).total() / (said + own).total() for own in self._pairs]
        most = max(shares)
        return [i for i, share in enumerate(shares) if share == most >= _ALIKE]

    @cached_property
    def _pairs(self) -> list[Counter[str]]:
        return [_pairs(key) for key in self.tight]

    def in_math(self, text: str) -> set[int]:
        """Equations that stand in the text between math marks, or on a line of their own."""
        found: set[int] = set()
        if any(self.tight):
            for piece in _SAYS["math_mark"].split(text):
                if piece and len(piece) <= 3 * self.longest + 200:
                    found.update(self.levels[_TIGHT].get(tight(piece), ()))
        return found


def _pairs(key: str) -> Counter[str]:
    """How often each two signs stand side by side."""
    return Counter(map("".join, pairwise(key)))


def is_math(option: str) -> bool:
    """Whether an option is compared as LaTeX: spaces don't count, case does."""
    return any(c in option for c in "\\^=") or "_{" in option


def exact(text: str) -> str:
    return " ".join(_composed(unified(text)).split())


def tight(text: str) -> str:
    r"""LaTeX without what only spaces it, and without an end mark ("a = b," is "a=b")."""
    squeezed = _SAYS["spacing"].sub(lambda m: "\\\\" if m[0] == "\\\\" else "", unified(text))
    return squeezed.rstrip(".,;")


def _core(text: str) -> str:
    """An equation without the math marks around it."""
    for opener, closer in (("$$", "$$"), ("$", "$"), ("\\[", "\\]"), ("\\(", "\\)")):
        text = text.strip()
        if text.startswith(opener) and text.endswith(closer) and len(text) > 2 * len(opener):
            text = text[len(opener) : -len(closer)]
    return text


def bare(text: str) -> str:
    """Folded text without a leading article: "A cake." and "cake" are one answer."""
    words = _composed(folded(text))
    for article in _ARTICLES:
        if words.startswith(article) and len(words) > len(article):
            return words[len(article) :]
    return words


def words(text: str) -> str:
    """Words alone, for texts of several words where other marks mean little."""
    text = bare(text).replace("'", "")
    if not _SAYS["several_words"].fullmatch(text):
        return ""
    return " ".join(_SAYS["word"].findall(text.replace("&", " and ")))


def outer(text: str) -> str:
    return _composed(folded(text))


# A text as each comparison sees it, strict to lenient; "" where one does not apply.
_KEYS = (exact, tight, outer, bare, words)
_TIGHT = 1


def _index(keys: Sequence[str]) -> dict[str, list[int]]:
    """Which texts each key belongs to."""
    index: dict[str, list[int]] = {}
    for i, key in enumerate(keys):
        if key:
            index.setdefault(key, []).append(i)
    return index


def layers(text: str) -> Iterator[str]:
    """The text, then again and again without the outermost marks around it."""
    text = text.strip()
    for _ in range(_LAYERS):
        if not text:
            return
        yield text
        text = _peeled(text)


def _peeled(text: str) -> str:
    fence = _SAYS["fence"].match(text)
    if fence is not None and text.endswith("```"):
        return text[fence.end() : -3].strip()
    begin = _SAYS["environment"].match(text)
    if begin is not None and text.endswith(f"\\end{{{begin[1]}}}"):
        return text[begin.end() : -len(begin[1]) - 6].strip()
    for opener, closer in _PAIRS:
        if (
            text.startswith(opener)
            and text.endswith(closer)
            and len(text) > len(opener) + len(closer)
        ):
            return text[len(opener) : len(text) - len(closer)].strip()
    if text.endswith(("\\)", "\\]")):
        return text[:-2].rstrip()
    if text[-1] in _CLOSERS:
        return text[:-1].rstrip()
    lead = match_end(_SAYS["lead"], text, 0)
    return text[lead:] if lead else ""


def _composed(text: str) -> str:
    return text if text.isascii() else unicodedata.normalize("NFC", text)


def _is_letter(text: str) -> bool:
    """A single Latin letter names an option; it is never an option's text."""
    return len(text) == 1 and text.isascii() and text.isalpha()


def _words_end(text: str, start: int, key: str) -> int | None:
    """Where the text has said `key`, article or not, in any case, spacing and emphasis."""
    for article in ("", *_ARTICLES):
        end = _said(text, start, article + key) if key else None
        # "cat" is not said where a text goes on to "cats" or "cat's".
        goes_on = end is not None and (text[end : end + 1].isalnum() or text[end:].startswith("'s"))
        if end is not None and not (goes_on and text[end - 1].isalnum()):
            return end
    return None


def _said(text: str, start: int, key: str) -> int | None:
    at, gap = 0, False
    for end in range(start, len(text)):
        char = text[end]
        if at == len(key):
            return end
        if char in "*`#" or (gap and char.isspace()):
            continue
        gap = char.isspace()
        piece = " " if gap else char.casefold()
        if not key.startswith(piece, at):
            return None
        at += len(piece)
    return len(text) if at == len(key) else None


def _equation_end(text: str, start: int, key: str) -> int | None:
    """Where the text has written the equation `key`, however spaced, and does not go on."""
    at, end = 0, start
    while at < len(key):
        skip = _SAYS["spacing"].match(text, end)
        if skip is not None and skip[0] != "\\\\":
            end = skip.end()
            continue
        if end >= len(text) or text[end] != key[at]:
            return None
        at, end = at + 1, end + 1
    return None if _equation_goes_on(text[end:].lstrip()) else end


def _equation_goes_on(rest: str) -> bool:
    if not rest or rest[0] in "$`)]}*\"'.,;:!" or rest.startswith(("\\)", "\\]", "\\end")):
        return False
    return not (rest[:2].isalpha() or rest[:1] == "(")


def occurrences(key: str) -> re.Pattern[str]:
    """What finds whole occurrences of a folded text."""
    before = r"(?<![\w.])" if key[:1].isdigit() else r"(?<!\w)" if key[:1].isalnum() else ""
    after = r"(?!\w|['-]\w)" if key[-1:].isalnum() else ""
    return re.compile(before + re.escape(key) + after)

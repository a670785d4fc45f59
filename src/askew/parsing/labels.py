"""Free-text labels: which of many named classes a reply gives.

Labels are compared as runs of words, so case, spaces, hyphens, underscores, quotes and other
marks around and inside a label do not matter, and a label inside a longer one does not count.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from askew.parsing.choices import Choice
from askew.parsing.none import none_position, starts_with_none
from askew.parsing.reply import has_words, plain, refuses, visible

_WORD = re.compile(r"[^\W_]+")
_ANNOUNCED = re.compile(
    r"\b(?:intent|class|label|category|answer|classification|name)(?: name| class)?"
    r"(?:[ \t]{0,3}(?:is|would be|should be)\b(?! not\b)|[ \t*_\"'`]{0,5}[:=])",
    re.IGNORECASE,
)
# A reply of up to this many words that names no label is taken as a label of its own.
_LABEL_WORDS = 8


@dataclass(frozen=True)
class Named:
    """A label found in a text: which, where, and how it was written."""

    index: int
    start: int
    written: str


class LabelReader:
    """A fixed list of labels, prepared once for many replies."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = list(labels)
        self.by_words: dict[tuple[str, ...], int] = {}
        for i, label in enumerate(labels):
            self.by_words.setdefault(_words(label), i)
        self.longest = max((len(w) for w in self.by_words), default=0)
        self.first_words = {w[0] for w in self.by_words if w}

    def find(self, text: str) -> list[Named]:
        """Labels in the order in which the text names them, longest match first."""
        spans = [(m.group().casefold(), m.start(), m.end()) for m in _WORD.finditer(text)]
        found, i = [], 0
        while i < len(spans):
            step = 1
            if spans[i][0] in self.first_words:
                for length in range(min(self.longest, len(spans) - i), 0, -1):
                    index = self.by_words.get(tuple(s[0] for s in spans[i : i + length]))
                    if index is not None:
                        written = text[spans[i][1] : spans[i + length - 1][2]]
                        found.append(Named(index, spans[i][1], written))
                        step = length
                        break
            i += step
        return found


@lru_cache(maxsize=64)
def reader_for(labels: tuple[str, ...]) -> LabelReader:
    return LabelReader(labels)


def _words(text: str) -> tuple[str, ...]:
    return tuple(m.group().casefold() for m in _WORD.finditer(text))


def read_label(reply: str, labels: Sequence[str], removed: str = "") -> Choice:
    """Read a reply that names one of many labels.

    Args:
        reply: the model's whole reply.
        labels: the labels on offer.
        removed: the right label where it was taken away, so that it can be recognised.

    The `text` of the choice is the label as the reply wrote it, found or new.
    """
    text = visible(reply)
    if not has_words(text):
        return Choice("empty", why="the reply has no words")
    known = reader_for((*labels, removed) if removed else tuple(labels))
    for part in _parts(text):
        choice = _only_label(part, known, len(labels))
        if choice is not None:
            return _beside_denial(choice, text)
    if starts_with_none(text) or none_position(text) >= 0:
        given = any(n.index == len(labels) for n in known.find(text))
        return Choice("ok", said_none=True, gave_removed=given, why="says that none fits")
    if refuses(text):
        return Choice("refused", why="the reply declines to answer")
    return _named_anywhere(text, known, len(labels))


def _parts(text: str) -> list[str]:
    """Where an answer stands, strongest first: announced, the whole, first line, last line."""
    announced = [text[m.end() : m.end() + 300] for m in _ANNOUNCED.finditer(text)]
    parts = [a.strip().partition("\n")[0] for a in announced[-1:]]
    return [*parts, text, text.partition("\n")[0], text.rpartition("\n")[2]]


def _only_label(part: str, known: LabelReader, n_offered: int) -> Choice | None:
    """The label that a piece of text is, give or take marks around it."""
    if len(part) > 300:
        return None
    words = _words(plain(part))
    found = known.find(part)
    covered = sum(len(_words(n.written)) for n in found)
    if len({n.index for n in found}) != 1 or len(words) - covered > 2:
        return None
    return _chosen(found[0], n_offered, "gives one label")


def _chosen(named: Named, n_offered: int, why: str) -> Choice:
    if named.index >= n_offered:
        return Choice("ok", text=named.written, gave_removed=True, why="gives the removed one")
    return Choice("ok", chosen=named.index, text=named.written, why=why)


def _beside_denial(choice: Choice, text: str) -> Choice:
    denied = starts_with_none(text) or none_position(text) >= 0
    if denied and choice.chosen is None:
        return Choice("ok", said_none=True, gave_removed=True, text=choice.text, why=choice.why)
    return choice


def _named_anywhere(text: str, known: LabelReader, n_offered: int) -> Choice:
    found = {n.index: n for n in known.find(text)}
    if len(found) == 1:
        one = _chosen(next(iter(found.values())), n_offered, "names one label only")
        return replace(one, settled=False)
    if found:
        return Choice("ambiguous", why=f"names {len(found)} labels and settles on none")
    words = _words(text)
    if len(words) <= _LABEL_WORDS and "\n" not in text:
        return Choice("ok", text=plain(text).strip("\"' ."), why="gives a label not offered")
    return Choice("unparsed", why="no label is named")


def leaks_delimiter(choice: Choice, shown: Sequence[str]) -> bool:
    """Whether an answer came back with underscores although none was shown."""
    return "_" in choice.text and not any("_" in label for label in shown)

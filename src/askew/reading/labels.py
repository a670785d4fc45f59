"""Free-text labels: which of many named classes a reply gives.

Labels are compared as runs of words, so case, spaces, hyphens, underscores, quotes and other
marks around and inside a label do not matter. The longest label wins, and a label that is part
of a longer name ("exchange_rate" in "wrong_exchange_rate") is not that label.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from askew.reading import phrases
from askew.reading.none import Denial, denials, is_none, starts_with_none
from askew.reading.reply import (
    LABEL,
    announcements,
    ends,
    first_line,
    folded,
    has_words,
    last_line,
    plain,
    refuses,
    unwrapped,
    visible,
)
from askew.reading.segments import Choice
from askew.reading.verdicts import survey_end, verdicts

_SAYS = phrases("labels")

_FIELDS = frozenset(
    {"intent", "class", "label", "category", "answer", "intent_class", "intent_class_name"}
    | {"classification", "intent_name", "prediction", "final_answer", "response", "output"}
)
# Where an announced label stands, and how long a piece of text that is a label can be.
_SEGMENT = 300
# A reply of up to this many words that names no label is taken as a label of its own.
_LABEL_WORDS = 8


@dataclass(frozen=True)
class Named:
    """A label found in a text: which, where, and how it was written."""

    index: int
    start: int
    end: int
    written: str


class LabelReader:
    """A fixed list of labels, prepared once for many replies."""

    def __init__(self, labels: Sequence[str]) -> None:
        self.labels = labels
        self.by_words: dict[tuple[str, ...], int] = {}
        self.glued: dict[str, int] = {}
        self.folded: dict[str, int] = {}
        for i, label in enumerate(labels):
            self.by_words.setdefault(_words(label), i)
            self.glued.setdefault("".join(_words(label)), i)
            self.folded.setdefault(folded(label), i)
        self.by_words.pop((), None)
        self.glued.pop("", None)
        self.longest = max((len(w) for w in self.by_words), default=0)
        self.first_words = {w[0] for w in self.by_words}

    def whole(self, text: str) -> int | None:
        """The label that the text is, even without its separators ("CardArrival")."""
        same = self.folded.get(folded(text))
        return self.glued.get("".join(_words(text))) if same is None else same

    def find(self, text: str) -> list[Named]:
        """Labels in the order in which the text names them, longest match first."""
        spans = [m.span() for m in _SAYS["word"].finditer(text)]
        said = [text[a:b].casefold() for a, b in spans]
        found, i = [], 0
        while i < len(said):
            most = min(self.longest, len(said) - i) if said[i] in self.first_words else 0
            fitting = (n for n in range(most, 0, -1) if tuple(said[i : i + n]) in self.by_words)
            length = next(fitting, 0)
            if length:
                start, end = spans[i][0], spans[i + length - 1][1]
                # Underscores or hyphens may tie it to more words.
                tied = _SAYS["tied_before"].match(text, start - 2, start)
                if not tied and not _SAYS["tied_after"].match(text, end):
                    index = self.by_words[tuple(said[i : i + length])]
                    found.append(Named(index, start, end, text[start:end]))
            i += length or 1
        return found


_prepared = lru_cache(maxsize=64)(LabelReader)


def read_label(reply: str, labels: Sequence[str], removed: str = "") -> Choice:
    """Read a reply that names one of many labels.

    Args:
        reply: the model's whole reply.
        labels: the labels on offer.
        removed: the right label where it was taken away, so that it can be recognised.

    The `text` of the choice is the label as the reply wrote it, found or new.
    """
    text = ends(visible(reply))
    if not has_words(text):
        return Choice("empty", why="the reply has no words")
    known = _prepared((*labels, removed) if removed else tuple(labels))
    return _Reader(known, labels).read(unwrapped(text, _FIELDS))


class _Reader:
    """One list of labels against one reply."""

    def __init__(self, known: LabelReader, labels: Sequence[str]) -> None:
        self.known = known
        self.labels = labels

    def read(self, text: str) -> Choice:
        end = survey_end(text, self._first)
        closing = self._stated(end) if end else None
        listed = closing or self._listed(text)
        if listed is not None:
            return listed
        said = list(denials(text))
        for segment, start, near in _places(text):
            choice = self._stated(segment)
            if choice is not None:
                return _weighed(choice, said, start, near)
        if starts_with_none(text) or said:
            given = any(n.index == len(self.labels) for n in self.known.find(text))
            return Choice("ok", said_none=True, gave_removed=given, why="says that none fits")
        if refuses(text):
            return Choice("refused", why="the reply declines to answer")
        return self._unstated(text)

    def _first(self, item: str) -> int | None:
        """The label that an item of a list opens with."""
        found = self.known.find(item)
        return found[0].index if found and not _words(item[: found[0].start]) else None

    def _listed(self, text: str) -> Choice | None:
        """The one label that a list of verdicts accepts."""
        parts, at = [], 0
        for named in self.known.find(text):
            parts += [text[at : named.start], f"\u27e6{named.index}\u27e7"]
            at = named.end
        listing = verdicts(plain("".join([*parts, text[at:]])), "\u27e6\\d+\u27e7")
        if listing is None:
            lines = (_SAYS["item"].sub("", line) for line in text.split("\n", 10)[:10])
            several = len({self.known.whole(line) for line in lines} - {None}) > 1
            return Choice("ambiguous", why="gives several labels") if several else None
        accepted = listing.accepted
        if accepted is None and has_words(text[: listing.start]):
            return None
        if accepted is None or len(accepted) != 1:
            return Choice("ambiguous", why="gives labels a verdict each and settles on none")
        index = int(accepted.pop()[1:-1])
        return self._chosen(index, self.known.labels[index], "accepts one label of a list")

    def _stated(self, segment: str) -> Choice | None:
        """The label that a piece of text is or opens with."""
        if len(segment) <= _SEGMENT:
            whole = self.known.whole(segment)
            if whole is not None:
                return self._chosen(whole, _written(segment), "gives one label")
            if is_none(segment):
                return Choice("ok", said_none=True, why="says that none fits")
        segment = segment[:_SEGMENT]
        found = self.known.find(segment)
        if not found or _SAYS["negation"].search(segment.casefold()[: found[0].start]):
            return None
        first = found[0]
        around = _words(segment[: first.start])
        opens = all(map(_is_filler, around)) and _SAYS["after_label"].match(segment, first.end)
        end = _SAYS["sentence_end"].search(segment, first.end)
        line = segment if end is None else segment[: end.start()]
        others = {n.index for n in found if n.start < len(line)} - {first.index}
        rest = _words(line[first.end :])
        if not others and (opens or all(map(_is_filler, (*around, *rest)))):
            return self._chosen(first.index, first.written, "gives one label")
        return None

    def _chosen(self, index: int, written: str, why: str) -> Choice:
        if index >= len(self.labels):
            return Choice("ok", text=written, gave_removed=True, why="gives the removed label")
        none = is_none(self.labels[index])
        return Choice("ok", chosen=index, text=written, said_none=none, why=why)

    def _unstated(self, text: str) -> Choice:
        """The one label that a reply names anywhere, or a short label of its own."""
        found = self.known.find(text)
        lowered = text.casefold() if text.isascii() else text
        before = [0, *(n.end for n in found)]
        kept, denied = {}, False
        for n, start in zip(found, before, strict=False):
            between = lowered[max(start, n.start - 40) : n.start]
            # "Not A or B" denies both.
            denied = (denied and _SAYS["joins"].fullmatch(between) is not None) or bool(
                _SAYS["negation"].search(_SAYS["clause_end"].split(between)[-1])
            )
            if not denied:
                kept[n.index] = n
        announced = _announced(text) if not found else ""
        if announced:
            return Choice("ok", text=announced, why="announces a label not offered")
        words = _words(text)
        own = plain(first_line(text)).strip("\"'`_ .,;:!?[]{}()")
        short = (
            len(words) <= _LABEL_WORDS and "\n" not in text and not _SAYS["no_label"].match(lowered)
        )
        if short and not any("_" in n.written or "-" in n.written for n in kept.values()):
            around = [w for w in words if _is_filler(w)]
            if not found or (not around and len(words) <= self.known.longest and len(kept) == 1):
                return Choice("ok", text=own, why="gives a label not offered")
        if len(kept) == 1:
            (one,) = kept.values()
            return replace(
                self._chosen(one.index, one.written, "names one label only"), settled=False
            )
        if kept:
            return Choice("ambiguous", why=f"names {len(kept)} labels and settles on none")
        return Choice("unparsed", why="no label is named")


def _places(text: str) -> list[tuple[str, int, bool]]:
    """Where an answer stands, strongest first: announced, the whole, first line, last line."""
    places = []
    for one in reversed(announcements(text, LABEL)):
        if not one.doubtful and not one.by_subject:
            segment = text[one.end : one.end + _SEGMENT]
            places.append((first_line(segment), one.start, one.near))
    places += [(text, 0, False), (first_line(text), 0, False)]
    last = last_line(text)
    concluded = list(_SAYS["concludes"].finditer(last))[-1:]
    places += [(last[so.end() :], len(text), False) for so in concluded]
    if "\n" in text:
        places.append((last, len(text), False))
    return places


def _announced(text: str) -> str:
    """The one label, offered or not, that a reply announces and ends with, quoted or tied."""
    told = announcements(text, LABEL)
    if not told or told[-1].doubtful or told[-1].by_subject:
        return ""
    said = _SAYS["quoted"].fullmatch(text, told[-1].end)
    label = "" if said is None else (said["label"] or said["tied"]).strip()
    known = len(_words(label)) <= _LABEL_WORDS and not _SAYS["no_label"].match(label.casefold())
    return label if known else ""


def _weighed(choice: Choice, said: Sequence[Denial], at: int, near: bool) -> Choice:
    """A label, weighed against statements that none fits."""
    if choice.said_none or not said:
        return choice
    if choice.gave_removed:
        return replace(choice, said_none=True)
    if near or any(d.firm and d.start >= at for d in said):
        why = "says that none fits, yet gives one"
        return Choice("ok", text=choice.text, said_none=True, why=why)
    return choice


def _words(text: str) -> tuple[str, ...]:
    return tuple(m.group().casefold() for m in _SAYS["word"].finditer(text))


def _is_filler(word: str) -> bool:
    return _SAYS["filler"].fullmatch(word) is not None


def _written(segment: str) -> str:
    """A label as it stands in a piece of text that is nothing else."""
    words = list(_SAYS["word"].finditer(segment))
    return segment[words[0].start() : words[-1].end()] if words else segment.strip()


def leaks_delimiter(choice: Choice, shown: Sequence[str]) -> bool:
    """Whether an answer came back with underscores although none was shown."""
    return "_" in choice.text and not any("_" in label for label in shown)

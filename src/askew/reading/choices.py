"""Which lettered option, or which of many named labels, a reply gives; or that none fits, or why.

Labels are compared as runs of words: case and marks around and inside them do not matter. The
longest wins; one that is part of a longer name is not that label.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from askew.files import toml_of
from askew.reading import phrases
from askew.reading import reply as basics
from askew.reading.engine import Choice, Reader
from askew.reading.names import LETTERS, NAME, OptionNames, compose_accents
from askew.reading.reply import has_words, in_english, unwrap_answer

_SAYS = phrases("engine")
_FIELDS = toml_of(__package__, "replies.toml")["fields"]
# A question's options, which come with every condition and epoch.
_option_names = lru_cache(maxsize=256)(OptionNames)


def read_choice(reply: str, options: Sequence[str], removed: str = "") -> Choice:
    """Read a lettered multiple-choice reply; the first option is A.

    `removed` is the right option where it was taken away, so that it can be recognised.
    """
    text = basics.ends(basics.visible(reply))
    if not has_words(text):
        return Choice("empty", why="the reply has no words")
    names = _option_names(tuple(options), removed)
    text = compose_accents(_SAYS["blanks"].sub(" ", unwrap_answer(text, _FIELDS["choice"])))
    tokens = "".join(_SAYS["token"].findall(text)) if len(text) < 4 * len(options) + 20 else ""
    if 1 < len(tokens) == len(set(tokens)) and all(c in LETTERS[: len(options)] for c in tokens):
        return Choice("ambiguous", why=f"gives {' and '.join(tokens)}")
    return Reader(in_english(text, names.written), names).read()


_LABEL = phrases("labels")
# A reply of up to this many words that names no label is taken as a label of its own.
_LABEL_WORDS = 8


class LabelNames(OptionNames):
    """A fixed list of labels, prepared once for many replies."""

    bounds = _LABEL["begins"].pattern, _LABEL["ends"].pattern
    letters_are_names = True

    def __init__(self, labels: Sequence[str], removed: str = "") -> None:
        super().__init__(labels, removed)
        self.wordless = [text for text in self.written if not has_words(text)]
        self.longest = max((len(key.split()) for key in self.keys), default=0)

    def _key(self, text: str) -> str:
        return " ".join(_words(text))

    def _is_peculiar(self, i: int) -> bool:
        return not self.keys[i] or super()._is_peculiar(i)

    def _pattern(self, i: int) -> str:
        """Its words with any marks but quotes between them, or none ("CardArrival")."""
        pattern, between = "", _LABEL["between"].pattern
        for word in self.keys[i].split():
            # Numbers stay apart: 31 is no 3.1.
            digits = pattern[-1:].isdigit() and word[0].isdigit()
            pattern += (r"(?!\d)" if digits else "") + between * bool(pattern) + re.escape(word)
        return pattern

    def marked(self, text: str, groups: dict[str, str]) -> str:
        """The text with a sign for each label, the longest first."""
        text = self._peculiar(text, groups)
        if self._leniently is not None:
            text = self._leniently.sub(lambda m: self._sign(m, groups, shared=False), text)
        return basics.plain(text)


_label_names = lru_cache(maxsize=64)(LabelNames)


def read_label(reply: str, labels: Sequence[str], removed: str = "") -> Choice:
    """Read a reply that names one of many labels, of which `removed` was taken away.

    The `text` of the choice is the label as the reply wrote it, found or new.
    """
    text, names = basics.ends(basics.visible(reply)), _label_names(tuple(labels), removed)
    if not has_words(text) and not any(label in text for label in names.wordless):
        return Choice("empty", why="the reply has no words")
    return _LabelReader(unwrap_answer(text, _FIELDS["label"]), names).read()


class _LabelReader(Reader):
    names: LabelNames
    announces = basics.LABEL
    leads_in = _LABEL["leads_in"]
    least_verdicts = 2

    def named(self, name: re.Match[str]) -> Choice:
        """A label as the reply wrote it."""
        return replace(super().named(name), text=self.restore(name.group()).rstrip("?"))

    def _new(self, segment: str) -> Choice | None:
        return None

    def _only_option(self) -> Choice:
        """The one label that a reply names anywhere, or a short label of its own."""
        text = self.restore(self.body)
        if not NAME.search(self.body) and (announced := self._of_its_own()):
            return Choice("ok", text=announced, why="announces a label not offered")
        words = _words(text)
        short = len(words) <= _LABEL_WORDS and "\n" not in text
        tied = any("_" in written or "-" in written for written in self.said.values())
        if short and not tied and not _LABEL["no_label"].match(text.casefold()):
            fills = any(_LABEL["filler"].fullmatch(word) for word in words)
            one = len(words) <= self.names.longest and len(self._mentions()[0]) == 1
            if not self.said or (one and not fills):
                own = basics.first_line(text).strip("\"'`_ .,;:!?[]{}()")
                return Choice("ok", text=own, why="gives a label not offered")
        found = super()._only_option()
        of_its_own = found.why == "gives an answer not offered"
        return Choice("unparsed", why="no label is named") if of_its_own else found

    def _of_its_own(self) -> str:
        """The one label, not offered, that a reply announces and ends with, quoted or tied."""
        last = self.announcements[-1:]
        quoted = _LABEL["quoted"].fullmatch(self.body, last[0].end) if last else None
        if quoted is None or last[0].doubtful or last[0].by_subject:
            return ""
        label = (quoted["label"] or quoted["tied"]).strip()
        denies = _LABEL["no_label"].match(label.casefold())
        return "" if denies or len(_words(label)) > _LABEL_WORDS else label


def _words(text: str) -> tuple[str, ...]:
    return tuple(m.group().casefold() for m in _LABEL["word"].finditer(text))


def leaks_delimiter(choice: Choice, shown: Sequence[str]) -> bool:
    """Whether an answer came back with underscores although none was shown."""
    return "_" in choice.text and not any("_" in label for label in shown)

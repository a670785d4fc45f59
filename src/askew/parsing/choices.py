"""Multiple choice: which option a reply settles on, or that none fits, or why neither is clear.

The final answer counts. Reading goes from the strongest sign to the weakest: an announced answer
("the answer is ..."), the head of the reply, its last line, then a single option named anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from askew.parsing.none import is_none, none_position, starts_with_none
from askew.parsing.reply import folded, has_words, plain, refuses, visible
from askew.schema import Outcome

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# What follows an announcement is read up to here; an answer is never this long.
_SEGMENT = 2_000


@dataclass(frozen=True)
class Choice:
    """What a reply settles on.

    `chosen` indexes the offered options. `letter` is the one the reply wrote, offered or not.
    `text` is an answer in words that matches no offered option; `gave_removed` says that it is
    the removed one. `said_none` stands beside an answer where the reply says both.
    """

    outcome: Outcome
    chosen: int | None = None
    letter: str = ""
    text: str = ""
    gave_removed: bool = False
    said_none: bool = False
    settled: bool = True
    """Whether the reply states it; a lone mention in a reply that was cut settles nothing."""
    why: str = ""


_ANNOUNCED = re.compile(
    r"\b(?P<near>closest |nearest |most similar )?(?:answer|option|choice|response|equation)"
    r"(?: (?:letter|here|to the question|for the question|provided|given)){0,2}"
    r"(?P<is>[ \t]{0,3}(?:is|was|should be|would be|must be|will be)\b(?! not\b|n't\b|n\u2019t\b)"
    r"|[ \t*_\"']{0,5}[:=])"
    r"|\b(?:i|i'll|i'd|i would|i will|we|let's) (?:choose|pick|select|go with|answer)\b"
    r"|\\boxed[ \t]{0,3}\{",
    re.IGNORECASE,
)
_LEAD = re.compile(r"[\s\"'\[{<>:=\-\u2013\u2014.,]*")
_NAMED_LETTER = re.compile(
    r"(?:(?:the )?(?:option|choice|letter|answer) )?(?P<open>[(\[{]?)(?P<letter>[A-Za-z])"
    r"(?P<close>[)\]}]?)(?P<sep>(?: [:\-\u2013\u2014](?= ))?[.:,;)\-\u2013\u2014\"'/&+]*)"
    r"(?P<space>\s+|$|(?=[^\w\s]))",
    re.IGNORECASE,
)
_ANOTHER = re.compile(
    r"\s*(?:(?:and|or|&|/|\+|,)\s*){1,2}(?:option )?[(\[]?(?P<letter>[A-Z])[)\]]?(?=[\s.,;:!?)]|$)"
)
_MENTIONED = re.compile(
    r"\b(?:option|choice|letter) [(\[]?(?P<letter>[A-Z])\b|\((?P<paren>[A-Z])\)"
)
_REASON = re.compile(
    r"\(?(?:because|since|as|for|this|that|it|explanation|reason|reasoning|according|based"
    r"|the (?:story|text|passage|context|question|answer|equation|author))\b",
    re.IGNORECASE,
)
_ASIDE = ("(", "-", "\u2013", "\u2014", "[")
_END_OF_ANSWER = ".,;:!?)(-\u2013\u2014\n\"'"


def read_choice(reply: str, options: Sequence[str], removed: str = "") -> Choice:
    """Read a lettered multiple-choice reply.

    Args:
        reply: the model's whole reply.
        options: offered options in order; the first is A.
        removed: the right option where it was taken away, so that it can be recognised.
    """
    text = visible(reply)
    if not has_words(text):
        return Choice("empty", why="the reply has no words")
    reader = _Reader(options, removed)
    announced = reader.announced(text)
    if announced is not None:
        return announced
    for part in (text, _first_line(text)):
        head = reader.segment(part)
        if head is not None:
            return reader.with_denial(head, text)
    if none_position(text) >= 0:
        return reader.with_denial(Choice("ok", said_none=True, why="says that none fits"), text)
    if refuses(text):
        return Choice("refused", why="the reply declines to answer")
    last = reader.segment(_last_line(text))
    return last if last is not None else reader.mentioned(text)


class _Reader:
    """One question's options, folded once."""

    def __init__(self, options: Sequence[str], removed: str) -> None:
        self.n_options = len(options)
        self.texts = [_bare(o) for o in options]
        self.removed = _bare(removed) if removed else ""
        # Longer first: "New York City" is not "New York".
        self.by_length = sorted(range(self.n_options), key=lambda i: -len(self.texts[i]))

    def announced(self, text: str) -> Choice | None:
        """The answer behind the last announcement that announces one."""
        matches = list(_ANNOUNCED.finditer(text))
        for match in reversed(matches[-50:]):
            segment = text[match.end() : match.end() + _SEGMENT].lstrip(" \t*_:=")
            choice = self.segment(segment) or self.segment(_first_line(segment.lstrip()))
            named_only = match["is"] is None or ":" in match["is"] or "=" in match["is"]
            if choice is None and match["is"] is not None:
                choice = self._new_answer(_first_line(segment.lstrip()), "", named_only)
            if choice is not None:
                return self._beside_denial(choice, text, match)
        return None

    def _beside_denial(self, choice: Choice, text: str, match: re.Match[str]) -> Choice:
        """An announced answer, weighed against a statement that none fits."""
        denied = none_position(text)
        if denied < 0:
            if starts_with_none(text) and choice.chosen is None:
                return replace(choice, said_none=True)
            return choice
        if choice.said_none:
            return choice
        if choice.chosen is None:
            return replace(choice, said_none=True)
        if denied > match.start() or match["near"]:
            other = replace(choice, chosen=None, letter="", text=choice.text or "an offered one")
            return replace(other, said_none=True, why="says that none fits beside an option")
        return choice

    def with_denial(self, choice: Choice, text: str) -> Choice:
        """A denial, with the removed answer where the reply goes on to name it."""
        if choice.said_none and not choice.gave_removed and self.removed:
            named = _contains(" ".join(plain(text).casefold().split()), self.removed)
            return replace(choice, gave_removed=named)
        return choice

    def segment(self, text: str) -> Choice | None:
        """The answer that a piece of text opens with, if it opens with one."""
        opened = plain(text[:_SEGMENT])
        opened = opened[_LEAD.match(opened).end() :]  # type: ignore[union-attr]
        if not opened:
            return None
        by_text = self._by_text(opened, whole=True)
        if by_text is not None:
            return by_text
        by_letter = self._by_letter(opened)
        if by_letter is not None:
            return by_letter
        if starts_with_none(opened):
            return Choice("ok", said_none=True, why="says that none fits")
        return self._by_text(opened, whole=False)

    def _by_text(self, text: str, whole: bool) -> Choice | None:
        """An option, or the removed one, that the text is (`whole`) or opens with."""
        opens = _is if whole else _opens
        for i in self.by_length:
            if opens(text, self.texts[i]):
                return Choice("ok", chosen=i, why="gives the text of an option")
        if self.removed and opens(text, self.removed):
            return Choice("ok", text=self.removed, gave_removed=True, why="gives the removed one")
        return None

    def _by_letter(self, text: str) -> Choice | None:
        match = _NAMED_LETTER.match(text)
        if match is None or not _is_dressed(match, text):
            return None
        letter = match["letter"].upper()
        index = LETTERS.index(letter)
        another = _ANOTHER.match(text, match.end("close"))
        other = another["letter"] if another is not None else letter
        if other != letter and LETTERS.index(other) < self.n_options:
            return Choice("ambiguous", why=f"gives {letter} and {other}")
        rest = text[match.end() :].lstrip(" \t\"'")
        beside = self._text_beside(rest) if not rest.startswith("\n") else None
        if beside is not None:
            return replace(beside, letter=letter)
        offered = index < self.n_options
        words = _first_line(rest) if rest and not rest.startswith("\n") else ""
        is_new = bool(words) and not _REASON.match(words) and has_words(words)
        if offered and not (is_new and not self._resembles(words, index)):
            return Choice("ok", chosen=index, letter=letter, why=f"gives the letter {letter}")
        if offered:
            return Choice(
                "ok", chosen=index, letter=letter, text=_answer_in(words), why="letter, new text"
            )
        if is_new:
            return Choice("ok", letter=letter, text=_answer_in(words), why="new letter and text")
        return Choice("unparsed", letter=letter, why=f"the letter {letter} is not offered")

    def _text_beside(self, rest: str) -> Choice | None:
        """The option text behind a letter: it wins over the letter."""
        if not rest:
            return None
        found = self._by_text(rest, whole=True) or self._by_text(rest, whole=False)
        if found is None and (is_none(_first_line(rest)) or starts_with_none(rest)):
            return Choice("ok", said_none=True, why="says that none fits")
        return found

    def _resembles(self, words: str, index: int) -> bool:
        """Whether the words behind a letter are mostly those of its option."""
        said, meant = set(_bare(words).split()), set(self.texts[index].split())
        return 2 * len(said & meant) >= min(len(said), len(meant))

    def _new_answer(self, words: str, letter: str, short_only: bool) -> Choice | None:
        """An announced answer in words that no option matches."""
        said = _answer_in(words)
        if not has_words(said) or (short_only and len(said.split()) > 12):
            return None
        return Choice("ok", letter=letter, text=said, why="announces an answer not offered")

    def mentioned(self, text: str) -> Choice:
        """The one option that a reply without a stated answer names, by letter or by text."""
        squeezed = " ".join(plain(text).casefold().split())
        found = set()
        for i in self.by_length:
            masked = _masked(squeezed, self.texts[i])
            if masked != squeezed:
                found.add(i)
                squeezed = masked
        for match in _MENTIONED.finditer(text):
            index = LETTERS.index(match["letter"] or match["paren"])
            if index < self.n_options:
                found.add(index)
        gave_removed = bool(self.removed) and _contains(squeezed, self.removed)
        if len(found) == 1 and not gave_removed:
            return Choice("ok", chosen=found.pop(), settled=False, why="names one option only")
        if gave_removed and not found:
            why = "names the removed one"
            return Choice("ok", text=self.removed, gave_removed=True, settled=False, why=why)
        if found:
            return Choice("ambiguous", why=f"names {len(found)} options and settles on none")
        return Choice("unparsed", why="no option is named")


def _is_dressed(match: re.Match[str], text: str) -> bool:
    """Whether a single letter stands as an answer, not as a word ("A cake", "I think")."""
    if match["open"] or match["close"] or match.start("letter") > match.start():
        return True
    alone = match.end("sep") >= len(text.rstrip())
    if alone or match["sep"]:
        return True
    following = text[match.end() :]
    if "\n" in match["space"]:
        return True
    return match["letter"].isupper() and (
        _REASON.match(following) is not None or _ANOTHER.match(text, match.end("close")) is not None
    )


def _bare(text: str) -> str:
    """Folded text without a leading article: "A cake." and "cake" are one answer."""
    words = folded(text)
    for article in ("a ", "an ", "the "):
        if words.startswith(article) and len(words) > len(article):
            return words[len(article) :]
    return words


def _is(text: str, option: str) -> bool:
    return len(text) < 3 * len(option) + 40 and bool(option) and _bare(text) == option


def _opens(text: str, option: str) -> bool:
    """Whether the text opens with the option, ended by a mark or a reason."""
    if not option:
        return False
    head = " ".join(text[: 4 * len(option) + 80].casefold().split())
    head = head.lstrip("\"'([ ")
    for article in ("", "a ", "an ", "the "):
        if head.startswith(article + option):
            rest = head[len(article) + len(option) :]
            following = rest.lstrip()
            if not rest or rest[0] in _END_OF_ANSWER or following[:1] in _ASIDE:
                return True
            if _REASON.match(following):
                return True
    return False


def _contains(squeezed: str, option: str) -> bool:
    return bool(option) and _masked(squeezed, option) != squeezed


def _masked(squeezed: str, option: str) -> str:
    """The text with whole occurrences of the option blanked out."""
    if not option or option not in squeezed:
        return squeezed
    parts, start = [], 0
    while (at := squeezed.find(option, start)) >= 0:
        end = at + len(option)
        whole = not (at and squeezed[at - 1].isalnum() and option[0].isalnum()) and not (
            end < len(squeezed) and squeezed[end].isalnum() and option[-1].isalnum()
        )
        parts.append(squeezed[start:at] + ("\u0000" if whole else option))
        start = end
    return "".join(parts) + squeezed[start:]


def _answer_in(words: str) -> str:
    """The answer at the head of a sentence, without what explains it."""
    line = plain(words).strip("\"' ")
    for mark in (". ", "; ", " because ", " since ", ", as ", ", which ", ", who "):
        line = line.partition(mark)[0]
    return line.strip("\"'.,;:!} ")


def _first_line(text: str) -> str:
    return text.partition("\n")[0].strip()


def _last_line(text: str) -> str:
    return text.rstrip().rpartition("\n")[2].strip()

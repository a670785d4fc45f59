"""Pieces of a reply: which option one is, opens with or ends with, or that none fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from askew.reading import phrases
from askew.reading.letters import (
    LETTERS,
    NamedLetter,
    answer_behind_letter,
    mentions,
    named_letter,
    only_letters,
    without_lead_in,
    without_marks,
)
from askew.reading.none import is_none, starts_with_none
from askew.reading.option_text import SEGMENT, OptionTexts, bare
from askew.reading.reply import first_line
from askew.schema import Outcome

_SAYS = phrases("choices")


@dataclass(frozen=True)
class Choice:
    """What a reply settles on.

    Attributes:
        outcome: whether an answer was read, or why none was.
        chosen: index of the offered option that is chosen.
        letter: the letter that the reply wrote with its answer, offered or not.
        text: an answer in the reply's own words. Beside `chosen` the letter is an offered one
            but the words behind it are not its option's ("C. Rick").
        gave_removed: the answer's text is the removed option.
        said_none: the reply says that none fits, or chooses an option that says so; `text` is
            then the answer that it gives all the same.
        settled: False where the reading holds only if the reply is whole: in a reply that was
            cut, a lone mention or a last line settles nothing.
        why: one line that says how it was read.
    """

    outcome: Outcome
    chosen: int | None = None
    letter: str = ""
    text: str = ""
    gave_removed: bool = False
    said_none: bool = False
    settled: bool = True
    why: str = ""


SAYS_NONE = Choice("ok", said_none=True, why="says that none fits")


def _torn(letter: str) -> Choice:
    return Choice("ambiguous", why=f"gives {letter}, and words of another option")


class SegmentReader:
    """One question's options, prepared once, against pieces of a reply."""

    def __init__(self, options: Sequence[str], removed: str) -> None:
        self.options = OptionTexts(options, removed)
        self.n_offered = len(options)

    def entire(self, text: str) -> Choice | None:
        """The option whose text is the entire piece, alone or behind its letter."""
        same = self.options.equal(text)
        if same:
            return self.by_text(same)
        several = only_letters(text, self.n_offered)
        if several:
            return Choice("ambiguous", why=f"gives {' and '.join(several)}")
        given = named_letter(text[: self.options.longest + SEGMENT], self.n_offered)
        if given is None or given.also:
            return None
        same = self.options.equal(given.rest)
        return self.by_text(same, given.letter) if same else None

    def bare(self, text: str) -> Choice | None:
        """The offered option that a piece gives, with nothing else in it."""
        given = named_letter(text, self.n_offered)
        if given is not None and given.alone and given.index < self.n_offered:
            return self._by_letter(given.letter)
        return self.entire(text)

    def closing(self, line: str) -> Choice | None:
        """The answer that a line below a list of options is, and nothing else."""
        if not line:
            return None
        said = self.bare(line) or (SAYS_NONE if starts_with_none(line) else None)
        return None if said is None else replace(said, settled=False)

    def opening(self, text: str) -> Choice | None:
        """The answer that the piece opens with, behind marks and words that lead to it."""
        text = text[:SEGMENT].strip()
        parts = dict.fromkeys((text, without_marks(text), without_lead_in(text)))
        # An option's whole text comes before the letter that it happens to begin with.
        whole = (self.options.equal(part) for part in parts if part)
        same = next(filter(None, whole), [])
        if same:
            return self.by_text(same)
        return next(filter(None, (self._opening(part) for part in parts if part)), None)

    def subject(self, text: str) -> Choice | None:
        """What "... is the correct answer" says it of, given what stands before it."""
        text = _SAYS["relative"].sub("", text.rpartition("\n")[2])
        same = self.options.ending(text)
        if same:
            return self.by_text(same)
        match = _SAYS["subject_letter"].search(text)
        letter = (match["letter"] or match["low"]).upper() if match is not None else ""
        if not letter or LETTERS.index(letter) >= self.n_offered:
            return None
        return self._by_letter(letter)

    def by_text(self, same: Sequence[int], letter: str = "") -> Choice:
        """The option that a text is; where it fits several, the letter's if that is one."""
        written = [self.options.written[i] for i in same]
        named, chosen = {LETTERS[i] for i in same}, same[0]
        if letter and LETTERS.index(letter) in same and self.options.are_alike(same):
            chosen = LETTERS.index(letter)
        elif len(set(written)) > 1:
            return Choice("ambiguous", why=f"gives the text of {len(same)} options")
        elif letter and LETTERS.index(letter) < self.n_offered > chosen and letter not in named:
            return _torn(letter)
        if chosen == self.n_offered:
            why = "gives the text of the removed option"
            return Choice("ok", letter=letter, text=written[0], gave_removed=True, why=why)
        none = is_none(self.options.written[chosen])
        why = "gives the text of an option"
        return Choice("ok", chosen=chosen, letter=letter, said_none=none, why=why)

    def _opening(self, text: str) -> Choice | None:
        for part in dict.fromkeys((text, first_line(text))):
            same = self.options.equal(part)
            if same:
                return self.by_text(same)
        same, _ = self.options.opening(text)
        if same:
            return self.by_text(same)
        given = named_letter(text, self.n_offered)
        lettered = self._lettered(given) if given is not None else None
        if lettered is not None:
            return lettered
        return SAYS_NONE if starts_with_none(text) else None

    def _lettered(self, given: NamedLetter) -> Choice | None:
        if given.also:
            return Choice("ambiguous", why=f"gives {given.letter} and {given.also}")
        line = "" if given.alone else first_line(given.rest)
        if line:
            same = self.options.equal(line) or self.options.opening(given.rest)[0]
            if same:
                return self.by_text(same, given.letter)
            if _SAYS["ruled_out"].search(_SAYS["cause"].split(line, maxsplit=1)[0]):
                return None
            if is_none(line) or starts_with_none(line):
                return replace(SAYS_NONE, letter=given.letter)
            about = self._about(line) if given.labels_text else None
            if about is not None and about not in (given.index, self.n_offered):
                return _torn(given.letter)
            if about is not None:
                return self.by_text([about], given.letter)
        new = answer_behind_letter(line) if given.labels_text else ""
        alike = self.options.alike(line) if given.labels_text else []
        if alike and given.index < self.n_offered and given.index not in alike:
            if self.n_offered not in alike:
                return _torn(given.letter)
            return Choice("ok", letter=given.letter, text=line, why="gives words of its own")
        if given.index < self.n_offered:
            return self._by_letter(given.letter, new)
        if new:
            return Choice("ok", letter=given.letter, text=new, why="gives a new letter and text")
        why = f"the letter {given.letter} is not offered"
        return Choice("unparsed", letter=given.letter, why=why) if given.alone else None

    def _about(self, line: str) -> int | None:
        """The one option that a sentence is about or says ("Rick is his friend", "It was Rick")."""
        clause = _SAYS["cause"].split(line, maxsplit=1)[0]
        if clause != line and (same := self.options.equal(clause)):
            return same[0]
        named = mentions(line, self.options).affirmed
        if len(named) != 1:
            return None
        said = self.options.said_at(clause, 0)
        if said is not None and _SAYS["subject_of"].match(clause, said[1]):
            return said[0] if said[0] in named else None
        said_last = self.options.ending(clause) if _SAYS["predicate"].search(clause) else []
        return said_last[0] if said_last and said_last[0] in named else None

    def _by_letter(self, letter: str, words: str = "") -> Choice:
        """An offered letter; words behind it count as new unless they are its option's."""
        index = LETTERS.index(letter)
        said, meant = (
            set(_SAYS["word"].findall(bare(words))),
            set(_SAYS["word"].findall(self.options.bare[index])),
        )
        text = "" if 2 * len(said & meant) >= min(len(said), len(meant)) else words
        why = f"gives the letter {letter}" + (", with words of its own" if text else "")
        none = is_none(self.options.written[index])
        return Choice("ok", chosen=index, letter=letter, text=text, said_none=none, why=why)

"""Several options named in a row: ruled out together, each with its verdict, or all that is said.

"None of A, B, or C is correct" denies all options and names none of them; "A: no, B: yes" chooses
one; "B: James, A: Bob" settles on none.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from itertools import islice

from askew.reading import phrases
from askew.reading import verdicts as lists
from askew.reading.none import is_none
from askew.reading.option_text import OptionTexts
from askew.reading.reply import has_words, match_end, plain

_SAYS = phrases("enumerations")

_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
# More than these of one kind say nothing new, and hostile replies hold millions.
_HEADS = 40
_LONGEST_ROW = 80
# How far back a sentence is read for what "are all wrong" is said of, and how long a list is.
_BEFORE = 300
_LONGEST_LIST = 4_000
_NAME = "\u27e6\\d{1,2}\u27e7"


@dataclass
class Enumeration:
    """Options named in a row, by letter or text, and where the row ends."""

    named: list[int] = field(default_factory=list)
    end: int = 0


def enumeration(text: str, start: int, options: OptionTexts, joins: re.Pattern[str]) -> Enumeration:
    """The options that stand in a row from a place on."""
    row, at = Enumeration(end=start), start
    while len(row.named) < _LONGEST_ROW and (found := _named(text, at, options)) is not None:
        index, row.end = found
        upto = _SAYS["range"].match(text, row.end)
        last = _LETTERS.index(upto["last"]) if upto else -1
        if upto and index < last < options.n_offered:
            row.named += range(index, last)
            index, row.end = last, upto.end("last")
        row.named.append(index)
        joined = joins.match(text, row.end)
        if joined is None or joined.end() == row.end:
            break
        at = joined.end()
    return row


def _named(text: str, at: int, options: OptionTexts) -> tuple[int, int] | None:
    """The option named at a place, by its text, its letter or both, and where it ends."""
    said = options.said_at(text, at)
    if said is not None:
        return said
    letter = _SAYS["letter"].match(text, at)
    index = _LETTERS.index(letter["letter"]) if letter else -1
    if letter is None or index >= options.n_offered:
        return None
    behind = _SAYS["label_end"].match(text, letter.end())
    said = options.said_at(text, behind.end()) if behind else None
    # Behind its letter a text may disagree: it is what is meant.
    return (said[0] if said[0] < options.n_offered else index, said[1]) if said else (
        index, letter.end()
    )  # fmt: skip


def lists_several(text: str, options: OptionTexts) -> list[int]:
    """The options that a text lists where it says nothing else; none where it repeats one."""
    if len(text) > _LONGEST_LIST:
        return []
    start = match_end(_SAYS["listed"], text, 0)
    row = enumeration(text, start, options, _SAYS["listed"])
    several = 1 < len(row.named) == len(set(row.named))
    return row.named if several and not has_words(text[row.end :]) else []


def opens_with_several(text: str, options: OptionTexts) -> bool:
    """Whether the first lines are a list of different options and nothing else."""
    start = match_end(_SAYS["listed"], text, 0)
    row = enumeration(text, start, options, _SAYS["listed"])
    several = 1 < len(row.named) == len(set(row.named))
    return several and not text[row.end :].partition("\n")[0].strip(" .!*_")


def without_excluded(text: str, options: OptionTexts) -> str:
    """The text with options that are ruled out in a row said as "none of the options", or not.

    "None of A, B, or C is correct" of three is "none of the options is correct"; where others are
    left ("Neither A nor B is right, so C"), and in a contrast ("Rick, not Bob or James"), the row
    is dropped with its verdict.
    """
    if any(head.search(option) for head, _ in _EXCLUDES for option in options.written):
        return text
    for head, excluded in _EXCLUDES:
        parts, at = [], 0
        for match in islice(head.finditer(text), _HEADS):
            if match.start() < at:
                continue
            start, end, said = excluded(text, match, options)
            if start >= at and end > start:
                parts += [text[at:start], said]
                at = end
        text = "".join([*parts, text[at:]]) if at else text
    return text


Excluded = tuple[int, int, str]
_NOTHING: Excluded = (0, 0, "")


def _none_of(text: str, match: re.Match[str], options: OptionTexts) -> Excluded:
    row = enumeration(text, match.end(), options, _SAYS["joined"])
    if len(set(row.named)) < 2:
        return _NOTHING
    closed = _SAYS["closed"].match(text, row.end)
    end = closed.end() if closed else row.end
    if _are_all(row.named, options):
        return match.start(), end, "none of the options"
    return match.start(), _clause_end(text, end), ""


def _contrast(text: str, match: re.Match[str], options: OptionTexts) -> Excluded:
    row = enumeration(text, match.end(), options, _SAYS["joined"])
    if len(set(row.named)) < 2:
        return _NOTHING
    if match["beside"] is not None:
        return match.start(), row.end, ""
    if not _are_all(row.named, options):
        return _NOTHING
    return match.start(), row.end, " none of the options"


def _all_wrong(text: str, match: re.Match[str], options: OptionTexts) -> Excluded:
    window = text[max(0, match.start() - _BEFORE) : match.start()]
    clause = match.start() - len(_SAYS["clause_start"].split(window)[-1])
    begins = _SAYS["leads_in"].match(text, clause, match.start())
    start = begins.end() if begins else clause
    row = enumeration(text, start, options, _SAYS["joined"])
    if len(set(row.named)) < 2 or text[row.end : match.start()].strip(" )]*_,"):
        return _NOTHING
    said = "none of the options is correct" if _are_all(row.named, options) else ""
    return start, match.end(), said


_EXCLUDES: Sequence[tuple[re.Pattern[str], Callable[..., Excluded]]] = (
    (_SAYS["none_of"], _none_of),
    (_SAYS["contrast"], _contrast),
    (_SAYS["all_wrong"], _all_wrong),
)


def _are_all(named: Collection[int], options: OptionTexts) -> bool:
    offered = {i for i in range(options.n_offered) if not is_none(options.written[i])}
    return offered <= set(named)


def _clause_end(text: str, at: int) -> int:
    end = _SAYS["clause_end"].search(text, at)
    return end.start() if end else len(text)


@dataclass
class Verdicts:
    """Which options a list marks as right, and which as wrong."""

    right: set[int] = field(default_factory=set)
    wrong: set[int] = field(default_factory=set)

    def deny_all(self, options: OptionTexts) -> bool:
        """Whether every option is marked as wrong."""
        return not self.right and bool(self.wrong) and _are_all(self.wrong, options)


def verdicts(text: str, options: OptionTexts) -> Verdicts | None:
    """The verdict on each option of a list that gives one on each: "A: no, B: yes", "B (check)"."""
    if len(text) > _LONGEST_LIST:
        return None
    listing = lists.verdicts(plain(_labelled(text, options)), _NAME, least=1)
    told = {} if listing is None else {int(name[1:-1]): said for name, said in listing.of.items()}
    right, wrong = ({i for i, said in told.items() if said is of} for of in (True, False))
    # Boxes of which none is ticked are a form that nobody filled in.
    told_any = right or (wrong and not _SAYS["open"].search(text))
    return Verdicts(right, wrong) if told_any else None


def _labelled(text: str, options: OptionTexts) -> str:
    """The text with a mark of its own for each option that it names, in place of the name."""
    parts, at, text = [], 0, _SAYS["dress"].sub(" ", text)
    for match in _SAYS["word_start"].finditer(text):
        said = _named(text, match.start(), options) if match.start() >= at else None
        if said is not None and said[0] < options.n_offered:
            before = text[at : match.start()]
            # A word before it is no part of a list: its own line begins here.
            line = "\n" if before.rstrip()[-1:].isalpha() else ""
            parts += [before, f"{line}\u27e6{said[0]}\u27e7 "]
            # "A is wrong" judges an option, "Mara was wrong" may judge what she said.
            by_letter = options.said_at(text, match.start()) is None
            at = match_end(_SAYS["is"], text, said[1]) if by_letter else said[1]
    return _SAYS["twice"].sub(r"\1", "".join([*parts, text[at:]]))

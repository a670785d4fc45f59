"""Numbered choices as sets: which options a reply settles on, in any order, or that none is right.

Reading goes from the strongest sign to the weakest: an announced answer, the head of the reply,
its last line, then one option named in a short reply. A number counts only where it stands as an
answer: in prose ("there are 2 reasons") it is no choice. What these rules cannot decide is
`unparsed` or `ambiguous` and left to a judge.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from askew.papers.instruction_boundary.option_lists import Listing, OptionLists, spaced
from askew.reading.none import hedges, is_none, none_position, starts_with_hedge, starts_with_none
from askew.reading.reply import first_line, has_words, last_line, plain, refuses, unwrapped, visible
from askew.schema import Outcome

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

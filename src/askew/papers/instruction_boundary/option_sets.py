"""What a reply settles on where options are numbered: which of them, in any order.

A number counts only where it stands as an answer: in prose ("there are 2 reasons") it is no choice.
Reading goes from the strongest sign to the weakest: an announced answer, a list of verdicts, the
head of the reply, its last lines, what its sentences say of options ("the passage supports options
1 and 4"), then one option named anywhere. Options that are only repeated, others' claims and
suppositions are blanked first. Every step is linear in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from askew.papers.instruction_boundary.option_lists import OptionLists, spaced
from askew.papers.instruction_boundary.questions import (
    NONE,
    PROMPTS,
    SEVERAL,
    AnswerRead,
    numbers,
    phrases,
)
from askew.papers.instruction_boundary.reading import (
    ECHO,
    EMPTY,
    NOT_ITS_OWN,
    REFUSED,
    SEGMENT,
    SHORT,
    TAKEN_BACK,
    announced,
    beside_list,
    described,
    takes_back,
    without_prompt,
)
from askew.reading.languages import in_english
from askew.reading.none import hedges, is_none, none_position, starts_with_hedge, starts_with_none
from askew.reading.reply import (
    first_line,
    has_words,
    last_line,
    plain,
    refuses,
    unwrapped,
    visible,
)
from askew.reading.restated import agrees, blanked, claims, own, spaced_scripts
from askew.reading.verdicts import Verdicts, verdicts

_OF_OPTIONS = phrases("options")
_LABEL_ONLY = phrases("lists", flags=0)["label_only"]
_OPTION = r"(?:(?:option|choice|opción|选项) ?)?#?\d{1,2}[.)]?"
_prepared = lru_cache(maxsize=256)(OptionLists)


def read_option_set(reply: str, options: Sequence[str]) -> AnswerRead:
    """Read a reply to a question whose options, in the order shown, are numbered from 1."""
    latex = unwrapped(visible(reply), ("answer", "final_answer"))
    whole = spaced_scripts(plain(_OF_OPTIONS["latex"].sub(" ", latex)))
    if not has_words(whole):
        return EMPTY
    text = without_prompt(whole, "choice")
    if not has_words(text):
        return ECHO
    lists = _prepared(tuple(options))
    said = blanked(own(text), _OF_OPTIONS["asked"])
    found = _read(said, lists)
    if found.outcome != "unparsed" or said == text or found.why.startswith("names"):
        return found
    opening = partial(_opening, lists=lists)
    claimed = [opening(behind) for c in claims(text) for _, behind in announced(c, _OF_OPTIONS)]
    answers = {read.answer for read in claimed if read is not None and read.outcome == "ok"}
    if len(answers) == 1 and agrees(said):
        return AnswerRead("ok", answers.pop(), settled=False, why="agrees with what it was told")
    return NOT_ITS_OWN


def _read(said: str, lists: OptionLists) -> AnswerRead:
    """What a reply chooses, once what is not its own was blanked."""
    opening = partial(_opening, lists=lists)
    shown = lists.numbered(said)
    listing = verdicts(shown, _OPTION)
    if listing is not None:
        listed = _of_list(listing, lists)
        beside = _settled(shown[listing.end :], opening) or _settled(
            shown[: listing.start], opening
        )
        return listed if beside is None else beside_list(beside, listed)
    text = lists.without_listing(said)
    if not has_words(text):
        return AnswerRead.torn("repeats the options")
    if lists.begins_listing(text):
        return AnswerRead.torn("repeats the question and begins its options")
    for match, behind in announced(text, _OF_OPTIONS):
        if found := opening(behind) or opening(first_line(behind)):
            if takes_back(text[match.end() :]):
                return _closing(text, opening) or TAKEN_BACK
            found = _beside_others(found, text[match.start() :], lists)
            return _beside_denial(found, text, after=match.start())
    if found := opening(text) or opening(first_line(text)):
        if takes_back(text):
            return _closing(text, opening) or TAKEN_BACK
        return _beside_denial(_beside_others(found, text, lists), text)
    if refuses(text):
        return REFUSED
    if found := lists.tail(text) or opening(last_line(text)):
        return _beside_denial(found, text)
    if (so := _OF_OPTIONS["so_numbered"].search(last_line(text))) and (found := opening(so[1])):
        return replace(_beside_denial(found, text), settled=False)
    argued = lists.argued(text)
    if argued is not None and argued.outcome == "ok":
        return _beside_denial(argued, text)
    if found := _closing(text, opening):
        return _beside_denial(_beside_others(found, text, lists), text)
    found = _denial(text, lists) or argued or _mentioned(text, lists)
    repeats = text != said and found.outcome == "unparsed"
    return AnswerRead.torn("repeats the options and chooses none") if repeats else found


def _closing(text: str, opening: Callable[[str], AnswerRead | None]) -> AnswerRead | None:
    """The answer behind the last word of conclusion, or the last sentence's."""
    line = last_line(text)
    ends = [match.end() for match in _OF_OPTIONS["concludes"].finditer(line)]
    # "So the rocky planets are Mars and Venus": a number there may be one of the prose.
    named = _OF_OPTIONS["so_named"].search(line)
    return (opening(line[ends[-1] :]) if ends else None) or (opening(named[1]) if named else None)


def _settled(text: str, opening: Callable[[str], AnswerRead | None]) -> AnswerRead | None:
    """What a part of a reply announces or, in a line of its own, opens or ends with."""
    behind = (opening(behind) for _, behind in announced(text, _OF_OPTIONS))
    first, below, rest = text.strip().partition("\n")
    lines = (first, last_line(rest)) if below else ()
    return next(filter(None, behind), None) or next(filter(None, map(opening, lines)), None)


def _of_list(listing: Verdicts, lists: OptionLists) -> AnswerRead:
    """The options that a list of verdicts accepts."""
    accepted = listing.accepted
    if accepted is None or not (accepted or len(listing.of) == lists.size):
        return AnswerRead.torn("goes through options and leaves some open")
    return lists.chosen({lists.index_of(name, listing.of) for name in accepted})


def _beside_others(found: AnswerRead, text: str, lists: OptionLists) -> AnswerRead:
    """A chosen set, beside sentences that call other options right as well."""
    right = lists.called_right(text)
    chosen = (
        set() if found.answer in (None, NONE, SEVERAL) else set(map(int, found.answer.split(",")))
    )
    if not chosen or right <= chosen:
        return found
    argued = lists.argued(text)
    if argued is not None and argued.answer is not None and right >= chosen:
        return argued
    return AnswerRead.torn("calls other options right as well")


def _beside_denial(found: AnswerRead, text: str, after: int = 0) -> AnswerRead:
    """A chosen set, unless the reply says from there on that no option is right."""
    if found.answer not in (None, NONE, SEVERAL) and none_position(text) >= after:
        return AnswerRead.torn("chooses and says that none is right")
    return found


def _opening(text: str, lists: OptionLists) -> AnswerRead | None:
    """The answer that a piece of text opens with, if it opens with one."""
    opened = text[:SEGMENT].strip(" \t\n\r\"'[({<>:=-\u2013\u2014.,;}$\\").removeprefix("that ")
    if not opened:
        return None
    how_many, _, behind = opened.partition(":")
    if how_many.casefold() in PROMPTS["labels"]["choice"] and described(
        behind, how_many.casefold()
    ):
        return AnswerRead.torn("says how many are right and describes another number")
    if starts_with_none(opened) or is_none(first_line(opened).rstrip("}$")):
        return _NONE
    bare = spaced(opened).rstrip(" .!})\"'")
    if len(bare) < SHORT and _LABEL_ONLY.fullmatch(bare):
        one = bare.startswith(("one", "single", "exactly", "a single"))
        return _ONE if one else _SEVERAL
    listing = lists.at_start(opened)
    if listing is None and starts_with_hedge(opened) and not lists.mentions(opened):
        return _OPEN
    return listing


def _denial(text: str, lists: OptionLists) -> AnswerRead | None:
    """A reply that denies all options, or leaves the question open, in the middle of its prose."""
    if none_position(in_english(text)) >= 0:
        return _NONE
    if not hedges(text):
        return None
    if lists.named(text):
        return AnswerRead.torn("names options and leaves the question open")
    return _OPEN


def _mentioned(text: str, lists: OptionLists) -> AnswerRead:
    """The one option that a short reply without a stated answer names and does not deny."""
    named = lists.named(text)
    inside = {i for i in named if 0 <= i < lists.size}
    if len(inside) == 1 and named == inside and len(text.split()) <= SHORT:
        if _OF_OPTIONS["denial"].search(text):
            return AnswerRead.torn("names one option beside a denial")
        return AnswerRead("ok", numbers(inside), settled=False, why="names one option only")
    if named:
        return AnswerRead.torn(f"names {len(named)} options and settles on none", settled=False)
    return AnswerRead("unparsed", settled=False, final=False, why="no option is named")


_NONE = AnswerRead("ok", NONE, why="says that none is right")
_OPEN = AnswerRead("ok", NONE, hedged=True, why="leaves the question open")
_ONE = AnswerRead("unparsed", why="says that one option is right and names none")
_SEVERAL = AnswerRead("ok", SEVERAL, why="says that several are right and names none")

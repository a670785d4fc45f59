"""Comparisons of two people: their words, who is named, and what a sentence says of whom.

The object behind "than" tells whom a sentence is about, else the person named last before.
"""

import re
from bisect import bisect_left
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from askew.files import toml_of
from askew.papers.mathcomp.paper import OPTIONS
from askew.reading import phrases
from askew.reading.engine import Choice, Reader
from askew.reading.names import LETTER, TEXT, OptionNames, bare
from askew.reading.reply import blank_matches, fold

_SAYS = phrases("comparisons", __package__)
WORD = _SAYS["word"]
_CALLED = toml_of(__package__, "replies.toml")["called"]

MIRRORED = {"less": "more", "more": "less", "equal": "equal"}


class _Options(OptionNames):
    def marked(self, text: str, groups: dict[str, str]) -> str:
        """The text with a sign for each option that stands as one, at its place."""
        return _SAYS["option"].sub(self._sign_of, text)

    def _sign_of(self, match: re.Match[str]) -> str:
        word, letter = match.lastgroup in OPTIONS, match["letter"] or ""
        index = OPTIONS.index(str(match.lastgroup)) if word else "abc".index(letter.casefold())
        return chr((TEXT if word else LETTER) + index).ljust(len(match.group()))


class OptionReader(Reader):
    """What finds an option that a text, or a piece of it, opens with."""

    leads_in = _SAYS["opening"]

    def __init__(self, text: str) -> None:
        super().__init__(text, _NAMES)

    def _opening(self, text: str, name: re.Match[str]) -> Choice | None:
        return self.named(name)


_NAMES = _Options(OPTIONS)


def bare_option(text: str) -> str | None:
    """The option that a short text is or opens with, such as "(B)" or "Answer: more"."""
    reader = OptionReader(text)
    found = reader.opening(reader.body)
    return None if found is None or found.chosen is None else OPTIONS[found.chosen]


def without_lists(text: str) -> tuple[str, bool]:
    """The text with option lists and "more or less" blanked out, and whether there were any."""
    text = _SAYS["neither"].sub(lambda m: "equal".ljust(len(m.group())), text)
    text = without = blank_matches(text, _SAYS["roughly"])
    for kind in ("echo", "either", "pair"):
        without = blank_matches(without, _SAYS[kind])
    # Lines that go through the options ("A) less: ... B) more: ...").
    lines = list(_SAYS["of_option"].finditer(without))
    named = {m["letter"].casefold() for m in lines if m["option"]}
    upper = [m for m in lines if m["letter"].isupper() and options_in(m.group())]
    whole = {m["letter"] for m in upper} >= set("ABC")
    gone = {m.start() for m in (upper if whole else lines if len(named) > 1 else ())}
    without = _SAYS["of_option"].sub(
        lambda m: " " * len(m[0]) if m.start() in gone else m[0], without
    )
    return without, without != text


def options_in(text: str) -> set[str]:
    """The options whose words a text uses."""
    return {str(match.lastgroup) for match in WORD.finditer(text)}


def named_options(text: str) -> set[str]:
    """The options by which a few words may compare two people, unless they are denied."""
    if _SAYS["condition_behind"].search(text):
        return set()
    found = [m for m in WORD.finditer(text) if not _SAYS["of_itself"].match(text, m.end())]
    denied = {m.lastgroup for m in found if _SAYS["denied"].search(text[: m.start()])}
    return {str(m.lastgroup) for m in found} - denied


class People:
    """Where a text names the two people, for questions about what stands around a place."""

    def __init__(self, text: str, first: str, second: str, prompt: str = "") -> None:
        pattern, seconds = _names(first, second)
        # The words of the questions in the prompt.
        self.asked_about = _stems(" ".join(_SAYS["question"].findall(prompt)))
        self.all = [(m.start(), fold(m.group()) in seconds) for m in pattern.finditer(text)]

    def between(self, start: int, end: int) -> list[tuple[int, bool]]:
        """Where they are named between two places, each with whether it is the second one."""
        return self.all[bisect_left(self.all, (start,)) : bisect_left(self.all, (end,))]

    def is_of_first(self, text: str) -> bool:
        """Whether the text names the first person alone, and not to compare with."""
        others = (second or _SAYS["than"].search(text[:place]) for place, second in self.all)
        return bool(self.all) and not any(others)

    def is_of_part(self, before: str, clause: str) -> bool:
        """Whether what is compared is "Sam's duck", or "on a barbecue", of which nobody asked."""
        named = [m["thing"] for m in _SAYS["thing"].finditer(clause)]
        if not _SAYS["whole"].search(before):
            named += [m["thing"] for m in _SAYS["amount_of"].finditer(before)]
        parts = [thing for thing in named if not _SAYS["amount"].search(thing)]
        return any(self.asked_about and not self.asked_about & _stems(part) for part in parts)


def _stems(text: str) -> set[str]:
    return {word.removesuffix("s") for word in _SAYS["plain_word"].findall(text.casefold())}


@lru_cache(maxsize=64)
def _names(first: str, second: str) -> tuple[re.Pattern[str], set[str]]:
    """What finds the people, and which spellings mean the second one."""
    firsts, seconds = _spellings(first, "a", 1), _spellings(second, "b", 2)
    if "other person" not in firsts | seconds:
        # Where both are persons, who is the first depends on who counts.
        firsts |= {"first person", *(["other person"] if "person" in firsts else [])}
        seconds.add("second person")
    spellings = sorted(filter(None, firsts | seconds), key=len, reverse=True)
    either = "|".join(re.escape(s).replace(r"\ ", r"\s{1,3}") for s in spellings)
    return re.compile(f"{_SAYS['names'].pattern}(?:{either})(?!\\w)"), seconds - firsts


def _spellings(mention: str, letter: str, number: int) -> set[str]:
    """The words by which a reply may call somebody."""
    noun = bare(mention)
    group = noun.removesuffix(" person")
    of_group = [] if group in (noun, "other") else [f"{group} {who}" for who in _CALLED["group"]]
    lettered = {f"person {letter}", f"person_{letter}", f"person {number}"}
    return {noun, *lettered, *_CALLED.get(noun, of_group)}


# Later sentences win, so of a hostile reply only the last ones are looked at.
_SENTENCES = 600
_WORDS_A_SENTENCE = 12
_LONGEST = 1_200

_SENTENCE = re.compile(r"[^.!?\n]*+(?:[.!?](?![\s\"')*]|$)[^.!?\n]*+)*+[.!?\"')*]*|\n")
_DIGIT = re.compile(r"\d")
# How far behind its subject a word may stand that needs nothing to compare with: "Sam spends more".
_NEAR_SUBJECT = 40


@dataclass(frozen=True)
class Comparison:
    """A comparison of the two people that a reply states."""

    word: str  # the option whose word it uses
    meaning: str  # what it says about the second person
    start: int  # where its word stands
    concludes: bool  # its sentence says that it concludes, or speaks of totals
    relates: bool  # both people, or the one it compares with, are named
    partial: bool  # it speaks of a part of the amounts
    contested: bool  # its sentence says another word of another part: "less bread, more milk"
    plain: bool  # its subject stands right before it: "Sam spends more"
    sentence_end: int

    @property
    def of_first(self) -> bool:
        """Whether it is about the first person."""
        return self.word != self.meaning


def comparisons(text: str, people: People) -> list[Comparison]:
    """The comparisons that a text states, in order; questions and doubts are none."""
    sentences = deque(_SENTENCE.finditer(text), maxlen=_SENTENCES)
    return [c for sentence in sentences for c in _in_sentence(text, sentence, people)]


def _in_sentence(text: str, sentence: re.Match[str], people: People) -> Iterator[Comparison]:
    start, end = max(sentence.start(), sentence.end() - _LONGEST), sentence.end()
    body = text[start:end]
    if body.rstrip(" *_\"')").endswith("?"):
        return

    def said(kind: str, *within: int) -> bool:
        return _SAYS[kind].search(body, *within) is not None

    concludes, in_part = said("concludes"), said("partial")
    however = _SAYS["however"].match(text, end) is not None and not said("settles")
    both = len({second for _, second in people.between(start, end)}) == 2
    found: list[Comparison] = []
    unequal = False
    for compared in deque(_SAYS["compares"].finditer(body), maxlen=_WORDS_A_SENTENCE):
        word, (at, stop) = str(compared.lastgroup), compared.span()
        reach = max(0, at - 200)
        *_, clause_start = reach, *(m.end() for m in _SAYS["clause_end"].finditer(body, reach, at))
        denied = _SAYS["negated"].search(body[clause_start:at]) is not None
        unequal |= denied and word == "equal"
        if denied or _SAYS["weighs"].search(body[clause_start:at]) or said("supposed", 0, at):
            continue
        of_second, linked, near = _about(body, at, stop, start, people)
        relates = linked or both or (word == "equal" and said("together"))
        if (of_second is None and not relates) or _SAYS["set_aside_behind"].match(body, stop):
            continue
        if not linked and _is_arithmetic(word, body, at, stop):
            continue
        clause = _SAYS["clause_end"].search(body, stop)
        clause_end = clause.start() if clause else len(body)
        whole = said("whole", clause_start, clause_end)
        things = "" if concludes else body[clause_start:clause_end]
        part = not whole and people.is_of_part(body[:at], things)
        if said("condition_behind", stop, clause_end) or part:
            continue
        partial = in_part and not whole
        meaning = MIRRORED[word] if of_second is False else word
        # "Less on bread, more on milk", without a word on the whole or on what is true.
        led_to = said("led_to", max(0, clause_start - 12), clause_start)
        loose = not (whole or led_to or said("in_truth", clause_start, clause_end))
        one = Comparison(word, meaning, start + at, concludes, relates, partial, loose, near, end)
        found.append(one)
    differ = len({one.meaning for one in found if one.contested}) > 1
    for one in found:
        torn = differ or (unequal and one.word == "equal")
        yield replace(one, contested=(one.contested and torn) or however)


def _about(
    body: str, at: int, stop: int, offset: int, people: People
) -> tuple[bool | None, bool, bool]:
    """Whether it is of the second person, links the other one, and has its subject near."""
    clause = _SAYS["clause_end"].search(body, stop, stop + 160)
    until = clause.start() if clause else min(len(body), stop + 160)
    link = _SAYS["overtakes"].match(body, at) or _SAYS["link"].search(body, stop, until)
    end = link.end() if link else until
    if behind := people.between(offset + end, offset + min(until, end + 80)):
        return not behind[0][1], True, False
    # "The one who spends more is Alex."
    for place, second in people.between(offset + stop, offset + min(until, stop + 80))[:1]:
        if _SAYS["is_who"].fullmatch(body, stop, place - offset):
            return second, False, True
    before = people.between(offset + max(0, at - 300), offset + at)
    if not before:
        return None, False, False
    place, second = before[-1][0] - offset, before[-1][1]
    # "Sam, compared to Alex, spends more": the one named last is the one to compare with.
    if _SAYS["beside"].search(body[max(0, place - 20) : place]):
        return not second, True, False
    # "Sam spends more on bread than Alex, but less in total": still of Sam.
    if _SAYS["than"].search(body[max(0, place - 60) : place]):
        return not second, False, False
    return second, False, at - place <= _NEAR_SUBJECT and not _DIGIT.search(body, place, at)


def _is_arithmetic(word: str, body: str, at: int, stop: int) -> bool:
    """Whether a word without a person to compare with belongs to a sum: "equal to 50"."""
    if _SAYS["number_behind"].match(body, stop) or _SAYS["as_much"].search(body, at, stop):
        return True
    if word == "equal":
        return _SAYS["idiom_behind"].match(body, stop) is not None
    by_a_number = _SAYS["number_before"].search(body[max(0, at - 12) : at]) is not None
    return by_a_number and _SAYS["settles"].search(body) is None

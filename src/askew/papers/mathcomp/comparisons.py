"""Comparisons of two people: their words, who is named, and what a sentence says of whom.

The object behind "than" tells whom a sentence is about, else the person named last before.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from askew.reading import phrases

_SAYS = phrases("comparisons", __package__)
WORD = _SAYS["word"]

MIRRORED = {"less": "more", "more": "less", "equal": "equal"}
# Options as the prompt letters them.
LETTERED = {"a": "less", "b": "more", "c": "equal"}

_MARKS = " \t\n\r\"'()[]{}<>*_:=.,;!|$\\-\u2013\u2014\u2192\u2022\u2705\u2714\ufe0f\u27a1"


def without_lists(text: str) -> tuple[str, bool]:
    """The text with option lists and "more or less" blanked out, and whether there were any."""
    text = _SAYS["neither"].sub(lambda m: "equal".ljust(len(m.group())), text)
    text = _SAYS["roughly"].sub(_blank, text)
    without = _SAYS["either"].sub(_blank, _SAYS["echo"].sub(_blank, text))
    without = _without_survey(_SAYS["pair"].sub(_blank, without))
    return without, without != text


def _without_survey(text: str) -> str:
    """The text without lines that go through the options ("A) less: ... B) more: ...")."""
    lines = list(_SAYS["of_option"].finditer(text))
    named = {m["letter"].casefold() for m in lines if m["option"]}
    upper = [m for m in lines if m["letter"].isupper() and WORD.search(m.group())]
    whole = {m["letter"] for m in upper} >= set("ABC")
    gone = {m.start() for m in (upper if whole else lines if len(named) > 1 else ())}
    return _SAYS["of_option"].sub(lambda m: _blank(m) if m.start() in gone else m.group(), text)


def _blank(match: re.Match[str]) -> str:
    return "".join("\n" if c == "\n" else " " for c in match.group())


def option_of(match: re.Match[str]) -> str:
    """The option that a match of `WORD` means."""
    return str(match.lastgroup)


def bare_option(text: str) -> str | None:
    """The option that a short text is or opens with, such as "(B)" or "Answer: more"."""
    body = text.strip(_MARKS)
    for _ in range(2):
        if letter := _SAYS["letter_alone"].fullmatch(body):
            return LETTERED[letter[1].casefold()]
        if mark := _SAYS["letter_mark"].match(body):
            # A letter with its word, or with marks alone.
            rest = body[mark.end() :].strip(_MARKS)
            return _opens_with_option(rest) or (None if rest else LETTERED[mark[1].casefold()])
        if (opening := _SAYS["opening"].match(body)) is None:
            break
        body = body[opening.end() :].strip(_MARKS)
    return _opens_with_option(body)


def _opens_with_option(body: str) -> str | None:
    word = WORD.match(body)
    if word is None:
        return None
    at = word.end()
    behind = _SAYS["letter_behind"].match(body, at)
    return option_of(word) if _SAYS["ends"].match(body, behind.end() if behind else at) else None


class NamedPerson(NamedTuple):
    """One of the two people, named in a text: `second` is the one the question asks about."""

    start: int
    second: bool


class People:
    """Where a text names the two people, for questions about what stands around a place."""

    def __init__(self, text: str, first: str, second: str, prompt: str = "") -> None:
        pattern, seconds = _names(first, second)
        # The words of the questions in the prompt.
        self.asked_about = frozenset(_stems(" ".join(_SAYS["question"].findall(prompt))))
        self.all = [
            NamedPerson(m.start(), _squeeze(m.group()) in seconds) for m in pattern.finditer(text)
        ]

    def between(self, start: int, end: int) -> list[NamedPerson]:
        """Those named between two places, in order."""
        return self.all[bisect_left(self.all, (start,)) : bisect_left(self.all, (end,))]


def _stems(text: str) -> list[str]:
    return [word.removesuffix("s") for word in _SAYS["plain_word"].findall(text.casefold())]


def _squeeze(text: str) -> str:
    return " ".join(text.casefold().split())


@lru_cache(maxsize=64)
def _names(first: str, second: str) -> tuple[re.Pattern[str], frozenset[str]]:
    """What finds the people, and which spellings mean the second one."""
    one, other = _noun(first), _noun(second)
    firsts = {one, "person a", "[person a]", "person_a", "person 1", *_variants(one)}
    seconds = {other, "person b", "[person b]", "person_b", "person 2", *_variants(other)}
    if "other person" not in (one, other):
        # Where both are persons, who is the first depends on who counts.
        firsts.add("first person")
        seconds.add("second person")
        if one == "person":
            firsts.add("other person")
    spellings = sorted(firsts | seconds, key=len, reverse=True)
    either = "|".join(re.escape(s).replace(r"\ ", r"\s{1,3}") for s in spellings if s)
    not_a_name = r"(?<![\w$])(?<!per )(?<!each )(?<!every )(?<!in )(?<!which )(?<!one )"
    pattern = re.compile(rf"{not_a_name}(?:{either})(?![\w])", re.IGNORECASE)
    return pattern, frozenset(seconds - firsts)


def _noun(mention: str) -> str:
    words = _squeeze(mention).split()
    return " ".join(words[1:] if words[:1] in (["the"], ["a"], ["an"]) else words)


def _variants(noun: str) -> set[str]:
    """Other words by which a reply may call somebody."""
    group = noun.removesuffix(" person")
    of_group = {f"{group} {who}" for who in ("individual", "man", "woman", "one")}
    gendered = {"woman": {"she", "her", "female"}, "man": {"he", "him", "his", "male"}}
    return gendered.get(noun, set() if group in ("", noun, "other") else of_group)


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
    sentences = [m for m in _SENTENCE.finditer(text) if m.end() > m.start()]
    return [c for s in sentences[-_SENTENCES:] for c in _in_sentence(text, s, people)]


def _in_sentence(text: str, sentence: re.Match[str], people: People) -> Iterator[Comparison]:
    start, end = max(sentence.start(), sentence.end() - _LONGEST), sentence.end()
    body = text[start:end]
    if body.rstrip(" *_\"')").endswith("?"):
        return
    concludes = _SAYS["concludes"].search(body) is not None
    however = bool(_SAYS["however"].match(text, end)) and not _SAYS["settles"].search(body)
    in_part = _SAYS["partial"].search(body) is not None
    both = len({named.second for named in people.between(start, end)}) == 2
    found: list[Comparison] = []
    unequal = False
    for word, at, stop in _words(body):
        reach = max(0, at - 200)
        *_, clause_start = reach, *(m.end() for m in _SAYS["clause_end"].finditer(body, reach, at))
        before = body[clause_start:at]
        if _SAYS["of_its_own"].match(body, stop) or _SAYS["set_aside_behind"].match(body, stop):
            continue
        # Behind a letter it is an option, not part of a sentence.
        if any(_SAYS[kind].search(before) for kind in ("negated", "weighs", "letter_before")):
            unequal |= word == "equal" and _SAYS["negated"].search(before) is not None
            continue
        of_second, linked, near = _about(body, at, stop, start, people)
        together = word == "equal" and _SAYS["together"].search(body) is not None
        relates = linked or both or together
        if of_second is None and not relates:
            continue
        if not linked and _is_arithmetic(word, body, at, stop):
            continue
        clause = _SAYS["clause_end"].search(body, stop)
        clause_end = clause.start() if clause else len(body)
        if _SAYS["condition_behind"].search(body, stop, clause_end) or _of_part(body[:at], people):
            continue
        whole = _SAYS["whole"].search(body, clause_start, clause_end)
        partial = in_part and whole is None
        meaning = MIRRORED[word] if of_second is False else word
        # "Less on bread, more on milk", without a word on the whole or on what is true.
        led_to = _SAYS["led_to"].search(body[max(0, clause_start - 12) : clause_start])
        true = led_to or _SAYS["in_truth"].search(body, clause_start, clause_end)
        loose = whole is None and true is None
        one = Comparison(word, meaning, start + at, concludes, relates, partial, loose, near, end)
        found.append(one)
    differ = len({one.meaning for one in found if one.contested}) > 1
    for one in found:
        torn = differ or (unequal and one.word == "equal")
        yield replace(one, contested=(one.contested and torn) or however)


def _of_part(before: str, people: People) -> bool:
    """Whether what is compared is an amount "on a barbecue", of which nobody asked."""
    part = _SAYS["amount_of"].search(before)
    if part is None or not people.asked_about or _SAYS["whole"].search(before):
        return False
    return not people.asked_about.intersection(_stems(part["thing"]))


def _words(body: str) -> list[tuple[str, int, int]]:
    """Option, start and end of the words that compare, in order."""
    found = [
        (option_of(m), *m.span())
        for words in (WORD, _SAYS["as_much"], _SAYS["overtakes"])
        for m in words.finditer(body)
    ]
    return sorted(found, key=lambda f: f[1])[-_WORDS_A_SENTENCE:]


def _about(
    body: str, at: int, stop: int, offset: int, people: People
) -> tuple[bool | None, bool, bool]:
    """Whether it is of the second person, links the other one, and has its subject near."""
    other = _linked_after(body, at, stop, offset, people)
    if other is not None:
        return not other, True, False
    before = people.between(offset + max(0, at - 300), offset + at)
    if not before:
        return None, False, False
    named = before[-1]
    # "Sam, compared to Alex, spends more": the one named last is the one to compare with.
    place = named.start - offset
    if _SAYS["beside"].search(body[max(0, place - 20) : place]):
        return not named.second, True, False
    # "Sam spends more on bread than Alex, but less in total": still of Sam.
    if len(before) > 1 and _SAYS["than"].search(body[max(0, place - 20) : place]):
        return not named.second, False, False
    near = at - place <= _NEAR_SUBJECT and not _DIGIT.search(body, place, at)
    return named.second, False, near


def _linked_after(body: str, at: int, stop: int, offset: int, people: People) -> bool | None:
    """Whether the person behind "than" is the second one; nothing where nobody is."""
    clause = _SAYS["clause_end"].search(body, stop, stop + 160)
    until = clause.start() if clause else min(len(body), stop + 160)
    overtakes = _SAYS["overtakes"].match(body, at)
    link = None if overtakes else _SAYS["link"].search(body, stop, until)
    if not (link or overtakes):
        return None
    link_end = link.end() if link else stop
    named = people.between(offset + link_end, offset + min(until, link_end + 80))
    return named[0].second if named else None


def compares_people(body: str, word: re.Match[str]) -> bool:
    """Whether an option word of a short text may compare two people, and does so for sure."""
    apart = any(_SAYS[kind].match(body, word.end()) for kind in ("of_its_own", "number_behind"))
    return not apart and _SAYS["condition_behind"].search(body) is None


def _is_arithmetic(word: str, body: str, at: int, stop: int) -> bool:
    """Whether a word without a person to compare with belongs to a sum: "equal to 50"."""
    if _SAYS["number_behind"].match(body, stop) or _SAYS["as_much"].match(body, at):
        return True
    if word == "equal":
        return _SAYS["idiom_behind"].match(body, stop) is not None
    by_a_number = _SAYS["number_before"].search(body[max(0, at - 12) : at]) is not None
    return by_a_number and _SAYS["settles"].search(body) is None

"""Options that a text names: the letter it answers with, in any dress, and lone mentions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from askew.reading import phrases
from askew.reading.option_text import SEGMENT, OptionTexts, is_math, occurrences
from askew.reading.reply import (
    CHOICE,
    announcements,
    first_line,
    has_words,
    match_end,
    plain,
)

_SAYS = phrases("letters")

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"


@dataclass(frozen=True)
class NamedLetter:
    """A letter given as an answer.

    Attributes:
        letter: the letter, upper case.
        also: a second letter given along with it.
        rest: what follows on the same line or below.
        labels_text: whether it stands in front of a text, as in "C. Rick".
        alone: whether nothing follows on its line.
    """

    letter: str
    also: str
    rest: str
    labels_text: bool
    alone: bool

    @property
    def index(self) -> int:
        return LETTERS.index(self.letter)


def without_marks(text: str) -> str:
    """Text without the marks in front of an answer."""
    return text[match_end(_SAYS["lead"], text, 0) :]


def without_lead_in(text: str) -> str:
    """Text without what leads to an answer: "So I think it is B" is "B"."""
    text = without_marks(text)
    return text[match_end(_SAYS["lead_in"], text, 0) :]


def named_letter(text: str, n_offered: int) -> NamedLetter | None:
    """The letter that the text opens with, if it stands as an answer and not as a word."""
    lead = text[: match_end(_SAYS["lead"], text, 0)]
    body = text[len(lead) :]
    match = _SAYS["letter"].match(body)
    if match is None:
        return None
    letter = match["letter"].upper()
    another = _SAYS["another"].match(body, match_end(_SAYS["closed"], body, match.end("letter")))
    other = "" if another is None else another["letter"]
    rest = body[match.end() :]
    alone = not rest or "\n" in match["space"] or rest.startswith("<")
    # Letters far beyond the offered ones are initials ("J. Smith") or pronouns.
    is_far = LETTERS.index(letter) > n_offered and not alone
    if is_far or not _stands(match, lead, body, other, n_offered):
        return None
    labels = any(c in match["tail"] for c in ".:)]>|-\u2013\u2014\u2192") or bool(
        set(match["tail"].strip()) & set(lead)
    )
    also = other if other and other != letter and LETTERS.index(other) < n_offered else ""
    return NamedLetter(letter, also, rest, labels, alone)


def only_letters(text: str, n_offered: int) -> str:
    """Several offered letters that are all of the text: "AC", or one on each line."""
    if len(text) > 4 * n_offered + 20:
        return ""
    word = "".join(_SAYS["token"].findall(text))
    offered = LETTERS[:n_offered]
    return word if 1 < len(word) == len(set(word)) and all(c in offered for c in word) else ""


def _stands(match: re.Match[str], lead: str, body: str, other: str, n_offered: int) -> bool:
    letter, tail = match["letter"], match["tail"]
    after = body[match.end() :]
    following = body[match.end("letter") :][:1]
    if following and unicodedata.category(following)[0] == "M":
        return False
    if after[:1].isalnum() and not match["space"]:
        # "C.Rick", but not "A.M.", "Cat" or "C-section".
        initials = len(after) > 1 and not after[1].isalnum()
        return (
            bool(tail)
            and tail[-1] in ".):]"
            and letter.isupper()
            and (after[0].isupper() and not initials)
        )
    pronoun = letter in "aAI" if n_offered > 8 else letter in "aA"
    if match["named"] is not None and not (pronoun and letter != "A"):
        return True
    if not after or "\n" in match["space"] or after.startswith("<"):
        return True
    if any(c in tail for c in ")]}.:;>|-\u2013\u2014\u2192,"):
        return letter != "I" or "," not in tail
    if tail:
        return set(tail) <= set(lead) or after[0] == "("
    if not letter.isupper():
        return False
    aside = after[0] == "(" and bool(match["space"])
    said = aside or (_SAYS["verdict"].match(after) is not None and not pronoun)
    return said or bool(other) or _SAYS["reason"].match(after) is not None


# An answer is not longer; what is, explains.
_MAX_WORDS = 12


def own_answer(line: str) -> str:
    """The short answer at the head of a line, without what explains it; "" if there is none."""
    said = _SAYS["explains"].split(line.strip(" *_`\"'"), maxsplit=1)[0].rstrip(" *_`\"'.,;:!")
    if len(said.split()) > _MAX_WORDS or _SAYS["reason"].match(said):
        return ""
    # A lone letter of another alphabet is no answer.
    return said if said.isdigit() or sum(map(str.isalnum, said)) > 1 else ""


def answer_behind_letter(line: str) -> str:
    """The new text in "C. Rick"; "" where the words behind the letter only remark on it."""
    return "" if _SAYS["remark"].match(line) else own_answer(line)


def announced_answer(segment: str, n_offered: int) -> str:
    """The answer behind "the answer is", where what stands there is one beyond doubt."""
    said = own_answer(without_marks(first_line(segment)))
    return "" if _evades(said, n_offered) or _SAYS["where"].match(said) else said


def stated_answer(text: str, n_offered: int) -> str:
    """The answer that the first line of a text is, unless it evades, asks or leads to more."""
    line = first_line(text)
    said = own_answer(line)
    return "" if not said or line[-1] in ":?" or _evades(said, n_offered) else said


def _evades(said: str, n_offered: int) -> bool:
    """Whether words give no answer of their own: they evade, or are about a lettered option."""
    if _SAYS["evasion"].match(said):
        return True
    if is_math(said) or (len(said.split()) < 3 and ":" not in said):
        return False
    lone = _SAYS["lone_letter"].finditer(said)
    return any(LETTERS.index(match["letter"]) < n_offered for match in lone)


# More items or mentions than these say nothing new, and hostile replies hold millions.
_ITEMS = 400
_MENTIONS = 200
# Marks between an announcement and its option are no more than these.
_GAP = 40

_SHORT = 10
# Each option is masked by a mark of its own, from a range that no reply is left with.
_FIRST_MARK = 0xE000
_MARK = re.compile("[\ue000-\uf8ff]")


@dataclass(frozen=True)
class Mentions:
    """Which options a text names, and which of them only to rule them out."""

    affirmed: set[int] = field(default_factory=set)
    ruled_out: set[int] = field(default_factory=set)


@dataclass(frozen=True)
class _Item:
    index: int
    start: int
    end: int
    echo: int
    heads_line: bool
    bare_line: bool


def without_listing(text: str, options: OptionTexts) -> str:
    """The text without lists that go through the options ("A. Bob / B. James / ...")."""
    parts, at = [], 0
    for run in _runs(_unanswering(list(_items(text, options)), text, options)):
        answer = run[0] if _answers(run, text) else None
        for item, following in zip(run, [*run[1:], None], strict=True):
            if item is not answer:
                end = item.end if following is None else min(item.end, following.start)
                parts.append(text[at : item.start])
                at = end
    return "".join([*parts, text[at:]]).strip() if at else text


def _items(text: str, options: OptionTexts) -> Iterator[_Item]:
    for match in islice(_SAYS["item"].finditer(text), _ITEMS):
        index = LETTERS.index(match["letter"])
        if index >= options.n_offered:
            continue
        line_start = text.rfind("\n", max(0, match.start() - 8), match.start()) + 1
        heads_line = not text[line_start : match.start()].strip(" \t*_>#-") and (
            line_start > 0 or match.start() < 8
        )
        line_end = text.find("\n", match.end(), match.end() + SEGMENT)
        line_end = min(len(text), match.end() + SEGMENT) if line_end < 0 else line_end
        echo = options.echo_end(text, match.end(), index)
        if echo is None and not heads_line:
            continue
        end = max(echo or 0, line_end) if heads_line else echo or match.end()
        bare_line = echo is not None and not has_words(text[echo:line_end])
        yield _Item(index, match.start(), end, echo or 0, heads_line, bare_line)


def _unanswering(items: list[_Item], text: str, options: OptionTexts) -> list[_Item]:
    """The items without those that the text announces as its answer, each ending before one."""
    if len(items) < 2:
        return items
    answers, stops = set(), []
    for said in announcements(text, CHOICE):
        if said.doubtful:
            continue
        for item in items:
            # Below "The answers are:" the first of several items is none.
            below = item.heads_line and item is not items[-1] and not said.by_subject
            # "C: Rick is the correct answer", at the head of a line too.
            gap = (item.echo or item.end, said.start) if said.by_subject else (said.end, item.start)
            if not below and 0 <= gap[1] - gap[0] < _GAP and not has_words(text[slice(*gap)]):
                answers.add(item.start)
        if not said.by_subject:
            opened = options.said_at(text, match_end(_SAYS["lead"], text, said.end))
            if opened or _SAYS["letter"].match(text, said.end + 1):
                stops.append(said.start)
    for item, following in pairwise(items):
        # "The answer is C: Rick or D: Ann."
        between = text[item.end : following.start] if item.start in answers else "\n"
        if len(between) < _GAP and "\n" not in between and not following.heads_line:
            answers.add(following.start)
    return [
        replace(item, end=min([item.end, *(stop for stop in stops if stop > item.start)]))
        for item in items
        if item.start not in answers
    ]


def _runs(items: Sequence[_Item]) -> Iterator[list[_Item]]:
    """Neighbouring items in the order of their letters, where they are plainly a list."""
    run: list[_Item] = []
    for item in [*items, None]:
        if item is not None and run and item.index > run[-1].index:
            run.append(item)
            continue
        is_list = sum(i.echo > 0 for i in run) > 1 or all(i.heads_line for i in run)
        if len(run) > 1 and ((run[0].index == 0 and is_list) or all(i.bare_line for i in run)):
            yield run
        run = [] if item is None else [item]


def _answers(run: Sequence[_Item], text: str) -> bool:
    """Whether a list's first item is the answer: alone in front of remarks on the others."""
    first = run[0]
    alone = first.start == 0 and first.bare_line and text.startswith("\n\n", first.end)
    return alone and not any(i.bare_line for i in run[1:])


def mentions(text: str, options: OptionTexts) -> Mentions:
    """The options that a text names anywhere, by text or by letter; the removed one too."""
    found = Mentions(affirmed=options.in_math(text))
    squeezed = _squeezed(text)
    n_words = len(squeezed[:200].split())
    for i in options.by_length:
        key = options.bare[i]
        is_word = len(key) > 1 or key.isdigit()
        tells = is_word and (n_words <= _SHORT or not _SAYS["everyday"].fullmatch(key))
        if not options.tight[i] and tells and key in squeezed:
            squeezed = occurrences(key).sub(chr(_FIRST_MARK + i), squeezed)
    for match in islice(_MARK.finditer(squeezed), _MENTIONS):
        if n_words > _SHORT or not _is_joined(squeezed, match.start()):
            _note(found, ord(match.group()) - _FIRST_MARK, squeezed, match)
    for match in islice(_SAYS["letter_mention"].finditer(text), _MENTIONS):
        index = LETTERS.index(match["letter"] or match["paren"])
        if index < options.n_offered:
            _note(found, index, text, match)
    found.ruled_out.difference_update(found.affirmed)
    return found


def names(text: str, options: OptionTexts, index: int) -> bool:
    """Whether the text names one option."""
    if options.tight[index]:
        return index in options.in_math(text)
    key = options.bare[index]
    return bool(key) and occurrences(key).search(_squeezed(text)) is not None


def _squeezed(text: str) -> str:
    return " ".join(_MARK.sub(" ", plain(text)).casefold().split())


def _note(found: Mentions, index: int, text: str, match: re.Match[str]) -> None:
    before = text[max(0, match.start() - 100) : match.start()]
    after = text[match.end() : match.end() + 80]
    split = _SAYS["clause_end"].split
    clause = f"{split(before)[-1]} \u0000 {split(after, maxsplit=1)[0]}"
    (found.ruled_out if _SAYS["ruled_out"].search(clause) else found.affirmed).add(index)


def _is_joined(squeezed: str, at: int) -> bool:
    """Whether a short text is a list of things of which the option is only one."""
    opens = not squeezed[:at].strip("\"'( ").removesuffix("the").removesuffix("a").strip()
    closes = not has_words(squeezed[at + 1 :])
    return (opens and _SAYS["joined_after"].match(squeezed, at + 1) is not None) or (
        closes and _SAYS["joined_before"].search(squeezed[max(0, at - 12) : at]) is not None
    )

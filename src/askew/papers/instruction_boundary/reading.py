"""What a reply settles on: True, False or Unknown, or which numbered options, in any order.

Reading goes from the strongest sign to the weakest: an announced answer, the head of the reply,
its last line, then a verdict on the conclusion, or one option, named anywhere. Lists of options are
read as replies write them: "1, 3", "options 1 & 3", "2. kite", "kite and rhombus"; a number counts
only where it stands as an answer: in prose ("there are 2 reasons") it is no choice. What these
rules cannot decide is `unparsed` or `ambiguous` and left to a judge. Every step moves on: reading
is linear in the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import partial

from askew.papers.instruction_boundary.questions import (
    NONE,
    SEVERAL,
    TRUTH_LABELS,
    AnswerRead,
    numbers,
    phrases,
)
from askew.reading.none import hedges, is_none, none_position, starts_with_hedge, starts_with_none
from askew.reading.reply import (
    first_line,
    folded,
    has_words,
    last_line,
    match_end,
    plain,
    refuses,
    unwrapped,
    visible,
)

Says = Mapping[str, re.Pattern[str]]

_ANNOUNCEMENTS = 50
# What follows an announcement is read up to here; an answer is never this long.
_SEGMENT = 2_000
_SHORT = 60
_EMPTY = AnswerRead("empty", why="the reply has no words")
_REFUSED = AnswerRead("refused", why="the reply declines to answer")


def _announced(text: str, says: Says) -> Iterator[tuple[int, str]]:
    """Where announcements of an answer begin, and what stands behind them; the last one first."""
    for match in reversed(list(says["announced"].finditer(text))[-_ANNOUNCEMENTS:]):
        yield match.start(), text[match.end() : match.end() + _SEGMENT]


def _closing(
    text: str, says: Says, opening: Callable[[str], AnswerRead | None]
) -> AnswerRead | None:
    """The answer in the last line, or behind its last word of conclusion."""
    line = last_line(text)
    ends = [match.end() for match in says["concludes"].finditer(line)]
    return opening(line) or (opening(line[ends[-1] :]) if ends else None)


_OF_LABELS = phrases("labels")
_VERDICTS = phrases("verdicts")
_VERDICT = re.compile(
    "|".join(f"(?P<{label}>{_VERDICTS[label].pattern})" for label in ("unknown", "false", "true")),
    re.IGNORECASE,
)
_TENSE = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
_MEANS = {
    "true": "true t proved proven",
    "false": "false f untrue disproved disproven refuted",
    "unknown": "unknown u",
}
_LABEL_OF = {word: label for label, words in _MEANS.items() for word in words.split()}


def read_truth(reply: str) -> AnswerRead:
    """Read a reply to a question whose answer is True, False or Unknown."""
    text = plain(unwrapped(visible(reply), ("answer", "label", "final_answer")))
    if not has_words(text):
        return _EMPTY
    # Within a sentence a small letter is what is left of a word that was cut off.
    if len(bare := text.strip("\"'*().[] \n")) == 1:
        text = bare.upper()
    for _, behind in _announced(text, _OF_LABELS):
        if found := _label(behind[:400]):
            return found
    head = _label(first_line(text))
    if head is not None and not head.hedged:
        return head
    if head is None and refuses(text):
        return _REFUSED
    if len(_verdicts(text)) > 1:
        return AnswerRead.torn("states several verdicts", settled=False)
    return _closing(text, _OF_LABELS, _label) or head or _stated(text)


def _label(text: str) -> AnswerRead | None:
    """The label that a piece of text opens with, if it opens with one."""
    opened = text[match_end(_OF_LABELS["lead"], text, 0) :]
    match = _OF_LABELS["label"].match(opened)
    if match is None:
        return _open_or_verdict(text)
    if match["denied"]:
        return AnswerRead.torn(f"says {match[0]!r}")
    if match["all"]:
        label = f"all_{match['which'].casefold()}"
        return AnswerRead("ok", label, why=f"says {TRUTH_LABELS[label]!r}")
    rest = opened[match.end() :]
    if _OF_LABELS["another"].match(rest):
        return AnswerRead.torn("gives several labels")
    cut_off = len(match["label"]) == 1 and rest.strip(" .)]}\"'\n*")
    if cut_off or _OF_LABELS["goes_on"].match(rest):
        return None
    label = _LABEL_OF[match["label"].casefold()]
    return AnswerRead("ok", label, why=f"gives the label {TRUTH_LABELS[label]}")


def _open_or_verdict(text: str) -> AnswerRead | None:
    """A short segment without a label's word: a verdict on the conclusion, or a hedge."""
    line = first_line(text)
    verdicts = _verdicts(line)
    if len(verdicts) == 1 and len(line.split()) <= _SHORT:
        return AnswerRead("ok", verdicts.pop(), why="states a verdict on the conclusion")
    if not verdicts and starts_with_hedge(line) and not _TENSE.search(line):
        named = _OF_LABELS["own_words"].search(line) is not None
        return AnswerRead("ok", "unknown", hedged=not named, why="leaves the conclusion open")
    return None


def _verdicts(text: str) -> set[str]:
    """Labels that statements about the conclusion amount to; suppositions don't count."""
    return {
        str(match.lastgroup)
        for match in _VERDICT.finditer(text)
        if not _OF_LABELS["conditional"].search(text[max(0, match.start() - 40) : match.start()])
    }


def _stated(text: str) -> AnswerRead:
    """The one verdict or label that a reply without an announced answer states."""
    masked = _OF_LABELS["listed"].sub(" ", text)
    verdicts = _verdicts(text)
    if len(verdicts) == 1:
        why = "states one verdict on the conclusion"
        return AnswerRead("ok", verdicts.pop(), settled=False, why=why)
    if re.search(r"\bunknown\b", masked, re.IGNORECASE) and not re.search(
        r"\b(?:not unknown|true|false|all above)\b", masked, re.IGNORECASE
    ):
        return AnswerRead("ok", "unknown", settled=False, why="names one label only")
    if not _TENSE.search(masked) and any(map(starts_with_hedge, (text, last_line(text)))):
        why = "leaves the conclusion open"
        return AnswerRead("ok", "unknown", hedged=True, settled=False, why=why)
    named = sorted(set(re.findall(r"\b(?:true|false|unknown)\b", masked.casefold())))
    if named:
        why = f"speaks of {', '.join(named)} and settles on no label"
        return AnswerRead.torn(why, settled=False)
    return AnswerRead("unparsed", settled=False, final=False, why="no label is named")


_OF_OPTIONS = phrases("options")
# They are read in folded text.
_LISTS = phrases("lists", flags=0)
_MOST_ITEMS = 64
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORD = re.compile(rf"(?P<word>{'|'.join(_WORDS)})\b")
_MONEY = "\u20ac\u00a3\u00a5"


class OptionLists:
    """One question's options, folded once."""

    def __init__(self, options: Sequence[str]) -> None:
        self.size = len(options)
        self.texts = [_bare(option) for option in options]
        # Longer first: "New York City" is not "New York".
        self._by_length = sorted(range(self.size), key=lambda i: -len(self.texts[i]))

    def at_start(self, text: str) -> AnswerRead | None:
        """The list that a text opens with, if one does and nothing after it takes it back."""
        shown = spaced(text)
        if lines := self._over_lines(shown):
            return lines
        if _LISTS["all"].match(shown):
            return self._chosen(range(self.size))
        return self._in_line(shown)

    def named(self, text: str) -> set[int]:
        """Options whose whole text stands somewhere in a text, or a number behind "option".

        Other numbers are prose.
        """
        squeezed = " ".join(text.casefold().split())
        found = {int(match["number"]) - 1 for match in _OF_OPTIONS["named"].finditer(text)}
        for i in self._by_length:
            whole = rf"(?<![^\W_]){re.escape(self.texts[i])}(?![^\W_])"
            squeezed, times = re.subn(whole, lambda m: " " * len(m[0]), squeezed)
            if times and self.texts[i]:
                found.add(i)
        return found

    def _chosen(self, indexes: Collection[int]) -> AnswerRead:
        beyond = [str(i + 1) for i in sorted(indexes) if not 0 <= i < self.size]
        if beyond:
            return AnswerRead("unparsed", why=f"names {', '.join(beyond)} of {self.size} options")
        answer = numbers(indexes)
        return AnswerRead("ok", answer, why=f"chooses {answer.replace(',', ', ')}")

    def _over_lines(self, text: str) -> AnswerRead | None:
        """A list with one numbered option a line; verdicts beside them make it no plain list."""
        numbered = [m for m in map(_LISTS["numbered_line"].fullmatch, text.split("\n")[:200]) if m]
        if len(numbered) < 2 or _LISTS["numbered_line"].match(text) is None:
            return None
        own = [(int(m["number"]) - 1, _bare(m["rest"])) for m in numbered]
        chosen = {i for i, _ in own}
        if any(said and not self._is(i, said) for i, said in own):
            return AnswerRead.torn("goes through options one by one")
        if len(chosen) == self.size:
            return AnswerRead.torn("repeats all options")
        return self._chosen(chosen)

    def _is(self, index: int, said: str) -> bool:
        return 0 <= index < self.size and said == self.texts[index]

    def _in_line(self, text: str) -> AnswerRead | None:
        chosen: set[int] = set()
        position = self._past_lead(text)
        for _ in range(_MOST_ITEMS):
            item = self._item(text, position)
            if item is None:
                break
            index, position, other = item
            # "2, 4 (kite, rhombus)": texts in brackets belong to the whole list.
            if other is not None and not (chosen and text[position:].startswith((" (", "("))):
                return AnswerRead.torn(f"writes {index + 1} beside the text of option {other + 1}")
            chosen.add(index)
            if _LISTS["alternative"].match(text, position):
                return AnswerRead.torn("offers alternatives")
            separator = _LISTS["separator"].match(text, position)
            if separator is None or self._item(text, separator.end()) is None:
                break
            position = separator.end()
        if not chosen or not _may_end(text, position):
            return None
        return self._chosen(chosen)

    def _past_lead(self, text: str) -> int:
        """Where a list may begin, past words such as "the correct options are"."""
        position = 0
        for _ in range(12):
            lead = _LISTS["lead"].match(text, position)
            if lead is None or self._item(text, position) is not None:
                return position
            position = lead.end()
        return position

    def _item(self, text: str, position: int) -> tuple[int, int, int | None] | None:
        """One option: its index, where it ends, and another whose text stands beside its number."""
        position = match_end(_LISTS["article"], text, position)
        number = _LISTS["number"].match(text, position)
        if number is None:
            by_text = self._text_at(text, position)
            if by_text is not None:
                return by_text, position + len(self.texts[by_text]), None
            word = _NUMBER_WORD.match(text, position)
            if word is None or not _LISTS["names_numbers"].search(text, 0, position):
                return None
            return _WORDS.index(word["word"]), word.end(), None
        index = int(number["number"]) - 1
        whole = self._text_at(text, position)
        # A number that is no option's but is an option's text, as in "80" among ages.
        if whole is not None and not 0 <= index < self.size:
            return whole, position + len(self.texts[whole]), None
        mark = _LISTS["mark"].match(text, number.end())
        beside = match_end(_LISTS["article"], text, mark.end()) if mark else number.end()
        said = self._text_at(text, beside) if mark else None
        if said is None:
            return index, number.end(), None
        end = beside + len(self.texts[said])
        if self._is(index, self.texts[said]):
            return index, end + (text[end : end + 1] == ")"), None
        return index, number.end() if mark and "(" in mark[0] else end, said

    def _text_at(self, text: str, position: int) -> int | None:
        for i in self._by_length:
            option = self.texts[i]
            end = position + len(option)
            if option and text.startswith(option, position) and not text[end : end + 1].isalnum():
                return i
        return None


def spaced(text: str) -> str:
    """Text for matching: case and runs of blanks do not count, line ends stay."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).casefold().strip()


def _may_end(text: str, position: int) -> bool:
    """Whether what follows a list may follow an answer."""
    rest = text[position : position + 200]
    if _LISTS["denied"].match(rest):
        return False
    following = rest.lstrip(" ")
    if not following or _LISTS["affirmed"].match(rest):
        return True
    return not following[0].isalnum() and following[0] not in _MONEY


def _bare(option: str) -> str:
    words = folded(option)
    return words[match_end(_LISTS["article"], words, 0) :]


def read_option_set(reply: str, options: Sequence[str]) -> AnswerRead:
    """Read a reply to a question whose options, in the order shown, are numbered from 1."""
    text = plain(
        _OF_OPTIONS["latex"].sub(" ", unwrapped(visible(reply), ("answer", "final_answer")))
    )
    if not has_words(text):
        return _EMPTY
    lists = OptionLists(options)
    opening = partial(_opening, lists=lists)
    for start, behind in _announced(text, _OF_OPTIONS):
        if found := opening(behind) or opening(first_line(behind)):
            return _beside_denial(found, text, after=start)
    if found := opening(text) or opening(first_line(text)):
        return _beside_denial(found, text)
    if refuses(text):
        return _REFUSED
    if found := _closing(text, _OF_OPTIONS, opening):
        return _beside_denial(found, text)
    return _denial(text, lists) or _mentioned(text, lists)


def _beside_denial(found: AnswerRead, text: str, after: int = 0) -> AnswerRead:
    """A chosen set, unless the reply says from there on that no option is right."""
    if found.answer not in (None, NONE, SEVERAL) and none_position(text) >= after:
        return AnswerRead.torn("chooses and says that none is right")
    return found


def _opening(text: str, lists: OptionLists) -> AnswerRead | None:
    """The answer that a piece of text opens with, if it opens with one."""
    opened = text[:_SEGMENT].strip(" \t\n\r\"'[({<>:=-\u2013\u2014.,}$").removeprefix("that ")
    if not opened:
        return None
    if starts_with_none(opened) or is_none(first_line(opened).rstrip("}$")):
        return _NONE
    bare = spaced(opened).rstrip(" .!})\"'")
    if len(bare) < _SHORT and _LISTS["label_only"].fullmatch(bare):
        one = bare.startswith(("one", "single", "exactly", "a single"))
        return _ONE if one else _SEVERAL
    listing = lists.at_start(opened)
    if listing is None and starts_with_hedge(opened) and not lists.named(opened):
        return _OPEN
    return listing


def _denial(text: str, lists: OptionLists) -> AnswerRead | None:
    """A reply that denies all options, or leaves the question open, in the middle of its prose."""
    if none_position(text) >= 0:
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
    if len(inside) == 1 and named == inside and len(text.split()) <= _SHORT:
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

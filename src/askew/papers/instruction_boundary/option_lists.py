"""Lists of numbered options ("1, 3", "2. kite", "kite and rhombus"), and sentences about them.

In sentences options are marked first, by text and number; a clause is about those that it has.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import takewhile

from askew.papers.instruction_boundary.questions import ParsedAnswer, format_answer
from askew.reading import phrases
from askew.reading.reply import blank_matches, fold, match_end, spaced_scripts

# They are read in folded text.
_LISTS = phrases("lists", __package__)
_PROSE = phrases("prose", __package__)
_MOST_ITEMS = 64
_WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NUMBER_WORD = re.compile(rf"(?P<word>{'|'.join(_WORDS)})\b")
# Around an option's number: how it stands in a text in which options are marked, and where a bare
# number may be an option's or a word of the prose.
_MARKED = re.compile("[\u27e6\u27e8](\\d+)[\u27e7\u27e9]")
_SURELY = re.compile("\u27e6(\\d+)\u27e7")
_BRACKETS = str.maketrans("", "", "\u27e6\u27e7\u27e8\u27e9")
_NUMBER = re.compile(r"(?<!\d)(\d{1,2})(?!\d)")
# How long an argument may be that settles on options without speaking of all of them.
_PROSE_WORDS = 120


class OptionLists:
    """One question's options, folded once."""

    def __init__(self, options: Sequence[str]) -> None:
        self.size = len(options)
        self.texts = [_bare(option) for option in options]
        # Longer first: "New York City" is not "New York".
        self._by_length = sorted(range(self.size), key=lambda i: -len(self.texts[i]))
        self._words = [text.split() for text in self.texts]

    @cached_property
    def _repeated_list(self) -> tuple[re.Pattern[str], re.Pattern[str]]:
        """Two or more numbered options in their order behind what announces them; all, or bare."""
        gap, items, bare = _LISTS["gap"].pattern, [], []
        for number, words in enumerate(self._words, 1):
            marked = rf"(?:options? )?[(\[]?{number}[)\].:]+\s*"
            text = rf"(?:(?:the|an?) )?{_spread(words)}(?![^\W_])[.!?]?"
            items.append(marked + text)
            bare.append(f"(?:{marked})?{text}")
        more = ""
        for item in reversed(items[2:]):
            more = f"(?:{gap}{item}{more})?"
        two = f"{_LISTS['options_head'].pattern}{gap.join(items[:2])}{more}"
        return re.compile(two, re.IGNORECASE), re.compile(gap.join(bare), re.IGNORECASE)

    def at_start(self, text: str) -> ParsedAnswer | None:
        """The list that a text opens with, if one does and nothing after it takes it back."""
        shown = normalize_spaces(text)
        if lines := self._over_lines(shown):
            return lines
        begins = self._past_lead(shown)
        every = _LISTS["all"].match(shown, begins)
        if every and int(every["upto"] or self.size) == self.size:
            return self.chosen(range(self.size))
        if (but := _LISTS["all_but"].match(shown, begins)) is not None:
            others = self._in_line(shown[but.end() :])
            left = {n for n in range(self.size) if others and n + 1 not in others.numbers}
            return self.chosen(left) if 0 < len(left) < self.size else None
        return self._in_line(shown)

    def named(self, text: str) -> set[int]:
        """Options whose whole text is in a text, or a number behind "option"; others are prose."""
        return {int(number) - 1 for number in _SURELY.findall(self.marked(text))}

    def marked(self, text: str) -> str:
        """The folded text with options' numbers in brackets, angular ones where that is unsure."""
        shown = normalize_spaces(text.translate(_BRACKETS))
        for i in self._by_length:
            # Few texts name an option: to look for its words first is quicker than any pattern.
            if _wordy(self.texts[i]) and all(word in shown for word in self._words[i]):
                alone = rf"(?<![^\W_]){_spread(self._words[i])}(?![^\W_])"
                shown = re.sub(alone, f"\u27e6{i + 1}\u27e7", shown)
        for beside in ("number_of_text", "text_with_number"):
            shown = _PROSE[beside].sub("\u27e6\\g<number>\u27e7", shown)
        shown = _PROSE["surely"].sub(lambda m: _NUMBER.sub("\u27e6\\1\u27e7", m[0]), shown)
        if all(map(_wordy, self.texts)):
            shown = _PROSE["perhaps"].sub(lambda m: _NUMBER.sub("\u27e8\\1\u27e9", m[0]), shown)
        return shown

    def without_listing(self, text: str) -> str:
        """The text without the question's options one after the other: they repeat the question.

        Two or more of them do behind "Options:" or a question mark, elsewhere only all of them.
        """
        if self.size < 2:
            return text
        shown, *known = map(_without_case, (text, *self.texts))
        listed = [all(word in shown for word in words.split()) for words in known]
        if all(listed[:2]):
            text = blank_matches(text, self._repeated_list[0])
        return self._repeated_list[1].sub(self._repeats, text) if all(listed) else text

    def begins_listing(self, text: str) -> bool:
        """Whether a text is a question and its first option, as the question would be repeated."""
        below = text.strip().rpartition("?")[2]
        begun = _LISTS["first_item"].fullmatch(normalize_spaces(below))
        return begun is not None and self._is(0, _bare(begun["rest"]))

    def _repeats(self, match: re.Match[str]) -> str:
        """Blanks in place of all options, unless they are what something is said to be."""
        before = match.string[max(0, match.start() - 20) : match.start()].rstrip()
        announced = before.endswith((":", "=", " are", " is"))
        return match.group() if announced else " " * len(match.group())

    def numbered(self, text: str) -> str:
        """The folded text with a number in place of each option's text."""
        return self.marked(text).translate(_BRACKETS)

    def mentions(self, text: str) -> bool:
        """Whether a text may name an option."""
        return _MARKED.search(self.marked(text)) is not None

    def tail(self, text: str) -> ParsedAnswer | None:
        """The options that the last lines are, one a line."""
        lines = text.rstrip().split("\n")[-_MOST_ITEMS:]
        items = (self._in_line(normalize_spaces(line)) for line in reversed(lines))
        n = sum(1 for _ in takewhile(bool, items))
        last = lines[len(lines) - n :]
        return self.at_start("\n".join(last)) if n > 1 else None

    def argue_options(self, text: str) -> ParsedAnswer | None:
        """The options that sentences call right, or all others wrong; none where they differ."""
        right, wrong, named, torn = self.claims_about(text)
        every = set(range(1, self.size + 1))
        if not (torn or right | wrong | named) or not right | wrong | named <= every:
            return None
        if torn or right & wrong:
            return ParsedAnswer.ambiguous("weighs options and settles on none", settled=False)
        whole = (right | named) | wrong == every
        chosen = right | named if whole and not named & wrong else right
        if not chosen or named - chosen or not (whole or len(text.split()) <= _PROSE_WORDS):
            return None
        # One that calls every option right may well go through them for another reason.
        if chosen == every:
            return None
        return replace(self.chosen({n - 1 for n in chosen}), settled=False)

    def claims_about(self, text: str) -> tuple[set[int], set[int], set[int], bool]:
        """Options that sentences call right, wrong or only name, and whether one is undecided."""
        right, wrong, named = set[int](), set[int](), set[int]()
        torn = affirms = False
        marked = _PROSE["not_only"].sub(" ", self.marked(text))
        if _PROSE["all_but"].search(marked):
            return right, wrong, named, True
        for clause in _PROSE["clause"].split(_PROSE["joined"].sub("", marked)):
            surely, of = ({int(n) for n in p.findall(clause)} for p in (_SURELY, _MARKED))
            denies = _PROSE["denies"].search(clause) is not None
            if not of:
                # "Option 2 is true, but it does not answer the question."
                torn |= affirms and denies and _PROSE["contrast"].match(clause) is not None
                continue
            affirms = not denies and _PROSE["affirms"].search(clause) is not None
            if denies:
                wrong |= of
            elif _PROSE["undecided"].search(clause):
                torn = True
            elif affirms:
                # A number that may be an option's as well leaves the list open.
                torn |= any(1 <= int(n) <= self.size for n in _PROSE["bare"].findall(clause))
                right |= of
            else:
                named |= surely
        return right, wrong, named - right, torn

    def chosen(self, indexes: Collection[int]) -> ParsedAnswer:
        beyond = [str(i + 1) for i in sorted(indexes) if not 0 <= i < self.size]
        if beyond:
            return ParsedAnswer("unparsed", why=f"names {', '.join(beyond)} of {self.size} options")
        answer = format_answer(indexes)
        return ParsedAnswer("ok", answer, why=f"chooses {answer.replace(',', ', ')}")

    def _over_lines(self, text: str) -> ParsedAnswer | None:
        """A list with one numbered option a line; verdicts beside them make it no plain list."""
        numbered = filter(None, map(_LISTS["numbered_line"].fullmatch, text.split("\n")[:200]))
        own = [(int(m["number"]) - 1, _bare(m["rest"])) for m in numbered]
        if len(own) < 2 or _LISTS["numbered_line"].match(text) is None:
            return None
        chosen = {i for i, _ in own}
        if any(item and not self._is(i, item) for i, item in own):
            return ParsedAnswer.ambiguous("goes through options one by one")
        if len(chosen) == self.size:
            return ParsedAnswer.ambiguous("repeats all options")
        return self.chosen(chosen)

    def _is(self, index: int, text: str) -> bool:
        return 0 <= index < self.size and text == self.texts[index]

    def _in_line(self, text: str) -> ParsedAnswer | None:
        chosen: set[int] = set()
        position = self._past_lead(text)
        for _ in range(_MOST_ITEMS):
            item = self._item(text, position)
            if item is None:
                break
            index, position, other = item
            # "2, 4 (kite, rhombus)": texts in brackets belong to the whole list.
            if other is not None and not (chosen and text[position:].startswith((" (", "("))):
                return ParsedAnswer.ambiguous(
                    f"writes {index + 1} beside the text of option {other + 1}"
                )
            chosen.add(index)
            upto = _LISTS["range"].match(text, position)
            if upto and index + 1 < int(upto["upto"]) <= self.size:
                chosen.update(range(index, int(upto["upto"])))
                position = upto.end()
            if _LISTS["alternative"].match(text, position):
                return ParsedAnswer.ambiguous("offers alternatives")
            separator = _LISTS["separator"].match(text, position)
            if separator is None or self._item(text, separator.end()) is None:
                break
            position = separator.end()
        # What follows a list may be what follows an answer.
        rest = text[position : position + 200]
        if not chosen or _LISTS["denied"].match(rest):
            return None
        goes_on = rest.lstrip(" ")[:1].isalnum() and not _LISTS["affirmed"].match(rest)
        return None if goes_on else self.chosen(chosen)

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
        fraction = _LISTS["fraction"].match(text, position)
        meant = self._text_at(text, fraction.end()) if fraction else None
        if fraction and meant is not None:
            end = fraction.end() + len(self.texts[meant])
            return meant, end + (text[end : end + 1] == ")"), None
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
        found = self._text_at(text, beside) if mark else None
        if found is None:
            return index, number.end(), None
        end = beside + len(self.texts[found])
        if self._is(index, self.texts[found]):
            return index, end + (text[end : end + 1] == ")"), None
        return index, number.end() if mark and "(" in mark[0] else end, found

    def _text_at(self, text: str, position: int) -> int | None:
        for i in self._by_length:
            option = self.texts[i]
            end = position + len(option)
            if option and text.startswith(option, position) and not text[end : end + 1].isalnum():
                return i
        return None


def normalize_spaces(text: str) -> str:
    """Text for matching: case and runs of blanks do not count, line ends stay."""
    return "\n".join(" ".join(line.split()) for line in text.split("\n")).casefold().strip()


def _spread(words: Iterable[str]) -> str:
    """A pattern of words with any blanks between them."""
    return r"\s+".join(map(re.escape, words))


def _without_case(text: str) -> str:
    """A text in which what a pattern takes for the same whatever its case is the same."""
    return text.casefold().replace("\u0307", "").replace("\u0131", "i")


def _bare(option: str) -> str:
    words = spaced_scripts(fold(option))
    return words[match_end(_LISTS["article"], words, 0) :]


def _wordy(text: str) -> bool:
    """Whether an option's text can't be taken for an option's number."""
    return bool(text.strip("0123456789 "))

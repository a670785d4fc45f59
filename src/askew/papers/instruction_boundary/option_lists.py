"""Which of numbered options a reply chooses ("1, 3", "2. kite", "kite and rhombus", "all but 2").

Options, by text or by number, are signs, and so is a row of them, which stands for the set. What
announces, denies or takes back a set is then what does so for the answers of all closed sets.
"""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import takewhile

from askew.files import toml_of
from askew.papers.instruction_boundary.questions import SEVERAL, format_answer
from askew.reading import none, phrases, reply
from askew.reading.engine import SAYS_NONE, Choice, Reader, torn
from askew.reading.names import LETTER, TEXT, WORD, OptionNames, bare
from askew.reading.verdicts import verdicts

_LISTS, _PROSE = phrases("lists", __package__), phrases("prose", __package__)
_OF_OPTIONS = phrases("options", __package__, re.IGNORECASE)
_NUMBERS = toml_of(__package__, "replies.toml")["numbers"]
_DIGITS = {word: number for number, words in _NUMBERS.items() for word in words}
_WORD = re.compile(rf"\b(?:{'|'.join(_DIGITS)})\b")
# Behind the signs of options are those of a number beside its text, then those of rows.
_NUMBERED, _ROWS, _MOST = 1_000, 2_000, 2_000
_AROUND = " \t\n\r\"'_[({<>:=-\u2013\u2014.,;}$\\"
# How much of a text is read at its head and of how many lines at its end, and how long an argument
# may be that settles on options without speaking of all.
_SEGMENT, _LINES, _PROSE_WORDS = 2_000, 64, 120
HEDGES = Choice("ok", said_none=True, why="leaves the question open")


class OptionNumbers(OptionNames):
    """One question's options, by their places from 1, whatever number is the first one's.

    A sign is of a text, of a number behind "option", as a word that is a text as well, or of a bare
    number, as a letter that may be one of the prose.
    """

    def __init__(self, options: Sequence[str], first: int = 1) -> None:
        self.written, self.n_offered, self.first = list(options), len(options), first
        self.keys = [reply.spaced_scripts(bare(option)) for option in options]
        wordy = [i for i, key in enumerate(self.keys) if key.strip("0123456789 ")]
        self.all_wordy = len(wordy) == self.n_offered
        # Longer first: "New York City" is not "New York".
        longest = sorted(wordy, key=lambda i: -len(self.keys[i]))
        bounds = _LISTS["begins"].pattern, _LISTS["ends"].pattern
        self._leniently = self._finds([(i, re.escape(self.keys[i])) for i in longest], 0, *bounds)
        signs = range(TEXT + 1, TEXT + 1 + self.n_offered)
        items = [f"[{chr(sign)}{chr(sign + _NUMBERED)}]" for sign in signs]
        more, gap = "", _LISTS["gap"].pattern
        for item in reversed(items[2:]):
            more = f"(?:{gap}{item}{more})?"
        in_order = f"{_LISTS['options_head'].pattern}{gap.join(items[:2])}{more}"
        self.listing = re.compile(f"{in_order}|{_LISTS['begun'].pattern}")

    def marked(self, text: str, groups: dict[str, str]) -> str:
        """The folded text with a sign for each option's text and number, or for both together."""
        text = (
            "\n".join(" ".join(line.split()) for line in text.split("\n")).casefold().strip("_ \n")
        )
        if self._leniently is not None:
            text = self._leniently.sub(lambda m: chr(TEXT + int(str(m.lastgroup)[1:]) + 1), text)
        text = _LISTS["all_wrong"].sub(self._none_of_all, text)
        text = _LISTS["in_words"].sub(_in_digits, text)
        text = _LISTS["fraction"].sub(r"\g<text>", text)
        text = _LISTS["number"].sub(lambda m: self._number(m, groups), text)
        text = _LISTS["of_texts"].sub(self._named_twice, text)
        return _LISTS["beside"].sub(lambda m: self._beside(m, groups), text)

    def _none_of_all(self, match: re.Match[str]) -> str:
        """That all options are wrong, unless it is said of another number of them."""
        count = match["count"] or ""
        agrees = _DIGITS.get(count, count) in ("", str(self.n_offered))
        return "none of the options is correct" if agrees else match[0]

    def _named_twice(self, match: re.Match[str]) -> str:
        """A row of numbers, without the same row of texts behind it."""
        signs = map(_LISTS["sign"].findall, match.group("row", "texts"))
        numbers, texts = ({ord(sign) & 0xFFF for sign in row} for row in signs)
        return match["row"] if numbers == texts else match[0]

    def _number(self, match: re.Match[str], groups: dict[str, str]) -> str:
        written, noun = match["number"], match["noun"] or ""
        place = int(written) + 1 - self.first
        # A number that is no option's but is an option's text, as in "80" among ages.
        if not 1 <= place <= self.n_offered and written in self.keys:
            place = self.keys.index(written) + 1
        sign = chr((WORD if noun else LETTER) + place)
        groups[sign] = written
        return noun + sign

    def _beside(self, match: re.Match[str], groups: dict[str, str]) -> str:
        """A number beside the text of its option as one sign; of another's, as two that differ."""
        number, text = match["number"] or match["behind"], match["text"] or match["before"]
        n, is_text = ord(number) & 0xFFF, text < chr(WORD)
        key = self.keys[(ord(text) & 0xFFF) - 1] if is_text else groups[text]
        if 1 <= n <= self.n_offered and self.keys[n - 1] == key:
            return chr(TEXT + _NUMBERED + n)
        differ = is_text and match["mark"] and "(" not in match["mark"]
        return chr(LETTER + n) + text if differ else match.group()


def _in_digits(match: re.Match[str]) -> str:
    """Options called by words: "option 1 and 3" for "the first and third options"."""
    row = match["ordinals"] or match["alone"] or match["judged"]
    said = f"option {row.replace('the ', '')}" if row else match[0]
    return _WORD.sub(lambda word: _DIGITS[word[0]], said)


class OptionSets(Reader):
    """One reply; the names that it gives are sets of options."""

    names: OptionNumbers
    leads_in, announces = _LISTS["lead"], _OF_OPTIONS["announced"]

    def __init__(self, text: str, names: OptionNumbers) -> None:
        super().__init__(text, names)
        self.rows: dict[frozenset[int], int] = {}
        self.sets: dict[int, frozenset[int]] = {}

    def read(self) -> Choice:
        self.body = _LISTS["none_but"].sub(" ", self.body)
        if _LISTS["mistold"].search(self.body):
            return torn("says how many are right and describes another number")
        if _LISTS["renumbers"].search(self.body) and not _LISTS["numbered"].search(self.body):
            return torn("writes numbers beside the texts of other options")
        # The verdicts on an option are one list, however its lines name it.
        text = _LISTS["sign"].sub(self._by_number, self.body.replace('"', " "))
        listing = verdicts(text, _LISTS["verdict_on"].pattern)
        if listing is None:
            self.body = self.names.listing.sub(self._repeated, self.body)
            return self.settle()
        accepted = self.set_of("".join(listing.accepted or ()))
        listed = torn("goes through options and leaves some open")
        if accepted or (listing.accepted is not None and len(listing.of) == self.n_offered):
            listed = self._chosen(accepted) if accepted else SAYS_NONE
        return self.beside(listing, listed)

    def settle(self, found: Choice | None = None) -> Choice:
        """What the reply comes to, with one sign for each row of options."""
        text = _LISTS["range"].sub(self._range, _LISTS["brackets"].sub(r"\1", self.body))
        self.body = _LISTS["row"].sub(lambda m: self._sign(self.set_of(m[0]), m[0]), text)
        return super().settle(found)

    # --- rows of options ---

    def set_of(self, text: str) -> frozenset[int]:
        """The options that the signs of a text stand for."""
        found = [ord(sign) & 0xFFF for sign in _LISTS["sign"].findall(text)]
        sets = (self.sets[i] if i >= _ROWS else {i % _NUMBERED} for i in found)
        return frozenset[int]().union(*sets)

    def _by_number(self, sign: re.Match[str]) -> str:
        return chr(LETTER + (ord(sign[0]) & 0xFFF) % _NUMBERED)

    def _range(self, match: re.Match[str]) -> str:
        first, last = (ord(match[end]) & 0xFFF for end in ("first", "last"))
        within = first < last <= self.n_offered
        return self._sign(range(first, last + 1), match[0]) if within else match[0]

    def _all(self, match: re.Match[str]) -> str:
        """All options, unless numbers beside the word are only some of them, or all but some."""
        told, but = (self.set_of(match[kind] or "") for kind in ("told", "but"))
        every = {*range(1, self.n_offered + 1)}
        agree = but <= every and (not told or told == every)
        return self._sign(every - but, match[0]) if agree else match[0]

    def _sign(self, numbers: Collection[int], text: str) -> str:
        """A sign for a row, which may be prose only where each number of it may be."""
        if len(self.rows) == _MOST:
            return text
        surest = min(_LISTS["sign"].findall(text), default=chr(WORD))
        sign = chr((ord(surest) & ~0xFFF) + self._row_of(frozenset(numbers)))
        self.said[sign] = ", ".join(map(str, sorted(numbers)))
        return sign

    def _row_of(self, numbers: frozenset[int]) -> int:
        row = self.rows.setdefault(numbers, _ROWS + len(self.rows))
        self.sets[row] = numbers
        return row

    def _chosen(self, numbers: frozenset[int]) -> Choice:
        beyond = [str(n) for n in sorted(numbers) if not 1 <= n <= self.n_offered]
        if beyond:
            return Choice("unparsed", why=f"names {', '.join(beyond)} of {self.n_offered} options")
        answer = format_answer({n - 1 for n in numbers})
        why = f"chooses {answer.replace(',', ', ')}"
        return Choice("ok", self._row_of(numbers), text=answer, why=why)

    def _repeated(self, match: re.Match[str]) -> str:
        """Options in their order, unless they repeat the question: all, or some behind a head."""
        before = match.string[max(0, match.start() - 20) : match.start()].rstrip()
        announced = before.endswith((":", "=", " are", " is")) and "\n" not in match[0]
        whole = len(self.set_of(match[0])) == self.n_offered and not announced
        return " " if whole or match["head"] or match["begun"] else match[0]

    # --- what stands at the head of a text, or at its end ---

    def named(self, name: re.Match[str]) -> Choice:
        if name["letter"] is not None:
            number, text = map(min, map(self.set_of, name[0]))
            return torn(f"writes {number} beside the text of option {text}")
        text = ord(name[0]) - TEXT
        says_none = text < _NUMBERED and none.is_none(self.names.written[text - 1])
        return SAYS_NONE if says_none else self._chosen(self.set_of(name[0]))

    def bare(self, text: str) -> Choice | None:
        return super().bare(text) or (SAYS_NONE if none.is_none(self.restore(text)) else None)

    def opening(self, text: str) -> Choice | None:
        opened = text[:_SEGMENT].strip(_AROUND).removeprefix("that ")
        how_many = _LISTS["label_only"].fullmatch(opened.rstrip(" .!})\"'"))
        if how_many and how_many["one"]:
            return Choice("unparsed", why="says that one option is right and names none")
        if how_many:
            return Choice("ok", text=SEVERAL, why="says that several are right and names none")
        if _LISTS["sections"].match(opened):
            return None
        if _LISTS["one_by_one"].match(opened):
            return torn("goes through options one by one")
        found = super().opening(_LISTS["all"].sub(self._all, opened, count=1))
        if (
            found is None
            and none.starts_with_hedge(opened)
            and not self.set_of(self._prose(opened))
        ):
            return HEDGES
        line = reply.first_line(opened)
        return found or (self.opening(line) if line != opened else None)

    def _opening(self, text: str, name: re.Match[str]) -> Choice | None:
        other = _LISTS["alternative"].match(text, name.end())
        if other and self.set_of(other["same"] or "") != self.set_of(name[0]):
            return torn("offers alternatives")
        rest = text[name.end() : name.end() + 200]
        goes_on = _LISTS["denied"].match(rest) or _LISTS["goes_on"].match(rest)
        return None if goes_on else self.named(name)

    def _behind(self, one: reply.Announcement) -> Choice | None:
        return self.opening(self.body[one.end :])

    def _ends(self) -> Iterator[str]:
        """The last lines that begin with options, or the last one, and what that concludes."""
        lines = self.body.rstrip().split("\n")[-_LINES:]
        line = lines[-1][-_SEGMENT:]
        below = [*takewhile(_LISTS["item"].match, reversed(lines))]
        concluded = [line[m.end() :] for m in _OF_OPTIONS["concludes"].finditer(line)]
        for piece in ("\n".join(reversed(below)) or line, *concluded[-1:]):
            if not _LISTS["each_right"].search(piece):
                yield piece

    # --- what sentences say ---

    def _weigh(self, choice: Choice, at: int = 0, near: bool = False) -> Choice:
        """An answer given at a place, beside what the sentences from there on call right."""
        if choice.chosen is None:
            argued = None if choice.settled or at else self._argued(self.body)
            if argued is not None and argued.chosen is not None:
                return torn("chooses and says that none is right")
            return replace(choice, settled=True)
        text, choice = self.body[at:], replace(choice, settled=True)
        right = self._claims(text)[0]
        if not right <= self.sets[choice.chosen or 0]:
            choice = self._argued(text) or choice
            if choice.chosen is None or not right <= self.sets[choice.chosen]:
                return torn("calls other options right as well")
        denied = any(denial.start >= at for denial in self.denials) or (self.denials and not text)
        return torn("chooses and says that none is right") if denied else choice

    def _only_option(self) -> Choice:
        """What the sentences of a reply without a plain answer come to."""
        if _LISTS["differ"].search(self.body):
            return torn("writes a number beside the text of another option")
        argued = self._argued(self.body)
        if argued is not None and argued.outcome == "ok":
            return replace(self._weigh(argued), settled=False)
        named = self.set_of(self._prose(self.body))
        denied = none.none_position(reply.in_english(self.body)) >= 0
        if denied or (not named and none.denies_all(self.body)):
            return SAYS_NONE
        if none.hedges(self.body):
            return torn("names options and leaves the question open") if named else HEDGES
        if argued is None and _LISTS["sure"].search(self.whole):
            return replace(torn("names options and settles on none"), settled=False)
        return argued or Choice("unparsed", settled=False, why="no option is chosen")

    def _prose(self, text: str) -> str:
        """A text in which a bare number is a sign only where it may be an option's."""
        names = self.names.all_wordy
        return _PROSE["bare_number"].sub(
            lambda m: m[0] if names and m["perhaps"] else self.restore(m[0]), text
        )

    def _argued(self, text: str) -> Choice | None:
        """The options that sentences call right, or all others wrong; none where they differ."""
        right, wrong, named, undecided = self._claims(text)
        every = {*range(1, self.n_offered + 1)}
        if not (undecided or right | wrong | named) or not right | wrong | named <= every:
            return None
        if undecided or right & wrong:
            return replace(torn("weighs options and settles on none"), settled=False)
        whole = (right | named) | wrong == every
        chosen = right | named if whole and not named & wrong else right
        # One that calls every option right may well go through them for another reason.
        if not chosen or chosen == every or named - chosen:
            return None
        short = whole or len(text.split()) <= _PROSE_WORDS
        return replace(self._chosen(frozenset(chosen)), settled=False) if short else None

    def _claims(self, text: str) -> tuple[set[int], set[int], set[int], bool]:
        """Options that sentences call right, wrong or only name, and whether one is undecided."""
        right, wrong, named = set[int](), set[int](), set[int]()
        undecided = affirms = False
        prose = _PROSE["not_only"].sub(" ", self._prose(text))
        if _PROSE["all_but"].search(prose):
            return right, wrong, named, True
        for clause in _PROSE["clause"].split(prose):
            of, denies = self.set_of(clause), _PROSE["denies"].search(clause) is not None
            if not of:
                # "Option 2 is true, but it does not answer the question."
                undecided |= affirms and denies and _PROSE["contrast"].match(clause) is not None
                continue
            affirms = not denies and _PROSE["affirms"].search(clause) is not None
            if denies:
                wrong |= of
            elif _PROSE["undecided"].search(clause):
                undecided = True
            elif affirms:
                # A number that may be an option's as well leaves the list open.
                bare = map(int, _PROSE["bare"].findall(clause))
                undecided |= any(1 <= n <= self.n_offered for n in bare)
                right |= of
            else:
                named |= self.set_of("".join(_LISTS["sure"].findall(clause)))
        return right, wrong, named - right, undecided

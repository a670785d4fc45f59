"""What a reply settles on: True, False or Unknown, or which of numbered options, in any order.

The prompt's own words, others' claims, suppositions and denied labels are blanked first. Reading
goes from the strongest sign to the weakest: a list of verdicts, an announced answer, the head of
the reply, its last lines, its sentences. What that can't decide is `unparsed` or `ambiguous`.
Every step is linear in the text.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache, partial

from askew.files import toml_of
from askew.papers.instruction_boundary import questions
from askew.papers.instruction_boundary.option_lists import OptionLists, normalize_spaces
from askew.papers.instruction_boundary.paper import FAMILIES, MISCELLANY, BoundaryMeta, Family
from askew.papers.instruction_boundary.questions import NONE, PROMPTS, TRUTH_LABELS, ParsedAnswer
from askew.reading import none, phrases
from askew.reading import reply as basics
from askew.reading.choices import read_choice
from askew.reading.names import LETTERS
from askew.reading.verdicts import Verdicts, survey_end, verdicts

_ANNOUNCEMENTS = 50
# What follows an announcement is read up to here; an answer is never this long.
_SEGMENT = 2_000
_SHORT = 60
_AROUND = " \t\n\r\"'_[({<>:=-\u2013\u2014.,;}$\\"
_MARKS = " \t\n:.,-\u2013\u2014()*_\"'"
_EMPTY = ParsedAnswer("empty", why="the reply has no words")
_REFUSED = ParsedAnswer("refused", why="the reply declines to answer")
_ECHO = ParsedAnswer("unparsed", why="repeats the prompt and adds nothing")
_NOT_ITS_OWN = ParsedAnswer.ambiguous("names answers that are not its own, or denies them")
_TAKEN_BACK = ParsedAnswer.ambiguous("takes its answer back and settles on no other")
_SENTENCE = re.compile(r"[^.!?\n]*")


def _sentences(*texts: str) -> re.Pattern[str]:
    """Finds sentences of the prompt, however their blanks were set; "{...}" stands for the rest."""
    escaped = (r"\s+".join(map(re.escape, text.rstrip(".").split())) for text in texts)
    whole = "|".join(re.sub(r"\\\{\w+\\\}", r"[^.\\n]{0,200}", e) for e in escaped)
    return re.compile(rf"(?:{whole})\.?", re.IGNORECASE)


_FORMAT, _LABELS = PROMPTS["format"], PROMPTS["labels"]
_OF_LABELS, _OF_OPTIONS, _VERDICTS = (
    phrases(table, __package__, re.IGNORECASE) for table in ("labels", "options", "verdicts")
)
_TOLD = _sentences(
    *PROMPTS["vague"].values(), PROMPTS["ask"], PROMPTS["polished_ask"],
    *PROMPTS["guidance"].values(), _FORMAT["judging"],
    *(_FORMAT["choice"].format(forms=f"with {_FORMAT[n]}{{more}}") for n in ("one", "several")),
)  # fmt: skip
_LEGEND = {
    "judging": _sentences(*_LABELS["judging"].values(), *PROMPTS["extra"].values()),
    "choice": re.compile(
        f"{_sentences(*_LABELS['choice'].values()).pattern}|{_OF_OPTIONS['legend'].pattern}",
        re.IGNORECASE,
    ),
}
# What the prompt says of each label, behind it.
_SAID_OF = {
    label: _sentences(text.partition(": ")[2])
    for label, text in (_LABELS["judging"] | PROMPTS["extra"] | _LABELS["choice"]).items()
}


def _without_prompt(text: str, family: Family) -> str:
    """A reply without what it repeats of its prompt: two labels or more with what they mean."""
    text = basics.blank_matches(text.rpartition(PROMPTS["shot"]["now"])[2], _TOLD)
    lines = {" ".join(line.casefold().split()) for line in _LEGEND[family].findall(text)}
    return basics.blank_matches(text, _LEGEND[family]) if len(lines) > 1 else text


def _describes_another(rest: str, label: str) -> bool:
    """Whether all that stands behind a label describes another: "False: cannot be determined"."""
    line = basics.first_line(rest.lstrip(_MARKS)).rstrip(_MARKS)
    bare = re.sub("^(?:the|this) ", "", line, flags=re.IGNORECASE)
    verdict = _VERDICT.fullmatch(bare) if label in TRUTH_LABELS else None
    if verdict is not None:
        return verdict.lastgroup != label
    return any(of != label and pattern.fullmatch(bare) for of, pattern in _SAID_OF.items())


class _Answers(ABC):
    """One reply, without what is not its own, against a closed set: one policy for both kinds.

    `listed` is the text in which a list of verdicts is looked for, `parts` what stands beside it,
    by the same places, and `text` what is read where there is none.
    """

    says: Mapping[str, re.Pattern[str]]
    name: str

    def __init__(self, listed: str, parts: str, text: str) -> None:
        self.listed, self.parts, self.text = listed, parts, text

    @abstractmethod
    def opening(self, text: str) -> ParsedAnswer | None:
        """The answer that a piece of text opens with, if it opens with one."""

    @abstractmethod
    def accepted(self, listing: Verdicts) -> ParsedAnswer:
        """What a list of verdicts comes to."""

    def weigh(self, found: ParsedAnswer, start: int, end: int) -> ParsedAnswer:
        """An answer announced at a place, beside all else that the reply says."""
        return found

    def end_is_barred(self) -> ParsedAnswer | None:
        """Why a reply that announces nothing can't answer at its end."""
        return None

    @abstractmethod
    def stated_answer(self) -> ParsedAnswer:
        """What the sentences of a reply without a plain answer come to."""

    def read(self) -> ParsedAnswer:
        if (listing := verdicts(self.listed, self.name)) is not None:
            return self._beside_list(listing)
        for start, end, behind in self._announcements(self.text):
            if found := self._opening(behind):
                return self._last(found, start, end)
        head = self._opening(self.text)
        if head is not None and head.answer is None and (below := survey_end(self.text, str)):
            # What a line below a list is, and nothing else, is the answer.
            return self.opening(below) or head
        if head is not None and not head.hedged:
            return self._last(head, 0, 0)
        if head is None and basics.refuses(self.text):
            return _REFUSED
        return self.end_is_barred() or self.ending(self.text) or head or self.stated_answer()

    def _opening(self, text: str) -> ParsedAnswer | None:
        return self.opening(text) or self.opening(basics.first_line(text))

    def _announcements(self, text: str) -> Iterator[tuple[int, int, str]]:
        """Where answers are announced, and what stands behind; the last one first."""
        for match in reversed(list(self.says["announced"].finditer(text))[-_ANNOUNCEMENTS:]):
            yield match.start(), match.end(), text[match.end() : match.end() + _SEGMENT]

    def _last(self, found: ParsedAnswer, start: int, end: int) -> ParsedAnswer:
        """An answer, or the last one where the reply takes back what it has said."""
        behind = self.text[basics.match_end(_SENTENCE, self.text, end) :]
        if basics.REVISES.search(behind):
            return self.ending(behind) or _TAKEN_BACK
        return self.weigh(found, start, end)

    def ending(self, text: str) -> ParsedAnswer | None:
        """The answer that the last line is, or that it concludes with."""
        line = basics.last_line(text)
        if found := self.opening(line):
            return found
        last = max(0, len(line) - _SEGMENT)
        concluded = [match.end() for match in self.says["concludes"].finditer(line, last)]
        return self.opening(line[concluded[-1] :]) if concluded else None

    def _beside_list(self, listing: Verdicts) -> ParsedAnswer:
        """An answer before or after a list of verdicts, unless the list comes to another one."""
        both = (self._settle(p) for p in (listing.after(self.parts), self.parts[: listing.start]))
        beside = next(filter(None, both), None) or self.ending(self.parts[listing.end :])
        listed = self.accepted(listing)
        if beside is None or listed.answer in (None, beside.answer):
            return beside or listed
        return ParsedAnswer.ambiguous("gives an answer and a list of verdicts that differ")

    def _settle(self, text: str) -> ParsedAnswer | None:
        """The answer that a part of a reply announces, opens with or ends with."""
        pieces = [*(behind for *_, behind in self._announcements(text)), basics.first_line(text)]
        return next(filter(None, map(self.opening, pieces)), None) or self.ending(text)


# --- True, False and Unknown ---

_VERDICT = re.compile(
    "|".join(f"(?P<{label}>{_VERDICTS[label].pattern})" for label in ("unknown", "false", "true")),
    re.IGNORECASE,
)
_TENSE = re.compile(r"\b(?:true|false)\b", re.IGNORECASE)
_ONE = "true|false|unknown"
# "False, False." says one thing twice.
_AGAIN = re.compile(rf"\b({_ONE})(?:[\s,.;]+\1\b)+", re.IGNORECASE)
_TOLD_BY = toml_of(__package__, "replies.toml")
_LABEL_OF = {word: label for label, words in _TOLD_BY["words"].items() for word in words}


def read_truth(reply: str) -> ParsedAnswer:
    """Read a reply to a question whose answer is True, False or Unknown."""
    fields = ("answer", "label", "final_answer")
    given = basics.unwrap_answer(basics.ends(basics.visible(reply)), fields)
    whole = basics.spaced_scripts(basics.plain(given))
    text = _without_prompt(whole, "judging")
    if not basics.has_words(text):
        return _ECHO if basics.has_words(whole) else _EMPTY
    # Within a sentence a small letter is what is left of a word that was cut off.
    if len(bare := text.strip("\"'*().[] \n")) == 1:
        text = bare.upper()
    body = basics.own(_AGAIN.sub(r"\1", text))
    if _OF_LABELS["fork"].search(body):
        return ParsedAnswer.ambiguous("gives a label under a condition and another one otherwise")
    found = _Truth(body).read()
    return _NOT_ITS_OWN if found.outcome == "unparsed" and body != text else found


class _Truth(_Answers):
    says, name = _OF_LABELS, _ONE

    def __init__(self, body: str) -> None:
        affirmed = body
        for kind in ("denied", "asked", "several"):
            affirmed = basics.blank_matches(affirmed, _OF_LABELS[kind])
        super().__init__(body, affirmed, affirmed)

    def opening(self, text: str) -> ParsedAnswer | None:
        text = text[:400]
        opened = text[basics.match_end(_OF_LABELS["lead"], text, 0) :]
        match = _OF_LABELS["label"].match(opened)
        if match is None:
            return self._open_or_verdict(basics.first_line(text))
        rest = opened[match.end() :]
        if _OF_LABELS["another"].match(rest):
            return ParsedAnswer.ambiguous("gives several labels")
        word = match["label"].casefold() if match["label"] else ""
        label = _LABEL_OF[word] if word else f"all_{match['which'].casefold()}"
        if _describes_another(rest, label):
            return ParsedAnswer.ambiguous("gives a label and describes another")
        if match["all"]:
            return ParsedAnswer("ok", label, why=f"says {TRUTH_LABELS[label]!r}")
        cut_off = len(word) == 1 and rest.strip(" .)]}\"'\n*")
        if cut_off or _OF_LABELS["goes_on"].match(rest):
            return None
        return ParsedAnswer("ok", label, why=f"gives the label {TRUTH_LABELS[label]}")

    def _open_or_verdict(self, line: str) -> ParsedAnswer | None:
        """A short line without a label's word: a verdict on the conclusion, or a hedge."""
        stated = _verdicts(line)
        if len(stated) == 1 and len(line.split()) <= _SHORT:
            return ParsedAnswer("ok", stated.pop(), why="states a verdict on the conclusion")
        if not stated and none.starts_with_hedge(line) and not _TENSE.search(line):
            named = _OF_LABELS["own_words"].search(line) is not None
            return ParsedAnswer("ok", "unknown", hedged=not named, why="leaves the conclusion open")
        return None

    def accepted(self, listing: Verdicts) -> ParsedAnswer:
        """The one label that a list of verdicts accepts."""
        accepted = listing.accepted
        if accepted is None or len(accepted) != 1:
            return ParsedAnswer.ambiguous("gives each label a verdict and settles on none")
        return ParsedAnswer("ok", accepted.pop(), why="accepts one label of a list")

    def weigh(self, found: ParsedAnswer, start: int, end: int) -> ParsedAnswer:
        """A label that a sentence announces, unless another one is named after it."""
        announces = self.text[start:end].rstrip(" \t*_\"'")
        if not announces or announces[-1] in ":={":
            return found
        later = _OF_LABELS["listed"].sub(" ", self.text[end:])
        others = {label.casefold() for label in _OF_LABELS["written"].findall(later)}
        others = (others | _verdicts(later)) - {found.answer}
        why = "announces a label and then names another"
        return ParsedAnswer.ambiguous(why) if others else found

    def end_is_barred(self) -> ParsedAnswer | None:
        if len(_verdicts(self.listed)) > 1:
            return ParsedAnswer.ambiguous("states several verdicts", settled=False)
        return None

    def stated_answer(self) -> ParsedAnswer:
        """The one verdict that a reply without an announced answer states, or why there is none."""
        answered = partial(ParsedAnswer, "ok", settled=False)
        if len(stated := _verdicts(self.listed)) == 1:
            return answered(stated.pop(), why="states one verdict on the conclusion")
        named, affirmed = (
            set(re.findall(rf"\b(?:{_ONE})\b", text.casefold()))
            for text in (self.listed, self.text)
        )
        if named == {"true", "false"} and not affirmed:
            return answered("unknown", why="denies both True and False")
        if named:
            why = f"speaks of {', '.join(sorted(named))} and settles on no label"
            return ParsedAnswer.ambiguous(why, settled=False)
        return ParsedAnswer("unparsed", settled=False, why="no label is named")


def _verdicts(text: str) -> set[str]:
    """Labels that statements about the conclusion amount to, unless supposed or denied."""
    found = set()
    for match in _VERDICT.finditer(text):
        label, before = str(match.lastgroup), text[max(0, match.start() - 40) : match.start()]
        denied = label != "unknown" and _OF_LABELS["negated"].search(before)
        if not denied and not _OF_LABELS["conditional"].search(before):
            found.add(label)
    return found


# --- numbered options ---

_LABEL_ONLY = phrases("lists", __package__)["label_only"]
_OPTION = r"(?:(?:option|choice|statement|opción|选项) ?)?#?\d{1,2}[.)]?"
_prepared = lru_cache(maxsize=256)(OptionLists)
_NONE = ParsedAnswer("ok", NONE, why="says that none is right")
_OPEN = ParsedAnswer("ok", NONE, hedged=True, why="leaves the question open")
_ONE_OPTION = ParsedAnswer("unparsed", why="says that one option is right and names none")
_NO_OPTION = ParsedAnswer("unparsed", settled=False, why="no option is chosen")
_SEVERAL = ParsedAnswer("ok", questions.SEVERAL, why="says that several are right and names none")


def read_option_set(reply: str, options: Sequence[str]) -> ParsedAnswer:
    """Read a reply to a question whose options, in the order shown, are numbered from 1."""
    latex = basics.unwrap_answer(basics.ends(basics.visible(reply)), ("answer", "final_answer"))
    whole = basics.spaced_scripts(basics.plain(_OF_OPTIONS["latex"].sub(" ", latex)))
    text = _without_prompt(whole, "choice")
    if not basics.has_words(text):
        return _ECHO if basics.has_words(whole) else _EMPTY
    lists = _prepared(tuple(options))
    body = basics.blank_matches(basics.own(text), _OF_OPTIONS["asked"])
    found = _Options(body, lists).read()
    return _NOT_ITS_OWN if found.outcome == "unparsed" and body != text else found


class _Options(_Answers):
    says, name = _OF_OPTIONS, _OPTION

    def __init__(self, body: str, lists: OptionLists) -> None:
        self.lists, self.said = lists, body
        shown = lists.numbered(body)
        super().__init__(shown, shown, lists.without_listing(body))

    def opening(self, text: str) -> ParsedAnswer | None:
        opened = text[:_SEGMENT].strip(_AROUND).removeprefix("that ")
        how_many, _, behind = opened.partition(":")
        label = how_many.casefold()
        if label in _LABELS["choice"] and _describes_another(behind, label):
            return ParsedAnswer.ambiguous("says how many are right and describes another number")
        line = basics.first_line(opened).rstrip("}$")
        if opened and (none.starts_with_none(opened) or none.is_none(line)):
            return _NONE
        bare = normalize_spaces(opened).rstrip(" .!})\"'")
        if len(bare) < _SHORT and _LABEL_ONLY.fullmatch(bare):
            one = bare.startswith(("one", "single", "exactly", "a single"))
            return _ONE_OPTION if one else _SEVERAL
        listing = self.lists.at_start(opened)
        if listing is None and none.starts_with_hedge(opened) and not self.lists.mentions(opened):
            return _OPEN
        return listing

    def accepted(self, listing: Verdicts) -> ParsedAnswer:
        """The options that a list of verdicts accepts."""
        accepted = listing.accepted
        if accepted is None or not (accepted or len(listing.of) == self.lists.size):
            return ParsedAnswer.ambiguous("goes through options and leaves some open")
        return self.lists.chosen({int(_DIGITS.findall(name)[0]) - 1 for name in accepted})

    def weigh(self, found: ParsedAnswer, start: int, end: int) -> ParsedAnswer:
        """A chosen set, beside sentences that call others right as well, or none at all."""
        right, chosen = self.lists.claims_about(self.text[start:])[0], found.numbers
        if chosen and not right <= chosen:
            found = self.lists.argue_options(self.text[start:]) or found
            if not found.numbers >= right:
                return ParsedAnswer.ambiguous("calls other options right as well")
        return self._beside_denial(found, start)

    def _beside_denial(self, found: ParsedAnswer, after: int = 0) -> ParsedAnswer:
        if found.numbers and none.none_position(self.text) >= after:
            return ParsedAnswer.ambiguous("chooses and says that none is right")
        return found

    def ending(self, text: str) -> ParsedAnswer | None:
        found = self.lists.tail(text) or super().ending(text)
        return self._beside_denial(found) if found else None

    def end_is_barred(self) -> ParsedAnswer | None:
        if self.lists.begins_listing(self.text):
            return ParsedAnswer.ambiguous("repeats the question and begins its options")
        return None

    def stated_answer(self) -> ParsedAnswer:
        argued = self.lists.argue_options(self.text)
        if argued is not None and argued.outcome == "ok":
            return self._beside_denial(argued)
        denied = not self.lists.mentions(self.text) and none.denies_all(self.text)
        if denied or none.none_position(basics.in_english(self.text)) >= 0:
            return _NONE
        if none.hedges(self.text):
            torn = ParsedAnswer.ambiguous("names options and leaves the question open")
            return torn if self.lists.named(self.text) else _OPEN
        if argued is None and (self.text != self.said or self.lists.named(self.text)):
            return ParsedAnswer.ambiguous("names options and settles on none", settled=False)
        return argued or _NO_OPTION


# --- labels of prompts ---

# Options of the authors' prompts are called by numbers from 0, by letters, or by 1 to 3 for what a
# conclusion is. By our rules a reply to them is read as any other once its labels are those of our
# own prompts. By theirs (`parse_as_published`) it is read as their scorer reads it, which bends the
# printed numbers: options count from 0 whether they carry numbers or not, a word such as
# "difficult" anywhere means that no option is right, and under miscellany the right letter
# anywhere, of a reply put in capitals, is the right answer.

_DIGITS = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
# Where number words may be options'.
_NAMED = re.compile(r"\b(?:options?|choices?|numbers?)\b[^.;\n]{0,60}", re.IGNORECASE)
_HEADED = re.compile(r"\A.*^#+ *final answer\b", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_JUDGED = FAMILIES["judging"].forms


def parse_reply(reply: str, options: Sequence[str], meta: BoundaryMeta) -> ParsedAnswer:
    """Read a reply by the rules alone; its options are as the prompt shows them, unlabelled."""
    labels = meta.labels.split(",")
    headed = _HEADED.match(reply) if meta.labels and meta.setting == "multi_turn" else None
    body = (reply[headed.end() :].strip() if headed else "") or reply
    if meta.family == "judging":
        found = read_option_set(body, options) if meta.labels else ParsedAnswer("unparsed")
        if found.numbers:
            return to_canonical(found, meta)
        truth = read_truth(body)
        return found if truth.outcome != "ok" and meta.labels and found.outcome != "ok" else truth
    if labels[0].isalpha():
        return to_canonical(_parse_letter(body, options, labels), meta)
    found = _from_zero(body, options) if labels[0] == "0" else read_option_set(body, options)
    # Options without numbers, of which the reply names 0: it can only count from there.
    if labels[0] == "1" and found.outcome == "unparsed" and re.search(r"(?<![\w.])0\b", body):
        again = _from_zero(body, options)
        found = again if again.outcome == "ok" else found
    return to_canonical(found, meta)


def to_canonical(found: ParsedAnswer, meta: BoundaryMeta) -> ParsedAnswer:
    """An answer whose numbers, places in the prompt, are turned into the item's own or a label.

    0 stands for the statement that all other options are false: alone it says that none is right.
    """
    if not found.numbers:
        return found
    if meta.family == "judging":
        if len(found.numbers) > 1:
            return ParsedAnswer.ambiguous("gives several labels")
        return replace(found, answer=_JUDGED[min(found.numbers) - 1])
    shown = meta.shown.split(",")
    own = sorted(int(shown[place - 1]) for place in found.numbers)
    return replace(found, answer=NONE if own == [0] else ",".join(map(str, own)))


def parse_as_published(reply: str, meta: BoundaryMeta) -> ParsedAnswer:
    """Read a reply to a choice question by the authors' rules."""
    own = meta.shown.split(",")
    if meta.setting == MISCELLANY:
        right = meta.labels.split(",")[own.index(meta.truth)]
        if right in reply.upper():
            return ParsedAnswer("ok", meta.truth, why=f"has the letter {right} somewhere")
        return ParsedAnswer("unparsed", why=f"has no letter {right}")
    lower = reply.lower()
    if word := next((w for w in _TOLD_BY["published"]["no_answer"] if w in lower), ""):
        return ParsedAnswer("ok", NONE, why=f"says {word!r} somewhere")
    named = sorted({int(n) for n in re.findall(r"\b[0-3]\b", reply)})
    if not named:
        return ParsedAnswer("unparsed", why="has no number from 0 to 3")
    why = f"has {', '.join(map(str, named))} somewhere, counted from 0"
    answer = ",".join(own[n] if n < len(own) else str(n + 1) for n in named)
    return ParsedAnswer("ok", answer, why=why)


def _from_zero(reply: str, options: Sequence[str]) -> ParsedAnswer:
    """A reply whose numbers count from 0, read with all of them, the options' too, one higher."""
    digits = _NAMED.sub(
        lambda named: _WORD.sub(lambda word: str(_WORDS.index(word[0].lower())), named[0]), reply
    )
    found = read_option_set(_higher(digits), [_higher(option) for option in options])
    return replace(found, why=f"{found.why} (its numbers, from 0, are read as from 1)")


def _higher(text: str) -> str:
    return _DIGITS.sub(lambda number: str(int(number[0]) + 1).zfill(len(number[0])), text)


def _parse_letter(reply: str, options: Sequence[str], labels: Sequence[str]) -> ParsedAnswer:
    """A reply that names an option by its letter or its text; some letters are not shown."""
    texts = dict(zip(labels, options, strict=True))
    last = LETTERS.index(labels[-1])
    found = read_choice(reply, [texts.get(c, f"({c} is not shown)") for c in LETTERS[: last + 1]])
    if found.outcome != "ok":
        return ParsedAnswer(found.outcome, settled=found.settled, why=found.why)
    if found.said_none:
        return ParsedAnswer("ok", NONE, settled=found.settled, why=found.why)
    letter = "" if found.chosen is None else LETTERS[found.chosen]
    if letter not in texts or found.text:
        return ParsedAnswer.ambiguous(found.why, settled=found.settled)
    place = str(labels.index(letter) + 1)
    return ParsedAnswer("ok", place, settled=found.settled, why=found.why)

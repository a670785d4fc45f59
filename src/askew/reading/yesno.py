"""Yes or No: which of the two a reply settles on, or why neither is clear.

The last explicit commitment counts, unless it differs from one before it that nothing takes back.
"No" as a word of a sentence ("there is no error") is no answer.
"""

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

from askew.reading import phrases
from askew.reading import reply as basics
from askew.reading.engine import Choice, Reader, torn
from askew.reading.names import NAME, TEXT, OptionNames
from askew.reading.reply import blank_matches, has_words
from askew.reading.verdicts import verdicts
from askew.schema import Outcome

_SAYS = phrases("yesno")

YesOrNo = Literal["Yes", "No"]
_TWO = "gives both Yes and No"
_BOTH: tuple[YesOrNo, YesOrNo] = ("Yes", "No")
_SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|\n")
# How much of a reply's beginning and of its end takes up the question.
_HEAD = 600
# In a reply of up to so many characters a single bare clause counts as the answer.
_SHORT = 400


@dataclass(frozen=True)
class YesNoAnswer:
    """What a reply settles on."""

    outcome: Outcome
    answer: YesOrNo | None = None
    settled: bool = True  # it is stated; a lone clause in a reply that was cut settles nothing
    why: str = ""


def read_yes_no(reply: str, prompt: str = "") -> YesNoAnswer:
    """Read a reply to a question that offered Yes and No.

    The reply may affirm or deny words of the prompt ("That is not likely.").
    """
    text = basics.ends(basics.visible(reply))
    if not has_words(text):
        return YesNoAnswer("empty", why="the reply has no words")
    text = basics.spaced_scripts(basics.plain(text).replace("_", " "))
    text = _SAYS["markup"].sub(" ", text).strip()
    text = _SAYS["foreign"].sub(_translate, text)
    initial = _SAYS["initial"].fullmatch(text) if len(text) <= 12 else None
    if initial is not None:
        return YesNoAnswer("ok", _BOTH[initial[1] in "nN"], why="gives the initial alone")
    if len(text) < _SHORT and _SAYS["both"].search(text):
        return YesNoAnswer("ambiguous", why="gives both Yes and No")
    # As many spaces as the echo was long: places in the text stay what they were.
    body = basics.own(blank_matches(text, _SAYS["echo"]))
    found = _Reader(blank_matches(body, _SAYS["not_but"]), _NAMES).read()
    if found.outcome != "unparsed":
        answer = None if found.chosen is None else _BOTH[found.chosen]
        return YesNoAnswer(found.outcome, answer, found.settled, found.why)
    if basics.refuses(text):
        return YesNoAnswer("refused", why="the reply declines to answer")
    named = {_is_no(match) for match in _SAYS["token"].finditer(blank_matches(text, _SAYS["echo"]))}
    agreed = _taken_up(body, prompt)
    if agreed or len(named) < 2:
        return agreed or YesNoAnswer("unparsed", why=found.why)
    return YesNoAnswer("ambiguous", why="names both Yes and No and settles on neither")


def _is_no(match: re.Match[str]) -> bool:
    return match.group()[:1] in "nN"


def _translate(found: re.Match[str]) -> str:
    """A Yes or No of another language in English, behind what stands before it."""
    before = "answer: " if found["answer"] else found.group()[: found.end("before") - found.start()]
    return f"{before}{'yes' if found['yes'] else 'no'}"


class _YesNo(OptionNames):
    def marked(self, text: str, groups: dict[str, str]) -> str:
        """The text with a sign for each Yes and No that may be an answer."""
        return _SAYS["token"].sub(lambda m: self._token(m, groups), text)

    def _token(self, match: re.Match[str], groups: dict[str, str]) -> str:
        no = _is_no(match)
        rest = match.string[match.end() : match.end() + 60]
        # "No. 5" names a number, but a reply that opens with it answers: "No. 5 were sold."
        opens = rest[:1] == "." and not has_words(match.string[: match.start()])
        word = no and not opens and _SAYS["bare_no"].match(rest) is None
        if word or _SAYS["no_answer"].match(rest) or (no and _SAYS["not_an_answer"].match(rest)):
            return match.group()
        sign = chr(TEXT + no)
        groups[sign] = match.group()
        return sign


_NAMES = _YesNo(_BOTH)


class _Said(NamedTuple):
    chosen: int
    start: int
    end: int


class _Reader(Reader):
    leads_in = _SAYS["opening"]

    def read(self) -> Choice:
        listing, whole = verdicts(self.body, _SAYS["sign"].pattern), self.body
        if listing is None:
            return self._last_commitment() or self._clause()
        for self.body in (listing.after(whole), whole[: listing.start]):
            if (beside := self._last_commitment()) is not None:
                return beside
        accepted = listing.accepted or ()
        if len(accepted) == 1:
            return Choice("ok", ord(min(accepted)) - TEXT, why="accepts one answer of both")
        return torn("gives both Yes and No a verdict and settles on neither")

    def _opening(self, text: str, name: re.Match[str]) -> Choice | None:
        other = _SAYS["contradicted"].match(text, name.end())
        return torn(_TWO) if other and other["name"] != name.group() else self.named(name)

    def _last_commitment(self) -> Choice | None:
        """The last commitment, unless one that differs stands before it and is not taken back."""
        text, opened, tail = self.body, self.opening(self.body), self._tail()
        if opened is not None and opened.outcome == "ambiguous":
            return opened
        head = self._placed_answer(text, 0)
        if head is not None and head.chosen and _SAYS["declines"].match(text, head.end):
            return Choice("refused", why="the reply declines to answer")
        announced = basics.announcements(text, basics.CHOICE)
        answers = [answer for one in announced if (answer := self._verdict(one))]
        pairs = [(head, tail)]
        if answers:
            *before, last = [None, *answers]
            # Much may be said between a head and an answer that is announced.
            if head and not basics.LEADS_ON.fullmatch(text, head.end, last.start):
                head = None
            first = before[-1]
            if first and _SAYS["settles"].search(text, max(first.end, last.start - 12), last.end):
                first = None
            tail = tail if tail and tail.start > last.end else None
            pairs = [(head, last), (first, last), (last, tail)]
        elif head is not None:
            pairs += [(head, _at(m)) for m in _SAYS["opens_line"].finditer(text, head.end)]
        for first, second in pairs:
            if first and second and first.chosen != second.chosen:
                if not basics.REVISES.search(text, first.end, second.start):
                    return torn(_TWO)
                return Choice("ok", second.chosen, why="takes its first answer back")
        how = "announces" if answers else "opens with" if head else "closes with"
        answer = answers[-1] if answers else head or tail
        return Choice("ok", answer.chosen, why=f"{how} its answer") if answer else None

    def _placed_answer(self, piece: str, at: int) -> _Said | None:
        """The answer that a piece of the text opens with, and where in the text it stands."""
        answer, name = self.opening(piece), NAME.search(piece)
        if answer is None or answer.chosen is None or name is None:
            return None
        return _Said(answer.chosen, at + name.start(), at + name.end())

    def _verdict(self, one: basics.Announcement) -> _Said | None:
        answer = None if one.doubtful else self._behind(one)
        if answer is None or answer.chosen is None:
            return None
        name = NAME.search(self.body, 0 if one.by_subject else one.end)
        return _Said(answer.chosen, one.start, max(one.end, name.end() if name else 0))

    def _tail(self) -> _Said | None:
        """The answer that the last line is, or that its last sentence opens or ends with."""
        text = self.body.rstrip()
        for piece in self._ends():
            answer = self._placed_answer(piece, len(text) - len(piece))
            if answer and (piece != basics.last_line(text) or self.bare(piece)):
                return answer
        closes = _SAYS["closes"].search(text, max(0, len(text) - 60))
        return _at(closes) if closes else None

    def _clause(self) -> Choice:
        """In a short reply: the one answer that stands as a clause of its own."""
        found = {_at(m).chosen for m in _SAYS["clause"].finditer(self.body[: _SHORT + 1])}
        if len(found) == 1 and len(self.body) <= _SHORT:
            return Choice("ok", found.pop(), settled=False, why="gives one answer only")
        if len(found) > 1:
            return torn(_TWO)
        return Choice("unparsed", why="neither stands as an answer")


def _at(match: re.Match[str]) -> _Said:
    return _Said(ord(match["name"]) - TEXT, match.start("name"), match.end("name"))


def _taken_up(text: str, prompt: str) -> YesNoAnswer | None:
    """The answer of a reply whose first or last sentence agrees or disagrees."""
    pieces = _SENTENCE_END.split(f"{text[:_HEAD]}\n{text[-_HEAD:]}")
    parts = [part for piece in pieces if (part := piece.strip())]
    alone = len(set(parts)) == 1
    answers = {_agreement(one, prompt, alone) for one in (*parts[:1], *parts[-1:])} - {None}
    if len(answers) > 1:
        return YesNoAnswer("ambiguous", why="agrees and disagrees")
    return YesNoAnswer("ok", answers.pop(), why="takes up the question") if answers else None


def _agreement(text: str, prompt: str, alone: bool) -> YesOrNo | None:
    """What a sentence says that agrees, or affirms or denies a word of the question."""
    agrees = _SAYS["agrees"].match(text)
    if agrees is not None:
        said_no = agrees["no"] or agrees["denied"]
        return None if agrees["alone"] and not alone else "No" if said_no else "Yes"
    takes_up = _SAYS["takes_up"].match(text)
    question = [prompt, *_SAYS["question"].findall(prompt)][-1].casefold()
    if takes_up is None or _SAYS["turned"].search(question):
        return None
    prefix, word = (takes_up["un"] or "").casefold(), takes_up["word"].casefold()
    words = _SAYS["word"].findall(question)
    denied = any(takes_up[kind] for kind in ("not", "isnt", "dont"))
    opposites = (word,) if prefix else (f"un{word}", f"in{word}", f"im{word}")
    if prefix + word in words:
        return "No" if denied else "Yes"
    opposed = any(one in words for one in opposites)
    # What is likely or not is what was asked, in whatever words; "not unlikely" is neither.
    if (denied and prefix) or not (word == "likely" or opposed):
        return None
    return "No" if denied != (opposed or bool(prefix)) else "Yes"

"""Multiple choice: which option a reply settles on, or that none fits, or why neither is clear.

The final answer counts. Reading goes from the strongest sign to the weakest: an announced answer
("the answer is ..."), the head of the reply, its last line, a statement that none fits, a
refusal, then a single option named anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from askew.parsing.announcing import CHOICE, Announcement, announcements
from askew.parsing.letters import (
    LETTERS,
    REASON,
    NamedLetter,
    glued_letters,
    named_letter,
    without_lead_in,
    without_marks,
)
from askew.parsing.mentions import mentions, names, without_listing
from askew.parsing.none import Denial, denials, is_none, none_position, starts_with_none
from askew.parsing.option_text import SEGMENT, OptionTexts, bare
from askew.parsing.reply import (
    ends,
    first_line,
    has_words,
    last_line,
    refuses,
    unwrapped,
    visible,
)
from askew.schema import Outcome

__all__ = ["LETTERS", "Choice", "read_choice"]

_FIELDS = frozenset(
    {"letter", "choice", "option", "answer", "final_answer", "correct_answer", "correct_option"}
    | {"text", "answer_text", "selected_option", "response"}
)
_BLANKS = re.compile(r"[^\S\n]+")
# An answer of the reply's own, stated as short as this, is not an explanation.
_NEW_WORDS = 12

_SUBJECT_LETTER = re.compile(
    r"(?:^|[\s(\"'*\[])(?P<letter>[A-Z])[)\]\"'*.:,]{0,4}\s*$"
    r"|(?i:option|choice) (?P<low>[a-z])[)\s]*$"
)
_RELATIVE = re.compile(r"[\s,]*\b(?:which|that)\s*$")
_EXPLAINS = re.compile(r"(?:\. |; |, (?:as|which|who|because|since|but) | because | since | \()")
_NO_ANSWER = re.compile(
    r"(?:i (?:think|believe|choose|would|will|do not|don't|cannot|can't|need"
    r"|would need|am not|have no|couldn't|could not)"
    r"|i'm (?:not|unsure)|unsure|not sure|let me|let's|sure|okay|ok\b|please|here(?:'s| is| are)"
    r"|hello|hi\b|thank|thinking|based on|the (?:answer|question|correct)|question|options?\b"
    r"|answer\b|it (?:is|'s) (?:not|un|impossible|hard)|it cannot|cannot|unknown|no idea|to answer"
    r"|first|step|looking|what\b|which\b|could you|can you)",
    re.IGNORECASE,
)
_ANSWER_LABEL = re.compile(r"\W*(?:(?:the|final|correct|my|your) ){0,2}answer[*_ ]{0,3}:", re.I)
# "The answer is found in the second line": where it is, or how sure, not what.
_WHERE = re.compile(
    r"(?:in|on|at|to|by|from|with|within|among|found|given|stated|mentioned|provided|clear|clearly"
    r"|obvious|obviously|not|supported|based|likely|unlikely|correct|incorrect|right|wrong"
    r"|straightforward|simple|here|below|above|one of|also|still|only|indeed|as|that|implied)\b",
    re.IGNORECASE,
)
# Remarks that follow an answer.
_REMARK = re.compile(r"(?:none|neither|all|both|others?|the others?|only|not|no other)\b", re.I)


@dataclass(frozen=True)
class Choice:
    """What a reply settles on.

    Attributes:
        outcome: whether an answer was read, or why none was.
        chosen: index of the offered option that is chosen.
        letter: the letter that the reply wrote with its answer, offered or not.
        text: an answer in the reply's own words. Beside `chosen` the letter is an offered one
            but the words behind it are not its option's ("C. Rick").
        gave_removed: the answer's text is the removed option.
        said_none: the reply says that none fits, or chooses an option that says so; `text` is
            then the answer that it gives all the same.
        settled: False where the reading holds only if the reply is whole: in a reply that was
            cut, a lone mention or a last line settles nothing.
        why: one line that says how it was read.
    """

    outcome: Outcome
    chosen: int | None = None
    letter: str = ""
    text: str = ""
    gave_removed: bool = False
    said_none: bool = False
    settled: bool = True
    why: str = ""


def read_choice(reply: str, options: Sequence[str], removed: str = "") -> Choice:
    """Read a lettered multiple-choice reply.

    Args:
        reply: the model's whole reply.
        options: offered options in order; the first is A.
        removed: the right option where it was taken away, so that it can be recognised.
    """
    text = ends(visible(reply))
    if not has_words(text):
        return Choice("empty", why="the reply has no words")
    return _Reader(options, removed).read(_BLANKS.sub(" ", unwrapped(text, _FIELDS)))


class _Reader:
    """One question's options, prepared once, against one reply."""

    def __init__(self, options: Sequence[str], removed: str) -> None:
        self.options = OptionTexts(options, removed)
        self.n_offered = len(options)

    def read(self, text: str) -> Choice:
        entire = self._entire(_ANSWER_LABEL.sub("", text, count=1))
        if entire is not None:
            return entire
        body = without_listing(text, self.options)
        if not has_words(body):
            return Choice("ambiguous", why="goes through the options and settles on none")
        said = list(denials(body))
        found = announcements(body, CHOICE)
        stated = self._announced(body, found, said) or self._at_an_end(body, said)
        if stated is not None:
            return stated
        if said:
            none = Choice("ok", said_none=True, settled=False, why="says that none fits")
            return self._weighed(none, body, said)
        if refuses(body):
            return Choice("refused", why="the reply declines to answer")
        doubtful = self._announced(body, [replace(a, doubtful=False) for a in found], said)
        if doubtful is not None:
            return replace(doubtful, settled=False)
        return self._unstated(body, found)

    def _entire(self, text: str) -> Choice | None:
        """An option's text that is the entire reply, behind its letter or alone."""
        same = self.options.equal(text)
        if same:
            return self._by_text(same)
        given = named_letter(text[: self.options.longest + SEGMENT], self.n_offered)
        same = self.options.equal(given.rest) if given is not None and not given.also else []
        return self._by_text(same, given.letter) if same and given is not None else None

    def _announced(
        self, body: str, found: Sequence[Announcement], said: Sequence[Denial]
    ) -> Choice | None:
        """The answer behind the last announcement that announces one."""
        for one in reversed(found):
            if one.doubtful and not (one.near and said):
                continue
            if one.by_subject:
                choice = self._subject(body[max(0, one.start - 200) : one.start])
            else:
                segment = body[one.end : one.end + SEGMENT]
                choice = self._settled(segment) or _new_answer(segment, one)
            if choice is not None:
                return self._weighed(choice, body, said, one.start, one.near)
        return None

    def _at_an_end(self, body: str, said: Sequence[Denial]) -> Choice | None:
        """The answer that the reply opens with, or that its last line or sentence is."""
        head = self._segment(body)
        if head is not None and head.outcome == "ok" and not (head.said_none and not head.letter):
            return self._weighed(head, body, said)
        if "\n" in body or ". " in body:
            for end in (last_line(body), body[-SEGMENT:].rpartition(". ")[2]):
                last = self._settled(end)
                if last is not None and not (head is not None and last.text):
                    last = replace(last, settled=False)
                    return self._weighed(last, body, said, len(body))
        return self._weighed(head, body, said) if head is not None else None

    def _weighed(
        self, choice: Choice, body: str, said: Sequence[Denial], at: int = 0, near: bool = False
    ) -> Choice:
        """An answer, weighed against statements that none fits."""
        if choice.outcome != "ok" or not said:
            return choice
        if choice.said_none:
            return replace(choice, gave_removed=choice.gave_removed or self._volunteers(body, said))
        if choice.chosen is None:
            return replace(choice, said_none=True)
        own = self.options.written[choice.chosen]
        denied = near or any(d.firm and d.start >= at for d in said)
        if not denied or none_position(own) >= 0:
            return choice
        return Choice(
            "ok", text=choice.text or own, said_none=True, why="says that none fits, yet gives one"
        )

    def _volunteers(self, body: str, said: Sequence[Denial]) -> bool:
        """Whether a reply that says none names the removed option as well."""
        if len(self.options.written) == self.n_offered:
            return False
        parts, at = [], 0
        for denial in sorted(said, key=lambda d: d.start):
            # "The correct answer (Rick) is not listed" names it within.
            if not {"(", ","} & set(body[denial.start : denial.end]):
                parts.append(body[at : max(at, denial.start)])
                at = max(at, denial.end)
        return names(" . ".join([*parts, body[at:]]), self.options, self.n_offered)

    def _settled(self, segment: str) -> Choice | None:
        choice = self._segment(segment)
        return choice if choice is not None and choice.outcome != "unparsed" else None

    def _segment(self, text: str) -> Choice | None:
        """The answer that a piece of text opens with, if it opens with one."""
        text = text[:SEGMENT].strip()
        for part in dict.fromkeys((text, without_marks(text), without_lead_in(text))):
            direct = self._direct(part) if part else None
            if direct is not None:
                return direct
        return None

    def _direct(self, text: str) -> Choice | None:
        for part in dict.fromkeys((text, first_line(text))):
            same = self.options.equal(part)
            if same:
                return self._by_text(same)
        glued = glued_letters(text, self.n_offered)
        if glued:
            return Choice("ambiguous", why=f"gives {' and '.join(glued)}")
        letter = named_letter(text, self.n_offered)
        lettered = self._lettered(letter) if letter is not None else None
        return lettered or self._worded(text)

    def _worded(self, text: str) -> Choice | None:
        opened, _ = self.options.opening(text)
        if opened:
            return self._by_text(opened)
        if starts_with_none(text):
            return Choice("ok", said_none=True, why="says that none fits")
        return None

    def _by_text(self, same: Sequence[int], letter: str = "") -> Choice:
        written = [self.options.written[i] for i in same]
        chosen = same[0]
        if letter and LETTERS.index(letter) in same:
            chosen = LETTERS.index(letter)
        elif len(set(written)) > 1:
            return Choice("ambiguous", why=f"gives the text of {len(same)} options")
        if chosen == self.n_offered:
            why = "gives the text of the removed option"
            return Choice("ok", letter=letter, text=written[0], gave_removed=True, why=why)
        none = is_none(self.options.written[chosen])
        why = "gives the text of an option"
        return Choice("ok", chosen=chosen, letter=letter, said_none=none, why=why)

    def _lettered(self, given: NamedLetter) -> Choice | None:
        if given.also:
            return Choice("ambiguous", why=f"gives {given.letter} and {given.also}")
        letter, line = given.letter, "" if given.alone else first_line(given.rest)
        if line:
            same = self.options.equal(line) or self.options.opening(given.rest)[0]
            if same:
                return self._by_text(same, letter)
            if is_none(line) or starts_with_none(line):
                return Choice("ok", letter=letter, said_none=True, why="says that none fits")
        new = _answer_in(line) if given.labels_text and not _REMARK.match(line) else ""
        if given.index < self.n_offered:
            new = "" if self._resembles(new, given.index) else new
            none = is_none(self.options.written[given.index])
            why = f"gives the letter {letter}" + (", with words of its own" if new else "")
            return Choice(
                "ok", chosen=given.index, letter=letter, text=new, said_none=none, why=why
            )
        if new:
            return Choice("ok", letter=letter, text=new, why="gives a new letter and text")
        why = f"the letter {letter} is not offered"
        return Choice("unparsed", letter=letter, why=why) if given.alone else None

    def _resembles(self, words: str, index: int) -> bool:
        """Whether the words behind a letter are mostly those of its option."""
        said, meant = set(bare(words).split()), set(self.options.bare[index].split())
        return 2 * len(said & meant) >= min(len(said), len(meant))

    def _subject(self, text: str) -> Choice | None:
        """What "... is the correct answer" says it of."""
        text = _RELATIVE.sub("", text.rpartition("\n")[2])
        same = self.options.ending(text)
        if same:
            return self._by_text(same)
        match = _SUBJECT_LETTER.search(text)
        letter = (match["letter"] or match["low"]).upper() if match is not None else ""
        if not letter or LETTERS.index(letter) >= self.n_offered:
            return None
        return self._by_letter(LETTERS.index(letter))

    def _by_letter(self, index: int, text: str = "") -> Choice:
        letter = LETTERS[index]
        none = is_none(self.options.written[index])
        why = f"gives the letter {letter}" + (", with words of its own" if text else "")
        return Choice("ok", chosen=index, letter=letter, text=text, said_none=none, why=why)

    def _unstated(self, body: str, found: Sequence[Announcement]) -> Choice:
        """The one option that a reply without a stated answer names, or its own short answer."""
        named = mentions(body, self.options)
        if len(named.affirmed) > 1:
            n_options = len(named.affirmed)
            return Choice("ambiguous", why=f"names {n_options} options and settles on none")
        for i in named.affirmed:
            return replace(self._by_text([i]), settled=False, why="names one option only")
        vague = next((a for a in reversed(found) if a.of_answer and not a.by_subject), None)
        line = first_line(body if vague is None else body[vague.end : vague.end + SEGMENT])
        new = _answer_in(line)
        is_answer = new and line[-1] not in ":?" and not _NO_ANSWER.match(new)
        if is_answer and not named.ruled_out:
            return Choice("ok", text=new, settled=False, why="gives an answer not offered")
        return Choice("unparsed", why="no option is named")


def _new_answer(segment: str, announced: Announcement) -> Choice | None:
    """An announced answer in words that no option matches."""
    said = _answer_in(without_marks(first_line(segment))) if announced.of_answer else ""
    if not said or _NO_ANSWER.match(said) or _WHERE.match(said):
        return None
    return Choice("ok", text=said, why="announces an answer not offered")


def _answer_in(line: str) -> str:
    """The short answer at the head of a line, without what explains it; "" if there is none."""
    said = _EXPLAINS.split(line.strip(" *_`\"'"), maxsplit=1)[0].strip(" *_`\"'.,;:!")
    if len(said.split()) > _NEW_WORDS or REASON.match(said):
        return ""
    # A lone letter of another alphabet is no answer.
    return said if has_words(said) and (len(said) > 1 or said.isdigit()) else ""

"""Multiple choice: which option a reply settles on, or that none fits, or why neither is clear.

The final answer counts. Reading goes from the strongest sign to the weakest: a reply that is an
option, an announced answer ("the answer is ..."), the head of the reply, its last line, a
statement that none fits, a refusal, then a single option named anywhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from askew.reading.announcing import CHOICE, Announcement, announcements
from askew.reading.letters import LETTERS
from askew.reading.mentions import announced_answer, mentions, names, stated_answer, without_listing
from askew.reading.none import denials, none_position
from askew.reading.option_text import SEGMENT
from askew.reading.reply import ends, has_words, last_line, refuses, unwrapped, visible
from askew.reading.segments import SAYS_NONE, Choice, SegmentReader

__all__ = ["LETTERS", "Choice", "read_choice"]

_FIELDS = frozenset(
    {"letter", "choice", "option", "answer", "final_answer", "correct_answer", "correct_option"}
    | {"text", "answer_text", "selected_option", "response"}
)
_BLANKS = re.compile(r"[^\S\n]+")
# Marks are met at the start of their run only: from each of them would be quadratic.
_ANSWER_LABEL = re.compile(
    r"(?<!\W)\W*(?:(?:the|final|correct|my|your) ){0,2}answer[*_ ]{0,3}:", re.IGNORECASE
)
# "..., so C."
_CONCLUDED = re.compile(
    r"\b(?:so|therefore|thus|hence|it is|it's|must be|leaves|leaving|but) "
    r"([(\[*\"']{0,3}[A-Z]\W{0,4})$"
)
_CONCLUSION = 40
_SUBJECT = 200


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
    text = _BLANKS.sub(" ", unwrapped(text, _FIELDS))
    segments = SegmentReader(options, removed)
    entire = segments.entire(_ANSWER_LABEL.sub("", text, count=1))
    if entire is not None:
        return entire
    body = without_listing(text, segments.options)
    if not has_words(body):
        return Choice("ambiguous", why="goes through the options and settles on none")
    return _Reader(body, segments).read()


class _Reader:
    """The text of one reply, without repeated options, against one question's options."""

    def __init__(self, body: str, segments: SegmentReader) -> None:
        self.body = body
        self.segments = segments
        self.options = segments.options
        self.denials = list(denials(body))
        self.announcements = announcements(body, CHOICE)

    def read(self) -> Choice:
        stated = self._announced(self.announcements) or self._at_an_end()
        if stated is not None:
            return stated
        if self.denials:
            return self._weighed(replace(SAYS_NONE, settled=False))
        if refuses(self.body):
            return Choice("refused", why="the reply declines to answer")
        doubtful = self._announced([replace(a, doubtful=False) for a in self.announcements])
        return self._unstated() if doubtful is None else replace(doubtful, settled=False)

    def _announced(self, found: Sequence[Announcement]) -> Choice | None:
        """What the last announcement announces; "the closest is B" yields to a removed answer."""
        closest = None
        for one in reversed(found):
            # Where none fits, "if I had to choose" says which is closest.
            if one.doubtful and not (one.near and self.denials):
                continue
            choice = self._behind(one)
            if choice is None:
                continue
            if closest is not None and not choice.gave_removed:
                continue
            choice = self._weighed(choice, one.start, one.near)
            if closest is not None or not (one.near and choice.chosen is not None):
                return choice
            closest = choice
        return closest

    def _behind(self, one: Announcement) -> Choice | None:
        if one.by_subject:
            return self.segments.subject(self.body[max(0, one.start - _SUBJECT) : one.start])
        segment = self.body[one.end : one.end + SEGMENT]
        choice = self._settling(segment)
        if choice is not None or not one.of_answer:
            return choice
        new = announced_answer(segment)
        return Choice("ok", text=new, why="announces an answer not offered") if new else None

    def _settling(self, segment: str) -> Choice | None:
        choice = self.segments.opening(segment)
        return None if choice is None or choice.outcome == "unparsed" else choice

    def _at_an_end(self) -> Choice | None:
        """The answer that the reply opens with, or that its last line or sentence is."""
        head = self.segments.opening(self.body)
        # Denying words at the head, or several letters, may still come to an answer.
        if head is not None and head.outcome == "ok" and (head.letter or not head.said_none):
            return self._weighed(head)
        for end in self._ends():
            # After a denial, only a line that is nothing but an answer takes it back.
            last = self._settling(end) if head is None else self.segments.bare(end)
            if last is not None:
                return self._weighed(replace(last, settled=False), len(self.body))
        return None if head is None else self._weighed(head)

    def _ends(self) -> Iterator[str]:
        """The last line, the last sentence, and what is concluded in its last words."""
        line = last_line(self.body)
        if line != self.body:
            yield line
        sentence = line.rpartition(". ")[2]
        if sentence != line:
            yield sentence
        concluded = _CONCLUDED.search(sentence[-_CONCLUSION:])
        if concluded is not None:
            yield concluded[1]

    def _weighed(self, choice: Choice, at: int = 0, near: bool = False) -> Choice:
        """An answer given at a place, weighed against the statements that none fits."""
        if choice.outcome != "ok" or not self.denials:
            return choice
        if choice.said_none:
            return replace(choice, gave_removed=choice.gave_removed or self._names_removed())
        if choice.chosen is None:
            return replace(choice, said_none=True)
        own = self.options.written[choice.chosen]
        denied = near or any(d.firm and d.start >= at for d in self.denials)
        if not denied or none_position(own) >= 0:
            return choice
        why = "says that none fits, yet gives one"
        return replace(
            SAYS_NONE, text=choice.text or own, gave_removed=self._names_removed(), why=why
        )

    def _names_removed(self) -> bool:
        """Whether a reply that says none names the removed option as well."""
        if len(self.options.written) == self.options.n_offered:
            return False
        parts, at = [], 0
        for denial in sorted(self.denials, key=lambda d: d.start):
            # "The correct answer (Rick) is not listed" names it within.
            if not {"(", ","} & set(self.body[denial.start : denial.end]):
                parts.append(self.body[at : max(at, denial.start)])
                at = max(at, denial.end)
        return names(" . ".join([*parts, self.body[at:]]), self.options, self.options.n_offered)

    def _unstated(self) -> Choice:
        """The one option that a reply without a stated answer names, or its own short answer."""
        named = mentions(self.body, self.options)
        if len(named.affirmed) > 1:
            n_options = len(named.affirmed)
            return Choice("ambiguous", why=f"names {n_options} options and settles on none")
        for i in named.affirmed:
            return replace(self.segments.by_text([i]), settled=False, why="names one option only")
        vague = [a for a in self.announcements if a.of_answer and not a.by_subject]
        new = stated_answer(self.body[vague[-1].end :] if vague else self.body)
        if new and not named.ruled_out:
            return Choice("ok", text=new, settled=False, why="gives an answer not offered")
        return Choice("unparsed", why="no option is named")

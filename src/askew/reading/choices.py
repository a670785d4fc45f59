"""Multiple choice: which option a reply settles on, or that none fits, or why neither is clear.

The final answer counts. Reading goes from the strongest sign to the weakest: a reply that is an
option, an announced answer ("the answer is ..."), the head of the reply, its last line, a
statement that none fits, a refusal, then a single option named anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from askew.reading import phrases
from askew.reading.enumerations import (
    Verdicts,
    lists_several,
    opens_with_several,
    verdicts,
    without_excluded,
)
from askew.reading.languages import in_english
from askew.reading.letters import (
    LETTERS,
    announced_answer,
    mentions,
    names,
    stated_answer,
    without_listing,
)
from askew.reading.none import denials, none_position
from askew.reading.option_text import SEGMENT
from askew.reading.reply import (
    CHOICE,
    Announcement,
    announcements,
    ends,
    has_words,
    last_line,
    refuses,
    unwrapped,
    visible,
)
from askew.reading.restated import LEADS_ON
from askew.reading.segments import SAYS_NONE, Choice, SegmentReader
from askew.reading.verdicts import survey_end

_SAYS = phrases("choices")

_FIELDS = frozenset(
    {"letter", "choice", "option", "answer", "final_answer", "correct_answer", "correct_option"}
    | {"text", "answer_text", "selected_option", "response"}
)
_CONCLUSION = 80
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
    text = _SAYS["blanks"].sub(" ", unwrapped(text, _FIELDS))
    segments = SegmentReader(options, removed)
    for said in dict.fromkeys((text, in_english(text, segments.options.written))):
        text = said
        entire = segments.entire(_SAYS["answer_label"].sub("", text, count=1))
        if entire is not None:
            return entire
    closing = segments.closing(survey_end(text, lambda item: segments.options.said_at(item, 0)))
    if closing is not None:
        return closing
    listed = lists_several(text, segments.options)
    if listed:
        return Choice("ambiguous", why=f"gives {len(listed)} options and settles on none")
    kept = without_excluded(text, segments.options)
    told = verdicts(kept, segments.options)
    body = without_listing(kept, segments.options)
    if (told is None or not (told.right or told.deny_all(segments.options))) and not has_words(
        body
    ):
        if not has_words(kept):
            return Choice("unparsed", why="only rules options out")
        return Choice("ambiguous", why="goes through the options and settles on none")
    # A list that goes on over letters that nobody offered: "A: ..., E: ..., F: ...".
    beyond = _SAYS["two_letters"].match(body) if body != kept else None
    if beyond is not None and "".join(beyond.groups()) in LETTERS[len(options) :]:
        return Choice("ambiguous", why="goes through more letters than were offered")
    return _Reader(body, segments, told).read()


class _Reader:
    """The text of one reply, without repeated options, against one question's options."""

    def __init__(self, body: str, segments: SegmentReader, told: Verdicts | None) -> None:
        self.body = body
        self.segments = segments
        self.told = told
        self.options = segments.options
        self.denials = list(denials(body))
        self.announcements = announcements(body, CHOICE)

    def read(self) -> Choice:
        weak = [one for one in self.announcements if one.weak]
        stated = (
            self._announced([one for one in self.announcements if not one.weak])
            or self._by_verdicts()
            or self._at_an_end()
            or self._announced(weak)
        )
        if stated is not None:
            return self._beside_head(stated)
        if self.denials:
            return self._weighed(replace(SAYS_NONE, settled=False))
        if refuses(self.body):
            return Choice("refused", why="the reply declines to answer")
        doubtful = self._announced([replace(a, doubtful=False) for a in self.announcements])
        return self._unstated() if doubtful is None else replace(doubtful, settled=False)

    def _beside_head(self, stated: Choice) -> Choice:
        """What is announced, unless the reply has just given another option, and says no more."""
        first, _, below = self.body.partition("\n")
        head = self.segments.bare(first) if below else None
        told = [a for a in self.announcements if a.end > len(first) and not a.by_subject]
        if head is None or head.chosen in (None, stated.chosen) or not (told and stated.letter):
            return stated
        between = below[: max(0, told[0].start - len(first) - 1)]
        if not LEADS_ON.fullmatch(between):
            return stated
        return Choice("ambiguous", why="gives an option, and announces another")

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
            near = one.near or (one.conceded and bool(self.denials))
            choice = self._weighed(choice, one.start, near)
            if closest is not None or not (near and choice.chosen is not None):
                return choice
            closest = choice
        return closest

    def _behind(self, one: Announcement) -> Choice | None:
        if one.by_subject:
            # "Mara was right" tells of her in a story.
            if _SAYS["was_right"].fullmatch(self.body, one.start, one.end):
                return None
            return self.segments.subject(self.body[max(0, one.start - _SUBJECT) : one.start])
        segment = self.body[one.end : one.end + SEGMENT]
        choice = self._settling(segment)
        if choice is not None or not one.of_answer:
            return choice
        new = announced_answer(segment, self.options.n_offered)
        return Choice("ok", text=new, why="announces an answer not offered") if new else None

    def _settling(self, segment: str) -> Choice | None:
        choice = self.segments.opening(segment)
        return None if choice is None or choice.outcome == "unparsed" else choice

    def _by_verdicts(self) -> Choice | None:
        """The one option that a list of verdicts marks as right; none where all are wrong."""
        if self.told is None:
            return None
        if len(self.told.right) > 1:
            why = f"marks {len(self.told.right)} options as right"
            return Choice("ambiguous", why=why)
        for right in self.told.right:
            return replace(self.segments.by_text([right]), why="marks one option as right")
        if self.told.deny_all(self.options):
            return replace(SAYS_NONE, why="marks every option as wrong")
        return None

    def _at_an_end(self) -> Choice | None:
        """The answer that the reply opens with, or that its last line or sentence is."""
        if opens_with_several(self.body, self.options):
            head: Choice | None = Choice("ambiguous", why="lists several options")
        else:
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
        concluded = _SAYS["concluded"].search(sentence[-_CONCLUSION:])
        if concluded is not None:
            yield concluded[1] or concluded[2]

    def _weighed(self, choice: Choice, at: int = 0, near: bool = False) -> Choice:
        """An answer given at a place, weighed against the statements that none fits."""
        if choice.outcome != "ok" or not self.denials:
            return choice
        if choice.said_none or choice.chosen is None:
            gave = choice.gave_removed or self._names_removed()
            return replace(choice, said_none=True, gave_removed=gave)
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
            if not set("(,\u2013\u2014") & set(self.body[denial.start : denial.end]):
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
        said = self.body[vague[-1].end :] if vague else self.body
        new = stated_answer(said, self.options.n_offered)
        if new and not named.ruled_out:
            return Choice("ok", text=new, settled=False, why="gives an answer not offered")
        return Choice("unparsed", why="no option is named")

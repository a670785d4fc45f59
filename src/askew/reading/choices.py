"""Multiple choice: which option a reply settles on, or that none fits, or why neither is clear.

The final answer counts. Reading goes from the strongest sign to the weakest: a reply that is an
option, an announced answer ("the answer is ..."), the head of the reply, its last line, a
statement that none fits, a refusal, then a single option named anywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
    NamedLetter,
    announced_answer,
    answer_behind_letter,
    mentions,
    named_letter,
    names,
    only_letters,
    stated_answer,
    without_lead_in,
    without_listing,
    without_marks,
)
from askew.reading.none import denials, is_none, none_position, starts_with_none
from askew.reading.option_text import SEGMENT, OptionTexts, bare
from askew.reading.reply import (
    CHOICE,
    Announcement,
    announcements,
    ends,
    first_line,
    has_words,
    last_line,
    refuses,
    unwrapped,
    visible,
)
from askew.schema import Outcome

_SAYS = phrases("choices")

_FIELDS = frozenset(
    {"letter", "choice", "option", "answer", "final_answer", "correct_answer", "correct_option"}
    | {"text", "answer_text", "selected_option", "response"}
)
_CONCLUSION = 80
_SUBJECT = 200


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


SAYS_NONE = Choice("ok", said_none=True, why="says that none fits")


def _torn(letter: str) -> Choice:
    return Choice("ambiguous", why=f"gives {letter}, and words of another option")


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
    segments = _SegmentReader(options, removed)
    for said in dict.fromkeys((text, in_english(text, segments.options.written))):
        text = said
        entire = segments.entire(_SAYS["answer_label"].sub("", text, count=1))
        if entire is not None:
            return entire
    listed = lists_several(text, segments.options)
    if listed:
        return Choice("ambiguous", why=f"gives {len(listed)} options and settles on none")
    kept = without_excluded(text, segments.options)
    told = verdicts(kept, segments.options)
    body = without_listing(kept, segments.options)
    if (told is None or not (told.right or told.deny_all(segments.options))) and not has_words(body):
        if not has_words(kept):
            return Choice("unparsed", why="only rules options out")
        return Choice("ambiguous", why="goes through the options and settles on none")
    # A list that goes on over letters that nobody offered: "A: ..., E: ..., F: ...".
    beyond = _SAYS["two_letters"].match(body) if body != kept else None
    if beyond is not None and "".join(beyond.groups()) in LETTERS[len(options) :]:
        return Choice("ambiguous", why="goes through more letters than were offered")
    return _Reader(body, segments, told).read()


class _SegmentReader:
    """One question's options, prepared once, against pieces of a reply."""

    def __init__(self, options: Sequence[str], removed: str) -> None:
        self.options = OptionTexts(options, removed)
        self.n_offered = len(options)

    def entire(self, text: str) -> Choice | None:
        """The option whose text is the entire piece, alone or behind its letter."""
        same = self.options.equal(text)
        if same:
            return self.by_text(same)
        several = only_letters(text, self.n_offered)
        if several:
            return Choice("ambiguous", why=f"gives {' and '.join(several)}")
        given = named_letter(text[: self.options.longest + SEGMENT], self.n_offered)
        if given is None or given.also:
            return None
        same = self.options.equal(given.rest)
        return self.by_text(same, given.letter) if same else None

    def bare(self, text: str) -> Choice | None:
        """The offered option that a piece gives, with nothing else in it."""
        given = named_letter(text, self.n_offered)
        if given is not None and given.alone and given.index < self.n_offered:
            return self._by_letter(given.letter)
        return self.entire(text)

    def opening(self, text: str) -> Choice | None:
        """The answer that the piece opens with, behind marks and words that lead to it."""
        text = text[:SEGMENT].strip()
        for part in dict.fromkeys((text, without_marks(text), without_lead_in(text))):
            choice = self._opening(part) if part else None
            if choice is not None:
                return choice
        return None

    def subject(self, text: str) -> Choice | None:
        """What "... is the correct answer" says it of, given what stands before it."""
        text = _SAYS["relative"].sub("", text.rpartition("\n")[2])
        same = self.options.ending(text)
        if same:
            return self.by_text(same)
        match = _SAYS["subject_letter"].search(text)
        letter = (match["letter"] or match["low"]).upper() if match is not None else ""
        if not letter or LETTERS.index(letter) >= self.n_offered:
            return None
        return self._by_letter(letter)

    def by_text(self, same: Sequence[int], letter: str = "") -> Choice:
        """The option that a text is; where it fits several, the letter's if that is one."""
        written = [self.options.written[i] for i in same]
        named, chosen = {LETTERS[i] for i in same}, same[0]
        if letter and LETTERS.index(letter) in same and self.options.are_alike(same):
            chosen = LETTERS.index(letter)
        elif len(set(written)) > 1:
            return Choice("ambiguous", why=f"gives the text of {len(same)} options")
        elif letter and LETTERS.index(letter) < self.n_offered > chosen and letter not in named:
            return _torn(letter)
        if chosen == self.n_offered:
            why = "gives the text of the removed option"
            return Choice("ok", letter=letter, text=written[0], gave_removed=True, why=why)
        none = is_none(self.options.written[chosen])
        why = "gives the text of an option"
        return Choice("ok", chosen=chosen, letter=letter, said_none=none, why=why)

    def _opening(self, text: str) -> Choice | None:
        for part in dict.fromkeys((text, first_line(text))):
            same = self.options.equal(part)
            if same:
                return self.by_text(same)
        same, _ = self.options.opening(text)
        if same:
            return self.by_text(same)
        given = named_letter(text, self.n_offered)
        lettered = self._lettered(given) if given is not None else None
        if lettered is not None:
            return lettered
        return SAYS_NONE if starts_with_none(text) else None

    def _lettered(self, given: NamedLetter) -> Choice | None:
        if given.also:
            return Choice("ambiguous", why=f"gives {given.letter} and {given.also}")
        line = "" if given.alone else first_line(given.rest)
        if line:
            same = self.options.equal(line) or self.options.opening(given.rest)[0]
            if same:
                return self.by_text(same, given.letter)
            if _SAYS["ruled_out"].search(_SAYS["cause"].split(line, maxsplit=1)[0]):
                return None
            if is_none(line) or starts_with_none(line):
                return replace(SAYS_NONE, letter=given.letter)
            about = self._about(line) if given.labels_text else None
            if about is not None and about not in (given.index, self.n_offered):
                return _torn(given.letter)
            if about is not None:
                return self.by_text([about], given.letter)
        new = answer_behind_letter(line) if given.labels_text else ""
        alike = self.options.alike(line) if given.labels_text else []
        if alike and given.index < self.n_offered and given.index not in alike:
            if self.n_offered not in alike:
                return _torn(given.letter)
            return Choice("ok", letter=given.letter, text=line, why="gives words of its own")
        if given.index < self.n_offered:
            return self._by_letter(given.letter, new)
        if new:
            return Choice("ok", letter=given.letter, text=new, why="gives a new letter and text")
        why = f"the letter {given.letter} is not offered"
        return Choice("unparsed", letter=given.letter, why=why) if given.alone else None

    def _about(self, line: str) -> int | None:
        """The one option that a sentence is about or says ("Rick is his friend", "It was Rick")."""
        clause = _SAYS["cause"].split(line, maxsplit=1)[0]
        if clause != line and (same := self.options.equal(clause)):
            return same[0]
        named = mentions(line, self.options).affirmed
        if len(named) != 1:
            return None
        said = self.options.said_at(clause, 0)
        if said is not None and _SAYS["subject_of"].match(clause, said[1]):
            return said[0] if said[0] in named else None
        said_last = self.options.ending(clause) if _SAYS["predicate"].search(clause) else []
        return said_last[0] if said_last and said_last[0] in named else None

    def _by_letter(self, letter: str, words: str = "") -> Choice:
        """An offered letter; words behind it count as new unless they are its option's."""
        index = LETTERS.index(letter)
        said, meant = (
            set(_SAYS["word"].findall(bare(words))),
            set(_SAYS["word"].findall(self.options.bare[index])),
        )
        text = "" if 2 * len(said & meant) >= min(len(said), len(meant)) else words
        why = f"gives the letter {letter}" + (", with words of its own" if text else "")
        none = is_none(self.options.written[index])
        return Choice("ok", chosen=index, letter=letter, text=text, said_none=none, why=why)


class _Reader:
    """The text of one reply, without repeated options, against one question's options."""

    def __init__(self, body: str, segments: _SegmentReader, told: Verdicts | None) -> None:
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
        if not _SAYS["leads_on"].fullmatch(between):
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

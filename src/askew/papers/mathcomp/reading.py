"""MathComp's replies: more, less or equal, and of whom; the last explicit conclusion counts.

`strict` is the option whose word the conclusion uses: what the paper counts. `answer` is what that
says about the second person. `lenient` follows a reasoning that uses a bare option's word about
the first person.
"""

import re
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, NamedTuple

from askew.papers.mathcomp.comparisons import (
    MIRRORED,
    Comparison,
    OptionReader,
    People,
    bare_option,
    comparisons,
    named_options,
    options_in,
    without_lists,
)
from askew.papers.mathcomp.loose_json import JsonObject, answer_values, objects_in, reasons_of
from askew.papers.mathcomp.paper import OPTIONS
from askew.reading import phrases
from askew.reading import reply as basics
from askew.reading.names import NAME, compose_accents
from askew.reading.none import hedges
from askew.reading.yesno import read_yes_no
from askew.schema import Outcome

_SAYS = phrases("reading", __package__)
_ECHOES = phrases("echoes", __package__)
# How a text mentions the two people, and what was asked.
Pair = tuple[str, str, str]

# How much of the beginning and of the end of a long reply is read.
_HEAD, _TAIL = 4_000, 40_000
# In a reply as short as this the only option it names is its answer.
_SHORT = 60
_SEGMENT, _LINE = 240, 120
# Of a hostile reply's arrows, no more are followed.
_ARROWS = 200


@dataclass(frozen=True)
class ComparisonAnswer:
    """What a reply settles on; the module says what its three answers are."""

    outcome: Outcome
    answer: str | None = None
    strict: str | None = None
    lenient: str | None = None
    yes_no: bool = False  # whether it says Yes or No and names no option
    echo: bool = False  # whether it only repeats sentences of the prompt, the frame's among them
    hedged: bool = False  # whether the reply itself leaves the question open
    settled: bool = False  # whether there is an answer that holds for a reply that was cut
    why: str = ""


class _Stated(NamedTuple):
    """An explicit statement of an answer, and where its word stands."""

    at: int
    reading: ComparisonAnswer


def read_comparison(reply: str, first: str, second: str, prompt: str = "") -> ComparisonAnswer:
    """Read how the second person's amount compares with the first's, named as texts name them."""
    text = basics.visible(reply)
    if not basics.has_words(text):
        return ComparisonAnswer("empty", why="the reply has no words")
    reading = _read(text, (first, second, prompt))
    if reading.answer and _continues_prompt(text, prompt):
        return ComparisonAnswer("ambiguous", why="repeats the prompt from its first option on")
    if reading.answer and _only_echoes(text, prompt):
        said = f"which says {reading.strict!r}, and nothing else"
        return _echo(reading.strict, f"repeats the question's own sentence, {said}")
    return reading


def _read(text: str, pair: Pair) -> ComparisonAnswer:
    found = objects_in(text)
    answering = [f for f in found if answer_values(f.value)]
    if not answering:
        return (None if found else _broken_json_answer(text)) or _Prose(text, pair).answer()
    # An example, called so or the prompt's with its reasoning, answers nothing: the rest may.
    shown = [f.value for f in objects_in(pair[-1]) if len(f.value) > 1]
    calls = _SAYS["example"].search
    examples = [f for f in answering if f.value in shown or calls(text, f.start - 60, f.start)]
    if answering[-1] in examples:
        for copy in reversed(examples):
            text = text[: copy.start] + text[copy.end :]
        word, reading = answer_values(answering[-1].value)[0], _read(text, pair)
        return reading if reading.answer == word else _echo(word, "repeats the prompt's example")
    if _SAYS["program"].search(text[:_TAIL]):
        return ComparisonAnswer("ambiguous", why="its JSON stands in a program")
    # Prose behind the last object may take the object's answer back.
    behind = text[found[-1].end :]
    if basics.has_words(behind) and _SAYS["revises"].search(behind[:_TAIL]):
        later = _Prose(behind, pair).answer()
        if later.answer:
            return later
    reasoning = reasons_of(answering[-1].value) or text[: answering[-1].start]
    return _in_frames_words(_structured_answer(answering, text, pair), reasoning, pair)


def _echo(word: str | None, why: str) -> ComparisonAnswer:
    return ComparisonAnswer("ambiguous", None, word, word, echo=True, why=why)


def _structured_answer(answering: list[JsonObject], text: str, pair: Pair) -> ComparisonAnswer:
    """The answer of the last object that has one; objects of one list, or a choice, must agree."""
    before, holder = answering[-2:][0], answering[-1]
    rivals = [f for f in answering if f.in_list] if holder.in_list else [holder]
    if _SAYS["alternative"].fullmatch(text[before.end : holder.start][:_SHORT]):
        rivals = [before, holder]
    readings = [_value(v, pair) for f in rivals for v in answer_values(f.value)]
    if len({r.answer for r in readings}) > 1:
        return ComparisonAnswer("ambiguous", why="its answers in JSON differ")
    return readings[-1]


def _value(value: Any, pair: Pair) -> ComparisonAnswer:
    if not isinstance(value, str) or not basics.has_words(value):
        holds = "is empty" if isinstance(value, str) else f"holds {str(value)[:40]!r}, no option"
        return ComparisonAnswer("unparsed", why=f"its answer field {holds}")
    reading = _Prose(value, pair).answer()
    why = f"its answer field says {value[:60]!r}" if reading.answer else reading.why
    return replace(reading, why=why)


def _broken_json_answer(text: str) -> ComparisonAnswer | None:
    """The last answer field of JSON that can't be read as JSON."""
    if "{" not in text:
        return None
    fields = [field["value"] for field in _SAYS["broken_field"].finditer(text[-_TAIL:])]
    option = bare_option(fields[-1]) if fields else None
    return _conclusion(option, "an answer field in broken JSON") if option else None


class _Prose(OptionReader):
    """Prose, of any length, whose JSON was looked at before, and the comparisons it states."""

    def __init__(self, text: str, pair: Pair) -> None:
        body = compose_accents(
            basics.plain(_SAYS["macro"].sub(" ", basics.unwrap_answer(text, ())))
        )
        if len(body) > _HEAD + _TAIL:
            body = f"{body[:_HEAD]}\n{body[-_TAIL:]}"
        body = _SAYS["speaker"].sub("", basics.in_english(body), 1)
        self.reply, self.pair, (self.written, self.listed) = text, pair, without_lists(body)
        super().__init__(self.written)
        self.body = self.body.rstrip()
        self.people = People(self.written, *pair)
        self.found = comparisons(self.written, self.people)

    def answer(self) -> ComparisonAnswer:
        stated, end = self._stated(), len(self.written)
        if stated is None:
            concluded = _concluding(self.found, end)
            return _about_people(concluded, self.found) if concluded else self._nothing_stated()
        if self._taken_back(*stated):
            return ComparisonAnswer("ambiguous", why="answers and says another thing beside it")
        later = _concluding([c for c in self.found if c.start > stated.at and c.concludes], end)
        if later is not None and later.meaning != stated.reading.lenient:
            return _about_people(later, self.found)
        return _in_frames_words(stated.reading, self.written[: stated.at], self.pair)

    def _stated(self) -> _Stated | None:
        """The last explicit statement of an answer; of those at one place, the first one here."""
        size, closes = len(self.body), "closes with its answer"
        pieces = ((piece, size - len(piece), closes, False) for piece in self._ends())
        ends = [stated for piece in pieces if (stated := self._opens(*piece))]
        explicit = [
            None if ends else self._behind_mark(closes),
            self._announced(),
            self._led_to(),
            self._opens(self.body.partition("\n")[0][:_LINE], 0, "opens with its answer"),
            *ends,
        ]
        return max(filter(None, explicit), key=lambda stated: stated.at, default=None)

    def _opens(self, piece: str, at: int, why: str, settled: bool = True) -> _Stated | None:
        """The option that a piece opens with, which stands at a place of the text."""
        answer, name = self.opening(piece), NAME.search(piece)
        if answer is None or answer.chosen is None or name is None:
            return None
        return _Stated(at + name.start(), _conclusion(OPTIONS[answer.chosen], why, settled=settled))

    def _announced(self) -> _Stated | None:
        """The last announcement that announces an option, or a comparison of the two people."""
        for one in reversed(basics.announcements(self.body, self.announces)):
            if one.doubtful:
                continue
            if one.by_subject:
                answer = self.subject(self.body[max(0, one.start - _LINE) : one.start])
                if answer is not None and answer.chosen is not None:
                    why = "calls an option the answer"
                    return _Stated(one.start, _conclusion(OPTIONS[answer.chosen], why))
                continue
            behind = self.body[one.end : one.end + _SEGMENT]
            until = one.end + len(behind) - len(behind.lstrip().partition("\n")[2])
            if stated := self._opens(self.body[one.end : until], one.end, "announces its answer"):
                return stated
            for last in reversed([c for c in self.found if one.end <= c.start < until]):
                why = "announces a comparison"
                return _Stated(one.end, _conclusion(last.word, why, last.meaning))
        return None

    def _led_to(self) -> _Stated | None:
        """The option that sums lead to ("14 = 14 -> equal"), where no two lines differ."""
        found: list[_Stated] = []
        for match in islice(_SAYS["leads_to"].finditer(self.written), _ARROWS):
            start, end = match.span()
            before = self.written[max(0, start - _SEGMENT) : start].rpartition("\n")[2]
            line = self.body[end : end + _LINE].partition("\n")[0]
            stated = self._opens(line, end, "sums lead to it")
            of_part = _SAYS["part"].search(before) and "?" not in before
            if stated and len(re.findall(r"\d[\d.,]*", before)) > 1 and not of_part:
                found.append(stated)
        return found[-1] if len({one.reading.answer for one in found}) == 1 else None

    def _behind_mark(self, why: str) -> _Stated | None:
        """The option behind the last line's final colon or semicolon, in words of its own."""
        line = max(self.body.rfind("\n") + 1, len(self.body) - _LINE)
        mark = _SAYS["last_mark"].search(self.written, line)
        if mark is None:
            return None
        before, behind = self.written[line : mark.start()], self.body[mark.end() :]
        stated = self._opens(behind, mark.end(), why, settled=False)
        # "Morning: less", "Options: more" and the like answer nothing.
        if stated is None or _SAYS["part"].search(behind):
            return None
        before = re.split(r"[.!?](?: |$)", before)[-1]
        partial = named_options(before) - {stated.reading.answer} or _SAYS["part"].search(before)
        overall = _SAYS["whole_line"].search(f"{before.rpartition(';')[2]} {behind}")
        return None if partial and not overall else stated

    def _taken_back(self, at: int, reading: ComparisonAnswer) -> bool:
        """Whether a sentence that explains an answer, or all before it, differs from it."""
        differ = [
            c for c in self.found if c.relates and not c.of_first and c.meaning != reading.lenient
        ]
        near = [c.start for c in differ if 0 < c.start - at <= 2 * _SEGMENT]
        if any(_SAYS["explains"].fullmatch(self.body, at + 1, place) for place in near):
            return True
        if at > _LINE or _SAYS["turns"].search(self.written, 0, at):
            return False
        return any(c.sentence_end <= at for c in differ)

    def _nothing_stated(self) -> ComparisonAnswer:
        """The only option that a few words name, or why there is none."""
        body = self.written
        few = len(body) <= _SHORT and not _SAYS["demanded"].search(body)
        # "Who spends more? Alex." is of the first person, who is not asked about.
        few = few and not (self.people.is_of_first(body) or self.people.is_of_part(body, body))
        named = named_options(body) if few else set()
        if len(named) == 1 and not self.listed:
            return _conclusion(named.pop(), "names one option only", settled=False)
        if basics.refuses(self.reply):
            return ComparisonAnswer("refused", why="the reply declines to answer")
        if read_yes_no(self.reply).answer is not None:
            why = "says Yes or No, which names no option"
            return ComparisonAnswer("unparsed", yes_no=True, why=why)
        if hedges(body[-_SEGMENT:]):
            return ComparisonAnswer("unparsed", hedged=True, why="leaves the question open")
        if len(options_in(body)) > 1:
            why = "names several options and concludes with none"
            return ComparisonAnswer("ambiguous", why=why)
        if self.listed:
            return ComparisonAnswer("ambiguous", why="repeats the options and settles on none")
        return ComparisonAnswer("unparsed", why="concludes with none of more, less and equal")


def _concluding(found: list[Comparison], end: int) -> Comparison | None:
    """The last comparison that concludes; one in the last sentence may do so without saying it."""
    found = [c for c in found if not c.contested]
    last = found[-1] if found else None
    if last and not last.partial and (last.relates or (last.plain and last.sentence_end >= end)):
        return last
    return next((c for c in reversed(found) if c.concludes and (c.relates or not c.partial)), None)


def _about_people(one: Comparison, found: list[Comparison]) -> ComparisonAnswer:
    """A conclusion about one of the people; one that is about the second is preferred."""
    if one.of_first:
        near = [c for c in found if c.concludes or c.sentence_end == one.sentence_end]
        beside = [c for c in near if not c.of_first and not c.partial]
        one = next((c for c in reversed(beside) if c.meaning == one.meaning), one)
    return _conclusion(one.word, f"concludes with {one.word!r}", one.meaning, settled=False)


def _conclusion(word: str, why: str, meaning: str = "", settled: bool = True) -> ComparisonAnswer:
    """A stated word; where it means another one for the second person, it is about the first."""
    if meaning in ("", word):
        return ComparisonAnswer("ok", word, word, word, settled=settled, why=why)
    why = f"{why} about the first person: {meaning} for the second"
    return ComparisonAnswer("frames_words", meaning, word, meaning, settled=settled, why=why)


def _in_frames_words(reading: ComparisonAnswer, reasoning: str, pair: Pair) -> ComparisonAnswer:
    """A bare option whose own reasoning uses its word about the first person."""
    if reading.outcome != "ok" or reading.answer in (None, "equal"):
        return reading
    body = without_lists(basics.plain(reasoning[-_TAIL:]))[0]
    last = _concluding(comparisons(body, People(body, *pair)), len(body))
    if last is None or not last.of_first or last.word != reading.answer:
        return reading
    why = f"{reading.why}; its reasoning says {last.word!r} about the first person"
    return replace(reading, outcome="frames_words", lenient=MIRRORED[last.word], why=why)


# What of a reply is the prompt come back: none of it answers, though each holds one of the words.

# A sentence of no more words may be an answer: "answer: more", "more".
_SHORTEST = 3


def _only_echoes(text: str, prompt: str) -> bool:
    """Whether every sentence of a reply is one of the prompt's, and one more than an option."""
    if not prompt or len(text) > 2 * len(prompt):
        return False
    of_prompt, of_reply = _sentences(prompt), _sentences(without_lists(text)[0])
    return any(len(words) > _SHORTEST for words in of_reply) and of_reply <= of_prompt


def _sentences(text: str) -> set[tuple[str, ...]]:
    """Sentences by their words, as a question and its statement share them, in any tense."""
    pieces = _ECHOES["sentence"].split(_ECHOES["set_aside"].sub(" ", basics.plain(text).casefold()))
    return {words for piece in pieces if (words := tuple(_ECHOES["word"].findall(piece)))}


def _continues_prompt(text: str, prompt: str) -> bool:
    """Whether a reply is the list's first option with the line that follows the list."""
    head, *below = [line.strip() for line in text.split("\n") if line.strip()]
    if not below or _ECHOES["first_option"].fullmatch(head) is None:
        return False
    return len(below[0].split()) > _SHORTEST and below[0] in prompt

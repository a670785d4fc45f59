"""MathComp's replies: more, less or equal, and of whom; the last explicit conclusion counts.

`strict` is the option whose word the conclusion uses: what the paper counts. `answer` is what that
says about the second person. `lenient` follows a reasoning that uses a bare option's word about
the first person.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from askew.papers.mathcomp.comparisons import (
    MIRRORED,
    WORD,
    Comparison,
    People,
    bare_option,
    compares_people,
    comparisons,
    option_of,
    without_lists,
)
from askew.papers.mathcomp.loose_json import JsonObject, answer_values, objects_in, reasons_of
from askew.reading import phrases
from askew.reading.none import hedges
from askew.reading.reply import (
    CHOICE,
    announcements,
    has_words,
    in_english,
    plain,
    refuses,
    unwrap_answer,
    visible,
)
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
_SEGMENT = 240
_BRIEF = 120
_LINE = 120
_MACRO = re.compile(r"\\(?:text(?:bf|rm|it|tt)?|mathrm|mathbf|mathit|boldsymbol)\s?(?=\{)")
_SENTENCE_END = re.compile(r"[.!?] |\n")
_DIGIT = re.compile(r"\d")
_NUMBER = re.compile(r"\d[\d.,]*")
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


@dataclass(frozen=True)
class _Stated:
    """An explicit statement of an answer: its word, and what that means for the second person."""

    word: str
    start: int
    end: int
    why: str
    meaning: str = ""
    settled: bool = True


def read_comparison(reply: str, first: str, second: str, prompt: str = "") -> ComparisonAnswer:
    """Read how the second person's amount compares with the first's, named as texts name them."""
    reading, text = _read(reply, first, second, prompt), visible(reply)
    if reading.answer is None:
        return reading
    if continues_prompt(text, prompt):
        return ComparisonAnswer("ambiguous", why="repeats the prompt from its first option on")
    if not only_echoes(text, prompt):
        return reading
    said = f"which says {reading.strict!r}, and nothing else"
    return _echo(reading.strict, f"repeats the question's own sentence, {said}")


def _read(reply: str, first: str, second: str, prompt: str) -> ComparisonAnswer:
    text, pair = visible(reply), (first, second, prompt)
    if not has_words(text):
        return ComparisonAnswer("empty", why="the reply has no words")
    found = objects_in(text)
    holder = next((f for f in reversed(found) if answer_values(f.value)), None)
    copies = copied_examples(found, prompt) if holder else []
    if holder in copies:
        return _beside_examples(text, copies, pair)
    if holder is None:
        return (None if found else _broken_json_answer(text)) or _read_prose(text, pair)
    if _SAYS["program"].search(text[:_TAIL]):
        return ComparisonAnswer("ambiguous", why="its JSON stands in a program")
    # Prose behind the last object may take the object's answer back.
    behind = text[found[-1].end :]
    if has_words(behind) and _SAYS["revises"].search(behind[:_TAIL]):
        later = _read_prose(behind, pair)
        if later.answer:
            return later
    reasoning = reasons_of(holder.value) or text[: holder.start]
    return _in_frames_words(_structured_answer(holder, found, pair), reasoning, pair)


def _beside_examples(text: str, copies: list[JsonObject], pair: Pair) -> ComparisonAnswer:
    """What a reply says beside the prompt's own example, which answers nothing by itself."""
    ends = [0, *(copy.end for copy in copies)]
    starts = [*(copy.start for copy in copies), len(text)]
    rest = "".join(text[end:start] for end, start in zip(ends, starts, strict=True))
    word, reading = answer_values(copies[-1].value)[0], _read(rest, *pair)
    return reading if reading.answer == word else _echo(word, "repeats the prompt's example")


def _echo(word: str | None, why: str) -> ComparisonAnswer:
    return ComparisonAnswer("ambiguous", None, word, word, echo=True, why=why)


def _structured_answer(holder: JsonObject, found: list[JsonObject], pair: Pair) -> ComparisonAnswer:
    """The answer of the last object that has one; objects of one list must agree."""
    rivals = [f for f in found if f.in_list] if holder.in_list else [holder]
    readings = [_value(v, pair) for f in rivals for v in answer_values(f.value)]
    if len({r.answer for r in readings}) > 1:
        return ComparisonAnswer("ambiguous", why="its answers in JSON differ")
    return readings[-1]


def _value(value: Any, pair: Pair) -> ComparisonAnswer:
    if not isinstance(value, str) or not has_words(value):
        holds = "is empty" if isinstance(value, str) else f"holds {str(value)[:40]!r}, no option"
        return ComparisonAnswer("unparsed", why=f"its answer field {holds}")
    reading = _read_prose(value, pair)
    why = f"its answer field says {value[:60]!r}" if reading.answer else reading.why
    return replace(reading, why=why)


def _broken_json_answer(text: str) -> ComparisonAnswer | None:
    """The last answer field of JSON that can't be read as JSON."""
    if "{" not in text:
        return None
    fields = [field["value"] for field in _SAYS["broken_field"].finditer(text[-_TAIL:])]
    option = bare_option(fields[-1]) if fields else None
    return _conclusion(option, "an answer field in broken JSON") if option else None


def _read_prose(text: str, pair: Pair) -> ComparisonAnswer:
    """Read prose, of any length, whose JSON was looked at before."""
    body = plain(_MACRO.sub(" ", unwrap_answer(text, ()))).strip()
    if len(body) > _HEAD + _TAIL:
        body = f"{body[:_HEAD]}\n{body[-_TAIL:]}"
    body, listed = without_lists(_SAYS["speaker"].sub("", in_english(body), 1))
    people = People(body, *pair)
    found = comparisons(body, people)
    concluded = _concluding(found, len(body))
    # The last explicit statement of an answer, by place.
    explicit = (_head(body), _last_announcement(body, found), _led_to(body), _last_words(body))
    stated = max(filter(None, explicit), key=lambda s: s.start, default=None)
    if stated is not None:
        meant = stated.meaning or stated.word
        if _taken_back(body, found, stated, meant):
            return ComparisonAnswer("ambiguous", why="answers and says another thing beside it")
        behind = [c for c in found if c.start >= stated.end and c.concludes]
        later = _concluding(behind, len(body))
        if later is not None and later.meaning != meant:
            return _about_people(later, found)
        reading = _conclusion(stated.word, stated.why, stated.meaning, stated.settled)
        return _in_frames_words(reading, body[: stated.start], pair)
    if concluded is not None:
        return _about_people(concluded, found)
    return _without_conclusion(text, body, listed)


def _taken_back(body: str, found: list[Comparison], stated: _Stated, meant: str) -> bool:
    """Whether a sentence that explains an answer, or all that stands before it, differs from it."""
    differ = [c for c in found if c.relates and not c.of_first and c.meaning != meant]
    behind = [
        body[stated.end : c.start] for c in differ if 0 <= c.start - stated.end <= 2 * _SEGMENT
    ]
    if any(_SAYS["explains"].match(text) for text in behind):
        return True
    if stated.start > _BRIEF or _DIGIT.search(body, 0, stated.start):
        return False
    turns = _SAYS["turns"].search(body, 0, stated.start)
    return turns is None and any(c.sentence_end <= stated.start for c in differ)


def _head(body: str) -> _Stated | None:
    """The option that the first line is or opens with."""
    option = bare_option(body.partition("\n")[0][:_LINE])
    if option is None:
        return None
    return _Stated(option, 0, _word_end(body, 0), "opens with its answer")


def _last_words(body: str) -> _Stated | None:
    """The option that the last line or the last sentence is."""
    line = body.rfind("\n") + 1
    sentence = max(body.rfind(mark, line, len(body) - 1) for mark in (". ", "! ", "? ")) + 1
    so = body.rfind(" so ", sentence)
    for start in dict.fromkeys((line, sentence, so + 4 if so > 0 else line)):
        words = body[start:]
        option = bare_option(words) if start > 0 and len(words) <= _LINE else None
        if option is not None:
            return _Stated(option, start, len(body), "closes with its answer", settled=False)
    mark = _SAYS["last_mark"].search(body, max(line, len(body) - _LINE))
    option = bare_option(body[mark.end() :]) if mark else None
    # "Morning: less", "Options: more" and the like answer nothing.
    if mark is None or option is None or _SAYS["part"].search(body[mark.end() :]):
        return None
    before = body[max(line, sentence) : mark.start()]
    named = {option_of(m) for m in WORD.finditer(before)} - {option}
    overall = _SAYS["whole_line"].search(f"{before.rpartition(';')[2]} {body[mark.end() :]}")
    if overall is not None or not (named or _SAYS["part"].search(before)):
        return _Stated(option, mark.end(), len(body), "closes with its answer", settled=False)
    return None


def _led_to(body: str) -> _Stated | None:
    """The option that sums lead to ("14 = 14 -> equal"), where no two lines differ."""
    found: list[_Stated] = []
    for match in islice(_SAYS["leads_to"].finditer(body), _ARROWS):
        start = body.rfind("\n", 0, match.start()) + 1
        before = body[max(start, match.start() - _SEGMENT) : match.start()]
        option = bare_option(body[match.end() : match.end() + _LINE].partition("\n")[0])
        of_part = _SAYS["part"].search(before) and "?" not in before
        if option and len(_NUMBER.findall(before)) > 1 and not of_part:
            end = _word_end(body, match.end())
            found.append(_Stated(option, match.end(), end, "sums lead to it"))
    return found[-1] if len({one.word for one in found}) == 1 else None


def _last_announcement(body: str, found: list[Comparison]) -> _Stated | None:
    """The last announcement that announces an option, or a comparison of the two people."""
    for one in reversed(announcements(body, CHOICE)):
        if one.doubtful:
            continue
        if one.by_subject:
            option = _subject(body[max(0, one.start - 60) : one.start])
            if option:
                return _Stated(option, one.start, one.end, "calls an option the answer")
            continue
        behind = body[one.end : one.end + _SEGMENT]
        segment = behind.lstrip().partition("\n")[0]
        option = bare_option(segment)
        if option:
            return _Stated(option, one.end, _word_end(body, one.end), "announces its answer")
        until = one.end + behind.index(segment) + len(segment)
        within = [c for c in found if one.end <= c.start < until]
        if within:
            last, why = within[-1], "announces a comparison"
            return _Stated(last.word, one.end, last.start + 1, why, last.meaning)
    return None


def _word_end(body: str, start: int) -> int:
    """Where the option word behind a place ends; the place itself where there is none near it."""
    word = WORD.search(body, start, start + 60)
    return word.end() if word else start


def _subject(before: str) -> str | None:
    """The option that stands in front of "... is the answer"."""
    sentence = _SENTENCE_END.split(before)[-1].rstrip(" \"')]*,:")
    words = [m for m in WORD.finditer(sentence) if m.end() == len(sentence)]
    if words:
        return option_of(words[-1])
    last = sentence.rpartition(" ")[2]
    return bare_option(last) if len(last) <= 3 else None


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
    if reading.outcome != "ok" or reading.answer in (None, "equal") or not has_words(reasoning):
        return reading
    body = without_lists(plain(reasoning[-_TAIL:]))[0]
    last = _concluding(comparisons(body, People(body, *pair)), len(body))
    if last is None or not last.of_first or last.word != reading.answer:
        return reading
    return replace(
        reading,
        outcome="frames_words",
        lenient=MIRRORED[last.word],
        why=f"{reading.why}; its reasoning says {last.word!r} about the first person",
    )


def _without_conclusion(text: str, body: str, listed: bool) -> ComparisonAnswer:
    """A reply that states nothing: a single option named in a few words, or why there is none."""
    named = set() if len(body) > _SHORT or _DIGIT.search(body) else _named_options(body)
    if len(named) == 1 and not listed:
        return _conclusion(named.pop(), "names one option only", settled=False)
    if refuses(text):
        return ComparisonAnswer("refused", why="the reply declines to answer")
    if read_yes_no(text).answer is not None:
        why = "says Yes or No, which names no option"
        return ComparisonAnswer("unparsed", yes_no=True, why=why)
    if hedges(body[-_SEGMENT:]):
        return ComparisonAnswer("unparsed", hedged=True, why="leaves the question open")
    if len({option_of(m) for m in WORD.finditer(body[-_TAIL:])}) > 1:
        return ComparisonAnswer("ambiguous", why="names several options and concludes with none")
    if listed:
        return ComparisonAnswer("ambiguous", why="repeats the options and settles on none")
    return ComparisonAnswer("unparsed", why="concludes with none of more, less and equal")


def _named_options(body: str) -> set[str]:
    """The options that a short text names without denying them; all of it must be an answer."""
    if body.rstrip().endswith("?") or _SAYS["demanded"].search(body):
        return set()
    found = [m for m in WORD.finditer(body) if compares_people(body, m)]
    denied = [m for m in found if _SAYS["denied"].search(body[max(0, m.start() - 24) : m.start()])]
    return {*map(option_of, found)} - {*map(option_of, denied)}


# What of a reply is the prompt come back: none of it answers, though each holds one of the words.

# A sentence of no more words may be an answer: "answer: more", "more".
_SHORTEST = 3


def only_echoes(text: str, prompt: str) -> bool:
    """Whether every sentence of a reply is one of the prompt's, and one more than an option."""
    if not prompt or len(text) > 2 * len(prompt):
        return False
    of_prompt, of_reply = _sentences(prompt), _sentences(without_lists(text)[0])
    return any(len(words) > _SHORTEST for words in of_reply) and of_reply <= of_prompt


def _sentences(text: str) -> set[tuple[str, ...]]:
    """Sentences by their words, as a question and its statement share them, in any tense."""
    found = (_ECHOES["word"].findall(s) for s in _ECHOES["sentence"].split(plain(text).casefold()))
    cut = (_ECHOES["set_aside"].sub(" ", " ".join(words)).split() for words in found)
    return {tuple(_stem(word) for word in words) for words in cut if words}


def _stem(word: str) -> str:
    word = "spend" if word == "spent" else word.removesuffix("s")
    return word.removesuffix("d").removesuffix("e") if word.endswith("ed") else word


def continues_prompt(text: str, prompt: str) -> bool:
    """Whether a reply is the list's first option with the line that follows the list."""
    head, _, rest = text.strip().partition("\n")
    following = rest.strip().partition("\n")[0].strip()
    if _ECHOES["first_option"].fullmatch(head.strip()) is None:
        return False
    return len(following.split()) > _SHORTEST and following in prompt


def copied_examples(found: Sequence[JsonObject], prompt: str) -> list[JsonObject]:
    """Those of a reply's objects that are the prompt's own example, reasoning and all."""
    examples = [one.value for one in objects_in(prompt) if len(one.value) > 1]
    return [one for one in found if one.value in examples and answer_values(one.value)]

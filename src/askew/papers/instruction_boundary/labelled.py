"""Replies to the authors' prompts, whose options are called by numbers from 0, by letters, or by 1
to 3 for what a conclusion is.

By our rules such a reply is read as any other once its labels are those of our own prompts; by
theirs (`read_as_published`) as their scorer reads it, which bends the printed numbers: options
count from 0 whether they carry numbers or not, a word such as "difficult" anywhere means that no
option is right, and under miscellany the right letter anywhere, of a reply put in capitals, is
the right answer.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from askew.papers.instruction_boundary.paper import FAMILIES, MISCELLANY, BoundaryMeta
from askew.papers.instruction_boundary.questions import NONE, AnswerRead
from askew.papers.instruction_boundary.reading import read_option_set, read_truth
from askew.reading.choices import read_choice
from askew.reading.names import LETTERS

_NUMBER = re.compile(r"(?<!\d)\d{1,4}(?!\d)")
_WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_WORD = re.compile(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
# Where number words may be options'.
_NAMED = re.compile(r"\b(?:options?|choices?|numbers?)\b[^.;\n]{0,60}", re.IGNORECASE)
_HEADED = re.compile(r"\A.*^#+ *final answer\b", re.IGNORECASE | re.MULTILINE | re.DOTALL)
_JUDGED = FAMILIES["judging"].forms


def canonical(found: AnswerRead, meta: BoundaryMeta) -> AnswerRead:
    """An answer whose numbers, places in the prompt, are turned into the item's own or a label.

    0 stands for the statement that all other options are false: alone it says that none is right.
    """
    if not found.numbers:
        return found
    if meta.family == "judging":
        if len(found.numbers) > 1:
            return AnswerRead.torn("gives several labels")
        return replace(found, answer=_JUDGED[min(found.numbers) - 1])
    shown = meta.shown.split(",")
    own = sorted(int(shown[place - 1]) for place in found.numbers)
    return replace(found, answer=NONE if own == [0] else ",".join(map(str, own)))


def read_labelled(reply: str, options: Sequence[str], meta: BoundaryMeta) -> AnswerRead:
    """Read a reply by our rules.

    Args:
        reply: the model's whole reply.
        options: as the prompt shows them, without their labels.
        meta: says what they are called.
    """
    headed = _HEADED.match(reply) if meta.setting == "multi_turn" else None
    said = reply[headed.end() :] if headed and reply[headed.end() :].strip() else reply
    labels = meta.labels.split(",")
    if meta.family == "judging":
        found = read_option_set(said, options)
        if found.numbers:
            return canonical(found, meta)
        truth = read_truth(said)
        return truth if truth.outcome == "ok" or found.outcome == "ok" else found
    if labels[0].isalpha():
        return canonical(_lettered(said, options, labels), meta)
    from_one = labels[0] == "1"
    found = read_option_set(said, options) if from_one else _from_zero(said, options)
    # Options without numbers, of which the reply names 0: it can only count from there.
    if from_one and found.outcome == "unparsed" and re.search(r"(?<![\w.])0\b", said):
        again = _from_zero(said, options)
        found = again if again.outcome == "ok" else found
    return canonical(found, meta)


def read_as_published(reply: str, meta: BoundaryMeta) -> AnswerRead:
    """Read a reply to a choice question by the authors' rules."""
    own = meta.shown.split(",")
    if meta.setting == MISCELLANY:
        right = meta.labels.split(",")[own.index(meta.truth)]
        if right in reply.upper():
            return AnswerRead("ok", meta.truth, why=f"has the letter {right} somewhere")
        return AnswerRead("unparsed", why=f"has no letter {right}")
    lower = reply.lower()
    if word := next((w for w in _NO_ANSWER if w in lower), ""):
        return AnswerRead("ok", NONE, why=f"says {word!r} somewhere")
    named = sorted({int(n) for n in re.findall(r"\b[0-3]\b", reply)})
    if not named:
        return AnswerRead("unparsed", why="has no number from 0 to 3")
    why = f"has {', '.join(map(str, named))} somewhere, counted from 0"
    answer = ",".join(own[n] if n < len(own) else str(n + 1) for n in named)
    return AnswerRead("ok", answer, why=why)


# What their scorer takes for "no option is right", wherever it stands.
_NO_ANSWER = (
    *("none", "no correct answer", "no correct option", "not applicable", "all wrong"),
    *("all options are wrong", "cannot", "unable", "insufficient", "ambiguous", "unclear"),
    *("uncertain", "unsure", "difficult", "hard to", "not sure", "don't know"),
)


def _from_zero(reply: str, options: Sequence[str]) -> AnswerRead:
    """A reply whose numbers count from 0, read with all of them, the options' too, one higher."""
    digits = _NAMED.sub(
        lambda named: _WORD.sub(lambda word: str(_WORDS.index(word[0].lower())), named[0]), reply
    )
    found = read_option_set(_higher(digits), [_higher(option) for option in options])
    return replace(found, why=f"{found.why} (its numbers, from 0, are read as from 1)")


def _higher(text: str) -> str:
    return _NUMBER.sub(lambda number: str(int(number[0]) + 1).zfill(len(number[0])), text)


def _lettered(reply: str, options: Sequence[str], labels: Sequence[str]) -> AnswerRead:
    """A reply that names an option by its letter or its text; some letters are not shown."""
    texts = dict(zip(labels, options, strict=True))
    last = LETTERS.index(labels[-1])
    found = read_choice(reply, [texts.get(c, f"({c} is not shown)") for c in LETTERS[: last + 1]])
    if found.outcome != "ok":
        final = found.outcome in ("empty", "refused")
        return AnswerRead(found.outcome, settled=found.settled, final=final, why=found.why)
    if found.said_none:
        return AnswerRead("ok", NONE, settled=found.settled, why=found.why)
    letter = "" if found.chosen is None else LETTERS[found.chosen]
    if letter not in texts or found.text:
        return AnswerRead.torn(found.why, settled=found.settled)
    place = str(labels.index(letter) + 1)
    return AnswerRead("ok", place, settled=found.settled, why=found.why)

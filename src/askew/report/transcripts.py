"""Prompts and replies of the few flips that a report prints, read from the logs on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Literal

from askew.logs.samples import Asking, Reply, read_replies
from askew.report.blocks import Flip, Flips, Side

Segment = tuple[Literal["same", "del", "ins"], str]
Found = Mapping[tuple[str, Asking], Reply]
_TOKENS = re.compile(r"\s+|[^\s,]+|,")
# Comparing is quadratic in the worst case; prompts are cut before they come here.
_LINES = 400
# Words of a line, and of all lines that are compared by word: a common word that stands between
# others that all differ costs the cube of how often it does.
_WORDS, _ALL_WORDS = 800, 2_000
# Longer shared stretches are shown by their ends.
_SHARED_END = 700


def with_transcripts(flips: Flips) -> Flips:
    """The same flips with what was asked and replied, where the log can still be read."""
    wanted: dict[str, list[Asking]] = {}
    for side in (side for flip in flips.flips for side in (flip.before, flip.after)):
        if side.log and side.sample_id:
            wanted.setdefault(side.log, []).append((side.sample_id, side.epoch))
    found = {
        (log, asking): reply
        for log, askings in wanted.items()
        for asking, reply in read_replies(log, askings)
    }
    return replace(flips, flips=[_opened(flip, found) for flip in flips.flips])


def _opened(flip: Flip, found: Found) -> Flip:
    before, after = _of(flip.before, found), _of(flip.after, found)
    both = before.compared and after.compared
    return replace(
        flip,
        before=_read(flip.before, before),
        after=_read(flip.after, after),
        difference=prompt_difference(before.compared, after.compared) if both else [],
    )


def _of(side: Side, found: Found) -> Reply:
    if not side.log or not side.sample_id:
        return Reply(unread="the observations do not say where the log is")
    missing = Reply(unread="the log does not hold it any more")
    return found.get((side.log, (side.sample_id, side.epoch)), missing)


def _read(side: Side, reply: Reply) -> Side:
    return replace(side, prompt=reply.prompt, reply=reply.reply, unread=reply.unread)


def prompt_difference(before: str, after: str) -> list[Segment]:
    """Both prompts as one text: lines are compared, and words where one line replaced another."""
    old, new = before.splitlines(keepends=True)[:_LINES], after.splitlines(keepends=True)[:_LINES]
    segments = _compared(old, new, by_word=True)
    return [(kind, _ends(text) if kind == "same" else text) for kind, text in segments if text]


def _ends(text: str) -> str:
    """A long shared stretch by its first and last lines."""
    missing = len(text) - 2 * _SHARED_END
    if missing < _SHARED_END:
        return text
    return f"{text[:_SHARED_END]}\n[… {missing:,} shared characters …]\n{text[-_SHARED_END:]}"


def _compared(old: list[str], new: list[str], by_word: bool = False) -> Iterator[Segment]:
    """Shared, dropped and added pieces; `by_word` looks into one line that replaced another."""
    # Of many words, those that are everywhere say nothing of what belongs together.
    matcher = SequenceMatcher(None, old, new, autojunk=not by_word)
    left = _ALL_WORDS
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        one, other = old[i1:i2], new[j1:j2]
        lines = (*one, *other) if by_word and len(one) == len(other) == 1 else ()
        words = [_TOKENS.findall(line) for line in lines]
        if tag == "equal":
            yield "same", "".join(other)
        elif words and max(map(len, words)) <= min(_WORDS, left):
            left -= max(map(len, words))
            yield from _compared(words[0], words[1])
        else:
            yield "del", "".join(one)
            yield "ins", "".join(other)

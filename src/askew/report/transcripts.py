"""Prompts and replies of the few flips that a report prints, read from the logs on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Literal

from inspect_ai.log import read_eval_log_sample

from askew.report.document import Flip, FlipList, Side
from askew.report.replies import Asking, Texts, is_here, texts_here, texts_of
from askew.untrusted import PASSAGE, shown

Segment = tuple[Literal["same", "del", "ins"], str]
Found = Mapping[tuple[str, Asking], Texts]
_TOKENS = re.compile(r"\s+|[^\s,]+|,")
# Comparing is quadratic in the worst case; prompts are cut before they come here.
_LINES = 400
_WORDS = 800
# Longer shared stretches are shown by their ends.
_SHARED_END = 700


def with_transcripts(flips: FlipList) -> FlipList:
    """The same flips with what was asked and replied, where the log can still be read."""
    wanted: dict[str, list[Asking]] = {}
    for side in (side for flip in flips.flips for side in (flip.before, flip.after)):
        if side.sample_id and is_here(side.log):
            wanted.setdefault(side.log, []).append((side.sample_id, side.epoch))
    found: dict[tuple[str, Asking], Texts] = {}
    for log, askings in wanted.items():
        # What is not found here is asked of Inspect's reader, which says why it can't be read.
        with suppress(Exception):
            found |= {(log, asking): s for asking, s in texts_here(log, askings).items()}
    return replace(flips, flips=[_opened(flip, found) for flip in flips.flips])


def _opened(flip: Flip, found: Found) -> Flip:
    before, after = _read(flip.before, found), _read(flip.after, found)
    both = before.prompt and after.prompt
    difference = prompt_difference(before.prompt, after.prompt) if both else []
    before, after = (replace(s, prompt=shown(s.prompt, PASSAGE)) for s in (before, after))
    return replace(flip, before=before, after=after, difference=difference)


def _read(side: Side, found: Found) -> Side:
    """The side with its prompt and reply; a log that is gone or broken is said, not raised."""
    if not side.log or not side.sample_id:
        return replace(side, unread="the observations do not say where the log is")
    try:
        texts = found.get((side.log, (side.sample_id, side.epoch))) or _asked_of_inspect(side)
        return replace(side, prompt=texts.prompt, reply=shown(texts.completion, PASSAGE))
    except Exception as error:  # any reader of any storage may fail in its own way
        return replace(side, unread=f"the log could not be read: {shown(type(error).__name__)}")


def _asked_of_inspect(side: Side) -> Texts:
    sample = read_eval_log_sample(side.log, side.sample_id, side.epoch, resolve_attachments="core")
    return texts_of(sample)


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
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        one, other = old[i1:i2], new[j1:j2]
        lines = (*one, *other) if by_word and len(one) == len(other) == 1 else ()
        words = [_TOKENS.findall(line) for line in lines]
        if tag == "equal":
            yield "same", "".join(other)
        elif words and max(map(len, words)) <= _WORDS:
            yield from _compared(words[0], words[1])
        else:
            yield "del", "".join(one)
            yield "ins", "".join(other)

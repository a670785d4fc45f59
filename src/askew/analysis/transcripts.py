"""Prompts and replies of the few flips that a report prints, read from the logs on demand."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from difflib import SequenceMatcher
from typing import Literal

from inspect_ai.log import EvalSample, read_eval_log_sample

from askew.analysis.document import Flip, FlipList, Side
from askew.analysis.untrusted import PASSAGE, shown

Segment = tuple[Literal["same", "del", "ins"], str]
_TOKENS = re.compile(r"\s+|[^\s,]+|,")
# Comparing is quadratic in the worst case; prompts are cut before they come here.
_LINES = 400
_WORDS = 800


def with_transcripts(flips: FlipList) -> FlipList:
    """The same flips with what was asked and replied, where the log can still be read."""
    return replace(flips, flips=[_opened(flip) for flip in flips.flips])


def _opened(flip: Flip) -> Flip:
    before, after = _read(flip.before), _read(flip.after)
    both = before.prompt and after.prompt
    difference = prompt_difference(before.prompt, after.prompt) if both else []
    return replace(flip, before=before, after=after, difference=difference)


def _read(side: Side) -> Side:
    """The side with its prompt and reply; a log that is gone or broken is said, not raised."""
    if not side.log or not side.sample_id:
        return replace(side, unread="the observations do not say where the log is")
    try:
        sample = read_eval_log_sample(
            side.log, side.sample_id, side.epoch, resolve_attachments="core"
        )
        return replace(side, prompt=_prompt(sample), reply=_reply(sample))
    except Exception as error:  # any reader of any storage may fail in its own way
        return replace(side, unread=f"the log could not be read: {shown(type(error).__name__)}")


def _prompt(sample: EvalSample) -> str:
    """The messages before the reply, one below the other, with roles where there are several."""
    messages = list(sample.messages)
    while messages and messages[-1].role == "assistant":
        messages.pop()
    if len(messages) == 1:
        return shown(messages[0].text, PASSAGE)
    parts = [f"[{m.role}]\n{m.text[:PASSAGE]}" for m in messages]
    return shown("\n\n".join(parts), PASSAGE)


def _reply(sample: EvalSample) -> str:
    return shown(sample.output.completion, PASSAGE)


def prompt_difference(before: str, after: str) -> list[Segment]:
    """Both prompts as one text: lines are compared, and words where one line replaced another."""
    old, new = before.splitlines(keepends=True)[:_LINES], after.splitlines(keepends=True)[:_LINES]
    segments: list[Segment] = []
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    for _, i1, i2, j1, j2 in matcher.get_opcodes():
        replaced = i2 - i1 == 1 and j2 - j1 == 1
        words = [_TOKENS.findall(side) for side in (old[i1], new[j1])] if replaced else []
        if replaced and max(map(len, words)) <= _WORDS:
            segments += _compared(*words)
        else:
            segments += _compared(old[i1:i2], new[j1:j2], whole=True)
    return [s for s in segments if s[1]]


def _compared(old: list[str], new: list[str], whole: bool = False) -> Iterator[Segment]:
    """Shared, dropped and added pieces; `whole` takes the two sides as one piece each."""
    if old == new:
        yield "same", "".join(new)
    elif whole:
        yield "del", "".join(old)
        yield "ins", "".join(new)
    else:
        matcher = SequenceMatcher(None, old, new, autojunk=False)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes():
            if tag == "equal":
                yield "same", "".join(new[j1:j2])
            else:
                yield "del", "".join(old[i1:i2])
                yield "ins", "".join(new[j1:j2])

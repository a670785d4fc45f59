"""Prompts and replies of many samples, each log opened once; what can't be read says why."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any
from zipfile import ZipFile

from inspect_ai.log import (
    EvalSample,
    read_eval_log_samples_by_id,
    resolve_sample_attachments,
)

from askew.untrusted import PASSAGE, one_line, shown

Asking = tuple[str, int]
"""A sample's id and its epoch."""
# What only a viewer shows; reading it would take most of the time.
_UNUSED = {"events", "events_data", "store", "model_usage", "role_usage", "metadata", "timelines"}
# Of a log that is not a zipped file here, no more are fetched one by one.
_MOST_AFAR = 200
# How a sample says that a long or repeated text stands among its attachments.
_APART = "attachment://"
_TEXTS = ("messages", "output", "scores", "target")
_DECODER = json.JSONDecoder()
_SPACE, _COLON, _COMMA = (re.compile(rf"[ \t\n\r]*{mark}[ \t\n\r]*") for mark in ("", ":", ",?"))
_LARGEST = 32 * 1024**2
# Prompts are cut to this before they are compared, which is quadratic in the worst case.
_COMPARED = 20_000


@dataclass(frozen=True)
class Reply:
    """What was asked and replied, how the reply was read, and the answer that was expected."""

    prompt: str = ""
    reply: str = ""
    why: str = ""
    expected: str = ""
    unread: str = ""
    """Why the rest is empty."""


@dataclass(frozen=True)
class Texts:
    """What was said in a sample: roles and texts of its messages, and how it was scored."""

    said: Sequence[tuple[str, str]]
    completion: str
    explanation: str
    target: str

    @property
    def prompt(self) -> str:
        """The messages before the reply, one below another, with roles where there are several."""
        before = list(self.said)
        while before and before[-1][0] == "assistant":
            before.pop()
        if len(before) == 1:
            return shown(before[0][1], _COMPARED)
        told = (f"[{role}]\n{text[:_COMPARED]}" for role, text in before)
        return shown("\n\n".join(told), _COMPARED)


def read_replies(log: str, wanted: Sequence[Asking]) -> Mapping[Asking, Reply]:
    """The replies of some samples of a log; those that are not in it are left out.

    Args:
        log: where it is.
        wanted: which samples.
    """
    if not log:
        return {}
    try:
        texts = texts_here(log, wanted) if is_here(log) else _afar(log, wanted[:_MOST_AFAR])
        return {asking: _reply(found) for asking, found in texts.items()}
    except Exception as error:  # any reader of any storage may fail in its own way
        unread = Reply(unread=f"the log could not be read: {shown(type(error).__name__)}")
        return dict.fromkeys(wanted, unread)


def is_here(log: str) -> bool:
    """Whether a log is a zipped file on this machine."""
    return "://" not in log and log.endswith(".eval")


def texts_here(log: str, wanted: Sequence[Asking]) -> dict[Asking, Texts]:
    """From the file itself: several times faster than Inspect, which reads events too."""
    texts = {}
    with ZipFile(Path(log)) as archive:
        there = {part.filename: part for part in archive.infolist()}
        for asking in wanted:
            part = there.get(f"samples/{asking[0]}_epoch_{asking[1]}.json")
            if part is None or part.file_size > _LARGEST:
                continue
            whole = archive.read(part).decode("utf-8")
            texts[asking] = _plain_texts(_fields(whole, _TEXTS)) or _resolved_texts(whole)
    return texts


def _fields(whole: str, wanted: Collection[str]) -> dict[str, Any]:
    """Some fields of an object in JSON, read no further than they stand: events come last."""
    found: dict[str, Any] = {}
    at, lacking = _after(_SPACE, whole, whole.index("{") + 1), set(wanted)
    while lacking and whole[at] != "}":
        name, at = _DECODER.raw_decode(whole, at)
        value, at = _DECODER.raw_decode(whole, _after(_COLON, whole, at))
        at = _after(_COMMA, whole, at)
        if name in lacking:
            found[name] = value
            lacking.remove(name)
    return found


def _after(what: re.Pattern[str], whole: str, at: int) -> int:
    found = what.match(whole, at)
    if found is None:
        raise ValueError("the log holds a sample that is no JSON")
    return found.end()


def _plain_texts(found: Mapping[str, Any]) -> Texts | None:
    """Of a sample whose texts all stand where they belong, as nearly all do: made at once."""
    scores, target = (found.get("scores") or {}).values(), found.get("target")
    said = [(m.get("role"), m.get("content")) for m in found.get("messages") or []]
    completion = (found.get("output") or {}).get("completion")
    explained = [score.get("explanation") for score in scores]
    plain = (completion, *chain(*said), *filter(None, explained))
    if not completion or not all(isinstance(t, str) and _APART not in t for t in plain):
        return None
    return Texts(said, completion, _last(explained), _joined(target))


def _resolved_texts(whole: str) -> Texts:
    """Of any sample, as Inspect reads it."""
    found = json.loads(whole)
    used = {name: value for name, value in found.items() if name not in _UNUSED}
    sample = EvalSample.model_validate(used)
    if _APART in str([used.get(name) for name in ("messages", "output")]):
        sample = resolve_sample_attachments(sample, "core")
    return texts_of(sample)


def texts_of(sample: EvalSample) -> Texts:
    """What was said in a sample, and how it was scored."""
    said = [(message.role, message.text) for message in sample.messages]
    explained = [score.explanation for score in (sample.scores or {}).values()]
    return Texts(said, sample.output.completion, _last(explained), _joined(sample.target))


def _last(explained: Sequence[str | None]) -> str:
    # A sample may have been scored several times: the last stands.
    return next(filter(None, reversed(explained)), "")


def _joined(target: str | Sequence[str] | None) -> str:
    return target if isinstance(target, str) else ", ".join(target or [])


def _afar(log: str, wanted: Sequence[Asking]) -> dict[Asking, Texts]:
    read = read_eval_log_samples_by_id(
        log, wanted, resolve_attachments="core", exclude_fields=_UNUSED
    )
    return {(str(sample.id), sample.epoch): texts_of(sample) for sample in read}


def _reply(texts: Texts) -> Reply:
    return Reply(
        prompt=shown(texts.prompt, PASSAGE),
        reply=shown(texts.completion, PASSAGE),
        why=one_line(texts.explanation, 400),
        expected=one_line(texts.target),
    )

"""Prompts and replies of many samples, each log opened once; what can't be read says why."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
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


def read_replies(log: str, wanted: Sequence[Asking]) -> Mapping[Asking, Reply]:
    """The replies of some samples of a log; those that are not in it are left out.

    Args:
        log: where it is.
        wanted: which samples.
    """
    if not log:
        return {}
    try:
        samples = samples_here(log, wanted) if is_here(log) else _afar(log, wanted[:_MOST_AFAR])
        return {asking: _reply(sample) for asking, sample in samples.items()}
    except Exception as error:  # any reader of any storage may fail in its own way
        unread = Reply(unread=f"the log could not be read: {shown(type(error).__name__)}")
        return dict.fromkeys(wanted, unread)


def is_here(log: str) -> bool:
    """Whether a log is a zipped file on this machine."""
    return "://" not in log and log.endswith(".eval")


def samples_here(log: str, wanted: Sequence[Asking]) -> dict[Asking, EvalSample]:
    """From the file itself: several times faster than Inspect, which reads events too."""
    samples = {}
    with ZipFile(Path(log)) as archive:
        there = {part.filename: part for part in archive.infolist()}
        for asking in wanted:
            part = there.get(f"samples/{asking[0]}_epoch_{asking[1]}.json")
            if part is None or part.file_size > _LARGEST:
                continue
            found = json.loads(archive.read(part))
            used = {name: value for name, value in found.items() if name not in _UNUSED}
            sample = EvalSample.model_validate(used)
            if _APART in str([used.get(name) for name in ("messages", "output")]):
                sample = resolve_sample_attachments(sample, "core")
            samples[asking] = sample
    return samples


def _afar(log: str, wanted: Sequence[Asking]) -> dict[Asking, EvalSample]:
    read = read_eval_log_samples_by_id(
        log, wanted, resolve_attachments="core", exclude_fields=_UNUSED
    )
    return {(str(sample.id), sample.epoch): sample for sample in read}


def prompt_of(sample: EvalSample) -> str:
    """The messages before the reply, one below the other, with roles where there are several."""
    messages = list(sample.messages)
    while messages and messages[-1].role == "assistant":
        messages.pop()
    if len(messages) == 1:
        return shown(messages[0].text, _COMPARED)
    return shown("\n\n".join(f"[{m.role}]\n{m.text[:_COMPARED]}" for m in messages), _COMPARED)


def _reply(sample: EvalSample) -> Reply:
    # A sample may have been scored several times: the last stands.
    explained = [s.explanation for s in (sample.scores or {}).values() if s.explanation]
    target = sample.target if isinstance(sample.target, str) else ", ".join(sample.target)
    return Reply(
        prompt=shown(prompt_of(sample), PASSAGE),
        reply=shown(sample.output.completion, PASSAGE),
        why=one_line(explained[-1], 400) if explained else "",
        expected=one_line(target),
    )

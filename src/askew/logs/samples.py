"""Read what some samples of a log hold: prompts and replies, and how these were read."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalSample, read_eval_log, read_eval_log_sample

from askew.logs.locations import open_log
from askew.untrusted import PASSAGE, escape_control, one_line

Asking = tuple[str, int]
"""A sample's id and its epoch."""
# Where Inspect puts what is long.
_ELSEWHERE = re.compile("attachment://([0-9a-f]{32})")
SAMPLE_FILE = "samples/{}_epoch_{}.json"
# What is large in a sample, and not shown.
_EXCLUDED = {"events", "events_data", "store", "timelines"}
# Prompts are cut to this before they are compared, which is quadratic in the worst case.
_COMPARED = 20_000


def read_samples(
    log: str, wanted: Sequence[Asking]
) -> Iterator[tuple[Asking, EvalSample | Exception]]:
    """Read some samples of a log, or why one can't be read; those not in it are passed over.

    They come without their events, with attachments in their places.
    """
    ids = dict.fromkeys(wanted)
    with open_log(log) as archive:
        if archive is None:
            logged = read_eval_log(log, resolve_attachments="core").samples or []
            found = {(str(sample.id), sample.epoch): sample for sample in logged}
            yield from ((asking, found[asking]) for asking in ids if asking in found)
            return
    how: dict[str, Any] = {"resolve_attachments": "core", "exclude_fields": _EXCLUDED}
    for asking in ids:
        try:
            yield asking, read_eval_log_sample(log, *asking, **how)
        except IndexError:  # it is not in the log
            continue
        except Exception as error:  # a damaged part can fail anywhere in its reader
            yield asking, error


@dataclass(frozen=True)
class Reply:
    """What was asked and replied, how the reply was read, and the answer that was expected.

    All of it is fit to be shown, and cut.
    """

    prompt: str = ""
    reply: str = ""
    why: str = ""
    expected: str = ""
    compared: str = ""  # more of the prompt, to be compared with another
    unread: str = ""  # why the rest is empty


def read_replies(log: str, wanted: Sequence[Asking]) -> Iterator[tuple[Asking, Reply]]:
    """Read the replies of some samples of a log; those that are not in it are passed over.

    Of samples in an archive only what is shown is read: Inspect's reader takes five times as long.
    """
    left = dict.fromkeys(wanted)
    if not log or not left:
        return
    try:
        with open_log(log) as archive:
            for asking in [*left]:
                with suppress(Exception):  # absent, damaged, of another time, or no archive
                    assert archive
                    reply = _reply(json.loads(archive.read(SAMPLE_FILE.format(*asking))))
                    del left[asking]
                    yield asking, reply
        for asking, read in read_samples(log, [*left]) if left else ():
            del left[asking]
            if isinstance(read, EvalSample):
                yield asking, _reply(read.model_dump(mode="json"))
            else:
                yield asking, _unread(read)
    except Exception as error:  # any reader of any storage may fail in its own way
        yield from ((asking, _unread(error)) for asking in left)


def _reply(sample: Mapping[str, Any]) -> Reply:
    attached = sample["attachments"]

    def whole(content: str | list[dict[str, Any]]) -> str:
        if not isinstance(content, str):
            content = "\n".join(part["text"] for part in content if part["type"] == "text")
        return _ELSEWHERE.sub(lambda found: attached.get(found[1], found[0]), content)

    before = [*sample["messages"]]
    while before and before[-1]["role"] == "assistant":
        before.pop()
    # The messages before the reply, with roles where there are several.
    texts = [(message["role"], whole(message["content"])) for message in before]
    prompt = "\n\n".join(f"[{role}]\n{text}" if len(texts) > 1 else text for role, text in texts)
    # A sample may have been scored several times: the last stands.
    scores = (sample.get("scores") or {}).values()
    explained = [why for score in scores if (why := score.get("explanation"))]
    target = sample["target"]
    return Reply(
        prompt=escape_control(prompt, PASSAGE),
        reply=escape_control(whole(sample["output"]["completion"]), PASSAGE),
        why=one_line(explained[-1] if explained else "", 400),
        expected=one_line(target if isinstance(target, str) else ", ".join(target)),
        compared=escape_control(prompt, _COMPARED),
    )


def _unread(error: Exception) -> Reply:
    # Not what it says, which may name folders of whoever made the page.
    return Reply(unread=f"the log could not be read: {type(error).__name__}")

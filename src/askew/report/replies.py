"""Prompts and replies of many samples, each log opened once; what can't be read says why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from askew.report.samples import Asking, Fields, completion_of, said_in, samples_of, text_in
from askew.untrusted import PASSAGE, one_line, shown

# Of a log that is not a zipped file here, no more are read.
_MOST_AFAR = 200
_FIELDS = ("messages", "output", "scores", "target")
# Prompts are cut to this before they are compared, which is quadratic in the worst case.
_COMPARED = 20_000


@dataclass(frozen=True)
class Reply:
    """What was asked and replied, how the reply was read, and the answer that was expected.

    All of it is fit to be shown, and cut.
    """

    prompt: str = ""
    reply: str = ""
    why: str = ""
    expected: str = ""
    compared: str = ""
    """More of the prompt, to be compared with another."""
    unread: str = ""
    """Why the rest is empty."""


def read_replies(log: str, wanted: Sequence[Asking]) -> Iterator[tuple[Asking, Reply]]:
    """The replies of some samples of a log, one at a time; those that are not in it are left out.

    Args:
        log: where it is.
        wanted: which samples.
    """
    asked = list(dict.fromkeys(wanted if _is_here(log) else wanted[:_MOST_AFAR])) if log else []
    told = set()
    try:
        for asking, found in samples_of(log, asked, _FIELDS) if asked else ():
            told.add(asking)
            yield asking, _unread(found) if isinstance(found, Exception) else _reply(found)
    except Exception as error:  # any reader of any storage may fail in its own way
        yield from ((asking, _unread(error)) for asking in asked if asking not in told)


def _is_here(log: str) -> bool:
    """Whether a log is a zipped file on this machine."""
    return "://" not in log and log.endswith(".eval")


def _reply(sample: Fields) -> Reply:
    try:
        prompt = _prompt(said_in(sample))
        scores = (sample.get("scores") or {}).values()
        # A sample may have been scored several times: the last stands.
        explained = [why for score in scores if (why := score.get("explanation"))]
        target = sample.get("target") or ""
        return Reply(
            prompt=shown(prompt, PASSAGE),
            reply=shown(completion_of(sample), PASSAGE),
            why=one_line(text_in(explained[-1]) if explained else "", 400),
            expected=one_line(target if isinstance(target, str) else ", ".join(target)),
            compared=shown(prompt, _COMPARED),
        )
    except Exception as error:  # a log may hold anything in any place
        return _unread(error)


def _prompt(said: Sequence[tuple[str, str]]) -> str:
    """The messages before the reply, one below another, with roles where there are several."""
    before = list(said)
    while before and before[-1][0] == "assistant":
        before.pop()
    if len(before) == 1:
        return before[0][1]
    return "\n\n".join(f"[{role}]\n{text}" for role, text in before)


def _unread(error: Exception) -> Reply:
    # Only what this house says: others may name folders of whoever made the page.
    said = f"ValueError: {error}" if type(error) is ValueError else type(error).__name__
    return Reply(unread=f"the log could not be read: {one_line(said)}")

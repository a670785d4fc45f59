"""Read any Inspect log: its header, what each of its samples came to, and what some of them hold.

Inspect's own readers do it, but for one thing: the summaries of a log that is whole are taken from
its archive. `read_eval_log_sample_summaries` shortens every text again while it validates, which
takes more than half as long as all of `samples_df`; from the archive it is a tenth.
"""

import json
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import BrokenExecutor, Executor, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zipfile import BadZipFile, ZipFile

from inspect_ai.log import (
    EvalLog,
    EvalPlan,
    EvalSample,
    read_eval_log,
    read_eval_log_sample,
    read_eval_log_sample_summaries,
    read_eval_log_samples,
)

from askew.logs.attempts import Attempt, Note, ReadLog, Summary, attempts_of, seconds
from askew.logs.locations import FoundLog, open_log
from askew.logs.runs import run_id, run_settings, score_number
from askew.papers import find_paper, names
from askew.parameters import parse_list
from askew.schema import RESPONDENT_API, Paper
from askew.untrusted import PASSAGE, escape_control, one_line

EDITED, CONTRADICTION, PART = "edited scores", "contradiction", "part of a set"
Scores = Mapping[str, Mapping[str, Any]]
# So many samples of a log, or a few more, are held against their summaries.
_HELD_AGAINST = 8
_DAY = 86_400
# Seconds in which a run's log is written once it has ended.
_WRITING = 600
# Reading waits for remote storage, so a few logs are under way at a time.
_AT_ONCE = 8
_HEADER = "header.json"
_SUMMARIES = "summaries.json"
_SAMPLE = "samples/{}_epoch_{}.json"


@dataclass(frozen=True)
class UnusedLog:
    """A log that gives no observations: of another task, or one that can't be read."""

    found: FoundLog
    what: str
    why: str
    task: str = ""


def read_logs(
    found: Sequence[FoundLog], on_read: Callable[[str], None], executor: Executor | None = None
) -> list[ReadLog | UnusedLog]:
    """Read logs, in the order of `found`."""
    contents = []
    remote = any("://" in log.location for log in found)
    with ThreadPoolExecutor(_AT_ONCE) as threads:
        mapping = executor or (threads if remote else None)
        try:
            for content in mapping.map(read_log, found) if mapping else map(read_log, found):
                contents.append(content)
                on_read(content.found.name)
        except BrokenExecutor as error:
            why = "was it killed, or out of memory? Fewer --workers take less"
            raise ValueError(f"a worker process stopped unexpectedly: {why}") from error
    return contents


def read_log(log: FoundLog) -> ReadLog | UnusedLog:
    """Read one log, or say why there is nothing of it."""
    if log.problem:
        return UnusedLog(log, "unreadable log", one_line(log.problem))
    try:
        with header_of(log) as (header, archive):
            paper, what, why = _recognise(header)
            if paper is None:
                return UnusedLog(log, what, why, header.eval.task)
            settings = run_settings(header, paper)
            samples = samples_of(log.location, header, archive)
            attempts = attempts_of(log, header, paper, samples)
            local = None if "://" in log.location else archive
            notes = [*_notes_of(header, attempts, [one for one, _ in samples], local)]
            # What solvers were given may be prompts, which stay where they are.
            left_out = {"plan": EvalPlan(), "samples": None, "reductions": None}
            rest = header.model_copy(update=left_out)
            return ReadLog(log, paper.task, rest, settings, run_id(settings), attempts, notes)
    except Exception as error:  # a damaged file can fail anywhere in its reader
        return unreadable(log, error)


def unreadable(log: FoundLog, error: Exception) -> UnusedLog:
    """Name a log that ended in an error."""
    message = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    if isinstance(error, BadZipFile):
        message = f"not an Inspect log, or damaged ({error})"
    return UnusedLog(log, "unreadable log", one_line(message))


@contextmanager
def header_of(log: FoundLog) -> Iterator[tuple[EvalLog, ZipFile | None]]:
    """Open a log: its header, with all samples where there is no archive, and its archive."""
    whole = log.in_memory
    if whole is not None and (whole.samples or not whole.location):
        yield whole, None
        return
    with open_log(log.location) as archive:
        if archive is not None and _HEADER in archive.namelist():
            archive.read(_HEADER)  # by its checksum, for which Inspect's reader does not ask
        header = whole or read_eval_log(log.location, header_only=archive is not None)
        yield header, archive


def _recognise(header: EvalLog) -> tuple[Paper | None, str, str]:
    """Whose task this is by the log's metadata: the task's name differs by how it was started.

    A log that is by other signs one of askew's is not passed over, but can't be read.
    """
    metadata = header.metadata or header.eval.metadata or {}
    if metadata.get("benchmark") == "askew":
        name = str(metadata.get("paper"))
        why = f"this version of askew has no task {one_line(name)!r}"
        return find_paper(name), "unreadable log", why
    scorers = [scorer.name for scorer in header.eval.scorers or []]
    ours = any(score_number(name, task) is not None for name in scorers for task in names())
    if ours or header.eval.task.startswith("askew/"):
        return None, "unreadable log", "it carries none of the metadata that askew's tasks log"
    return None, "log of another task", "not a task of askew"


def samples_of(
    location: str, header: EvalLog, archive: ZipFile | None
) -> list[tuple[Summary, bool]]:
    """The summaries of a log, and whether somebody declared the samples invalid."""
    full: Iterable[EvalSample] = header.samples or []
    summaries: list[Summary]
    if archive is not None and _SUMMARIES in archive.namelist():
        summaries = json.loads(archive.read(_SUMMARIES))
    elif archive is not None:  # of a run that was cut off, or is still going on
        summaries = [one.model_dump() for one in read_eval_log_sample_summaries(location)]
    else:
        summaries = [one.summary().model_dump() for one in full]
    if archive is not None and header.invalidated:  # only full samples say which
        full = read_eval_log_samples(location, False, exclude_fields={"events", "store"})
    invalid = {(str(one.id), one.epoch) for one in full if one.invalidation is not None}
    return [(one, (str(one["id"]), one["epoch"]) in invalid) for one in summaries]


def is_foreign(header: EvalLog) -> bool:
    return _recognise(header)[1] == "log of another task"


def _notes_of(
    header: EvalLog, attempts: Sequence[Attempt], samples: Sequence[Summary],
    archive: ZipFile | None,
) -> Iterator[Note]:  # fmt: skip
    """What is to be known of a log beside its samples: edits, contradictions, what was chosen."""
    spec = header.eval
    full = [*_full_scores(header, samples, archive)] if archive else []
    # The first of a history is the score as it was.
    last = [score["history"][-1] for _, of in full for score in of.values() if score.get("history")]
    if last:
        by = [edit["provenance"] for edit in last if edit.get("provenance")]
        authors = dict.fromkeys(f"{who.get('author')}: {who.get('reason')}" for who in by)
        yield EDITED, len(last), one_line("; ".join(authors) or "no reason is given")
    tier = spec.task_args.get("tier")
    if tier and parse_list(tier) != ["all"]:
        yield PART, 1, one_line(f"tier={tier}")
    if spec.config.sample_id is not None:
        yield PART, 1, "chosen by sample_id"
    roles = (of if isinstance(of, list) else [of] for of in (spec.model_roles or {}).values())
    named = {spec.model, *(model.model for models in roles for model in models)}
    used = dict.fromkeys(name for one in samples for name in one.get("model_usage") or ())
    if other := [m for m in used if m.startswith(f"{RESPONDENT_API}/") and m not in named]:
        yield CONTRADICTION, 1, one_line(f"its model is {spec.model}, replies are of {other[0]}")
    if later := sum(a.rank[0] > time.time() + _DAY for a in attempts):
        yield CONTRADICTION, later, "samples ended in the future"
    differ = sum(
        any(n in of and repr(of[n]["value"]) != repr(one["value"]) for n, one in summary.items())
        for summary, of in full
    )
    if differ:
        yield CONTRADICTION, differ, "summaries hold other scores than the samples"


def _full_scores(
    header: EvalLog, samples: Sequence[Summary], archive: ZipFile
) -> Iterator[tuple[Scores, Scores]]:
    """Scores by the summary and by the sample: of some, of all where a log was written later."""
    parts = {info.filename: info for info in archive.infolist()}
    named = [(_SAMPLE.format(s["id"], s["epoch"]), s.get("scores")) for s in samples]
    known = [(parts[name], scores) for name, scores in named if scores and name in parts]
    later = seconds(header.stats.completed_at) + _WRITING
    is_later = any(datetime(*part.date_time).timestamp() > later for part, _ in known[:1])
    step = 1 if is_later else max(1, len(known) // _HELD_AGAINST)
    for part, scores in known[::step]:
        yield scores, json.loads(archive.read(part)).get("scores") or {}


# --- What some samples hold: prompts and replies, and how these were read ------------------------

Asking = tuple[str, int]
"""A sample's id and its epoch."""
# Where Inspect puts what is long.
_ELSEWHERE = re.compile("attachment://([0-9a-f]{32})")
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
                    reply = _reply(json.loads(archive.read(_SAMPLE.format(*asking))))
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

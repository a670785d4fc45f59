"""What logs hold beside their rows: the runs, and what was excluded with its reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from askew.logs.attempts import Standing, early_stops
from askew.logs.locations import FoundLog
from askew.logs.read import UnusedLog, first_error
from askew.parameters import listed
from askew.schema import SET_ASIDE, STOPPED_BY
from askew.untrusted import one_line, whole_characters

COLUMNS = ("log", "model", "task", "what", "count", "why")

# Samples that were not to be asked any more: none is missing from any number.
STOPPED = "stopped early"
# A run that was to stop, and did not: nothing is missing from it.
ASKED_OUT = "asked to the end"
# Everything that can be said about samples or logs, and what it means. Where it is about logs
# or runs, the count is of those; else it is of samples, each epoch for itself.
WHAT = {
    "errored": "the sample ended in an error, also where it was scored all the same",
    "limited": "a limit stopped the sample",
    "unscored": "the scorer could not decide, or never saw the sample",
    SET_ASIDE: "the question itself is wrong: it was asked as published, and is in no number",
    "malformed": "score or metadata do not have the shape that this task gives them",
    "replaced solver": "the solver that ran has no step for the sample's condition",
    "invalidated": "the sample was declared invalid after the run",
    "never asked": "the run set out to ask the sample, and no log of it holds an attempt",
    STOPPED: "the headline was known well enough to ask no more (stop_when)",
    ASKED_OUT: "the run asked everything before its headline was known that well (stop_when)",
    "superseded": "a later attempt or scoring of the same sample stands instead",
    "unreadable log": "the log, file or folder could not be read",
    "log of another task": "the log is not of a task of askew",
    "mixed versions": "logs of one run were made by different versions of the software",
    "kept apart": "one model was run under several settings, and is several models here",
}
# What stands between a request and what was wrong with it, where an error quotes both.
_AFTER_REQUEST = re.compile(r"(?:\n|\\n)\}(?:\n|\\n){2}")
_FOREIGN = "log of another task"
_REASONS_SHOWN = 5
_QUESTIONS_SHOWN = 500
_LONGEST_NOTE = 2_000
# No headline is as large, and what is larger may be no float at all.
_NO_NUMBER = 1e300
_STOPPED = {
    "started": "the run was killed, or is still going on",
    "cancelled": "the run was cancelled",
    "error": "the run ended in an error",
    "success": "the run ended without them",
}

# What is told of samples that is no loss.
_NOT_LACKING = ("superseded", STOPPED, ASKED_OUT)
_ORIGIN = ("data", "revision", "prompts", "version")

Entry = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """Logs that were pooled because nothing differs between them that bears on the answers.

    Attributes:
        run: short name of its settings.
        task: the task.
        model: the model's label.
        data: where the questions came from: "bundled", "paper", or the user's files.
        revision: of the data.
        prompts: revision of the prompts.
        version: of the task.
        settings: all other settings by name.
        software: packages with their versions.
        started: when its first log began.
        logs: names of its logs.
        planned: samples that were to be scored.
        scored: samples that were.
        model_name: the model as Inspect names it.
        subsets: which subsets each log was to ask, as chosen; "" for all.
        empty: names of logs that hold no sample and planned none.
        failure: what happened to most samples, where none was scored.
    """

    run: str
    task: str
    model: str
    data: str
    revision: str
    prompts: str
    version: str
    settings: dict[str, str]
    software: str
    started: str
    logs: tuple[str, ...]
    planned: int
    scored: int
    model_name: str = ""
    subsets: tuple[str, ...] = ("",)
    empty: tuple[str, ...] = ()
    failure: str = ""


def excluded_table(entries: Sequence[Entry]) -> pd.DataFrame:
    """What is not among the rows of logs, and what to know about those that are.

    One row a log, kind and reason; logs of other tasks stand together, a row a task and reason.
    """
    rows = [
        {**{c: entry.get(c, "") for c in ("log", "model", "task")}, **loss}
        for entry in entries
        for loss in entry["left_out"]
    ]
    rows += notes(entries)
    counts = Counter((r["task"], r["why"]) for r in rows if r["what"] == _FOREIGN)
    rows = [r for r in rows if r["what"] != _FOREIGN]
    rows += [_note("", task, _FOREIGN, why, count) for (task, why), count in counts.items()]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def runs_of(entries: Sequence[Entry]) -> tuple[Run, ...]:
    """The runs in the order in which their first logs were read."""
    by_run: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if "run" in entry:
            by_run[entry["run"]].append(entry)
    return tuple(_run(name, logs) for name, logs in by_run.items())


def _run(name: str, logs: Sequence[Entry]) -> Run:
    first, settings = logs[0], dict(logs[0]["settings"])
    scored = sum(log["scored"] for log in logs)
    left = [loss for log in logs for loss in log["left_out"] if loss["what"] not in _NOT_LACKING]
    invalid = sum(loss["count"] for loss in left if loss["what"] == SET_ASIDE)
    packages = {f"{k} {v}" for log in logs for k, v in log["packages"].items()}
    return Run(
        run=name,
        task=first["task"],
        model=first["model"],
        **{key: one_line(settings.pop(key, "unknown")) for key in _ORIGIN},
        settings={one_line(k): one_line(v) for k, v in settings.items()},
        software=", ".join(sorted(one_line(p) for p in packages)),
        started=one_line(min(log["created"][:16] for log in logs).replace("T", " ")),
        logs=tuple(one_line(log["log"]) for log in logs),
        # Of a run in parts every sample counts once: what stands of it, and what was never asked.
        # Questions that are wrong were not to be scored.
        planned=max(scored + sum(e["count"] for e in left), *(log["planned"] for log in logs))
        - invalid,
        scored=scored,
        model_name=first["model_name"],
        subsets=tuple(log["subset"] for log in logs),
        empty=tuple(one_line(log["log"]) for log in logs if not log["samples"] + log["planned"]),
        failure="" if scored else _failure(logs),
    )


def _failure(logs: Sequence[Entry]) -> str:
    """What happened to most samples of a run of which none was scored."""
    losses = [(log, loss) for log in logs for loss in log["left_out"]]
    if not losses:
        return ""
    log, first = losses[0]
    count = sum(loss["count"] for _, loss in losses if loss["what"] == first["what"])
    why = _first_error(log["location"]) if first["what"] == "errored" else ""
    return f"{count:,} {first['what']}: {why or first['why']}"


def _first_error(location: str) -> str:
    """What a log's first error says: it may begin with the request, which cuts summaries.

    Empty where the log can't say more than its summaries did: it may be in memory alone, gone, or
    hold no samples.
    """
    try:
        said = first_error(location)
    except Exception:  # a damaged file, or a storage, can fail anywhere in its reader
        return ""
    *request, reason = _AFTER_REQUEST.split(said)
    return one_line(reason.replace("\\'", "'").removesuffix("')") if request else said)


def unused_entry(log: UnusedLog) -> Entry:
    return {
        **_whereabouts(log.found),
        "task": one_line(log.task),
        "model": "",
        "left_out": [_loss(log.what, log.why, 1)],
    }


def read_entry(stands: Standing, model: str) -> Entry:
    """One log that was read: what it ran, what it holds and what it gave."""
    log, header = stands.log, stands.log.header
    settings, spec = log.settings, header.eval
    dataset = spec.dataset.sample_ids or []
    return {
        **_whereabouts(log.found),
        "task": log.paper.task,
        "model": whole_characters(model),
        "model_name": whole_characters(settings.model_name),
        "run": log.run,
        "status": header.status,
        "subset": _chosen(spec.task_args.get("subset")),
        "created": spec.created,
        "completed": header.stats.completed_at,
        "settings": {**settings.origin, **settings.model, **settings.within_task},
        "packages": {str(k): str(v) for k, v in spec.packages.items()},
        "planned": len(dataset) * (spec.config.epochs or 1) - len(early_stops(header)),
        "samples": len(log.attempts),
        "scored": sum(a.row is not None for a in stands.attempts),
        "left_out": [*_losses(stands), *_absences(stands)],
    }


def _chosen(subset: object) -> str:
    """The subsets that a user chose; empty where the task was to ask all."""
    names = listed(subset) if subset is not None else []
    return "" if names == ["all"] else whole_characters(", ".join(names))


def _whereabouts(log: FoundLog) -> Entry:
    # A file's name may be no text at all, which no table and no report could hold.
    return {"log": whole_characters(log.name), "location": whole_characters(log.location)}


def _losses(stands: Standing) -> Iterable[Entry]:
    """Unobserved samples by kind and reason; rare reasons together."""
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for attempt in stands.attempts:
        if attempt.row is None:
            earlier = (attempt.sample_id, attempt.epoch) in stands.after_score
            why = attempt.why + (" (an earlier attempt was scored)" if earlier else "")
            reasons[attempt.what][why] += 1
    for what in WHAT:
        counts = reasons[what].most_common()
        # What is wrong with questions is told one by one: it is known, and not the model's.
        shown = _QUESTIONS_SHOWN if what == SET_ASIDE else _REASONS_SHOWN
        yield from (_loss(what, why, n) for why, n in counts[:shown])
        rest = counts[shown:]
        if rest:
            yield _loss(what, f"{len(rest)} other reasons", sum(n for _, n in rest))


def _absences(stands: Standing) -> Iterable[Entry]:
    if stands.never_asked:
        header = stands.log.header
        why = _STOPPED[header.status]
        if header.error is not None:
            why += f": {one_line(header.error.message)}"
        if not stands.log.attempts and header.eval.config.log_samples is False:
            why = "the run was told not to log its samples"
        yield _loss("never asked", why, stands.never_asked)
    if stands.stopped:
        yield _loss(STOPPED, _why_stopped(stands), stands.stopped)
    elif asked_out := _why_not_stopped(stands):
        yield _loss(ASKED_OUT, asked_out, 1)
    if stands.superseded:
        yield _loss("superseded", WHAT["superseded"], stands.superseded)


def _why_stopped(stands: Standing) -> str:
    """After how many items a run stopped, and what was known of its headline at every look."""
    told = _told_at_the_end(stands)
    known = _known(stands, told, " of those asked")
    if known is None:
        return WHAT[STOPPED]
    return one_line(
        f"stopped early after {told.get('items')} of {told.get('of_items')} items, by "
        f"stop_when={told.get('stop_when')}: {known}. Other intervals are those of a number of "
        "items that was fixed before",
        600,
    )


def _why_not_stopped(stands: Standing) -> str:
    """What was known of its headline when a run had asked everything, though it was to stop."""
    told = _told_at_the_end(stands)
    if told.get("stopped") is not False:
        return ""
    width = "known that well only at the end" if told.get("reached") else "not known that well"
    known = _known(stands, told, "")
    return one_line(
        f"asked to the end, with stop_when={told.get('stop_when')}: the headline was {width}"
        + (f"; {known}" if known else ""),
        600,
    )


def _told_at_the_end(stands: Standing) -> Mapping[str, Any]:
    """What a run that may stop early said of itself."""
    results = stands.log.header.results
    stops = results.early_stopping if results else None
    return stops.metadata if stops and stops.manager == STOPPED_BY else {}


def _known(stands: Standing, told: Mapping[str, Any], of: str) -> str | None:
    """A headline with the bounds that hold at every look."""
    given: list[Any] = [told.get(name) for name in ("value", "low", "high")]
    if not all(type(n) in (int, float) and abs(n) < _NO_NUMBER for n in given):
        return None
    declared = stands.log.paper.headlined(str(told.get("headline")))
    value, low, high = (declared.unit.write(float(number)) for number in given)
    label, unit = declared.label or declared.name, declared.unit.name
    return f"{label}{of} is {value}, and {low} to {high} {unit} holds at every look"


def _loss(what: str, why: str, count: int) -> Entry:
    return {"what": what, "why": why, "count": count}


def notes(entries: Sequence[Entry]) -> list[Entry]:
    """What several logs together call for: runs kept apart, versions mixed within a run."""
    runs_of: dict[tuple[str, str], dict[str, Entry]] = defaultdict(dict)
    logs_of: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        if "run" in entry:
            runs_of[entry["model_name"], entry["task"]].setdefault(entry["run"], entry)
            logs_of[entry["run"]].append(entry)
    return [*_kept_apart(runs_of), *_mixed_versions(logs_of)]


def _kept_apart(by_model: Mapping[tuple[str, str], Mapping[str, Entry]]) -> Iterable[Entry]:
    for (name, task), runs in by_model.items():
        if len(runs) < 2:
            continue
        settings = [r["settings"] for r in runs.values()]
        names = dict.fromkeys(n for s in settings for n in s)
        differing = [n for n in names if len({repr(s.get(n)) for s in settings}) > 1]
        why = one_line(f"runs differ in {', '.join(differing)}", _LONGEST_NOTE)
        yield _note(one_line(name), task, "kept apart", why, len(runs))


def _mixed_versions(by_run: Mapping[str, Sequence[Entry]]) -> Iterable[Entry]:
    for logs in by_run.values():
        versions = {
            package: dict.fromkeys(log["packages"].get(package, "unknown") for log in logs)
            for package in dict.fromkeys(p for log in logs for p in log["packages"])
        }
        told = [f"{p} {', '.join(of)}" for p, of in versions.items() if len(of) > 1]
        if rest := told[_REASONS_SHOWN:]:
            told[_REASONS_SHOWN:] = [f"{len(rest)} other packages"]
        first = logs[0]
        for why in told:
            yield _note(first["model"], first["task"], "mixed versions", one_line(why), len(logs))


def _note(model: str, task: str, what: str, why: str, count: int) -> Entry:
    return {"log": "", "model": model, "task": task, **_loss(what, why, count)}

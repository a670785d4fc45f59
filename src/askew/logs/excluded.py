"""What logs hold beside their rows: the runs, and what was excluded with its reason."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from askew.files import yaml_of
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
# All that is said of samples and logs, in words.
_WORDS = yaml_of(__package__, "excluded.yaml")
WHAT: Mapping[str, str] = _WORDS["what"]
# What stands between a request and what was wrong with it, where an error quotes both.
_AFTER_REQUEST = re.compile(r"(?:\n|\\n)\}(?:\n|\\n){2}")
_FOREIGN = "log of another task"
_REASONS_SHOWN = 5
_QUESTIONS_SHOWN = 500
_LONGEST_NOTE = 2_000
# No headline is as large, and what is larger may be no float at all.
_NO_NUMBER = 1e300
# What is told of samples that is no loss.
_NOT_LACKING = ("superseded", STOPPED, ASKED_OUT)
_ORIGIN = ("data", "revision", "prompts", "version")

Entry = dict[str, Any]


@dataclass(frozen=True)
class Run:
    """Logs that were pooled because nothing differs between them that bears on the answers."""

    run: str
    """Short name of its settings."""
    task: str
    model: str
    """The model's label."""
    data: str
    """Where the questions came from: "bundled", "paper", or the user's files."""
    revision: str
    prompts: str
    version: str
    settings: dict[str, str]
    software: str
    """Packages with their versions."""
    started: str
    logs: tuple[str, ...]
    planned: int
    """Samples that were to be scored; `scored` is how many were."""
    scored: int
    model_name: str = ""
    """The model as Inspect names it."""
    subsets: tuple[str, ...] = ("",)
    """Which subsets each log was to ask, as chosen; "" for all."""
    empty: tuple[str, ...] = ()
    """Names of logs that hold no sample and planned none."""
    items: dict[str, int] = field(default_factory=dict)
    """How many items the set that was asked has, by subset; empty where no log says."""
    failure: str = ""
    """What happened to most samples, where none was scored."""


def excluded_table(entries: Sequence[Entry]) -> pd.DataFrame:
    """What is not among the rows of logs, a row a log, kind and reason; with notes on others.

    Logs of other tasks stand together, a row a task and reason.
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
        items={k: n for log in logs for k, n in log["items"].items()},
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
        **_whereabouts(log.found), "task": log.paper.task, "model": whole_characters(model),
        "model_name": whole_characters(settings.model_name), "run": log.run,
        "status": header.status, "subset": _chosen(spec.task_args.get("subset")),
        "created": spec.created, "completed": header.stats.completed_at,
        "settings": {**settings.origin, **settings.model, **settings.within_task},
        "packages": {str(k): str(v) for k, v in spec.packages.items()},
        "items": _items(spec.metadata),
        "planned": len(dataset) * (spec.config.epochs or 1) - len(early_stops(header)),
        "samples": len(log.attempts), "scored": sum(a.row is not None for a in stands.attempts),
        "left_out": [*_losses(stands), *_absences(stands)],
    }  # fmt: skip


def _items(metadata: Mapping[str, Any] | None) -> dict[str, int]:
    there = (metadata or {}).get("data_items")
    counts = there.items() if isinstance(there, dict) else ()
    return {whole_characters(str(k)): n for k, n in counts if isinstance(n, int) and n > 0}


def _chosen(subset: object) -> str:
    """The subsets that a user chose; empty where the task was to ask all."""
    names = listed(subset) if subset is not None else []
    return "" if names == ["all"] else whole_characters(", ".join(names))


def _whereabouts(log: FoundLog) -> Entry:
    # A file's name may be no text at all, which no table could hold.
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
        why = _WORDS["ended"][header.status]
        if header.error is not None:
            why += f": {one_line(header.error.message)}"
        if not stands.log.attempts and header.eval.config.log_samples is False:
            why = "the run was told not to log its samples"
        yield _loss("never asked", why, stands.never_asked)
    if stands.stopped:
        yield _loss(STOPPED, _stop(stands), stands.stopped)
    elif asked_out := _stop(stands):
        yield _loss(ASKED_OUT, asked_out, 1)
    if stands.superseded:
        yield _loss("superseded", WHAT["superseded"], stands.superseded)


def _stop(stands: Standing) -> str:
    """What a run that may stop early said of itself: that it did, or did not and why."""
    results = stands.log.header.results
    stops = results.early_stopping if results else None
    told = stops.metadata if stops and stops.manager == STOPPED_BY else {}
    declared, known = stands.log.paper.headlined(str(told.get("headline"))), ""
    given: list[Any] = [told.get(name) for name in ("value", "low", "high")]
    if all(type(n) in (int, float) and abs(n) < _NO_NUMBER for n in given):
        value, low, high = (declared.unit.write(float(number)) for number in given)
        about = {"label": declared.label or declared.name, "unit": declared.unit.name}
        of = " of those asked" if stands.stopped else ""
        known = _WORDS["known"].format(value=value, low=low, high=high, of=of, **about)
    how = {n: told.get(n) for n in ("items", "of_items", "stop_when")}
    if stands.stopped:
        return (
            one_line(_WORDS["stopped"].format(known=known, **how), 600) if known else WHAT[STOPPED]
        )
    if told.get("stopped") is not False:
        return ""
    width = _WORDS["reached" if told.get("reached") else "missed"]
    return one_line(_WORDS["asked out"].format(width=width, known=known, **how).rstrip("; "), 600)


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

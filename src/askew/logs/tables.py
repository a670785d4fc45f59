"""From logs to tables: a row a scored sample and epoch, what is excluded and why, and the runs."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog

from askew.files import yaml_of
from askew.logs.attempts import Note, ReadLog, early_stops, join_replies, latest_attempts, n_planned
from askew.logs.locations import FoundLog
from askew.logs.read import CONTRADICTION, EDITED, PART, UnusedLog, read_logs, unreadable
from askew.logs.runs import differing, model_labels
from askew.papers import get_paper, papers
from askew.parameters import parse_list, reading_progress
from askew.schema import INVALID_ITEM, OBSERVED, SOURCE, STOPPED_BY
from askew.untrusted import make_whole, mask_secrets, one_line, whole_characters

# Of the table: the first number rises where a column goes or changes its meaning.
TABLE_VERSION = "2.0"
_FIRST = ("model", "model_name", "task", "subset", "tier", "item", "cluster", "epoch")
_LAST = ("answer", "outcome", "status", "run", "sample_id", "log")
COMMON = (*_FIRST, *_LAST)
# Of the table of what is excluded.
EXCLUDED = ("log", "model", "task", "what", "count", "why")
# Samples that stop_when left out: no metric lacks them.
STOPPED = "stopped early"
# A run with stop_when that was not stopped: nothing is missing.
NOT_STOPPED = "not stopped"
# An arm of bend that fits no sample of its task.
UNFIT = "not applicable"
_ORIGIN = ("data", "revision", "prompts", "version")
# The texts about samples and logs.
_WORDS = yaml_of(__package__, "excluded.yaml")
WHAT: Mapping[str, str] = _WORDS["what"]
REPLACED = str(_WORDS["replaced"])
FOREIGN = "log of another task"
_REASONS_SHOWN = 5
_QUESTIONS_SHOWN = 500
_LONGEST_NOTE = 2_000
# Reasons without a missing sample.
NOT_LACKING = ("superseded", STOPPED, NOT_STOPPED, UNFIT, EDITED, CONTRADICTION, PART)
# What a decision has to name, since no number shows it.
TO_NAME = ("unplanned", EDITED, PART, "superseded", "mixed versions", "several settings", FOREIGN)

Row = tuple[str, str, str, str, int, str]


@dataclass(frozen=True)
class Run:
    """Logs that were pooled because nothing differs between them that bears on the answers."""

    run: str  # short name of its settings
    task: str
    model: str  # the model's label
    data: str
    """Where the questions came from: "bundled", "paper", or the user's files."""
    revision: str
    prompts: str
    version: str
    settings: dict[str, str]
    software: str  # packages with their versions
    started: str
    logs: tuple[str, ...]
    planned: int  # samples that were to be scored; `scored` is how many were
    scored: int
    model_name: str = ""  # the model as Inspect names it
    subsets: tuple[str, ...] = ("",)
    """Which subsets each log was to ask, as chosen; "" for all."""
    empty: tuple[str, ...] = ()  # names of logs that hold no sample and planned none
    items: dict[str, int] = field(default_factory=dict)
    """How many items the set that was asked has, by subset; empty where no log says."""
    lost: tuple[dict[str, Any], ...] = ()  # items and conditions of the samples without a score
    failure: str = ""  # what happened to most samples, where none was scored


Tables = tuple[pd.DataFrame, pd.DataFrame, tuple[Run, ...]]
"""Rows, what is excluded, and the runs."""


class ExportError(ValueError):
    """Observations can't be written as asked."""


def read_tables(found: Sequence[FoundLog], *, quiet: bool, executor: Executor | None) -> Tables:
    """Read logs to their rows, what is excluded, and the runs. See `askew.Study.read`."""
    with reading_progress(len(found), quiet) as on_read:
        contents = read_logs(found, on_read, executor)
    try:
        return _tables(contents)
    except Exception:
        # A header may hold anything where anything may stand: the log that it is of is named.
        faulty = {}
        for number, log in enumerate(contents):
            try:
                _tables([log])
            except Exception as error:
                faulty[number] = unreadable(log.found, error)
        if not faulty:
            raise
        return _tables([faulty.get(number, log) for number, log in enumerate(contents)])


def _tables(contents: Sequence[ReadLog | UnusedLog]) -> Tables:
    """Rows and runs in the order of their logs; what is excluded, a row a log, kind and reason.

    Then comes what several logs together call for, and logs of other tasks together.
    """
    read = latest_attempts(join_replies([log for log in contents if isinstance(log, ReadLog)]))
    labels = model_labels(log.settings for log in read)
    rows: list[dict[str, Any]] = []
    excluded: list[Row] = []
    runs: dict[str, list[ReadLog]] = defaultdict(list)
    losses: dict[str, list[Note]] = defaultdict(list)
    foreign: Counter[tuple[str, str]] = Counter()
    stand = iter(read)
    for one in (next(stand) if isinstance(log, ReadLog) else log for log in contents):
        if isinstance(one, ReadLog):
            source = {
                "model": labels[one.run], "model_name": one.settings.model_name, "task": one.task,
                "status": "scored", "run": one.run, "log": one.found.location,
            }  # fmt: skip
            rows += [{**row, **source} for a in one.attempts if (row := a.row) is not None]
            runs[one.run].append(one)
            own = [*_losses(one)]
            losses[one.run] += own
            excluded += [(one.found.name, labels[one.run], one.task, *loss) for loss in own]
        elif one.what == FOREIGN:
            foreign[one_line(one.task), one.why] += 1
        else:
            excluded.append((one.found.name, "", one_line(one.task), one.what, 1, one.why))
    excluded += [*_split_runs(runs.values()), *_mixed_versions(runs.values(), labels)]
    excluded += [("", "", task, FOREIGN, count, why) for (task, why), count in foreign.items()]
    table = pd.DataFrame(excluded, columns=list(EXCLUDED))
    for name in ("log", "model"):  # neither may be text that a file can hold
        table[name] = table[name].map(whole_characters)
    told = tuple(_run(labels[run], logs, losses[run]) for run, logs in runs.items())
    return observation_table(rows), table, told


def observation_columns(*tasks: str) -> dict[str, str]:
    """Return the columns of the observation table and their meaning.

    Args:
        *tasks: Also list the factors and measures of these tasks.

    Returns:
        Meaning by column. Details of a task's own (how a reply was parsed) are not listed.
    """
    described = {**SOURCE, **OBSERVED}
    meanings = {name: described[name] for name in COMMON}
    for paper in papers():
        if tasks and paper.task not in tasks:
            continue
        own = []
        for factor in paper.factors:
            values = "; ".join(f"{value}: {meaning}" for value, meaning in factor.values.items())
            own.append((factor.name, f"Condition of {paper.task} ({values})."))
        own += [(name, f"Measure of {paper.task}: {m}.") for name, m in paper.measures.items()]
        for name, meaning in own:
            meanings[name] = f"{meanings.get(name, '')} {meaning}".strip()
    return meanings


def observation_table(rows: Sequence[Mapping[str, Any]]) -> pd.DataFrame:
    """Rows as a table: common columns first, then conditions and measures, then the source.

    What a column holds is known when all of its values are there.
    """
    own = dict.fromkeys(name for row in rows for name in row)
    names = (*_FIRST, *(n for n in own if n not in COMMON), *_LAST)
    return pd.DataFrame({name: _column([row.get(name) for row in rows]) for name in names})


def _column(values: list[Any]) -> pd.Series[Any]:
    """Values of one kind as one column; mixed or odd ones as text, so that files can hold them."""
    kinds = set(map(type, values)) - {type(None)}
    some_missing = None in values
    if kinds == {bool}:
        return pd.Series(values, dtype="boolean" if some_missing else "bool")
    if kinds == {int} and all(v is None or -(2**63) <= v < 2**63 for v in values):
        # Of several tasks only some have the number: it stays whole for those.
        return pd.Series(values, dtype="Int64" if some_missing else "int64")
    if kinds and kinds <= {int, float}:
        return pd.Series([math.nan if v is None else float(v) for v in values], dtype="float64")
    if not kinds <= {str}:
        texts = (json.dumps(v, default=str) if isinstance(v, Mapping | list) else v for v in values)
        values = [None if v is None else str(v) for v in texts]
    # Half a character, from a model or an editor, no file can hold.
    return pd.Series(make_whole(values))


# --- What logs hold beside their rows -------------------------------------------------------------


def _run(label: str, logs: Sequence[ReadLog], losses: Sequence[Note]) -> Run:
    headers = [one.header for one in logs]
    first = logs[0]
    origin = {name: one_line(str(v)) for name, v in first.settings.origin.items()}
    settings = {**first.settings.model, **first.settings.within_task}
    scored = sum(a.row is not None for one in logs for a in one.attempts)
    left = Counter[str]()
    for what, n, _ in losses:
        left[what] += n
    planned = [n_planned(h) - len(early_stops(h)) for h in headers]
    # Of a run in parts every sample counts once: what stands of it, and what was not run.
    most = max(scored + sum(left[what] for what in left if what not in NOT_LACKING), *planned)
    packages = {one_line(f"{k} {v}") for h in headers for k, v in _packages(h).items()}
    counts = [(h.eval.metadata or {}).get("data_items") or {} for h in headers]
    lacking = [loss for loss in losses if loss[0] not in NOT_LACKING and not scored]
    what, _, why = max(lacking, key=lambda loss: loss[1], default=("", 0, ""))
    chosen = (parse_list(h.eval.task_args.get("subset") or "all") for h in headers)
    return Run(
        run=first.run,
        task=first.task,
        model=whole_characters(label),
        **{name: origin.get(name, "unknown") for name in _ORIGIN},
        settings={one_line(k): one_line(v) for k, v in settings.items()},
        software=", ".join(sorted(packages)),
        started=one_line(min(h.eval.created[:16] for h in headers).replace("T", " ")),
        logs=tuple(one_line(one.found.name) for one in logs),
        # Questions that are wrong were not to be scored.
        planned=most - left[INVALID_ITEM],
        scored=scored,
        model_name=whole_characters(first.settings.model_name),
        subsets=tuple(
            "" if names == ["all"] else whole_characters(", ".join(names)) for names in chosen
        ),
        empty=tuple(
            one_line(one.found.name)
            for one, n in zip(logs, planned, strict=True)
            if not n + len(one.attempts) + one.superseded
        ),
        items={whole_characters(str(k)): n for of in counts for k, n in of.items() if n},
        lost=tuple(a.lost for one in logs for a in one.attempts if a.lost),
        failure=f"{left[what]:,} {what}: {why}" if what else "",
    )


def _losses(stands: ReadLog) -> Iterator[Note]:
    """Unobserved samples of a log by kind and reason, rare reasons together; and absent ones."""
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for attempt in stands.attempts:
        if attempt.row is None:
            reasons[attempt.what][attempt.why] += 1
    for what in WHAT:
        counts = reasons[what].most_common()
        # What is wrong with questions is told one by one: it is known, and not the model's.
        shown = _QUESTIONS_SHOWN if what == INVALID_ITEM else _REASONS_SHOWN
        yield from ((what, n, why) for why, n in counts[:shown])
        if rest := counts[shown:]:
            others = f"{len(rest)} other reason{'s' * (len(rest) > 1)}"
            yield what, sum(n for _, n in rest), others
    header = stands.header
    if stands.not_run:
        why = _WORDS["ended"][header.status]
        if header.error is not None:
            why += f": {one_line(mask_secrets(header.error.message))}"
        if not len(stands.attempts) + stands.superseded and header.eval.config.log_samples is False:
            why = "the run was told not to log its samples"
        yield "not run", stands.not_run, why
    if why := _stop(stands):
        yield STOPPED if stands.stopped else NOT_STOPPED, stands.stopped or 1, why
    for arm, why in ((header.eval.metadata or {}).get("unfit") or {}).items():
        yield UNFIT, 1, one_line(f"{arm}: {why}", _LONGEST_NOTE)
    if stands.superseded:
        why = WHAT["superseded"] if stands.attempts else REPLACED
        yield "superseded", stands.superseded, why
    yield from stands.notes


def _stop(stands: ReadLog) -> str:
    """What a run that may stop early said of itself: that it did, or did not and why."""
    results = stands.header.results
    stops = results.early_stopping if results else None
    metadata = stops.metadata if stops and stops.manager == STOPPED_BY else {}
    if not stands.stopped and metadata.get("stopped") is not False:
        return ""
    headline, known = str(metadata.get("headline")), ""
    declared = get_paper(stands.task).headline_declaration(headline)
    given: list[Any] = [metadata.get(name) for name in ("value", "low", "high")]
    if None not in given:
        value, low, high = (declared.unit.write(float(number)) for number in given)
        about = {"label": declared.label or declared.name, "unit": declared.unit.name}
        of = " of the items run" if stands.stopped else ""
        known = _WORDS["known"].format(value=value, low=low, high=high, of=of, **about)
    if stands.stopped and not known:
        return WHAT[STOPPED]
    width = _WORDS["reached" if metadata.get("reached") else "missed"]
    text: str = _WORDS["stopped" if stands.stopped else "not stopped"]
    how = {name: metadata.get(name) for name in ("items", "of_items", "stop_when")}
    return one_line(text.format(width=width, known=known, **how).rstrip("; "), 600)


def _split_runs(runs: Iterable[Sequence[ReadLog]]) -> Iterator[Row]:
    """Runs of one model and task that are several models here, with what they differ in."""
    by_model: dict[tuple[str, str], list[dict[str, Any]]] = defaultdict(list)
    for one, *_ in runs:
        of = one.settings
        by_model[of.model_name, of.task].append({**of.origin, **of.model, **of.within_task})
    for (name, task), settings in by_model.items():
        if len(settings) > 1:
            why = one_line(f"runs differ in {', '.join(differing(settings))}", _LONGEST_NOTE)
            yield "", one_line(name), task, "several settings", len(settings), why


def _packages(header: EvalLog) -> Mapping[str, str]:
    """The packages that made a log; Inspect names that of a task only where it was not a file."""
    own = (header.eval.metadata or {}).get("askew")
    return ({"askew": str(own)} if own else {}) | header.eval.packages


def _mixed_versions(runs: Iterable[Sequence[ReadLog]], labels: Mapping[str, str]) -> Iterator[Row]:
    for logs in runs:
        packages = [_packages(one.header) for one in logs]
        texts = [
            f"{package} {', '.join(dict.fromkeys(of.get(package, 'unknown') for of in packages))}"
            for package in differing(packages)
        ]
        if rest := texts[_REASONS_SHOWN:]:
            texts[_REASONS_SHOWN:] = [f"{len(rest)} other package{'s' * (len(rest) > 1)}"]
        for why in texts:
            yield "", labels[logs[0].run], logs[0].task, "mixed versions", len(logs), one_line(why)

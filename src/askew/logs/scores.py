"""The scores of any Inspect log, whoever wrote its task: one row a sample, epoch and measure.

A measure is a scorer's name, or `scorer/key` where its value has several. Letters are what Inspect
takes them for (C is 1, P is 0.5, I and N are 0); what is no number is counted, not guessed at.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog

from askew.logs.attempts import Summary, early_stops, planned_samples, rank_in
from askew.logs.locations import Logs, find_logs
from askew.logs.read import header_of, samples_of, unreadable
from askew.logs.runs import differing, log_settings
from askew.parameters import SelectionError, name_hint, reading_progress
from askew.schema import Scalar
from askew.scoring.outcome import as_number
from askew.untrusted import make_whole, mask_secrets, one_line, whole_characters

COLUMNS = ("task", "model", "measure", "sample_id", "epoch", "value", "cluster", "answer", "input",
           "target", "log")  # fmt: skip
_INVALID = "were declared invalid"
# Why a sample has no score, of one measure alone.
NO_NUMBER = "have no number as "
# A run may go on after an update.
_NO_SETTING = ("commit", "package.")
Run = tuple[str, str]
"""A task and a model."""
Asking = tuple[str, str, str, int]
"""A task, a model, the id of a sample, and its epoch."""


@dataclass(frozen=True)
class Scores:
    """What logs say of samples, the settings of each task and model, and what is no score."""

    rows: pd.DataFrame
    settings: Mapping[Run, Mapping[str, Scalar]]
    lost: Mapping[Run, Counter[str]] = field(default_factory=dict)
    """Why samples have no score, and how many."""
    replaced: Mapping[Run, int] = field(default_factory=dict)
    """How many attempts at samples gave way to later ones."""
    unread: tuple[str, ...] = ()
    refused: Mapping[Run, str] = field(default_factory=dict)
    """Why a task and model that were run under several settings have no scores here."""


def read_scores(
    logs: Logs, *, cluster_by: str = "", keep: Callable[[EvalLog], bool] = lambda _: True,
    quiet: bool = True,
) -> Scores:  # fmt: skip
    """Read the scores of the logs to keep; of a sample asked or scored several times, the last.

    `cluster_by` is a key of the samples' metadata that names each sample's cluster; default for
    askew's tasks the clusters of their items, else each sample. A task that was run on one model
    under several settings has the reason instead of scores.
    """
    found = find_logs(logs)
    # Of each sample its rank, why it has no score, or its measures; what it is of, and where.
    asked: dict[Asking, tuple[tuple[float, ...], str, Mapping[str, Any], list[str]]] = {}
    settings: dict[Run, dict[str, dict[str, Scalar]]] = {}
    planned: set[Asking] = set()
    keys: set[str] = set()
    unread, replaced = [], Counter[Run]()
    with reading_progress(len(found), quiet) as on_read:
        for log in found:
            on_read(log.name)
            if log.problem:
                unread.append(f"{log.name}: {one_line(log.problem)}")
                continue
            try:
                with header_of(log) as (header, archive):
                    if not keep(header):
                        continue
                    # Half a character, from a model or an editor, no table can hold.
                    run = whole_characters(header.eval.task), whole_characters(header.eval.model)
                    rank = rank_in(log, header)
                    to_ask = planned_samples(header) - early_stops(header)
                    samples = []
                    for one, invalid in samples_of(log.location, header, archive):
                        keys |= {*(one.get("metadata") or ())}
                        failed = "ended in an error" * (one.get("error") is not None)
                        why = _INVALID if invalid else failed
                        measures: Mapping[str, Any] = {} if why else dict(_measures(one))
                        about = [_cluster(one, header, cluster_by), _asked(one.get("input")),
                                 str(one.get("target")), log.location]  # fmt: skip
                        key = (*run, str(one["id"]), int(one["epoch"]))
                        samples.append((key, (rank(one), why, measures, about)))
            except Exception as error:  # a damaged file can fail anywhere in its reader
                unread.append(f"{log.name}: {unreadable(log, error).why}")
                continue
            settings.setdefault(run, {})[log.location] = log_settings(header)
            planned |= {(*run, *at) for at in to_ask}
            for key, sample in samples:
                replaced[run] += key in asked
                if key not in asked or sample[0] >= asked[key][0]:
                    asked[key] = sample
    if cluster_by and cluster_by not in keys:
        hint = name_hint(cluster_by, keys) if keys else "The samples have no metadata"
        raise SelectionError(f"cluster_by={cluster_by!r}: no sample has it as metadata. {hint}")
    refused = dict(_several_settings(settings))
    lost: dict[Run, Counter[str]] = defaultdict(Counter)
    rows = []
    for (task, model, *place), (_, why, measures, (cluster, *about)) in asked.items():
        if (run := (task, model)) in refused:
            continue
        lost[run].update([] if measures else [why or "have no score"])
        for measure, of in measures.items():
            if of is None:
                lost[run][NO_NUMBER + measure] += 1
            else:
                value, answer = of
                rows.append([*run, measure, *place, value, cluster, answer, *about])
    for task, model, *_ in planned - asked.keys():
        lost[task, model]["were not run"] += 1
    first = {run: next(iter(of.values())) for run, of in settings.items()}
    replaced = Counter({run: n for run, n in replaced.items() if n and run not in refused})
    table = pd.DataFrame(make_whole(rows), columns=[*COLUMNS])
    return Scores(table, first, dict(lost), replaced, tuple(unread), refused)


def _asked(given: Any) -> str:
    """What was asked, without the ids that Inspect draws anew for the messages of each run."""
    if not isinstance(given, list):
        return str(given)
    return json.dumps([[turn.get("role"), turn.get("content")] for turn in given], default=str)


def _cluster(one: Summary, header: EvalLog, cluster_by: str) -> str:
    """What a sample belongs to: by a key, in a task of askew its item's cluster, else itself."""
    name, of = str(one["id"]), one.get("metadata") or {}
    if cluster_by:
        return name if of.get(cluster_by) is None else str(of[cluster_by])
    if (header.eval.metadata or {}).get("benchmark") != "askew":
        return name
    if "item" not in of:  # bend's samples are their author's, and named by item and arm
        return name.rpartition("/")[0] or name
    return f"{of.get('subset')}/{of.get('cluster', of.get('unit', of['item']))}"


def _several_settings(
    settings: Mapping[Run, Mapping[str, Mapping[str, Scalar]]],
) -> Iterator[tuple[Run, str]]:
    """What differs between the logs of one task and model."""
    for run, of in settings.items():
        (first, base), *others = of.items()
        for name, other in others:
            told = [k for k in differing([base, other]) if not k.startswith(_NO_SETTING)]
            if told:
                what, files = ", ".join(sorted(told)), f"{one_line(first)}, {one_line(name)}"
                yield run, f"logs differ in {what}: keep those of one setting ({files})"
                break


def _measures(one: Summary) -> Iterator[tuple[str, tuple[float, str] | None]]:
    for scorer, score in (one.get("scores") or {}).items():
        value = score["value"]
        parts = value if isinstance(value, Mapping) else {"": value}
        for name, part in parts.items():
            number = as_number(part)
            known = None if number is None else (number, str(score.get("answer") or ""))
            yield f"{scorer}/{name}".rstrip("/"), known


def describe_replaced(scores: Scores) -> list[str]:
    """A sentence for each task and model of which several attempts at samples were given."""
    return [
        f"{one_line(task)}, {one_line(model)}: {n} attempt{'s' * (n > 1)} at samples gave way to "
        "later ones (compare two runs with askew compare A B)"
        for (task, model), n in scores.replaced.items()
    ]


def describe_missing(scores: Scores) -> list[str]:
    """A sentence for each task and model of which samples, or all of them, have no score."""
    lost = {run: describe_lost(of) for run, count in scores.lost.items() if (of := +count)}
    said = {run: f"samples without a score: {of}" for run, of in lost.items()}
    return [
        f"{one_line(task)}, {one_line(model)}: {why}"
        for (task, model), why in {**said, **scores.refused}.items()
    ]


def describe_lost(lost: Mapping[str, int]) -> str:
    """How many samples have no score, and why."""
    return ", ".join(f"{n} {mask_secrets(why)}" for why, n in lost.items())

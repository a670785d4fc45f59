"""The scores of any Inspect log, whoever wrote its task: one row a sample, epoch and measure.

A measure is a scorer's name, or `scorer/key` where its value has several. Letters are what Inspect
takes them for (C is 1, P is 0.5, I and N are 0); what is no number is counted, not guessed at.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd
from inspect_ai.log import EvalLog
from inspect_ai.scorer import CORRECT, INCORRECT, NOANSWER, PARTIAL, value_to_float

from askew.logs.attempts import AskedSummary, is_rescored, seconds
from askew.logs.locations import FoundLog, Logs, find_logs
from askew.logs.read import opened, samples_of, unreadable
from askew.logs.runs import log_settings
from askew.parameters import SelectionError, name_hint
from askew.progress import reading_progress
from askew.schema import Scalar
from askew.untrusted import masked, one_line

COLUMNS = ("task", "model", "measure", "sample_id", "epoch", "value", "cluster", "answer", "input",
           "target", "log")  # fmt: skip
_LETTERS = {CORRECT, INCORRECT, NOANSWER, PARTIAL}
_WORDS = {"yes", "no", "true", "false"}
_INVALID = "were declared invalid"
_number = value_to_float()
Run = tuple[str, str]
"""A task and a model."""


@dataclass(frozen=True)
class Scores:
    """What logs say of samples, the settings of each task and model, and what is no score."""

    rows: pd.DataFrame
    settings: Mapping[Run, Mapping[str, Scalar]]
    lost: Mapping[Run, Counter[str]] = field(default_factory=dict)
    """Why samples have no score, and how many."""
    unread: tuple[str, ...] = ()


def read_scores(logs: Logs, *, cluster_by: str = "", quiet: bool = True) -> Scores:
    """Read the scores of logs; of a sample that was asked or scored several times, the last.

    Args:
        logs: Files, folders, addresses or `EvalLog`s.
        cluster_by: A key of the samples' metadata that names each sample's cluster.
        quiet: No progress on stderr.

    Returns:
        The scores.

    Raises:
        ValueError: A task was run on one model under several settings.
    """
    found = find_logs(logs)
    asked: dict[tuple[Run, str, int], tuple[tuple[float, ...], FoundLog, AskedSummary]] = {}
    settings: dict[Run, dict[str, dict[str, Scalar]]] = {}
    unread = []
    with reading_progress(len(found), quiet) as on_read:
        for log in found:
            try:
                if log.problem:
                    raise OSError(log.problem)
                header, samples = opened(log, _contents)
            except Exception as error:  # a damaged file can fail anywhere in its reader
                unread.append(f"{log.name}: {unreadable(log, error).why}")
            else:
                run = header.eval.task, header.eval.model
                settings.setdefault(run, {})[log.name] = log_settings(header)
                for rank, one in _ranked(log, header, samples):
                    key = run, str(one.id), one.epoch
                    if key not in asked or rank >= asked[key][0]:
                        asked[key] = rank, log, one
            on_read(log.name)
    _check_one_setting(settings)
    rows: list[tuple[Any, ...]] = []
    lost: dict[Run, Counter[str]] = {}
    for (run, name, epoch), (_, log, one) in asked.items():
        why = one.error and (_INVALID if one.error == _INVALID else "ended in an error")
        made = {} if why else dict(_measures(one))
        count = lost.setdefault(run, Counter())
        if not made:
            count[why or "have no score"] += 1
        count.update(f"have no number as {m}" for m, of in made.items() if of is None)
        cluster = str(one.metadata.get(cluster_by, name)) if cluster_by else name
        shown = _asked(one.input), str(one.target)
        rows += [
            (*run, m, name, epoch, of[0], cluster, of[1], *shown, log.location)
            for m, of in made.items() if of is not None
        ]  # fmt: skip
    if cluster_by and not any(cluster_by in one.metadata for _, _, one in asked.values()):
        keys = sorted({key for _, _, one in asked.values() for key in one.metadata})
        raise SelectionError(f"cluster_by={cluster_by!r}: {name_hint(cluster_by, keys)}")
    first = {run: next(iter(of.values())) for run, of in settings.items()}
    return Scores(pd.DataFrame(rows, columns=[*COLUMNS]), first, lost, tuple(unread))


def _asked(given: Any) -> str:
    """What was asked, without the ids that Inspect draws anew for the messages of each run."""
    if not isinstance(given, list):
        return str(given)
    turns = [m if isinstance(m, Mapping) else m.model_dump(mode="json") for m in given]
    return json.dumps([[turn.get("role"), turn.get("content")] for turn in turns], default=str)


def _contents(log: FoundLog, header: EvalLog, archive: Any) -> tuple[EvalLog, list[AskedSummary]]:
    samples = samples_of(log.location, header, archive, AskedSummary)
    return header.model_copy(update={"samples": None}), [
        one if not invalid else one.model_copy(update={"error": _INVALID})
        for one, invalid in samples
    ]


def _ranked(
    log: FoundLog, header: EvalLog, samples: list[AskedSummary]
) -> Iterator[tuple[tuple[float, ...], AskedSummary]]:
    """The samples with what tells which of several attempts stands: the highest."""
    began = max(seconds(header.stats.completed_at), seconds(header.eval.created))
    written = began if log.written is None else log.written
    for one in samples:
        ended = seconds(one.completed_at)
        yield (ended if ended > -math.inf else began, float(is_rescored(log)), written), one


def _check_one_setting(settings: Mapping[Run, Mapping[str, Mapping[str, Scalar]]]) -> None:
    for (task, model), of in settings.items():
        (first, base), *others = of.items()
        for name, other in others:
            if differing := {k for k in (*base, *other) if base.get(k) != other.get(k)}:
                raise ValueError(
                    f"{task}, {one_line(model)}: {first} and {name} differ in "
                    f"{', '.join(sorted(differing))}: give the files of one run a side"
                )


def _measures(one: AskedSummary) -> Iterator[tuple[str, tuple[float, str] | None]]:
    for scorer, score in (one.scores or {}).items():
        value = score.value
        parts = value if isinstance(value, Mapping) else {"": value}
        for name, part in parts.items():
            number = as_number(part)
            known = None if number is None else (number, str(score.answer or ""))
            yield f"{scorer}/{name}".rstrip("/"), known


def as_number(value: Any) -> float | None:
    """A score's value as a number, as Inspect has it; None where it is none."""
    if isinstance(value, str):
        word = value.strip().lower()
        if value not in _LETTERS and word not in _WORDS:
            try:
                value = float(value)
            except ValueError:
                return None
        else:
            value = _number(value)
    if not isinstance(value, bool | int | float) or not math.isfinite(value):
        return None
    return float(value)


def describe_lost(lost: Mapping[str, int]) -> str:
    """How many samples have no score, and why."""
    return ", ".join(f"{n} {masked(why)}" for why, n in lost.items())

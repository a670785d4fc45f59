"""Several askings of one sample: which one stands."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from askew.logs.locations import Place
from askew.logs.log_files import ReadLog
from askew.logs.samples import Attempt, seconds

# The name that `inspect score` proposes for a log that it scored again.
_RESCORED = re.compile(r"-scored(-\d+)?\.(eval|json)$")

SampleKey = tuple[str, str, int]
Ranked = tuple[tuple[float, ...], Attempt]


@dataclass(frozen=True)
class Standing:
    """The attempts of one log that stand, and how many gave way to others."""

    attempts: Sequence[Attempt]
    superseded: int
    after_score: frozenset[tuple[str, int]]
    """Of those that stand unobserved, the ones that an earlier attempt had been scored on."""


def standing(logs: Sequence[ReadLog], runs: Sequence[str]) -> list[Standing]:
    """The attempt of each sample and epoch of a run that stands.

    The attempt that ended last stands, also where it ended in an error. A retried or resumed run
    copies the samples that it keeps, and a log scored again copies all of them: of such copies,
    which ended at the same time, one that was scored again stands, then that of the log written
    last, then that of the log given last.

    Args:
        logs: what was read.
        runs: the run that each log belongs to.
    """
    best: dict[SampleKey, Ranked] = {}
    scored: set[SampleKey] = set()
    for number, (log, run) in enumerate(zip(logs, runs, strict=True)):
        began, written = _times(log)
        again = is_rescored(log.place)
        for attempt in log.attempts:
            key = (run, attempt.sample_id, attempt.epoch)
            ended = attempt.completed if attempt.completed > -math.inf else began
            rank = (ended, float(again or attempt.rescored), written, float(number))
            if key not in best or rank >= best[key][0]:
                best[key] = (rank, attempt)
            if attempt.row is not None:
                scored.add(key)
    return [_standing_of(log, run, best, scored) for log, run in zip(logs, runs, strict=True)]


def _standing_of(
    log: ReadLog, run: str, best: Mapping[SampleKey, Ranked], scored: set[SampleKey]
) -> Standing:
    kept = [a for a in log.attempts if best[(run, a.sample_id, a.epoch)][1] is a]
    regretted = (a for a in kept if a.row is None and (run, a.sample_id, a.epoch) in scored)
    return Standing(
        kept,
        len(log.attempts) - len(kept),
        frozenset((a.sample_id, a.epoch) for a in regretted),
    )


def is_rescored(place: Place) -> bool:
    """Whether the file's name says that it was scored again."""
    return bool(_RESCORED.search(place.name))


def _times(log: ReadLog) -> tuple[float, float]:
    """When the log's samples ended, for samples that don't say, and when it was written."""
    stats = log.header.stats
    ended = max(seconds(stats.completed_at), seconds(log.header.eval.created))
    written = log.place.written
    return ended, ended if written is None else written


def never_asked(logs: Sequence[ReadLog], runs: Sequence[str]) -> list[int]:
    """For each log, how many of the samples it set out to ask are in no log of its run.

    A sample that several logs set out to ask counts for the last of them.
    """
    present = {
        (run, a.sample_id, a.epoch)
        for log, run in zip(logs, runs, strict=True)
        for a in log.attempts
    }
    missing = [0] * len(logs)
    for number in reversed(range(len(logs))):
        planned = {(runs[number], *sample) for sample in _planned(logs[number])}
        absent = planned - present
        missing[number] = len(absent)
        present |= absent
    return missing


def _planned(log: ReadLog) -> Iterable[tuple[str, int]]:
    spec = log.header.eval
    for epoch in range(1, (spec.config.epochs or 1) + 1):
        for sample_id in spec.dataset.sample_ids or []:
            yield str(sample_id), epoch

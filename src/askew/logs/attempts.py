"""What each sample of a log came to, and which of several askings of one sample stands."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from inspect_ai.log import EvalLog, EvalPlan, EvalPlanStep

from askew.logs.bounds import MOST_EPOCHS, cut, odd_fields, plain
from askew.logs.fields import NEEDED, complete, odd_row
from askew.logs.locations import FoundLog
from askew.logs.summaries import SampleTold, ScoreTold
from askew.schema import (
    ONE_STEP,
    SET_ASIDE,
    STOPPED_BY,
    TREATMENTS,
    Paper,
    observation_row,
)
from askew.untrusted import one_line

if TYPE_CHECKING:
    from askew.logs.packed import Rows
    from askew.logs.runs import RunSettings

# Which step of the chain puts each treatment into the dialogue.
_STEP_OF = {
    "system_prompt": "system_prompt",
    "framing": "framing_insertion",
    "reflection": "multi_turn_reflection",
    "format_instruction": "format_instruction",
}
# The name that `inspect score` proposes for a log that it scored again.
_RESCORED = re.compile(r"-scored(-\d+)?\.(eval|json)$")


@dataclass(frozen=True, slots=True)
class Attempt:
    """One asking of a sample in one epoch: its row, or what kept it from being observed."""

    sample_id: str
    epoch: int
    completed: float
    """When it ended, in seconds; minus infinity where the log does not say."""
    rescored: bool
    """Whether it was scored again after the run, beside the first score."""
    row: dict[str, Any] | int | None
    """Its observation; of a log that another process read, the place among the log's rows."""
    what: str = ""
    why: str = ""


@dataclass(frozen=True)
class ReadLog:
    """A log of one of our tasks: its header without samples, and what each sample came to."""

    found: FoundLog
    paper: Paper
    header: EvalLog
    settings: RunSettings
    run: str
    """Equal for logs of one run."""
    attempts: Sequence[Attempt] = field(repr=False)
    rows: Rows | None = field(default=None, repr=False)
    """The observations, where another process read them."""


def attempt(
    summary: SampleTold,
    paper: Paper,
    missing_steps: frozenset[str],
    invalid: bool,
) -> Attempt:
    """What a sample of a log came to.

    Args:
        summary: the sample, as Inspect keeps it beside the full one.
        paper: the paper whose scorer counts.
        missing_steps: treatments that no step of the log's plan applied.
        invalid: whether somebody declared it so.
    """
    sample_id, metadata = id_of(summary.id), summary.metadata
    completed = seconds(summary.completed_at)
    score, again = _own_score(summary.scores or {}, paper.task)
    row: dict[str, Any] | None = None
    what = why = ""
    if invalid:
        what, why = "invalidated", "the sample was declared invalid after the run"
    elif summary.error is not None:
        # Also where `score_on_error` gave it a score: what was scored is not the whole dialogue.
        what, why = "errored", summary.error or "no reason is given"
    elif summary.limit is not None:
        what, why = "limited", f"stopped by its {summary.limit} limit"
    elif missing_steps and (
        undone := [t for t in TREATMENTS if t in missing_steps & set(metadata)]
    ):
        what, why = "replaced solver", f"the solver that ran has no step for: {', '.join(undone)}"
    elif not 1 <= summary.epoch <= MOST_EPOCHS:
        what, why = "malformed", f"its epoch is none from 1 to {MOST_EPOCHS:,}"
    elif score is None:
        others = f", only by {', '.join(sorted(summary.scores))}" if summary.scores else ""
        what, why = "unscored", f"not scored by {paper.task}_scorer{others}"
    else:
        if paper.told_by_score:
            metadata = score.metadata or {}
        what, why = _unscored(score, metadata)
        if not what and isinstance(score.value, Mapping):
            values = {k: float(v) for k, v in score.value.items() if isinstance(v, int | float)}
            told = observation_row(metadata, values, score.answer, score.metadata)
            told["epoch"] = summary.epoch
            complete(told, paper)
            if odd := odd_fields(tuple(told)) or odd_row(told, paper):
                what, why = "malformed", odd
            else:
                row = {name: plain(value) for name, value in told.items()}
    return Attempt(sample_id, summary.epoch, completed, again, row, what, one_line(why))


def id_of(sample_id: object) -> str:
    """A sample's id, as all that is read of a log names it."""
    return cut(str(sample_id))


def is_own_score(name: str, task: str) -> bool:
    """Whether a score of this name is by the paper's scorer, of the run or of a later scoring."""
    return _scoring(name, task) is not None


def _scoring(name: str, task: str) -> int | None:
    """0 for the run's own score, 1 and more for those appended later, none for other scorers.

    Inspect appends a second score as `<name>1`, where it numbers scorers, or as `<name>-1`,
    where it numbers scores.
    """
    own = f"{task}_scorer"
    bare = name.removeprefix("askew/")
    if not bare.startswith(own):
        return None
    number = bare.removeprefix(own).removeprefix("-")
    if number and not (number.isascii() and number.isdecimal()):
        return None
    return int(number[:9] or 0)


def _own_score(scores: Mapping[str, ScoreTold], task: str) -> tuple[ScoreTold | None, bool]:
    """The latest score by the paper's scorer, and whether it was appended to an earlier one."""
    own = [(n, name) for name in scores if (n := _scoring(name, task)) is not None]
    number, name = max(own, default=(0, ""))
    return scores.get(name), number > 0


def _unscored(score: ScoreTold, metadata: Mapping[str, Any]) -> tuple[str, str]:
    """What keeps a score from being an observation, and why; two empty texts if nothing does."""
    value = score.value
    if isinstance(value, float) and math.isnan(value):
        if score.reason == SET_ASIDE:
            return SET_ASIDE, score.explanation or "no reason is given"
        why = [t for t in (score.reason, score.explanation) if t]
        return "unscored", ": ".join(why) or "no reason is given"
    if not isinstance(value, Mapping) or not value:
        return "malformed", "its score is not a set of measures"
    if odd := odd_fields(tuple(value)):
        return "malformed", odd
    for name, measure in value.items():
        if not isinstance(measure, int | float):
            return "malformed", f"measure {name} is not a number"
        if not 0 <= measure <= 1:
            return "malformed", f"measure {name} is not between 0 and 1"
    lacking = [k for k in NEEDED if not isinstance(metadata.get(k), str | int)]
    if lacking:
        return "malformed", f"its metadata lacks {', '.join(lacking)}"
    return "", ""


def undone_treatments(plan: EvalPlan) -> frozenset[str]:
    """Treatments that no step of the plan applies; none where the log does not have a plan.

    A log that was built from replies that existed before has no plan: whoever built it says
    how they were asked.
    """
    steps = {name.removeprefix("askew/") for step in plan.steps for name in _names_in(step)}
    return (
        frozenset(t for t, step in _STEP_OF.items() if step not in steps) if steps else frozenset()
    )


def _names_in(step: EvalPlanStep) -> Iterator[str]:
    """The step's solver, and those that `one_step` runs within it."""
    yield step.solver
    within = (step.params or {}).get("steps")
    if step.solver.removeprefix("askew/") == ONE_STEP and isinstance(within, list):
        yield from (str(part.get("name")) for part in within if isinstance(part, Mapping))


def seconds(when: str | None) -> float:
    """A time of a log in seconds; minus infinity where there is none."""
    if not when:
        return -math.inf
    try:
        moment = datetime.fromisoformat(when)
    except ValueError:
        return -math.inf
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


@dataclass(frozen=True)
class Standing:
    """The attempts of one log that stand, how many gave way to others, and how many are in none."""

    log: ReadLog
    attempts: Sequence[Attempt]
    superseded: int
    after_score: frozenset[tuple[str, int]]
    """Of those that stand unobserved, the ones that an earlier attempt had been scored on."""
    never_asked: int
    """Samples that it set out to ask, as the last log of its run, and that none of them holds."""
    stopped: int
    """Of those that no log of its run holds: samples that it was not to ask any more."""


def standing(logs: Sequence[ReadLog]) -> list[Standing]:
    """The attempt of each sample and epoch of a run that stands, by log.

    The attempt that ended last stands, also where it ended in an error. A retried or resumed run
    copies the samples that it keeps, and a log scored again copies all of them: of such copies,
    which ended at the same time, one that was scored again stands, then that of the log written
    last, then that of the log given last.
    """
    best: dict[tuple[str, str, int], tuple[tuple[float, ...], Attempt]] = {}
    scored: set[tuple[str, str, int]] = set()
    for number, log in enumerate(logs):
        # When its samples ended that don't say so, and when it was written.
        began = max(seconds(log.header.stats.completed_at), seconds(log.header.eval.created))
        written = began if log.found.written is None else log.found.written
        again = bool(_RESCORED.search(log.found.name))
        for one in log.attempts:
            key = (log.run, one.sample_id, one.epoch)
            ended = one.completed if one.completed > -math.inf else began
            rank = (ended, float(again or one.rescored), written, float(number))
            if key not in best or rank >= best[key][0]:
                best[key] = (rank, one)
            if one.row is not None:
                scored.add(key)
    lacking = _lacking(logs, best)
    standings = []
    for number, log in enumerate(logs):
        kept = [a for a in log.attempts if best[log.run, a.sample_id, a.epoch][1] is a]
        regretted = {(a.sample_id, a.epoch) for a in kept if a.row is None}
        after_score = frozenset(r for r in regretted if (log.run, *r) in scored)
        superseded = len(log.attempts) - len(kept)
        standings.append(Standing(log, kept, superseded, after_score, *lacking[number]))
    return standings


def early_stops(header: EvalLog) -> frozenset[tuple[str, int]]:
    """The samples that a run did not ask because its headline was known well enough, by epoch."""
    told = header.results.early_stopping if header.results else None
    if told is None or told.manager != STOPPED_BY:
        return frozenset()
    return frozenset((id_of(stop.id), stop.epoch) for stop in told.early_stops)


def _lacking(
    logs: Sequence[ReadLog], held: Collection[tuple[str, str, int]]
) -> dict[int, tuple[int, int]]:
    """Of each log: samples that it was the last of its run to set out for, and nobody holds.

    How many were to be asked, and how many were not to be asked any more. Epochs are counted, not
    walked through: a log may say that it has any number of them.
    """
    there: dict[tuple[str, str], set[int]] = defaultdict(set)
    for run, sample_id, epoch in held:
        there[run, sample_id].add(epoch)
    asked: dict[tuple[str, str], int] = {}
    lacking = {}
    for number, log in reversed([*enumerate(logs)]):
        spec = log.header.eval
        epochs = spec.config.epochs or 1
        enough: dict[str, set[int]] = defaultdict(set)
        for sample_id, epoch in early_stops(log.header):
            enough[sample_id].add(epoch)
        absent = stopped = 0
        for sample_id in dict.fromkeys(map(id_of, spec.dataset.sample_ids or [])):
            of = log.run, sample_id
            new = range(asked.get(of, 0) + 1, epochs + 1)
            asked[of] = max(asked.get(of, 0), epochs)
            over = sum(e in new for e in enough[sample_id] - there[of])
            absent += len(new) - over - sum(e in new for e in there[of])
            stopped += over
        lacking[number] = absent, stopped
    return lacking

"""What each sample of a log came to, and which of several askings of one sample stands."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import cache
from typing import Any

from inspect_ai.log import EvalLog, EvalPlan
from pydantic import ValidationError

from askew.logs.locations import FoundLog
from askew.logs.runs import RunSettings, run_id, score_number
from askew.papers import get_paper
from askew.schema import (
    INVALID_ITEM,
    OLD_INVALID_ITEM,
    ONE_STEP,
    STOPPED_BY,
    TREATMENTS,
    Paper,
    SampleMeta,
    Scalar,
    observation_row,
)
from askew.stats.tables import OVERALL
from askew.untrusted import make_whole, mask_secrets, one_line

# Which step of the chain puts a treatment into the dialogue, where its name is another.
_STEP_OF = {"framing": "framing_insertion", "reflection": "multi_turn_reflection"}
# Samples that have no score, for the model's or the run's fault.
_LOST = ("errored", "limited", "unscored")
# What stands between a request and what was wrong with it, where an error quotes both.
_AFTER_REQUEST = re.compile(r"(?:\n|\\n)\}(?:\n|\\n){2}")
# What places a sample; a log may name any of them by a number.
_PLACE = ("item", "cluster", "subset")
# A damaged log can state what no memory takes.
_MOST_PLANNED = 10_000_000
# The name that `inspect score` proposes for a log that it scored again.
_RESCORED = re.compile(r"-scored(-\d+)?\.(eval|json)$")

Summary = Mapping[str, Any]
"""The fields of Inspect's `EvalSampleSummary`; what is unset may be absent."""
Sample = tuple[str, str, int]
"""A run, the id of one of its samples, and its epoch."""
Loss = tuple[str, str]
"""What kept a sample from being observed, and why."""
Note = tuple[str, int, str]
"""What it is, of how many samples or logs, and why."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One asking of a sample in one epoch: its row, or what kept it from being observed."""

    sample_id: str
    epoch: int
    rank: tuple[float, ...]  # of several the highest stands; see `latest_attempts`
    row: dict[str, Any] | None
    what: str = ""
    why: str = ""
    lost: dict[str, Any] | None = None
    """Item and condition of a sample without a score, as its metadata has them."""


@dataclass(frozen=True)
class ReadLog:
    """A log of one of our tasks: its header, without plan and samples, and its samples' attempts.

    Processes send it to each other.
    """

    found: FoundLog
    task: str
    header: EvalLog
    settings: RunSettings
    run: str  # equal for logs of one run
    attempts: Sequence[Attempt] = field(repr=False)
    notes: Sequence[Note] = ()
    superseded: int = 0  # attempts that gave way to others; then `attempts` are those that stand
    not_run: int = 0
    """Samples that it set out to ask, as the last log of its run, and that no log of it has."""
    stopped: int = 0  # of such samples, those that it was not to ask any more


def attempts_of(
    found: FoundLog, header: EvalLog, paper: Paper, samples: Iterable[tuple[Summary, bool]]
) -> list[Attempt]:
    """Say what the samples of a log came to, of which each comes with whether it is invalid."""
    undone = undone_treatments(header.plan)
    rank = rank_in(found, header)
    attempts = []
    planned = planned_samples(header)
    for summary, invalid in samples:
        # The paper's own scorer may have scored it again later: the last stands.
        numbers = {score_number(name, paper.task): name for name in summary.get("scores") or ()}
        latest = max((number for number in numbers if number is not None), default=-1)
        name, epoch = str(summary["id"]), int(summary["epoch"])
        result: dict[str, Any] | Loss | None = _loss_reason(summary, undone, invalid)
        if planned and (name, epoch) not in planned:
            result = "unplanned", "the sample is not in the plan of the run"
        result = result or _observe(summary, numbers.get(latest), paper)
        row, (what, why) = (result, ("", "")) if isinstance(result, dict) else (None, result)
        lost = None
        if what in _LOST:
            score = (summary.get("scores") or {}).get(numbers.get(latest)) or {}
            told = (score if paper.told_by_score else summary).get("metadata") or {}
            told = observation_row(told, {"epoch": epoch}, None, None)
            known = {k: v for k, v in told.items() if isinstance(v, Scalar)} | {"outcome": what}
            known |= {name: str(known[name]) for name in _PLACE if name in known}
            # Without its condition it is of no use.
            lost = None if _misfit(known, paper) else make_whole(known)
        why = one_line(mask_secrets(why))
        attempts.append(Attempt(name, epoch, rank(summary, latest > 0), row, what, why, lost))
    if paper.told_by_score:
        attempts = [*_placed(attempts)]
    # By epoch, then as the task ordered its samples, not as they happened to finish.
    place = {str(name): n for n, name in enumerate(header.eval.dataset.sample_ids or [])}
    return sorted(attempts, key=lambda one: (one.epoch, place.get(one.sample_id, len(place))))


def _placed(attempts: Sequence[Attempt]) -> Iterator[Attempt]:
    """The attempts of a log of bend; without a score a sample's id tells its item and arm."""
    names = ("arm", "treatment", "subset")
    rows = [{n: one.row[n] for n in names} for one in attempts if one.row]
    arms = {row["arm"]: row for row in rows}
    for one in attempts:
        item, _, arm = one.sample_id.rpartition("/")
        if rows and item and one.what in _LOST and one.lost is None:
            # Of an arm without any score its name is all that is known.
            at = arms.get(arm, rows[0] | {"arm": arm, "treatment": arm})
            at = at | {"item": item, "cluster": item, "epoch": one.epoch, "outcome": one.what}
            one = replace(one, lost=make_whole(at))
        yield one


def rank_in(log: FoundLog, header: EvalLog) -> Callable[..., tuple[float, ...]]:
    """How the attempts of a log rank, given whether they were scored again: the highest stands."""
    # When its samples ended that don't say so, and when it was written.
    began = max(seconds(header.stats.completed_at), seconds(header.eval.created))
    written = began if log.written is None else log.written
    is_rescored = bool(_RESCORED.search(log.name))

    def rank(summary: Summary, again: bool = False) -> tuple[float, ...]:
        ended = seconds(summary.get("completed_at"))
        return ended if ended > -math.inf else began, float(is_rescored or again), written

    return rank


def _loss_reason(summary: Summary, missing_steps: frozenset[str], invalid: bool) -> Loss | None:
    """What keeps a sample from being observed whatever its score is, and why."""
    if invalid:
        return "invalidated", "the sample was declared invalid after the run"
    if (error := summary.get("error")) is not None:
        # Also where `score_on_error` gave it a score: what was scored is not the whole dialogue.
        *request, reason = _AFTER_REQUEST.split(error)
        if request:
            reason = reason.replace("\\'", "'").removesuffix("')")
        return "errored", reason or error or "no reason is given"
    if (limit := summary.get("limit")) is not None:
        return "limited", f"stopped by its {limit} limit"
    metadata = summary.get("metadata") or {}
    if undone := [t for t in TREATMENTS if t in missing_steps and t in metadata]:
        return "replaced solver", f"the solver that ran has no step for: {', '.join(undone)}"
    return None


def _observe(summary: Summary, scorer: str | None, paper: Paper) -> dict[str, Any] | Loss:
    """The row of a sample by a scorer's score; or what keeps it from being one, and why."""
    scores = summary.get("scores") or {}
    if scorer is None:
        others = f", only by {', '.join(sorted(scores))}" if scores else ""
        return "unscored", f"not scored by {paper.task}_scorer{others}"
    score = scores[scorer]
    value, reason, explanation = map(score.get, ("value", "reason", "explanation"))
    if isinstance(value, float) and math.isnan(value):
        if reason in (INVALID_ITEM, OLD_INVALID_ITEM):
            return INVALID_ITEM, explanation or "no reason is given"
        why = ": ".join(filter(None, (reason, explanation)))
        return "unscored", why or "no reason is given"
    if not isinstance(value, Mapping) or not value:
        return "malformed", "its score is not a set of measures"
    for name, measure in value.items():
        if not isinstance(measure, int | float):
            return "malformed", f"measure {name} is not a number"
        if not 0 <= measure <= 1:
            return "malformed", f"measure {name} is not between 0 and 1"
    details = score.get("metadata")
    metadata = (details if paper.told_by_score else summary.get("metadata")) or {}
    values = {name: float(measure) for name, measure in value.items()}
    row = observation_row(metadata, values, score.get("answer"), details)
    row |= {"epoch": summary["epoch"], "sample_id": str(summary["id"])}
    _, usual = _sample_meta(paper.task)
    row |= {name: str(row[name]) for name in _PLACE if type(row.get(name)) is int}
    row |= {n: v for n, v in usual.items() if n not in row}
    why = _lacking(row, paper) or paper.impossible(row)
    return ("malformed", why) if why else row


def _misfit(row: Mapping[str, Any], paper: Paper) -> str:
    """Say what a sample's metadata lacks, or what in it is wrong; empty where it fits its paper."""
    meta, _ = _sample_meta(paper.task)
    try:
        meta.model_validate({"task": paper.task, **row}, strict=True)
    except ValidationError as error:
        problems = error.errors(include_url=False)
        if lacking := [str(p["loc"][0]) for p in problems if p["type"] == "missing"]:
            return f"its metadata lacks {', '.join(lacking)}"
        first = problems[0]
        return f"its {first['loc'][0]} is {one_line(repr(first['input']), 60)}: {first['msg']}"
    return ""


def _lacking(row: Mapping[str, Any], paper: Paper) -> str:
    """Say why there is no number of a row, as in a log of another origin; empty where there is."""
    if misfit := _misfit(row, paper):
        return misfit
    # Of somebody else's samples each has the measures of its own treatment.
    needed = [paper.split_of] if paper.told_by_score else paper.measures
    for name in needed:
        if row.get(name) is None and name not in paper.added_measures:
            return f"its score lacks {name}"
    for name in ("subset", *(factor.name for factor in paper.factors)):
        if row.get(name) == OVERALL:
            return f'its {name} is "{OVERALL}", which stands for all of them together'
    return ""


@cache
def _sample_meta(task: str) -> tuple[type[SampleMeta], Mapping[str, str]]:
    """What the paper's samples carry, and the conditions they are under where they don't say."""
    paper = get_paper(task)
    there = [one for one in vars(paper.part("paper")).values() if isinstance(one, type)]
    own = [one for one in there if issubclass(one, SampleMeta) and one is not SampleMeta]
    meta = own[0] if own else SampleMeta
    fields = {factor.name: meta.model_fields.get(factor.name) for factor in paper.factors}
    return meta, {n: f.default for n, f in fields.items() if f and isinstance(f.default, str)}


def undone_treatments(plan: EvalPlan) -> frozenset[str]:
    """List treatments that no step of the plan applies; none where replies came without a plan."""
    names = {step.solver.removeprefix("askew/") for step in plan.steps}
    for step in plan.steps:
        if step.solver.removeprefix("askew/") == ONE_STEP:
            within = (step.params or {}).get("steps", ())
            names |= {str(part.get("name")).removeprefix("askew/") for part in within}
    return frozenset(t for t in TREATMENTS if names and _STEP_OF.get(t, t) not in names)


def seconds(when: str | None) -> float:
    """Read a time of a log, in seconds; minus infinity where there is none."""
    try:
        moment = datetime.fromisoformat(when or "")
    except ValueError:
        return -math.inf
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


def join_replies(logs: Sequence[ReadLog]) -> list[ReadLog]:
    """Make one run of a model's replies in several files, unless two files hold the same sample.

    Replies that name no sample have their file's digest as the revision of their questions.
    """
    of: dict[str, list[ReadLog]] = defaultdict(list)
    for log in logs:
        named = (log.header.eval.metadata or {}).get("data_items") != {}
        if not named and "replies" in log.settings.model:
            of[run_id(log.settings.of_revision(""))].append(log)
    joined: dict[str, RunSettings] = {}
    for files in of.values():
        logged = {(log.run, a.sample_id, a.epoch) for log in files for a in log.attempts}
        if len({sample[1:] for sample in logged}) == len(logged):
            revisions = sorted({str(log.settings.origin.get("revision")) for log in files})
            joined |= {f.run: f.settings.of_revision("+".join(revisions)) for f in files}
    return [
        replace(log, settings=joined[log.run], run=run_id(joined[log.run]))
        if log.run in joined
        else log
        for log in logs
    ]


def latest_attempts(logs: Sequence[ReadLog]) -> list[ReadLog]:
    """The logs with the attempt of each sample and epoch of a run that stands.

    The attempt that ended last stands, also where it ended in an error. A retried or resumed run
    copies the samples that it keeps, and a log scored again copies all of them: of such copies,
    which ended at the same time, one that was scored again stands, then that of the log written
    last, then that of the log given last.
    """
    best: dict[Sample, Attempt] = {}
    for log in logs:
        for one in log.attempts:
            key = (log.run, one.sample_id, one.epoch)
            if key not in best or one.rank >= best[key].rank:
                best[key] = one
    scored = {(g.run, a.sample_id, a.epoch) for g in logs for a in g.attempts if a.row is not None}
    standings = []
    expected: set[Sample] = set()  # what later logs of the runs set out to ask
    counted: set[str] = set()
    for log in reversed(logs):
        attempts = []
        for one in log.attempts:
            key = (log.run, one.sample_id, one.epoch)
            if best[key] is one:
                again = one.row is None and key in scored
                why = f"{one.why} (an earlier attempt was scored)" if again else one.why
                attempts.append(replace(one, why=why))
        planned = {(log.run, *one) for one in planned_samples(log.header)}
        absent = planned - expected - best.keys()
        stopped = len(absent & {(log.run, *stop) for stop in early_stops(log.header)})
        not_run = len(absent) - stopped
        if not planned and log.run not in counted:
            # Of a log that lists no ids it is known how many there were to be.
            not_run = max(0, n_planned(log.header) - sum(run == log.run for run, *_ in best))
        expected |= planned
        counted.add(log.run)
        standings.append(
            replace(
                log, attempts=attempts, superseded=len(log.attempts) - len(attempts),
                not_run=not_run, stopped=stopped,
            )
        )  # fmt: skip
    return standings[::-1]


def early_stops(header: EvalLog) -> frozenset[tuple[str, int]]:
    """List what a run did not ask because its headline was known well enough: ids and epochs."""
    stops = header.results.early_stopping if header.results else None
    if stops is None or stops.manager != STOPPED_BY:
        return frozenset()
    return frozenset((str(stop.id), stop.epoch) for stop in stops.early_stops)


def planned_samples(header: EvalLog) -> Set[tuple[str, int]]:
    """List what a run set out to ask, ids and epochs; nothing where its log lists no ids."""
    ids, epochs = header.eval.dataset.sample_ids or [], header.eval.config.epochs or 1
    if len(ids) * epochs > _MOST_PLANNED:
        raise ValueError(f"its header states {len(ids) * epochs:,} samples")
    return {(str(name), epoch) for name in ids for epoch in range(1, epochs + 1)}


def n_planned(header: EvalLog) -> int:
    spec = header.eval
    known = len(spec.dataset.sample_ids or ()) or spec.dataset.samples or 0
    return known * (spec.config.epochs or 1)

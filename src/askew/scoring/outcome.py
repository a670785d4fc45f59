"""From a sample's output to a score, the same way in every task.

Failures are routed by whose fault they are: no output is the machinery's (unscored), an empty,
cut or refused reply is the model's (scored, wrong), an undecided grader's is unscored.

Metrics as Inspect shows them are those of `askew.metrics` over a task's live scores, from the first
scored sample on.
"""

import math
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any, Literal, TypeVar

import click
import pandas as pd
from inspect_ai.hooks import Hooks, RunEnd, hooks
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import (
    CORRECT,
    INCORRECT,
    NOANSWER,
    PARTIAL,
    Metric,
    MetricProtocol,
    SampleScore,
    Score,
    Scorer,
    accuracy,
    metric,
    stderr,
    value_to_float,
)
from inspect_ai.solver import TaskState
from inspect_ai.util import display_type, registry_info, sample_limits

from askew.papers import get_paper
from askew.schema import Paper, observation_row
from askew.stats.tables import OVERALL, Interval
from askew.untrusted import make_whole, whole_characters

# Inspect's own words for why a score is abnormal.
_REASONS: Mapping[str, str] = {
    "refused": "refusal",
    "filtered": "refusal",
    "empty": "no_response",
    "unparsed": "invalid_response_format",
    "ambiguous": "invalid_response_format",
    "truncated": "invalid_response_format",
}
_LETTERS = (CORRECT, INCORRECT, NOANSWER, PARTIAL)
# How Inspect's client for Google words a response without candidates.
_NO_CANDIDATE = "(no content)"
# How many times as long as numbers took they stand while samples are asked.
_WAIT = 50
# A canonical answer is a label; a longer text is shown cut.
_LABEL = 120


def no_output(state: TaskState) -> Score | None:
    """An unscored score where the model never answered; nothing where it did.

    A prompt that a provider blocks is answered by its filter: some clients call that an error.
    """
    if state.output.choices and (not state.output.error or is_filtered(state.output)):
        return None
    why = state.output.error or "the model returned no output (an error or a limit ended it)"
    return Score.unscored(reason="scoring_failed", explanation=why, metadata={"epoch": state.epoch})


def is_truncated(output: ModelOutput) -> bool:
    """Whether the reply ended because it ran out of room."""
    return output.stop_reason in ("max_tokens", "model_length")


def is_filtered(output: ModelOutput) -> bool:
    """Whether the provider's content filter stopped the reply, also in the middle of it."""
    return output.stop_reason == "content_filter"


def reply_of(output: ModelOutput) -> str:
    """What the model said: nothing where a filter stopped it, or Inspect's client words it.

    What a filter let pass is a part of a reply, or the provider's word on why (some clients make
    a text of it). Clients also word a prompt longer than the context (nothing was used then) and
    a response without any candidate. Read as the model's, such words would be an answer.
    """
    text = whole_characters(output.completion)
    never = text == _NO_CANDIDATE or (output.stop_reason == "model_length" and not output.usage)
    return "" if never or is_filtered(output) else text


# What a paper makes of a reply: it has an outcome, says why, and whether it is settled.
Read = TypeVar("Read", bound=Any)
ANSWERED = ("ok", "frames_words")


def complete_reading(output: ModelOutput, read: Read, *others: str) -> Read:
    """A reading of a whole reply, or that it was cut before it answered, or withheld.

    What is settled holds for a part of a reply: an answer, and `others` of the outcomes.
    """
    if is_truncated(output) and not (read.settled and read.outcome in (*ANSWERED, *others)):
        ended, why = "truncated", "cut before an answer was given"
    elif is_filtered(output) and read.outcome not in ANSWERED:
        ended, why = "filtered", "withheld by a content filter"
    else:
        return read
    partial: Read = type(read)(ended, why=why)
    return partial


def make_score(
    state: TaskState,
    values: Mapping[str, float],
    answer: str | None,
    outcome: str,
    why: str,
    **details: str | float,
) -> Score:
    """A score with the shape that observations are read from."""
    return Score(
        value=dict(values),
        answer=label(answer) if answer else None,
        explanation=why,
        reason=_REASONS.get(outcome),
        metadata={"epoch": state.epoch, "outcome": outcome, **details},
    )


def make_unscored(state: TaskState, why: str, *, reason: str, **details: Any) -> Score:
    """No score: the grader reached no verdict, or the question is itself wrong."""
    metadata = {"epoch": state.epoch, "outcome": "undecided", **details}
    return Score.unscored(reason=reason, explanation=why, metadata=metadata)


def label(text: str) -> str:
    """A text as a short one-line label."""
    squeezed = " ".join(text.split())
    return squeezed if len(squeezed) <= _LABEL else squeezed[: _LABEL - 3] + "..."


Shown = Literal["few", "all"]
SHOWN: tuple[Shown, ...] = ("few", "all")
# Numbers beside the headline and its interval, where few are shown.
_BESIDE = 3
_ENDS = ("low", "high")


def observations_of(scores: Sequence[SampleScore]) -> pd.DataFrame:
    """The observation table of a task's scored samples."""
    rows = [
        observation_row(s.sample_metadata or {}, s.score.value, s.score.answer, s.score.metadata)
        for s in scores
        if isinstance(s.score.value, Mapping)
    ]
    return pd.DataFrame(make_whole(rows))


def flat(table: pd.DataFrame) -> dict[str, float]:
    """Metric rows as one dictionary: overall values first, then one a subset."""
    rows = zip(table["metric"], table["subset"], table["value"], strict=True)
    overall_first = sorted(rows, key=lambda row: row[1] != OVERALL)
    return {m if s == OVERALL else f"{s}_{m}": float(v) for m, s, v in overall_first}


# What makes the interval that `live` gives with the headline. Nulls would hold up the event loop.
_SHOWN = Interval(nulls=False)
BOUNDS: ContextVar[Interval] = ContextVar("bounds", default=_SHOWN)
# Takes why `live` gives no headline, or no interval of it, by its name.
REASONS: ContextVar[dict[str, str]] = ContextVar("reasons")


def live(
    paper: Paper,
    shown: Shown = "few",
    headline: str = "",
    *,
    named: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table,
    **how: Any,
) -> MetricProtocol:
    """A metric function over live scores: the headline with its interval, then the others.

    What is undefined is left out, and `REASONS` says why; before any sample is scored, the headline
    and its interval are nan. `named` makes rows of the paper's table (of which `how` are arguments)
    those to show, by their names in `metric`, with the index that they had.
    """
    lead = headline or paper.headlines[0]
    few = paper.console or [metric.name for metric in paper.metrics]
    known: dict[str, tuple[float, dict[str, Any]]] = {}

    def numbers(scores: list[SampleScore]) -> dict[str, Any]:
        rows = observations_of(scores)
        table = paper.table(rows, by=(), interval=None, **how) if len(rows) else pd.DataFrame()
        told = named(table) if len(table) else table.reindex(columns=["metric", "subset", "value"])
        found = flat(told)
        first = {lead: found.pop(lead, math.nan), **{f"{lead}_{e}": math.nan for e in _ENDS}}
        why = ""
        for at in told.index[(told["metric"] == lead) & (told["subset"] == OVERALL)]:
            row = table.loc[at]
            if not math.isnan(first[lead]):
                bounds = BOUNDS.get()
                alone = replace(bounds, only={tuple(row[:"value"][:-1]): (bounds.level,)})
                row = paper.table(rows, by=(), interval=alone, **how).iloc[0]
                first |= {f"{lead}_{end}": float(row[end]) for end in _ENDS}
            why = str(row["reason"])
        if math.isnan(first[f"{lead}_low"]) and (reasons := REASONS.get(None)) is not None:
            reasons[lead] = why or "no sample has it"
        if len(rows):
            first, found = (
                {n: v for n, v in of.items() if not math.isnan(v)} for of in (first, found)
            )
        if shown == "few":
            found = {name: found[name] for name in few if name in found}
            found = dict(islice(found.items(), _BESIDE))
        unread = len(paper.not_read(rows))
        return first | found | ({"not_read": unread / len(rows)} if unread else {})

    def compute(scores: list[SampleScore]) -> dict[str, Any]:
        # What decides whether to ask on is of the scores at hand, not of some time ago. Inspect
        # looks within a sample's time, and once more when all are asked: a fiftieth of the time
        # is enough, and in between the last numbers stand.
        explain_missing()
        model = ""
        if BOUNDS.get() is _SHOWN:
            with suppress(RuntimeError):  # outside of any sample
                sample_limits()
                model = str(get_model())
        started = time.monotonic()
        until, last = known.get(model, (started, {}))
        if started < until:
            return dict(last)
        found = numbers(scores)
        if model:
            ended = time.monotonic()
            known[model] = ended + _WAIT * (ended - started), found
        return dict(found)

    return compute


def live_metric(paper: Paper, **how: Any) -> Callable[..., Metric]:
    """A paper's metrics as Inspect registers and names them; `how` is that of `live`."""

    @metric(name=f"{paper.task}_metrics", scores="unreduced")
    def shows(shown: Shown = "few", headline: str = "") -> Metric:
        return live(paper, shown, headline, **how)

    return shows


def missing_in_words(log: EvalLog) -> str:
    """Why a log's results lack the primary metric, or its interval; empty where they have both."""
    told, results = log.eval.metadata or {}, log.results
    primary = str(told.get("primary_metric"))
    shown = {name for score in results.scores for name in score.metrics} if results else set()
    if log.status != "success" or not shown or f"{primary}_low" in shown:
        return ""
    name = f"{told['paper']}_scorer"
    samples = log.samples or read_eval_log(log.location).samples or []
    scores = [
        SampleScore(score=sample.scores[name], sample_metadata=sample.metadata)
        for sample in samples
        if sample.scores and name in sample.scores
    ]
    reasons: dict[str, str] = {}
    token = REASONS.set(reasons)
    shows = getattr(get_paper(told["paper"]).part("scorer"), f"{told['paper']}_metrics")
    try:
        shows("few", primary)(scores)
    finally:
        REASONS.reset(token)
    of = f"these {len(scores):,} samples" if len(scores) > 1 else "this 1 sample"
    lacks = "has no interval" if primary in shown else "is undefined"
    why = reasons.get(primary, "run more items")
    # Where samples are somebody else's they name none, and no stderr is shown.
    clusters = [(score.sample_metadata or {}).get("cluster") for score in scores]
    # Inspect has 0 for it, and no metric of a measure can leave itself out under its own name.
    alone = "; stderr is undefined for one cluster, not 0: run more items"
    has_one = None not in clusters and len({*clusters}) == 1
    return f"{primary} {lacks} for {of}: {why}{alone * has_one}"


@cache
def explain_missing() -> None:
    """Let Inspect know of it, once, and not before a run: Inspect lists all hooks at its start."""

    @hooks(name="missing_in_words", description="Says why a metric is missing.")
    class MissingInWords(Hooks):
        """Prints why a run shows no primary metric, or no interval, unless there is no display."""

        async def on_run_end(self, data: RunEnd) -> None:
            if display_type() != "none":
                ours = (log for log in data.logs if "primary_metric" in (log.eval.metadata or {}))
                for text in filter(None, map(missing_in_words, ours)):
                    click.echo(f"\n{text}\n")


def as_number(value: Any) -> float | None:
    """A score's value as a number, as Inspect has it; None where it is none."""
    text = value.strip() if isinstance(value, str) else ""
    if text in _LETTERS or text.lower() in ("yes", "no", "true", "false"):
        value = value_to_float()(text)
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def with_metrics(scorer: Scorer, metric: Metric) -> Scorer:
    """A scorer with another metric than the first of its decorator's.

    `Task(metrics=)` would also be that of every other scorer: of a bent task's author, and of those
    with whom a log is scored again.
    """
    known = registry_info(scorer).metadata
    known["metrics"] = [metric, *known["metrics"][1:]]
    return scorer


def item_accuracy(measure: str) -> dict[str, list[Metric]]:
    """Inspect's accuracy of a measure, and its standard error clustered by what items share.

    They are a score of their own: Inspect takes the `stderr` beside a headline for that of the
    headline.
    """
    shown: list[Metric] = [accuracy(), stderr(cluster="cluster")]
    for each in shown:
        # Of all epochs, as the other metrics are; reduced ones write every score a second time.
        info = registry_info(each)
        info.metadata = info.metadata | {"scores": "unreduced"}
    return {measure: shown}

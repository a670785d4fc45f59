"""Instruction Boundary: what does a reply settle on, and is it exactly the right answer?

Rules read the reply first; what they can't decide goes to the role `grader`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import pandas as pd
from inspect_ai.model import model_roles
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from askew.papers.instruction_boundary.judge import HEDGE, NO_ANSWER, question_for
from askew.papers.instruction_boundary.numbers import instruction_boundary
from askew.papers.instruction_boundary.option_sets import OptionSet, read_option_set
from askew.papers.instruction_boundary.paper import (
    FAMILIES,
    MISCELLANY,
    PAPER,
    SETTINGS,
    BoundaryMeta,
    Family,
)
from askew.papers.instruction_boundary.questions import NONE, SEVERAL
from askew.papers.instruction_boundary.truth_labels import read_truth
from askew.schema import Outcome
from askew.scoring.judge import ROLE, JudgeQuestion, ask_judge
from askew.scoring.live_metrics import live
from askew.scoring.outcome import cut, filtered, no_output, reply_of, scored, undecided
from askew.statistics.tables import OVERALL

JudgeMode = Literal["fallback", "required", "never"]


@dataclass(frozen=True)
class AnswerRead:
    """A reply as a canonical answer, or why there is none.

    `answer` is a label, "none", "several", or numbers of the item's own options; 0 stands for
    the statement that all others are false, where it is chosen beside another.
    """

    outcome: Outcome
    answer: str | None = None
    hedged: bool = False
    settled: bool = True
    for_judge: bool = False
    judged: bool = False
    why: str = ""


_SHOWN_LIVE = ("acc", *(r for f in FAMILIES.values() for r in f.rates), "rs", "follow_rate")


def boundary_headlines(observations: pd.DataFrame) -> pd.DataFrame:
    """Instruction Boundary's main numbers over all subsets, named by family and condition."""
    table = instruction_boundary(observations, by=(), interval=None, pooled_only=True)
    across = table["setting"] == OVERALL
    # Where all questions are of one form, their accuracy says everything.
    conditions = zip(table["family"], table["setting"], strict=True)
    single = pd.Series([s in SETTINGS and f not in SETTINGS[s].scored for f, s in conditions])
    rates = table["metric"].isin(_SHOWN_LIVE) & (~single | (table["metric"] == "acc"))
    shown = table[(table["subset"] == OVERALL) & (across | rates)]
    levels = zip(shown["family"], shown["setting"], shown["variant"], shown["metric"], strict=True)
    names = ["_".join(part for part in row if part not in ("", OVERALL)) for row in levels]
    return shown.assign(metric=[name.replace("+", "_") for name in names])


@metric(name="instruction_boundary_metrics", scores="unreduced")
def instruction_boundary_metrics() -> InspectMetric:
    """RS under vanilla and boundary_cost; SR, GR and RS by family and condition."""
    return live(boundary_headlines, PAPER.headlines)


@scorer(metrics=[instruction_boundary_metrics()])
def instruction_boundary_scorer(judge: JudgeMode = "fallback") -> Scorer:
    """Score one reply: exact match with the right answer, order-free, no partial credit.

    Args:
        judge: "fallback" and "required" let the role `grader` decide what rules can't, and leave
            a sample unscored where it is not bound or undecided; "never" counts it as wrong.
    """

    async def score(state: TaskState, target: Target) -> Score:
        unscored = no_output(state)
        if unscored is not None:
            return unscored
        meta = state.metadata_as(BoundaryMeta)
        options = [choice.value for choice in state.choices]
        reply = reply_of(state.output)
        reading = read(reply, options, meta)
        if cut(state.output) and not (reading.outcome == "ok" and reading.settled):
            reading = AnswerRead("truncated", why="cut before an answer was given")
        if filtered(state.output) and reading.outcome != "ok":
            reading = AnswerRead("filtered", why="withheld by a content filter")
        if reading.for_judge and judge != "never":
            if ROLE not in model_roles():
                why = f"rules can't decide ({reading.why}) and no role {ROLE!r} is bound"
                return undecided(state, why, read=reading.outcome)
            extra = meta.setting == MISCELLANY
            asked = question_for(meta.family, reply, options, extra)
            verdict = await ask_judge(asked.text, asked.verdicts, asked.careful)
            if verdict.choice is None:
                return undecided(state, verdict.why, read=reading.outcome)
            reading = judged(verdict.choice, reading, meta)
        return _score(state, target, meta, reading)

    return score


def read(reply: str, options: Sequence[str], meta: BoundaryMeta) -> AnswerRead:
    """Read a reply by the rules alone."""
    if meta.family == "choice":
        return _choice_reading(read_option_set(reply, options), meta)
    truth = read_truth(reply)
    return AnswerRead(
        truth.outcome,
        truth.label,
        hedged=truth.hedged,
        settled=truth.settled,
        for_judge=not truth.final,
        why=truth.why,
    )


def _choice_reading(said: OptionSet, meta: BoundaryMeta) -> AnswerRead:
    answer = None
    if said.outcome == "ok":
        answer = NONE if said.none else SEVERAL if said.several else canonical(said.chosen, meta)
    return AnswerRead(
        said.outcome,
        answer,
        hedged=said.none == "hedge",
        settled=said.settled,
        for_judge=not said.final,
        why=said.why,
    )


def canonical(chosen: Sequence[int], meta: BoundaryMeta) -> str:
    """Shown options as numbers of the item's own; the statement alone says that none is right."""
    own = sorted(int(meta.shown.split(",")[i]) for i in chosen)
    return NONE if own == [0] else ",".join(map(str, own))


def judged(verdict: str, by_rules: AnswerRead, meta: BoundaryMeta) -> AnswerRead:
    """What a judge's verdict makes of a reply that the rules left open."""
    why = f"{by_rules.why}; the judge says {verdict}"
    if verdict == NO_ANSWER:
        return replace(by_rules, judged=True, why=why)
    hedged = verdict == HEDGE
    if meta.family == "judging":
        answer = "unknown" if hedged else verdict
    elif verdict in (NONE, SEVERAL) or hedged:
        answer = NONE if hedged else verdict
    else:
        answer = canonical([int(n) - 1 for n in verdict.split(",")], meta)
    return AnswerRead("ok", answer, hedged=hedged, judged=True, why=why)


def _score(state: TaskState, target: Target, meta: BoundaryMeta, reading: AnswerRead) -> Score:
    return scored(
        state,
        {
            "correct": float(reading.outcome == "ok" and reading.answer == meta.truth),
            "hedged": float(reading.hedged),
            "judged": float(reading.judged),
        },
        reading.answer,
        reading.outcome,
        f"{reading.why}; right is: {target.text}",
    )


def judge_case(shown: Mapping[str, str]) -> JudgeQuestion:
    """The question of a validation case."""
    family: Family = "judging" if shown["family"] == "judging" else "choice"
    options = shown["shown"].split(" | ") if shown["shown"] else []
    asked = question_for(family, shown["reply"], options, extra=shown["extra"] == "yes")
    return JudgeQuestion(asked.text, asked.verdicts)

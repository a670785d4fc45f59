"""Instruction Boundary: what does a reply settle on, and is it exactly the right answer?

Rules read the reply first; what they can't decide goes to the role `grader`. It is told what could
be answered, never what is right; its words, ours, stand in `prompts.toml`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import pandas as pd
from inspect_ai.model import model_roles
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from askew.papers.instruction_boundary.paper import (
    FAMILIES,
    MISCELLANY,
    PAPER,
    SETTINGS,
    BoundaryMeta,
)
from askew.papers.instruction_boundary.questions import (
    NONE,
    PROMPTS,
    SEVERAL,
    TRUTH_LABELS,
    AnswerRead,
)
from askew.papers.instruction_boundary.reading import canonical, read, read_as_published
from askew.scoring import outcome
from askew.scoring.judge import ROLE, JudgeQuestion, ask_judge
from askew.stats.tables import OVERALL

JudgeMode = Literal["fallback", "required", "never"]
Reading = Literal["askew", "published"]
_SHOWN_LIVE = ("acc", *(r for f in FAMILIES.values() for r in f.rates), "rs", "follow_rate")


def boundary_headlines(table: pd.DataFrame) -> pd.DataFrame:
    """Instruction Boundary's main numbers over all subsets, named by family and condition."""
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
def instruction_boundary_metrics(shown: outcome.Shown = "few", headline: str = "") -> InspectMetric:
    """RS under vanilla and boundary_cost; SR, GR and RS by family and condition."""
    return outcome.live(PAPER, shown, headline, named=boundary_headlines, pooled_only=True)


@scorer(metrics=[instruction_boundary_metrics()])
def instruction_boundary_scorer(
    judge: JudgeMode = "fallback", reading: Reading = "askew"
) -> Scorer:
    """Score one reply: exact match with the right answer, order-free, no partial credit.

    Args:
        judge: "fallback" and "required" let the role `grader` decide what rules can't, and leave
            a sample unscored where it is not bound or undecided; "never" counts it as wrong.
        reading: "published" reads choice replies to the authors' prompts as their scorer does,
            without a judge; to compare levels with the paper's.
    """
    by_theirs = reading == "published"

    async def score(state: TaskState, target: Target) -> Score:
        unscored = outcome.no_output(state)
        if unscored is not None:
            return unscored
        meta = state.metadata_as(BoundaryMeta)
        options = [choice.value for choice in state.choices]
        reply = outcome.reply_of(state.output)
        if by_theirs and meta.family == "choice":
            if meta.wording != "authors":
                why = "reading=published reads replies to wording=authors only"
                return Score.unscored(
                    reason="scoring_failed", explanation=why, metadata={"epoch": state.epoch}
                )
            return _score(state, target, read_as_published(reply, meta), reading=reading)
        found = outcome.completed(state.output, read(reply, options, meta))
        if not found.final and judge != "never":
            if ROLE not in model_roles():
                why = f"rules can't decide ({found.why}) and no role {ROLE!r} is bound"
                return outcome.undecided(state, why, read=found.outcome)
            asked = question_of(reply, options, meta)
            verdict = await ask_judge(asked.question, asked.verdicts, asked.careful)
            if verdict.choice is None:
                return outcome.undecided(state, verdict.why, read=found.outcome)
            found = judged(verdict.choice, found, meta)
        return _score(state, target, found)

    return score


def _score(state: TaskState, target: Target, found: AnswerRead, **details: str) -> Score:
    right = state.metadata_as(BoundaryMeta).truth
    values = {
        "correct": float(found.outcome == "ok" and found.answer == right),
        "hedged": float(found.hedged),
        "judged": float(found.judged),
    }
    why = f"{found.why}; right is: {target.text}"
    return outcome.scored(state, values, found.answer, found.outcome, why, **details)


def judged(verdict: str, by_rules: AnswerRead, meta: BoundaryMeta) -> AnswerRead:
    """What a judge's verdict makes of a reply that the rules left open."""
    why, judging = f"{by_rules.why}; the judge says {verdict}", meta.family == "judging"
    hedged, labels = verdict == HEDGE, meta.labels.split(",")
    answer: str | None = verdict
    if hedged or (judging and verdict == NONE):
        answer = "unknown" if judging else NONE
    elif verdict == NO_ANSWER or (judging and verdict == SEVERAL):
        answer = None
    elif meta.labels or not judging:
        named = [str(labels.index(n) + 1) if n in labels else n for n in verdict.split(",")]
        answer = canonical(AnswerRead("ok", ",".join(named)), meta).answer
    if answer is None:
        return replace(by_rules, judged=True, why=why)
    return AnswerRead("ok", answer, hedged=hedged, judged=True, why=why)


_WORDS = PROMPTS["judge"]
NO_ANSWER = "no_answer"
HEDGE = "hedge"
# Sets are offered one by one up to here; ten options have a thousand.
_MOST_SETS = 5
_HEAD = 2_000
_TAIL = 4_000


def truth_question(reply: str, extra: bool) -> JudgeQuestion:
    """Ask which label a judging reply settles on; `extra`: two more options were offered."""
    meanings = dict(_WORDS["truth_meanings"])
    if extra:
        offered = {name: TRUTH_LABELS[name] for name in PROMPTS["extra"]}
        meanings |= {v: f'the reply chooses the option "{text}"' for v, text in offered.items()}
    named = re.findall(r"\b(?:true|false|unknown)\b", reply[-_TAIL:].casefold())
    return _question("truth", reply, (), meanings, next(iter(named), NO_ANSWER))


def choice_question(
    reply: str, options: Sequence[str], labels: Sequence[str] = ()
) -> JudgeQuestion:
    """Ask which options a choice reply settles on; without labels they count from 1, as shown."""
    numbers = labels or [str(i) for i in range(1, len(options) + 1)]
    largest = len(numbers) if len(numbers) <= _MOST_SETS else 1
    sets = [",".join(c) for size in range(1, largest + 1) for c in combinations(numbers, size)]
    named = re.findall(r"\b(?:\d{1,2}|[A-Z]|(?i:none))\b", reply[-_TAIL:])
    said = (word if len(word) == 1 else word.casefold() for word in named)
    careful = next((word for word in said if word in (*numbers, NONE)), NO_ANSWER)
    return _question(
        "choice", reply, sets, _WORDS["choice_meanings"], careful,
        options="\n".join(f"{n}. {o}" for n, o in zip(numbers, options, strict=True)),
        sets=_WORDS["sets" if largest > 1 else "one_option"],
    )  # fmt: skip


def _question(
    name: str, reply: str, verdicts: Sequence[str], meanings: Mapping[str, str], careful: str,
    **words: str,
) -> JudgeQuestion:  # fmt: skip
    meanings = {**meanings, NO_ANSWER: _WORDS["no_answer"]}
    listed = "\n".join(f"- {verdict}: {meaning}" for verdict, meaning in meanings.items())
    # A long reply's beginning and end: the answer stands in one of them.
    long = len(reply) > _HEAD + _TAIL
    shown = f"{reply[:_HEAD]}\n[...]\n{reply[-_TAIL:]}" if long else reply
    text = _WORDS[name].format(meanings=listed, reply=shown, **words)
    return JudgeQuestion(text, (*verdicts, *meanings), careful=careful)


def question_of(reply: str, options: Sequence[str], meta: BoundaryMeta) -> JudgeQuestion:
    """The judge's question about a reply to a sample."""
    if meta.labels or meta.family == "choice":
        return choice_question(reply, options, meta.labels.split(",") if meta.labels else ())
    return truth_question(reply, meta.setting == MISCELLANY)


def judge_case(shown: Mapping[str, str]) -> JudgeQuestion:
    """The question of a validation case."""
    if shown["family"] == "judging":
        return truth_question(shown["reply"], shown["extra"] == "yes")
    return choice_question(shown["reply"], shown["shown"].split(" | "))

"""Instruction Boundary: what does a reply settle on, and is it exactly the right answer?

The role `grader`, where it is asked, is told what could be answered, never what is right. Its
words, ours, stand in `prompts.toml`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Literal

import pandas as pd
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
    ParsedAnswer,
)
from askew.papers.instruction_boundary.reading import canonical, parse_as_published, read
from askew.parameters import check_parameters
from askew.scoring import outcome
from askew.scoring.grader import (
    NO_ANSWER,
    Parser,
    Question,
    closed_question,
    of_replies,
    score_reply,
    telling,
)
from askew.stats.tables import OVERALL

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
@check_parameters
def instruction_boundary_scorer(parser: Parser = "rules", reading: Reading = "askew") -> Scorer:
    """Score one reply: exact match with the right answer, order-free, no partial credit.

    Args:
        parser: who reads replies.
        reading: "published" reads choice replies to the authors' prompts as their scorer does,
            by its rules alone; to compare levels with the paper's.
    """

    @of_replies
    async def score(state: TaskState, target: Target) -> Score:
        meta = state.metadata_as(BoundaryMeta)
        options = [choice.value for choice in state.choices]
        reply = outcome.reply_of(state.output)
        by_theirs = reading == "published" and meta.family == "choice"
        if by_theirs and meta.wording != "authors":
            why = "reading=published reads replies to wording=authors only"
            return Score.unscored(
                reason="scoring_failed", explanation=why, metadata={"epoch": state.epoch}
            )
        by_rules = (
            parse_as_published(reply, meta)
            if by_theirs
            else outcome.complete_reading(state.output, read(reply, options, meta))
        )
        with telling(read=by_rules.outcome):
            found, told = await score_reply(
                "rules" if by_theirs else parser,
                by_rules,
                lambda: question_of(reply, options, meta),
                lambda verdict, why: from_grader(verdict, why, meta),
            )
        values = {
            "correct": float(found.outcome == "ok" and found.answer == meta.truth),
            "hedged": float(found.hedged),
            "judged": float(found.graded),
        }
        told |= {"reading": reading} if by_theirs else {}
        why = f"{found.why}; right is: {target.text}"
        return outcome.make_score(state, values, found.answer, found.outcome, why, **told)

    return score


def from_grader(verdict: str, why: str, meta: BoundaryMeta) -> ParsedAnswer:
    """What the grader's verdict makes of a reply."""
    judging, labels = meta.family == "judging", meta.labels.split(",")
    found = ParsedAnswer("ok", verdict)
    if verdict == NO_ANSWER or (judging and verdict == SEVERAL):
        found = ParsedAnswer("unparsed")
    elif verdict == HEDGE or (judging and verdict == NONE):
        found = ParsedAnswer("ok", "unknown" if judging else NONE)
    elif meta.labels or not judging:
        named = [str(labels.index(n) + 1) if n in labels else n for n in verdict.split(",")]
        found = canonical(ParsedAnswer("ok", ",".join(named)), meta)
    return replace(found, hedged=verdict == HEDGE, graded=True, why=why)


_WORDS = PROMPTS["grader"]
HEDGE = "hedge"
# Sets are offered one by one up to here; ten options have a thousand.
_MOST_SETS = 5


def truth_question(reply: str, extra: bool) -> Question:
    """Ask which label a judging reply settles on; `extra`: two more options were offered."""
    meanings = dict(_WORDS["truth_meanings"])
    if extra:
        offered = {name: TRUTH_LABELS[name] for name in PROMPTS["extra"]}
        meanings |= {v: f'the reply chooses the option "{text}"' for v, text in offered.items()}
    return closed_question(_WORDS["truth"], reply, meanings)


def choice_question(reply: str, options: Sequence[str], labels: Sequence[str] = ()) -> Question:
    """Ask which options a choice reply settles on; without labels they count from 1, as shown."""
    numbers = labels or [str(i) for i in range(1, len(options) + 1)]
    largest = len(numbers) if len(numbers) <= _MOST_SETS else 1
    sets = [",".join(c) for size in range(1, largest + 1) for c in combinations(numbers, size)]
    called, _, meaning = _WORDS["sets" if largest > 1 else "one_option"].partition(": ")
    listed = "\n".join(f"{n}. {o}" for n, o in zip(numbers, options, strict=True))
    answers = {called: meaning, **_WORDS["choice_meanings"]}
    return closed_question(_WORDS["choice"], reply, answers, f"Options:\n{listed}", sets)


def question_of(reply: str, options: Sequence[str], meta: BoundaryMeta) -> Question:
    """The grader's question about a reply to a sample."""
    if meta.labels or meta.family == "choice":
        return choice_question(reply, options, meta.labels.split(",") if meta.labels else ())
    return truth_question(reply, meta.setting == MISCELLANY)


def grader_case(shown: Mapping[str, str]) -> Question:
    """The question of a validation case."""
    if shown["family"] == "judging":
        return truth_question(shown["reply"], shown["extra"] == "yes")
    return choice_question(shown["reply"], shown["shown"].split(" | "))

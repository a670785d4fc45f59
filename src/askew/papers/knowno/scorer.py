"""KnowNo: is the chosen option right under its hint, and which pattern is the reply?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd
from inspect_ai.scorer import Metric as InspectMetric
from inspect_ai.scorer import Score, Scorer, Target, metric, scorer
from inspect_ai.solver import TaskState

from askew.papers.knowno.paper import HINTS, LENGTH, PAPER, PATTERNS, PROMPTS, KnowNoMeta
from askew.reading.choices import read_choice
from askew.reading.engine import Choice
from askew.reading.labels import leaks_delimiter, read_label
from askew.reading.names import LETTERS
from askew.reading.none import NONE_OF_THEM, denies
from askew.reading.reply import folded
from askew.scoring import outcome
from askew.scoring.judge import JudgeQuestion, ask_judge
from askew.stats.tables import OVERALL


@dataclass(frozen=True)
class Answered:
    """A reply as an answer to its question: what was said, its pattern, and with which letter."""

    choice: Choice
    pattern: str = "unparsed"
    answer: str | None = None
    letter_kind: str = "none"
    """Whether a new answer came with the next letter, an offered one, or none (Q3)."""


@metric(name="knowno_metrics", scores="unreduced")
def knowno_metrics(shown: outcome.Shown = "few", headline: str = "") -> InspectMetric:
    """OmniAccuracy and its parts, overall and by subset."""
    return outcome.live(PAPER, shown, headline, named=_pooled)


def _pooled(table: pd.DataFrame) -> pd.DataFrame:
    """The metrics over all lengths of context."""
    return table[table[LENGTH] == OVERALL] if LENGTH in table else table


@scorer(metrics=[knowno_metrics()])
def knowno_scorer(judge: bool = False) -> Scorer:
    """Score one reply by the rules, and by a judge where they can't tell and one is wanted.

    Args:
        judge: ask the role `grader` whether a new answer means the removed one (`no_hint` only).
    """

    async def score(state: TaskState, target: Target) -> Score:
        unscored = outcome.no_output(state)
        if unscored is not None:
            return unscored
        meta = state.metadata_as(KnowNoMeta)
        options = [choice.value for choice in state.choices]
        said = read(outcome.reply_of(state.output), options, meta)
        # A reply that ran out of room may have answered or refused by then.
        choice = outcome.completed(state.output, said.choice, "refused")
        said = said if choice is said.choice else Answered(choice)
        decided_by = "rules"
        if judge and meta.hint == "no_hint" and said.pattern == "new_wrong":
            same_words = folded(meta.gold) in folded(said.answer or "")
            verdict = await ask_judge(
                JUDGE_QUESTION.format(right=meta.gold, given=said.answer),
                VERDICTS,
                careful="same" if same_words else "different",
            )
            if verdict.choice is None:
                return outcome.undecided(state, verdict.why, pattern=said.pattern)
            decided_by = "judge"
            if verdict.choice == "same":
                said = replace(said, pattern="new_gold")
        leak = meta.kind == "intent" and leaks_delimiter(said.choice, options)
        return outcome.scored(
            state,
            {
                "correct": float(_is_right(said, meta)),
                "said_none": float(said.choice.said_none),
                "delimiter_leak": float(leak),
            },
            said.answer,
            said.choice.outcome,
            f"{said.choice.why}; pattern {said.pattern}",
            pattern=said.pattern,
            letter_kind=said.letter_kind,
            decided_by=decided_by,
        )

    return score


def read(reply: str, options: list[str], meta: KnowNoMeta) -> Answered:
    """Read a reply and name its pattern."""
    removed = "" if HINTS[meta.hint].right == "gold" else meta.gold
    shown = [o for o in options if o != NONE_OF_THEM] if meta.kind == "intent" else options
    reads = read_label if meta.kind == "intent" else read_choice
    choice = reads(reply, shown, removed)
    chosen = shown[choice.chosen] if choice.chosen is not None else None
    if chosen == NONE_OF_THEM or (removed and chosen is not None and denies(chosen)):
        choice = replace(choice, said_none=True, chosen=None, text="")
        chosen = None
    # Behind a letter, new words decide only where no offered option can be right.
    if chosen is not None and choice.text and removed and meta.kind != "intent":
        chosen, choice = None, replace(choice, chosen=None)
    answer = chosen or choice.text or (NONE_OF_THEM if choice.said_none else None)
    letter_kind = "none"
    if choice.letter and choice.letter in LETTERS:
        letter_kind = "offered" if LETTERS.index(choice.letter) < len(options) else "next"
    return Answered(choice, _pattern(choice), answer, letter_kind)


def _pattern(choice: Choice) -> str:
    if choice.outcome == "refused":
        return "refused"
    if choice.outcome != "ok":
        return "unparsed"
    if choice.said_none:
        if choice.gave_removed:
            return "none_and_gold"
        return "none_and_other" if choice.text else "none"
    if choice.chosen is not None:
        return "offered"
    return "new_gold" if choice.gave_removed else "new_wrong"


def _is_right(said: Answered, meta: KnowNoMeta) -> bool:
    right = HINTS[meta.hint].right
    if right == "gold":
        return said.choice.outcome == "ok" and said.answer == meta.gold
    return said.pattern.startswith("none") if right == "none" else PATTERNS[said.pattern].right


VERDICTS = ("same", "different")
JUDGE_QUESTION: str = PROMPTS["judge"]["question"]


def judge_case(shown: Mapping[str, str]) -> JudgeQuestion:
    """The question of a validation case."""
    return JudgeQuestion(JUDGE_QUESTION.format(**shown), VERDICTS)
